"""Calls in programs: loops of one iteration. One that occurs once is written out; others are functions."""

from collections import Counter
from typing import Any

from chasles.graph.program import Loop, Program, Ref


def is_call(loop: Loop) -> bool:
    """Whether a loop runs its step once, whatever happens, and gives the outputs of it as they are."""
    if loop.count != 1 or loop.until or loop.each or loop.restart:
        return False
    return [o.name for o in loop.step.outputs] == [o.name for o in loop.outputs]


def written_out(program: Program, every: bool = False) -> Program:
    """The program with the calls that occur once in it, or every one, written out in their place."""
    often = Counter(args[0] for op, args in program.nodes if op == "loop")
    if not any((every or often[l] == 1) and is_call(loop) for l, loop in enumerate(program.loops)):
        return program
    nodes: list[tuple[str, tuple[Any, ...]]] = []
    loops: dict[Loop, int] = {}

    def write(part: Program, inputs: list[list[Any]] | None) -> list[Any]:
        """Append the nodes of a part; what each became: a Ref or a float, of a call the list of its results."""
        became: list[Any] = []
        once = Counter(args[0] for op, args in part.nodes if op == "loop")

        def now(x: Any) -> Any:
            return became[x.index] if type(x) is Ref else x

        for op, args in part.nodes:
            if op == "input" and inputs is not None:
                became.append(inputs[args[0]][args[1]])
                continue
            if op == "item" and isinstance(became[args[0].index], list):
                became.append(became[args[0].index][args[1]])
                continue
            if op == "loop" and (every or once[args[0]] == 1) and is_call(part.loops[args[0]]):
                became.append(called(part.loops[args[0]], [now(x) for x in args[1:]]))
                continue
            if op == "loop":
                index = loops.setdefault(part.loops[args[0]], len(loops))
                nodes.append((op, (index, *map(now, args[1:]))))
            else:
                nodes.append((op, args if op == "input" else tuple(map(now, args))))
            became.append(Ref(len(nodes) - 1))
        return became

    def called(loop: Loop, flat: list[Any]) -> list[Any]:
        rows: dict[str, list[Any]] = {}
        for o in loop.inputs:
            rows[o.name], flat = flat[: o.size], flat[o.size :]
        values = write(loop.step, [rows[o.name] for o in loop.step.inputs])
        return [values[r.index] if type(r) is Ref else r for row in loop.step.results for r in row]

    became = write(program, None)
    results = tuple(tuple(became[r.index] if type(r) is Ref else r for r in row) for row in program.results)
    return Program(program.inputs, program.outputs, tuple(nodes), results, tuple(loops))
