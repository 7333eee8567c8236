"""Loops as data: what they mean on every leaf, and that their derivatives are those of what they compute."""

import math
import pickle

import mpmath
import numpy as np
import pytest
from support import fifty_digits, toy_backend
from support.implicit_pendulum import STATE, differences, pendulum, pendulum_by_bisection

from chasles.errors import ProgramError, TraceError
from chasles.graph import loop_reverse
from chasles.graph.array import traced
from chasles.graph.derive import gradient_program, hessian_program, jacobian_program
from chasles.graph.diff import gradient_reverse, jacobian_forward
from chasles.graph.interpret import interpret
from chasles.graph.loop_reverse import MOST_KEPT, blocks
from chasles.graph.node import Graph, where
from chasles.graph.program import Loop, Operand, Program, Restart, Status, flatten
from chasles.graph.trace_loop import loop
from chasles.scalar.dual import Dual


def program(function, derive=lambda y, x: y, **shapes):
    """The trace of a function of arrays; derive: of its flat results and flat first input, what to compute instead."""
    graph = Graph()
    inputs = tuple(Operand(name, shape) for name, shape in shapes.items())
    nodes = [[graph.input(k, i) for i in range(o.size)] for k, o in enumerate(inputs)]
    arguments = [_shaped(x, o.shape) for x, o in zip(nodes, inputs, strict=True)]
    results = derive(list(np.ravel(np.asarray(function(*arguments), object))), nodes[0])
    flat = list(np.ravel(np.asarray(results, object)))
    return flatten(inputs, (Operand("y", (len(flat),)),), [flat])


def scalar(function, **shapes):
    p = program(function, **shapes)
    return Program(p.inputs, (Operand("y", ()),), p.nodes, p.results, p.loops)


def _shaped(flat, shape):
    x = np.empty(len(flat), object)
    x[:] = flat
    return traced(x.reshape(shape)) if shape else x[0]


def values(p, *arrays):
    """The first output of a program, by the interpreter and by the toy back end, which agree."""
    (flat,) = interpret(p, [[float(v) for v in np.ravel(x)] for x in arrays])
    flat = np.array(flat, float)
    np.testing.assert_allclose(np.ravel(toy_backend.function(p, "f")(*arrays)), flat, rtol=1e-12, atol=1e-13)
    return flat


def square_root(a, **options):
    def newton(x):
        new = 0.5 * (x + a / x)
        return new, {"until": abs(new - x) < 1e-13}

    return loop(newton, 1.0, **{"count": 50, **options})


# What a loop means


def test_numbers_just_run():
    x, how = square_root(2.0)
    assert x == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert how == {"until": Status.FOUND}
    assert loop(lambda x: 2.0 * x, 1.0, count=10) == 1024.0


def test_count_runs_out():
    x, how = square_root(2.0, count=2)
    assert (x, how["until"]) == (1.4166666666666665, Status.CONTINUE)


def test_traced_it_is_one_node():
    p = program(lambda a: square_root(a)[0], a=())
    assert [op for op, _ in p.nodes] == ["input", "loop", "item"]
    assert values(p, 2.0) == pytest.approx(math.sqrt(2.0))
    assert p.operations.by_kind == {"loop": 1}
    (inner,) = p.loops
    assert (inner.carry, inner.count, inner.until) == (("x",), 50, "until")
    assert int(inner.operations) == len(inner.step.nodes) - 2


def test_rows_in_one_leaf_stop_one_by_one():
    p = program(lambda a: [*_ended(square_root(a))], a=())
    batch = np.array([4.0, np.nan, 2.0, 1e-6])
    (root, how), (alone, _) = interpret(p, [[batch]])[0], interpret(p, [[2.0]])[0]
    np.testing.assert_array_equal(root[[0, 1]], [2.0, np.nan])
    assert root[2] == alone  # whatever its neighbours do
    np.testing.assert_array_equal(how, [Status.FOUND, Status.ENDED, Status.FOUND, Status.FOUND])
    np.testing.assert_array_equal(toy_backend.function(p, "f")(batch)[:, 0], root)


def _ended(result):
    carry, extras = result
    return carry, extras["until"]


def test_without_count_a_nan_ends_it():
    p = program(lambda a: [*_ended(square_root(a, count=None))], a=())
    assert values(p, 9.0) == pytest.approx([3.0, 1.0])
    np.testing.assert_array_equal(values(p, np.nan), [np.nan, 2.0])


