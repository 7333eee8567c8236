"""What every language that programs are printed in has to compute: operations, constants, loops, searches, names."""

from typing import Any

import numpy as np
from support.whole_number_loops import collatz, endless

import chasles as ch
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Program, Ref, Restart
from chasles.scalar import ops
from chasles.scalar.operations import OPERATIONS, Operation

EDGES = (-np.inf, -2.5, -1.0, -0.3, -0.0, 0.0, 5e-324, 0.7, 1.0, 2.0, 3.0, 1e5, 1e22, 1e300, np.inf, np.nan)
EXACT = {"add", "sub", "mul", "div", "neg", "sqrt", "floor", "random", "normal", "where"}
ROWS = [row for row in OPERATIONS.values() if row.traced]


def body_of(kernel: Kernel) -> Program:
    assert isinstance(kernel.program, Program)
    return kernel.program


def same_numbers(found: Any, expected: Any) -> bool:
    """Whether outputs are the same numbers, zeros with their signs, and nan where nan is."""
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
        assert (np.signbit(x) == np.signbit(y))[~np.isnan(y)].all()
    return True


def alone(row: Operation, dtype: str = "float64") -> Kernel:
    """A function of one operation."""

    def function(x):
        given = [ops.less(0.0, v) if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)]
        y = row.operator(*given) if row.operator else ops.apply(row.name, *given)
        return ops.where(y, 1.0, 0.0) if row.gives == "condition" else y

    return ch.compile(function, dtype=dtype, x=row.arity)


def at_edges(row: Operation) -> np.ndarray:
    """Arguments of an operation: all pairs and triples of numbers at the edges of its domain."""
    return np.stack(np.meshgrid(*[EDGES] * row.arity), axis=-1).reshape(-1, row.arity)


def agrees_at_edges(row: Operation, found: Any, expected: Any) -> bool:
    """Whether an operation is right there: to the bit, or to rounding where the C library has it."""
    if row.name in EXACT or row.gives == "condition":
        return same_numbers(found, expected)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-15, atol=0.0, err_msg=row.name)
    zero = expected[0] == 0.0
    assert (np.signbit(found[0]) == np.signbit(expected[0]))[zero].all(), row.name
    return True


def seeds(rng: np.random.Generator, largest: int = 300) -> np.ndarray:
    """(2103, 2) arguments of random numbers: of all sizes, whole ones, zeros of both signs."""
    x = rng.normal(size=(2000, 2)) * 10.0 ** rng.integers(-largest, largest, (2000, 2))
    return np.concatenate([x, np.arange(200.0).reshape(-1, 2), [(-0.0, 0.0), (0.0, -0.0), (1.0, np.inf)]])


def constants() -> Kernel:
    """In results and as arguments the numbers that text gets wrong; x: ones."""
    values = [*EDGES, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.0**53 + 2.0, 1e21, 123456789.125, -1e-7]
    operand = Operand("x", (len(values),))
    results = (tuple(values), tuple(Ref(2 * k + 1) for k in range(len(values))))
    nodes = [node for k, v in enumerate(values) for node in (("input", (0, k)), ("mul", (float(v), Ref(2 * k))))]
    program = Program(
        (operand,), (Operand("plain", operand.shape), Operand("times", operand.shape)), tuple(nodes), results
    )
    program.check()
    return Kernel(program, "constants")


# loops


def matrix_power(A: Any, v: Any) -> Any:
    """No until; what is given is an input as it is, and so is a start."""
    v, n = ch.loop(lambda v, n: (A @ v, n + 1.0), (v, np.zeros(())), count=5)
    return {"v": v, "n": n, "again": v}


def numbered(x: Any) -> Any:
    """until is a number, 0 or -0 to go on, and may be nan."""

    def step(x, n):
        return (x + 1.0, n + 1.0), {"until": -np.floor(x / 7.0)}

    (x, n), how = ch.loop(step, (x, 0.0), count=6)
    return {"x": x, "n": n, "until": how["until"]}


