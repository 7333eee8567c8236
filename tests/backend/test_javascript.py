"""JavaScript: operations, loops and searches in Node, names, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.kernels import everything_kernel, same, states
from support.node import computed, interpreted, run
from support.random_expressions import VARIABLES, bounded, evaluate, points, trees
from support.tolerances import close
from support.whole_number_loops import collatz, endless

import chasles as ch
from chasles.backend.javascript import JavaScript, exported_name, expression, prelude
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Program, Ref, Restart
from chasles.scalar import ops
from chasles.scalar.operations import OPERATIONS

EDGES = (-np.inf, -2.5, -1.0, -0.3, -0.0, 0.0, 5e-324, 0.7, 1.0, 2.0, 3.0, 1e5, 1e22, 1e300, np.inf, np.nan)
EXACT = {"add", "sub", "mul", "div", "neg", "sqrt", "floor", "random", "normal", "where"}


def body_of(kernel) -> Program:
    assert isinstance(kernel.program, Program)
    return kernel.program


def equal(kernel, *x, tol=0.0):
    """Whether Node and the interpreter agree: to the bit, or to a tolerance where all is finite."""
    for found, expected in zip(computed(kernel, *x), interpreted(kernel, *x), strict=True):
        if tol:
            assert close(found, expected, tol)
        else:
            np.testing.assert_array_equal(found, expected)
            known = ~np.isnan(expected)
            assert (np.signbit(found) == np.signbit(expected))[known].all()
    return True


def alone(row):
    """A function of one operation."""

    def function(x):
        given = [ops.less(0.0, v) if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)]
        y = row.operator(*given) if row.operator else ops.apply(row.name, *given)
        return ops.where(y, 1.0, 0.0) if row.gives == "condition" else y

    return ch.compile(function, x=row.arity)


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.traced], ids=lambda row: row.name)
def test_every_operation_at_its_edges(row):
    kernel = alone(row)
    x = np.stack(np.meshgrid(*[EDGES] * row.arity), axis=-1).reshape(-1, row.arity)
    if row.name in EXACT or row.gives == "condition":
        assert equal(kernel, x)
        return
    (found,), (expected,) = computed(kernel, x), interpreted(kernel, x)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0.0)
    zero = expected == 0.0
    assert (np.signbit(found) == np.signbit(expected))[zero].all()


def test_random_numbers_are_the_same_bits(rng):
    x = np.concatenate(
        [rng.normal(size=(2000, 2)) * 10.0 ** rng.integers(-300, 300, (2000, 2)), np.arange(200.0).reshape(-1, 2)]
    )
    for name in ("random", "normal"):
        (found,) = computed(alone(OPERATIONS[name]), x)
        assert same(found, OPERATIONS[name].numpy(x[:, 0], x[:, 1]))


@pytest.mark.parametrize("longest", [1000, 7])
def test_all_operations_in_parts(monkeypatch, longest):
    """Numbers and conditions that outlive their part are kept for others."""
    monkeypatch.setattr(JavaScript, "longest", longest)
    kernel = everything_kernel()
    assert ("_part1(" in kernel.to("js")) == (longest == 7)
    assert equal(kernel, *states(kernel, 5), tol=1e-14)


def test_constants_are_exact():
    """In results, as arguments, and in loops: the numbers that text gets wrong."""
    values = [*EDGES, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.0**53 + 2.0, 1e21, 123456789.125, -1e-7]
    operand = Operand("x", (len(values),))
    results = (tuple(values), tuple(Ref(2 * k + 1) for k in range(len(values))))
    nodes = [node for k, v in enumerate(values) for node in (("input", (0, k)), ("mul", (float(v), Ref(2 * k))))]
    program = Program(
        (operand,), (Operand("plain", operand.shape), Operand("times", operand.shape)), tuple(nodes), results
    )
    program.check()
    assert equal(Kernel(program, "constants"), np.ones((1, len(values))))


@settings(max_examples=8)
@given(
    st.lists(trees(), min_size=4, max_size=4), st.lists(points(), min_size=1, max_size=5), st.sampled_from([3, 1000])
)
def test_random_expressions(expressions, rows, longest):
    expected = [[bounded(tree, x) for tree in expressions] for x in rows]
    kernel = ch.compile(lambda x: np.stack([evaluate(tree, list(x)) + 0.0 * x[0] for tree in expressions]), x=VARIABLES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JavaScript, "longest", longest)
        (found,) = computed(kernel, np.array(rows))
    for row, wanted in zip(found, expected, strict=True):
        for x, y in zip(row, wanted, strict=True):
            assert abs(x - y.value) <= 4 * y.error


# loops


def matrix_power(A, v):
    """No until; what is given is an input as it is, and so is a start."""
    v, n = ch.loop(lambda v, n: (A @ v, n + 1.0), (v, np.zeros(())), count=5)
    return {"v": v, "n": n, "again": v}


def numbered(x):
    """until is a number, 0 or -0 to go on, and may be nan."""

    def step(x, n):
        return (x + 1.0, n + 1.0), {"until": -np.floor(x / 7.0)}

    (x, n), how = ch.loop(step, (x, 0.0), count=6)
    return {"x": x, "n": n, "until": how["until"]}


def nested(x):
    """A loop in a loop in a loop, of which one occurs in two places."""

    def double(y):
        return ch.loop(lambda z: z + z, y, count=3)

    def middle(y):
        return double(y) - y, {"until": y > 1e6}

    return ch.loop(lambda x: ch.loop(middle, x, count=3)[0] + double(x), x, count=3)


def called(x):
    """Calls, loops of one iteration: thrice the same, and once another that nothing is carried in."""

    def square(y):
        return ch.loop(lambda found, y: y * y + 1.0, np.zeros(3), given={"y": y}, count=1)

    once = ch.loop(lambda y: (y, {"record": {"sum": np.sum(y) * y}}), x, count=1)[1]["record"]["sum"]
    return {"cubes": square(square(square(x))), "sums": once}


def backward(x):
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


@pytest.mark.parametrize("function", LOOPS, ids=lambda function: function.__name__)
def test_loops(function, rng, monkeypatch):
    kernel = ch.compile(function, **LOOPS[function])
    x = [rng.integers(0, 9 if o.shape else 40, (14, *o.shape)).astype(float) for o in kernel.inputs]
    x[0][6::7] = np.nan
    assert equal(kernel, *x)
    by_itself = Kernel(body_of(kernel).loops[-1], "by_itself")
    y = [rng.integers(0, 9 if o.shape else 40, (14, *o.shape)).astype(float) for o in by_itself.inputs]
    assert equal(by_itself, *y)
    monkeypatch.setattr(JavaScript, "longest", 1)
    assert equal(kernel, *x)


def test_what_only_passes_through_is_not_named():
    """Arrays that go into a loop and out of it whole are handed on."""
    text = ch.compile(collatz, x=(), w=(25, 2)).to("js")
    (inside,) = re.findall(r"^function f_collatz\(.*?^}$", text, re.MULTILINE | re.DOTALL)
    assert "f_collatz_0(" in inside and len(inside.splitlines()) < 10


def test_rows_taken_backward(rng):
    kernel = ch.compile(backward, x=108).gradient("x")
    text = kernel.to("js")
    assert re.search(r"while \(r0 < 1[12]\)", text)
    assert equal(kernel, rng.normal(size=(3, 108)), tol=1e-13)


# searches


def search():
    """Attempt a adds a^2 until it is near the target; below -5 it is refused, from attempt 3 on there is one step."""

    def step(x, target, attempt):
        new = x + attempt * attempt
        status = ch.where(abs(new - target) < 0.5, 1.0, ch.where(new < -5.0, 3.0, ch.where(attempt > 2.5, 2.0, 0.0)))
        return {"x": new, "status": status, "score": abs(new - target)}

    program = body_of(ch.compile(step, x=(), target=(), attempt=()))
    return Loop(program, ("x",), 4, given=("target",), until="status", restart=Restart("attempt", "score"))


def test_searches():
    """Found, refused, none found: the least score; more attempts than there are, none, and a score of nan."""
    cases = [(0.0, 0.0, 3), (0.0, 8.0, 9), (0.0, 6.0, 9), (-9.0, 0.0, 5), (0.0, 7.3, 4), (0.0, 50.0, 0), (0.0, 50.0, 6)]
    cases += [(np.nan, 1.0, 3), (0.0, np.nan, 3), (0.0, 2.0, 1e9)]
    x, target, attempts = np.array(cases, float).T
    assert equal(Kernel(search(), "search"), x, target, attempts)
    found = computed(Kernel(search(), "search"), x, target, attempts)
    assert set(found[1]) == {0.0, 1.0, 2.0, 3.0} and np.isinf(found[2]).any()
    assert equal(Kernel(search().program, "search_in_a_program"), x, target, attempts)


# names and doors


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


@pytest.mark.parametrize("name", [*WORDS, "", "1st", "take", "random", "f_x", "mass_matrix+gravity_forces"])
def test_names_that_are_none(name):
    """Operands and functions called by words of JavaScript, by no words, or by two that become one."""
    inputs = tuple(Operand(word, (k % 3,)) for k, word in enumerate(WORDS, 1))
    nodes = tuple(("input", (o, 0)) for o, operand in enumerate(inputs) if operand.size)
    names = [operand.name for operand in inputs if operand.size]
    drawn = (("random", (Ref(0), Ref(1))),)
    outputs = (*(Operand(word, (1,)) for word in names), Operand("drawn", ()))
    results = tuple((Ref(k),) for k in range(len(nodes) + 1))
    kernel = Kernel(Program(inputs, outputs, nodes + drawn, results), name)
    x = [np.full((1, operand.size), 3.0 + k) for k, operand in enumerate(inputs)]
    assert equal(kernel, *x)
    text = kernel.to("js")
    text.encode("ascii")
    keys = run(text, f"return Object.keys(module[{exported_name(name)!r}](...{[a.ravel().tolist() for a in x]}))")
    assert keys == [*names, "drawn"]


@pytest.mark.parametrize("name", ["double", "delete", "take", "2 x", "energy (J)"])
def test_an_expression_is_the_function_of_the_module(name):
    program = ch.compile(lambda q: 2.0 * q + 1.0, q=2).program
    text = expression(program, name, "float64")
    assert run("", f"const f = {text}; return f([1, 3])").tolist() == [3.0, 7.0] and "export" not in text
    module = Kernel(program, name, "float64").to("js")
    assert run(module, f"return module[{exported_name(name)!r}]([1, 3])").tolist() == [3.0, 7.0]


def test_no_name_of_the_prelude_is_taken():
    assert {"take", "check", "power", "random", "normal", "number", "halves", "keys", "HIGH"} <= prelude.NAMES


@pytest.fixture(scope="module")
def double():
    def double(q, t):
        return {"twice": 2.0 * q + t, "time": t}

    return ch.compile(double, q=2, t=()).to("js")


CALLS = {
    "arrays of any kind, and a number": ("[[1, 2], 3]", [5.0, 7.0]),
    "typed": ("[new Float32Array([1, 2]), [3]]", [5.0, 7.0]),
    "outputs given": ("[[1, 2], 3, given]", [5.0, 7.0]),
}


@pytest.mark.parametrize("case", CALLS)
def test_ways_to_call(double, case):
    arguments, expected = CALLS[case]
    code = f"const {{ twice, time }} = module.double(...{arguments}); if (time[0] !== 3) throw 0; return twice"
    assert run(double, code, [0.0, 0.0]).tolist() == expected


def test_results_may_be_written_over_the_inputs(double):
    assert run(
        double, "module.double(given, 1, given); module.double(given, 1, given); return given", [1.0, 2.0]
    ).tolist() == [7.0, 11.0]


MISTAKES = {
    "one too few": ("[1], 0", "double: q must be 2 numbers, got 1"),
    "nested": ("[[1, 2]], 0", "double: q must be 2 numbers, got 1"),
    "a number for two": ("1, 0", "double: q must be 2 numbers, got 1"),
    "left out": ("[1, 2]", "double: t must be 1 numbers, got undefined"),
    "no number in it": ("[1, null], 0", "double: q[1] must be a number, got null"),
    "a text in it": ("['1', 2], 0", "double: q[0] must be a number, got 1"),
    "a hole": ("[, 2], 0", "double: q[0] must be a number, got undefined"),
    "null": ("null, 0", "double: q must be 2 numbers, got null"),
    "a small array for results": ("[1, 2], 0, [0]", "double: twice is written to 2 elements, got 1"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_named(double, case):
    arguments, message = MISTAKES[case]
    with pytest.raises(RuntimeError, match=re.escape(f"RangeError: {message}")):
        run(double, f"module.double({arguments})")


def test_what_cannot_be_printed_is_refused_by_name(monkeypatch):
    with pytest.raises(ch.CompileError, match=r"third: JavaScript computes in float64.*not of float32"):
        Kernel(ch.compile(lambda x: x / 3.0, x=()).program, "third", "float32").to("js")
    monkeypatch.setattr(JavaScript, "operations", {"mul": "{} * {}"})
    with pytest.raises(ch.CompileError, match="div: JavaScript has no text for this operation"):
        ch.compile(lambda x, y: x / y, x=(), y=()).to("js")
