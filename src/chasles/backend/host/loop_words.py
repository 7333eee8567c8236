"""A loop as its driver sees it (loop_driver.py): a block of words, as descriptor.py is for a kernel."""

import struct

from chasles.backend.schedule import between_looks
from chasles.graph.program import Loop

STEP = 0  # the range function of the step
LANES = 1
BYTES = 2  # of a number
OPERANDS = 3  # of the step: inputs, then outputs
COUNT = 4  # of iterations, or -1
UNTIL = 5  # operands of the step, or -1
ATTEMPT = 6
SCORE = 7
UNTIL_RESULT = 8  # operands of the loop
SCORE_RESULT = 9
ATTEMPTS = 10
LOOK_EVERY = 11  # steps between two looks whether the loop is called off, a power of two
CARRIED = 12  # how many, then where their words begin: step's input, step's output, loop's input, loop's output, bytes
GIVEN = 14  # step's input, loop's input, bytes
EACH = 16
RECORDED = 18  # step's output, loop's output, bytes
SIZES = 20  # bytes of the step's operands


def context(loop: Loop, step: int, lanes: int, dtype: str, cost: float) -> bytes:
    """The words of a loop whose step's range function is at `step`, and costs that much a row."""
    size = 8 if dtype == "float64" else 4
    inputs, outputs = ({o.name: k for k, o in enumerate(side)} for side in (loop.step.inputs, loop.step.outputs))
    outputs = {name: len(inputs) + k for name, k in outputs.items()}
    fed = {o.name: k for k, o in enumerate(loop.inputs)}
    results = {o.name: len(fed) + k for k, o in enumerate(loop.outputs)}
    sizes = {o.name: size * o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    lists = [
        [(inputs[n], outputs[n], fed[n], results[n], sizes[n]) for n in loop.carry],
        [(inputs[n], fed[n], sizes[n]) for n in loop.given],
        [(inputs[n], fed[n], sizes[n]) for n in loop.each],
        [(outputs[n], results[n], sizes[n]) for n in loop.record],
    ]
    until, restart = loop.until, loop.restart
    words = [step, lanes, size, len(inputs) + len(outputs), -1 if loop.count is None else loop.count]
    words += [outputs[until] if until else -1]
    words += [inputs[restart.attempt], outputs[restart.score]] if restart else [-1, -1]
    words += [results[until] if until else -1]
    words += [results[restart.score], fed["attempts"]] if restart else [-1, -1]
    words += [between_looks(cost)]
    behind: list[int] = [size * o.size for o in (*loop.step.inputs, *loop.step.outputs)]
    for rows in lists:
        words += [len(rows), SIZES + len(behind)]
        behind += [word for row in rows for word in row]
    return struct.pack(f"<{len(words) + len(behind)}q", *words, *behind)