def nested(x: Any) -> Any:
    """A loop in a loop in a loop, of which one occurs in two places."""

    def double(y):
        return ch.loop(lambda z: z + z, y, count=3)

    def middle(y):
        return double(y) - y, {"until": y > 1e6}

    return ch.loop(lambda x: ch.loop(middle, x, count=3)[0] + double(x), x, count=3)


def called(x: Any) -> Any:
    """Calls, loops of one iteration: thrice the same, and once another that nothing is carried in."""

    def square(y):
        return ch.loop(lambda found, y: y * y + 1.0, np.zeros(3), given={"y": y}, count=1)

    once = ch.loop(lambda y: (y, {"record": {"sum": np.sum(y) * y}}), x, count=1)[1]["record"]["sum"]
    return {"cubes": square(square(square(x))), "sums": once}


def backward(x: Any) -> Any:
    """A gradient: states of the first loop are taken by the second from the last to the first, in rows of nine."""

    def step(y, push):
        return np.sin(y) + push

    y = ch.loop(step, x[:9], each={"push": x.reshape(12, 9)}, count=12)
    return np.sum(y * y)


LOOPS = {
    collatz: {"x": (), "w": (25, 2)},
    matrix_power: {"A": (3, 3), "v": 3},
    endless: {"x": ()},
    numbered: {"x": ()},
    nested: {"x": ()},
    called: {"x": 3},
}


def loop_arguments(kernel: Kernel, rng: np.random.Generator) -> list[np.ndarray]:
    """Whole numbers, 14 rows, in two of them nan."""
    x = [rng.integers(0, 9 if o.shape else 40, (14, *o.shape)).astype(float) for o in kernel.inputs]
    x[0][6::7] = np.nan
    return x


# searches


def search() -> Loop:
    """Attempt a adds a^2 until it is near the target; below -5 it is refused, from attempt 3 on there is one step."""

    def step(x, target, attempt):
        new = x + attempt * attempt
        status = ch.where(abs(new - target) < 0.5, 1.0, ch.where(new < -5.0, 3.0, ch.where(attempt > 2.5, 2.0, 0.0)))
        return {"x": new, "status": status, "score": abs(new - target)}

    program = body_of(ch.compile(step, x=(), target=(), attempt=()))
    return Loop(program, ("x",), 4, given=("target",), until="status", restart=Restart("attempt", "score"))


SEARCHES = np.array(  # start, target, attempts: found, refused, none found; more than there are, none, a score of nan
    [
        (0.0, 0.0, 3),
        (0.0, 8.0, 9),
        (0.0, 6.0, 9),
        (-9.0, 0.0, 5),
        (0.0, 7.3, 4),
        (0.0, 50.0, 0),
        (0.0, 50.0, 6),
        (np.nan, 1.0, 3),
        (0.0, np.nan, 3),
        (0.0, 2.0, 1e9),
    ]
).T


# names


WORDS = [
    "class",
    "Math",
    "q",
    "two words",
    "two_words",
    "theta \N{GREEK SMALL LETTER THETA}",
    "*/",
    "__proto__",
    "k",
    "v0",
    "</script>",
    "\u2028`${1}",
]
FUNCTIONS = [*WORDS, "", "1st", "take", "random", "f_x", "mass_matrix+gravity_forces"]


def named(name: str) -> Kernel:
    """A function with operands called by words of languages, by no words, or by two that become one; some are empty."""
    inputs = tuple(Operand(word, (k % 3,)) for k, word in enumerate(WORDS, 1))
    nodes = tuple(("input", (o, 0)) for o, operand in enumerate(inputs) if operand.size)
    names = [operand.name for operand in inputs if operand.size]
    drawn = (("random", (Ref(0), Ref(1))),)
    outputs = (*(Operand(word, (1,)) for word in names), Operand("drawn", ()))
    results = tuple((Ref(k),) for k in range(len(nodes) + 1))
    return Kernel(Program(inputs, outputs, nodes + drawn, results), name)


def named_arguments() -> list[np.ndarray]:
    return [np.full((1, k % 3), 2.0 + k) for k in range(1, len(WORDS) + 1)]