def test_fifty_digits():
    p = program(lambda a: loop(lambda x: 0.5 * (x + a / x), 1.0, count=8), a=())
    (root,) = fifty_digits.precise(lambda a: interpret(p, [list(a)])[0], [2.0])
    assert abs(root - mpmath.sqrt(2)) < mpmath.mpf(10) ** -45


def _fibonacci(start):
    def step(a, b, w):
        return (b, a + b), {"record": {"a": a, "scaled": np.stack([a, w * b])}, "until": b > 10.0}

    return loop(step, (start, 1.0), each={"w": np.arange(8.0)}, count=8)


def test_record_and_each():
    (a, b), extras = _fibonacci(0.0)
    assert (a, b, extras["until"]) == (13.0, 21.0, 1.0)
    np.testing.assert_array_equal(extras["record"]["a"], [0, 1, 1, 2, 3, 5, 8, 0])  # the last was not reached
    np.testing.assert_array_equal(extras["record"]["scaled"][:, 1], [0, 1, 4, 9, 20, 40, 78, 0])
    p = program(lambda x: np.concatenate([_fibonacci(x)[1]["record"]["scaled"][:, 1]]), x=())
    np.testing.assert_array_equal(values(p, 0.0), [0, 1, 4, 9, 20, 40, 78, 0])
    rows = interpret(p, [[np.array([0.0, 20.0])]])[0]
    np.testing.assert_array_equal([row[1] for row in map(np.atleast_1d, rows[1:3])], [21.0, 0.0])


def test_carry_forms():
    def step(q, qd):
        return {"q": q + qd, "qd": 0.5 * qd}

    end = loop(step, {"q": np.zeros(2), "qd": np.ones(2)}, count=3)
    np.testing.assert_array_equal(end["q"], [1.75, 1.75])
    assert loop(lambda x, g: x + g, 0.0, given={"g": 2.0}, count=3) == 6.0


def test_what_the_step_uses_of_around_it():
    def function(a, b):
        high = a < b

        def outer(x):
            def inner(y):
                return y + np.sin(a) * x + where(high, b, 0.0)  # from one and from two traces out

            return loop(inner, x * b, count=3), {"record": a * x}

        x, extras = loop(outer, 1.0, count=2)
        return [x, *extras["record"]]

    def plain(a, b):
        x, kept = 1.0, []
        for _ in range(2):
            y = x * b
            for _ in range(3):
                y = y + math.sin(a) * x + (b if a < b else 0.0)
            kept.append(a * x)
            x = y
        return [x, *kept]

    p = program(function, a=(), b=())
    for point in ((0.3, 0.5), (0.5, 0.3)):
        np.testing.assert_allclose(values(p, *point), plain(*point), rtol=1e-14)


def test_a_trace_inside_of_a_step_has_loops_of_its_own():
    def function(a):
        def step(x):
            inner = program(lambda b: loop(lambda y: y * b, 1.0, count=3), b=())
            return x + interpret(inner, [[x * a]])[0][0]

        return loop(step, 1.0, count=1)

    assert values(program(function, a=()), 2.0) == pytest.approx([9.0])


def test_a_value_of_the_step_lives_only_in_it():
    leaked = []

    def step(x):
        leaked.append(x)
        return 2.0 * x

    with pytest.raises(TraceError, match="different traces"):
        program(lambda a: loop(step, a, count=2) + leaked[0], a=())


# What is refused


def _step(inputs, outputs):
    graph = Graph()
    operands = [tuple(Operand(name, shape) for name, shape in side.items()) for side in (inputs, outputs)]
    return flatten(*operands, [[graph.input(0, 0)] * o.size for o in operands[1]])


STEP = _step({"x": (), "g": (2,)}, {"x": (), "u": (), "v": (2,)})


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"carry": ("z",)}, "carry 'z' is not an input of the step, which has x, g"),
        ({"carry": ("g",)}, "carry 'g' is not an output"),
        ({"carry": ()}, "carry is empty"),
        ({"given": ()}, "nothing feeds input 'g'"),
        ({"given": ("g", "x")}, "input 'x' of the step has two roles"),
        ({"record": ("x",)}, "output 'x' of the step has two roles"),
        ({"until": "v"}, r"until 'v' must be a scalar, its shape is \(2,\)"),
        ({"until": "w"}, "until 'w' is not an output"),
        ({"count": None}, "nothing ends the loop"),
        ({"count": 0}, "count must be a positive integer below 2\\*\\*63, or None, got 0"),
        ({"count": None, "until": "u", "record": ("v",)}, "record 'v' has one row per iteration"),
        ({"count": None, "until": "u", "given": (), "each": ("g",)}, "each 'g' has one row per iteration"),
        ({"rule": "implicit"}, "rule must be one of 'steps', 'fixed_point', got 'implicit'"),
        ({"rule": "fixed_point", "record": ("v",)}, "a fixed point has no record"),
        ({"restart": Restart("n", "u")}, "attempt 'n' is not an input"),
    ],
)
def test_what_is_no_loop_is_named(arguments, culprit):
    with pytest.raises(TraceError, match=culprit):
        Loop(**{"step": STEP, "carry": ("x",), "count": 3, "given": ("g",), **arguments})


def test_shapes_that_differ_are_named():
    with pytest.raises(TraceError, match=r"carry 'x' comes in as \(\) and goes out as \(2,\)"):
        Loop(_step({"x": ()}, {"x": (2,)}), ("x",), 3)
    with pytest.raises(TraceError, match=r"x starts as \(2,\), and the step returns \(\)"):
        loop(lambda x: x[0], np.zeros(2), count=3)
    with pytest.raises(TraceError, match=r"must return a, b, the 2 it carries; got a"):
        loop(lambda a, b: a, (0.0, 1.0), count=3)
    with pytest.raises(TraceError, match="each 'w' must have one row per iteration"):
        loop(lambda x, w: x + w, 0.0, each={"w": np.zeros(3)}, count=4)
    with pytest.raises(TraceError, match="no 'records'"):
        loop(lambda x: (x, {"records": x}), 0.0, count=3)


# Searches


def _search():
    """From the row's x, attempt n walks in steps of 1 + n: found at 12, over past 20 and refused below 0."""
    graph = Graph()
    x, n, stride = graph.input(0, 0), graph.input(1, 0), graph.input(2, 0)
    new = x + stride + n
    score = abs(new - 12.0)
    status = where(new < 0.0, 3.0, where(score < 0.5, 1.0, where(new > 20.0, 2.0, 0.0)))
    inputs = (Operand("x", ()), Operand("n", ()), Operand("stride", ()))
    outputs = (Operand("x", ()), Operand("status", ()), Operand("score", ()))
    step = flatten(inputs, outputs, [[new], [status], [score]])
    return Loop(step, ("x",), None, ("stride",), until="status", restart=Restart("n", "score"))


def test_a_search_takes_the_first_attempt_that_finds():
    search = _search()
    assert [o.name for o in search.inputs] == ["x", "stride", "attempts"]
    assert [o.name for o in search.outputs] == ["x", "status", "score"]
    x = np.array([0.0, 0.0, -5.0, 0.0, 5.0])
    stride = np.array([1.0, 5.0, 2.0, 5.0, 9.0])
    attempts = np.array([3.0, 3.0, 9.0, 0.0, 3.0])  # 0 is at least one
    expected = [(12, 1, 0), (12, 1, 0), (-3, 3, 15), (25, 2, 13), (23, 2, 11)]
    np.testing.assert_array_equal(np.stack(search.run([x, stride, attempts]), axis=-1), expected)
    for k, row in enumerate(expected):
        assert tuple(search.run([x[k].item(), stride[k].item(), attempts[k].item()])) == row
    rendered = toy_backend.function(search, "search")(x, stride, attempts)
    np.testing.assert_array_equal(np.stack(rendered, axis=-1), expected)


def test_a_search_without_a_score_below_infinity_keeps_its_start():
    inputs = (Operand("x", ()), Operand("n", ()))
    step = flatten(inputs, (inputs[0], Operand("u", ()), Operand("s", ())), [[1.0], [2.0], [math.nan]])
    search = Loop(step, ("x",), None, until="u", restart=Restart("n", "s"))
    assert search.run([5.0, 3.0]) == [5.0, 0.0, math.inf]
    assert toy_backend.function(search, "search")(5.0, 3.0) == (5.0, 0.0, math.inf)


def test_a_search_inside_of_a_program_has_no_derivative():
    search = _search()
    p = scalar(lambda x: search.run([x, 5.0, 3.0])[0], x=())
    assert values(p, 0.0) == [12.0]
    with pytest.raises(TraceError, match="the search for x has no derivative"):
        gradient_program(p, "x")


# As text, as a key


def test_json_and_pickle():
    p = program(pendulum, state=(4,))
    again = Program.from_json(p.to_json())
    assert again == p
    again.check()
    np.testing.assert_array_equal(values(again, STATE), values(p, STATE))
    (made,) = p.loops
    for copy in (Loop.from_json(made.to_json()), pickle.loads(pickle.dumps(made))):
        assert copy == made
        assert hash(copy) == hash(made)
    search = _search()
    assert Loop.from_json(search.to_json()) == search
    with pytest.raises(ProgramError, match="version 99"):
        Loop.from_json(search.to_json().replace('"chasles loop":1', '"chasles loop":99'))
    for text in ("{", "[]", "{}", '{"chasles loop":1}', search.to_json().replace('"carry":[', '"carry":[3,')):
        with pytest.raises(ProgramError):
            Loop.from_json(text)


def test_equal_loops_are_one_node():
    p = program(lambda a: square_root(a)[0] + square_root(a)[0], a=())
    assert [op for op, _ in p.nodes].count("loop") == 1


# Derivatives


@pytest.mark.parametrize("rule", ["steps", "fixed_point"])
def test_newton_inside_a_time_loop(rule):
    p = scalar(lambda s: pendulum(s, rule=rule), state=(4,))
    expected = pendulum_by_bisection(STATE)
    np.testing.assert_allclose(values(p, STATE), expected, rtol=1e-12)
    gradient = values(gradient_program(p, "state"), STATE)
    duals = [
        interpret(p, [[Dual(x, float(i == j)) for i, x in enumerate(STATE)]])[0][0].derivative
        for j in range(len(STATE))
    ]
    np.testing.assert_allclose(gradient, duals, rtol=1e-11)
    np.testing.assert_allclose(gradient, differences(pendulum_by_bisection, STATE, 1e-6), rtol=1e-6)
    forward = program(lambda s: pendulum(s, rule=rule), jacobian_forward, state=(4,))
    np.testing.assert_allclose(values(forward, STATE), gradient, rtol=1e-11)


@pytest.mark.parametrize("rule", ["steps", "fixed_point"])
@pytest.mark.parametrize("steps", [3, 20, 23])
def test_second_derivatives(rule, steps):
    p = scalar(lambda s: pendulum(s, steps, rule=rule), state=(4,))
    hessian = values(hessian_program(p, "state"), STATE).reshape(4, 4)
    gradient = gradient_program(p, "state")
    by_differences = differences(lambda x: np.array(interpret(gradient, [x.tolist()])[0], float), STATE, 1e-5)
    np.testing.assert_allclose(hessian, by_differences, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("steps", "most"), [(1, 9), (5, 9), (16, 9), (36, 9), (37, 9), (53, 9), (53, MOST_KEPT)])
def test_reverse_is_forward_at_every_count(steps, most, monkeypatch):
    monkeypatch.setattr(loop_reverse, "MOST_KEPT", most)  # 9: in blocks but for the first

    def function(x, w):
        def step(a, b, w):
            new = a + 0.1 * np.sin(b) * w[0]
            return (new, b * (1.0 + 0.05 * np.cos(a)) + w[1]), {"record": a * b, "until": new > 1.5 + 0.1 * x[2]}

        (a, b), extras = loop(step, (x[0], x[1] * x[2]), each={"w": w}, count=steps)
        return a + b * a + sum(k * r for k, r in enumerate(extras["record"]))

    rng = np.random.default_rng(steps)
    x, w = np.array([0.2, 0.8, 0.9]), rng.uniform(0.0, 1.0, (steps, 2)) * [1.0, 0.05]
    for name in ("x", "w"):
        p = scalar(function, x=(3,), w=(steps, 2))
        reverse = values(gradient_program(p, name), x, w)
        p = Program(p.inputs, (*p.outputs, Operand("z", ())), p.nodes, (*p.results, (0.0,)), p.loops)  # goes forward
        forward = np.ravel(interpret(jacobian_program(p, name), [x.tolist(), w.ravel().tolist()])[0])
        np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-13)


def test_rows_count_by_their_own_iterations():
    """x doubles until it is past 40, so dx/dx0 = 2^k with the row's own k; the pole at 128 lies beyond."""

    def function(x):
        def double(y):
            return 2.0 * y + 1e-300 / (y - 128.0), {"until": y > 40.0}

        return loop(double, x, count=30)[0]

    p = gradient_program(scalar(function, x=()), "x")
    starts = np.array([1.0, 3.0, 50.0, np.nan])
    expected = np.array([128.0, 32.0, 2.0, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(interpret(p, [[starts]])[0][0], expected)
    np.testing.assert_array_equal(toy_backend.function(p, "f")(starts), expected)


def test_reverse_without_count_is_refused_and_forward_is_not():
    p = scalar(lambda a: square_root(a, count=None)[0], a=())
    with pytest.raises(TraceError, match="carries x has no count"):
        gradient_program(p, "a")
    assert values(jacobian_program(p, "a"), 2.0) == pytest.approx(0.5 / math.sqrt(2.0))
    p = scalar(lambda a: square_root(a, count=None, rule="fixed_point")[0], a=())
    assert values(gradient_program(p, "a"), 2.0) == pytest.approx(0.5 / math.sqrt(2.0))


@pytest.mark.parametrize("reverse", [True, False])
def test_fixed_point_rule(reverse):
    """x = A x + B g of a slow contraction, with a pivot that is 0: dx/dg = (1 - A)^-1 B, by one step at the end."""
    A, B = np.array([[1.0, -0.9], [1.0, -0.9]]), np.array([[1.0, 0.5], [0.3, 2.0]])

    def function(g):
        x = loop(lambda x: A @ x + B @ g, np.zeros(2), count=60, rule="fixed_point")
        return x[0] * x[1]

    mode = (lambda y, x: gradient_reverse(y[0], x)) if reverse else jacobian_forward
    p = program(function, mode, g=(2,))
    g = np.array([0.4, -0.7])
    slopes = np.linalg.solve(np.eye(2) - A, B)
    x = slopes @ g
    np.testing.assert_allclose(values(p, g), slopes[0] * x[1] + x[0] * slopes[1], rtol=1e-9)


def test_a_counter_has_no_fixed_point():
    def function(a):
        x, _ = loop(lambda x, k: (0.5 * (x + a / x), k + 1.0), (1.0, 0.0), count=9, rule="fixed_point")
        return x

    with pytest.raises(TraceError, match="not all of x, k comes to rest"):
        gradient_program(scalar(function, a=()), "a")


def test_duals_of_traced_values():
    def function(a):
        root = interpret(p, [[Dual(a, 1.0)]])[0][0]
        return [root.value, root.derivative]

    p = program(lambda a: square_root(a)[0], a=())
    assert values(program(function, a=()), 2.0) == pytest.approx([math.sqrt(2.0), 0.5 / math.sqrt(2.0)])


@pytest.mark.parametrize("count", [100, 397, 1000, 2500])
def test_checkpoints(count, monkeypatch):
    """Of what is too much to keep reverse mode keeps about 2 sqrt(count) states."""
    monkeypatch.setattr(loop_reverse, "MOST_KEPT", 99)
    p = gradient_program(scalar(lambda x: loop(np.sin, x, count=count), x=()), "x")
    most = 0
    loops = list(p.loops)
    while loops:
        made = loops.pop()
        most = max(most, sum(o.size for o in made.outputs))
        loops += made.step.loops
    assert most <= 2 * 2 * math.isqrt(count) + 4  # of a state and perhaps a flag
    size, number = blocks(count)
    assert (size - 1) * number < count <= size * number
    assert len(p.nodes) < 16 * math.sqrt(count)


def test_a_batch_of_derivatives_is_its_rows():
    p = scalar(lambda s: pendulum(s, 7, rule="steps"), state=(4,))
    batch = STATE * np.linspace(0.5, 1.5, 5)[:, None]
    for derived in (gradient_program(p, "state"), hessian_program(p, "state")):
        flat = interpret(derived, [list(batch.T)])[0]
        rows = np.stack([np.broadcast_to(x, 5) for x in flat], axis=-1)
        for k, row in enumerate(batch):
            np.testing.assert_allclose(rows[k], values(derived, row), rtol=1e-10, atol=1e-12)


def test_a_number_may_say_how_it_ends():
    x, how = loop(lambda x: (x + 1.0, {"until": np.floor(x / 3.0)}), 0.0, count=20)
    assert (x, how["until"]) == (4.0, 1.0)
    assert loop(lambda x: (x, {"until": math.nan}), 0.0, count=20)[0] == 0.0
