"""Loops as machine code: by themselves (the driver) and inside of programs, both what the interpreter says."""

import math

import numpy as np
import pytest
from support.implicit_pendulum import STATE, differences, pendulum, pendulum_by_bisection
from support.kernels import build, same
from support.sweeps import sweep
from support.tolerances import close
from support.whole_number_loops import collatz, endless

import chasles as ch
from chasles.backend import host as cpu
from chasles.backend import schedule
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import X86_64, X86_64_V3, host
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Loop, Operand, Restart, Status
from chasles.graph.trace import trace
from chasles.scalar.dual import Dual

ROWS = (1, 3, 8, 17, 1000)
x86 = pytest.mark.skipif(not host().is_x86, reason="runs x86 code")


@pytest.fixture(autouse=True)
def threads():
    count = ch.get_num_threads()
    yield
    ch.set_num_threads(count)


# Loops in whole numbers, so that every way to compute them gives the same bits


def matrix_power(A, v):
    """No until; what is carried has two shapes, what is given a third."""
    return ch.loop(lambda v, n: (A @ v, n + 1.0), (v, np.zeros(())), count=5)[0]


def numbered(x):
    """until is a number, and says how it ended; a row may end in its first iteration, or by a nan that is until's."""

    def step(x, n):
        return (x + 1.0, n + 1.0), {"until": np.floor(x / 7.0)}

    (x, n), how = ch.loop(step, (x, 0.0), count=6)
    return {"x": x, "n": n, "until": how["until"]}


def cubes(x):
    """A loop in a loop in a loop: x times 2^27 - 1 steps of doubling, told by adding."""

    def outer(x):
        def middle(y):
            return ch.loop(lambda z: z + z, y, count=3) - y, {"until": y > 1e6}

        return ch.loop(middle, x, count=3)[0] + 1.0

    return ch.loop(outer, x, count=3)


WHOLE = {
    "collatz": (collatz, {"x": (), "w": (25, 2)}),
    "matrix_power": (matrix_power, {"A": (3, 3), "v": (3,)}),
    "endless": (endless, {"x": ()}),
    "numbered": (numbered, {"x": ()}),
    "cubes": (cubes, {"x": ()}),
}


def kernel_of(name):
    function, shapes = WHOLE[name]
    return ch.compile(function, **shapes)


def loop_of(name) -> Loop:
    """The outermost loop of the function."""
    return kernel_of(name).program.loops[-1]


def numbers(body, rows, dtype="float64", seed=0):
    """Whole numbers for the inputs, a nan in each seventh row of the first."""
    rng = np.random.default_rng(seed)
    x = [rng.integers(0, 9 if len(o.shape) else 40, (rows, *o.shape)).astype(dtype) for o in body.inputs]
    x[0][6::7] = np.nan
    return x


def as_tuple(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def interpreted(body, *x):
    """What the interpreter gives, all rows in each leaf."""
    program = body.program if isinstance(body, Loop) else body
    rows = len(x[0])
    flat = interpret(program, [list(a.reshape(rows, -1).T) for a in x])
    columns = [np.stack([np.broadcast_to(v, rows) for v in row], axis=-1) for row in flat]
    pairs = zip(columns, program.outputs, strict=True)
    return tuple(c.astype(x[0].dtype).reshape(rows, *o.shape) for c, o in pairs)


def equal(found, expected):
    """The same numbers, nan equal to nan; failing raises."""
    for a, b in zip(as_tuple(found), as_tuple(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    return True


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", WHOLE)
def test_compiled_is_interpreted(name, dtype):
    """The loop run by its driver, the same inside of a program, and the function it was written in."""
    loop, function = loop_of(name), kernel_of(name).program
    driven, inside, whole = (build(body, None, dtype) for body in (loop, loop.program, function))
    x, y = (numbers(body, 1000, dtype) for body in (loop, function))
    expected, expected_whole = interpreted(loop, *x), interpreted(function, *y)
    assert equal(driven(*x), expected) and equal(inside(*x), expected) and equal(whole(*y), expected_whole)
    for rows in ROWS:
        part, start = slice(500 - rows // 2, 500 - rows // 2 + rows), slice(500 - rows // 2, None)
        assert same(as_tuple(driven(*[a[part] for a in x])), as_tuple(inside(*[a[part] for a in x])))
        assert equal(whole(*[a[start][:rows] for a in y]), tuple(e[start][:rows] for e in expected_whole))
    for row in range(9):
        alone = tuple(np.asarray(e[row]) for e in expected)
        assert equal(tuple(map(np.asarray, as_tuple(driven(*[a[row] for a in x])))), alone)
        assert equal(tuple(map(np.asarray, as_tuple(inside(*[a[row] for a in x])))), alone)


@x86
@pytest.mark.parametrize("target", [X86_64, X86_64_V3], ids=["sse2", "avx2"])
@pytest.mark.parametrize("name", WHOLE)
def test_other_widths(name, target):
    loop = loop_of(name)
    x = numbers(loop, 37)
    expected = interpreted(loop, *x)
    for body in (loop, loop.program):
        other = build(body, target)
        for rows in (1, 2, 5, 37):
            assert equal(other(*[a[:rows] for a in x]), tuple(e[:rows] for e in expected))


@pytest.mark.parametrize("name", ["collatz", "cubes"])
def test_threads_and_strides(monkeypatch, name):
    monkeypatch.setattr(cpu, "WORK_PER_THREAD", 1)  # the fewest rows are worth a thread
    loop = loop_of(name)
    x = numbers(loop, 1000)
    expected = interpreted(loop, *x)
    for body in (loop, loop.program):
        f = build(body)
        for count in (1, 2, 5):
            ch.set_num_threads(count)
            assert equal(f(*x), expected)
            assert equal(f(*[a[::-1] for a in x]), tuple(e[::-1] for e in expected))
        wide = [np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim > 1 else np.repeat(a, 2)[::2] for a in x]
        assert equal(f(*wide), expected)
        assert equal(f(*[np.asfortranarray(a) for a in x]), expected)
        grid = f(*[a.reshape(10, 100, *a.shape[1:]) for a in x])
        assert equal(tuple(y.reshape(-1, *y.shape[2:]) for y in as_tuple(grid)), expected)
    if len(x) > 1:
        shared = as_tuple(build(loop)(x[0][:50, None], *(a[:3] for a in x[1:])))  # broadcast against each other
        assert shared[0].shape[:2] == (50, 3) and equal(tuple(y[2, 2] for y in shared), tuple(e[2] for e in expected))


def test_statuses():
    """1 where the condition held, 0 where count ran out, 2 at a nan; what was not reached is not kept."""
    loop = loop_of("collatz")
    starts = np.array([8.0, 27.0, np.nan, 1.0])
    for body in (loop, loop.program):
        found = Kernel(body, "collatz")(starts, np.zeros(4), np.ones((25, 2)))
        assert list(found.until) == [Status.FOUND, Status.CONTINUE, Status.ENDED, Status.FOUND]
        assert list(found.taken[[0, 1, 3]]) == [3.0, 25.0, 3.0]
        np.testing.assert_array_equal(found.seen[0], [4.0, 2.0, 1.0, *[0.0] * 22])
        assert found.seen[1].all() and not found.pairs[2, 1:].any()


def test_a_kernel_of_a_loop_in_a_program():
    """Traced, it is written out: one program around the loop; then it is differentiated."""
    power = Kernel(loop_of("matrix_power"), "power")
    names = [o.name for o in power.inputs]
    flat = next(name for name in names if name not in ("v", "n"))
    A, v = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]), np.array([1.0, 2.0, 3.0])
    f = ch.compile(lambda A, v: power(**{flat: A.reshape(-1), "v": 2.0 * v, "n": 1.0}).v, A=(3, 3), v=3)
    assert [op for op, _ in f.program.nodes].count("loop") == 1
    expected = np.linalg.matrix_power(A, 5)
    assert np.array_equal(f(A, v), expected @ (2.0 * v))
    assert np.array_equal(f.jacobian("v")(A, v), 2.0 * expected)
    start = {"v": v, "n": 0.0, flat: A.ravel()}
    assert np.array_equal(power.jacobian("v")(**start)[0], expected)


# Flags


def pole(x):
    """x doubles until it is past 40; beyond, at 128, lies a pole."""
    return ch.loop(lambda y: (2.0 * y + 1e-300 / (y - 128.0), {"until": y > 40.0}), x, count=30)[0]


@pytest.mark.parametrize("rows", [1, 2, 8, 19])
def test_rows_that_have_stopped_raise_nothing(rows):
    """1 ends at 128 and 3 at 96, after different times; what they would do next divides by zero, or is not done."""
    function = ch.compile(pole, x=())
    (loop,) = function.program.loops
    x = np.resize([1.0, 3.0, 50.0, 1.0, np.nan], rows)
    expected = np.resize([128.0, 96.0, 100.0, 128.0, np.nan], rows)
    slopes = np.resize([128.0, 32.0, 2.0, 128.0, np.nan], rows)
    for body, wanted in ((loop, expected), (loop.program, expected), (function.gradient("x").program, slopes)):
        f = build(body)
        with np.errstate(all="raise"):
            found = as_tuple(f(x))[0]
            f(np.array(1.0))
        np.testing.assert_array_equal(found, wanted)
        x[rows // 2] = 128.0
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            f(x)
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            f(np.array(128.0))
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            others = np.delete(np.asarray(as_tuple(f(x))[0]), rows // 2)
        np.testing.assert_array_equal(others, np.delete(found, rows // 2))
        x[rows // 2] = [1.0, 3.0, 50.0, 1.0, np.nan][rows // 2 % 5]


def test_the_flags_of_a_loop_reach_a_single_call():
    kernel = Kernel(ch.compile(pole, x=()).program.loops[0], "pole")
    with np.errstate(all="raise"):
        assert kernel(np.array(1.0))[0] == 128.0
        with pytest.raises(FloatingPointError, match="divide by zero"):
            kernel(np.array(128.0))


@pytest.mark.parametrize("rows", [1, 11])
def test_derivatives_of_rows_that_have_stopped_raise_nothing(rows):
    """Reverse mode evaluates no step where a row has kept nothing: at 0, which this one divides by."""
    gradient = ch.compile(lambda a: _root(a)[0], a=()).gradient("a")
    a = np.linspace(0.5, 90.0, rows)
    with np.errstate(all="raise"):
        assert close(gradient(a), 0.5 / np.sqrt(a), 1e-12)


# Newton inside a time loop


@pytest.mark.parametrize("rule", ["steps", "fixed_point"])
def test_newton_inside_a_time_loop(rule):
    kernel = ch.compile(lambda state: pendulum(state, rule=rule), state=4)
    states = STATE * np.linspace(0.6, 1.4, 11)[:, None]
    expected = [pendulum_by_bisection(x) for x in states]
    assert close(kernel(states), expected, 1e-11)
    gradient = kernel.gradient("state")
    found = gradient(states)
    duals = [
        interpret(kernel.program, [[Dual(x, float(i == j)) for i, x in enumerate(states[4])]])[0][0].derivative
        for j in range(4)
    ]
    assert close(found[4], duals, 1e-10)
    assert close(kernel.jacobian("state")(states), found, 1e-10)
    for k in (0, 10):
        assert close(found[k], differences(pendulum_by_bisection, states[k], 1e-6), 1e-6)
    assert np.array_equal(gradient(states[4]), found[4])  # alone or beside others


def test_second_derivatives():
    kernel = ch.compile(lambda state: pendulum(state, 20), state=4)
    hessian, gradient = kernel.hessian("state")(STATE), kernel.gradient("state")
    assert close(hessian, differences(gradient, STATE, 1e-5), 1e-6)
    assert close(hessian, hessian.T, 1e-9)


@pytest.mark.parametrize("count", sweep([7, 16, 17, 53], [7, 17]))
def test_reverse_is_forward(count):
    """Blocks, checkpoints and rows that stop early, compiled: the gradient is that of forward mode."""

    def function(x, w):
        def step(a, b, w):
            new = a + 0.1 * np.sin(b) * w[0]
            return (new, b * (1.0 + 0.05 * np.cos(a)) + w[1]), {"record": a * b, "until": new > 1.0 + 0.1 * x[2]}

        (a, b), extras = ch.loop(step, (x[0], x[1] * x[2]), each={"w": w}, count=count)
        return a + b * a + sum(k * r for k, r in enumerate(extras["record"]))

    rng = np.random.default_rng(count)
    x, w = rng.uniform(0.2, 1.0, (13, 3)), rng.uniform(0.0, 1.0, (13, count, 2)) * [1.0, 0.05]
    kernel = ch.compile(function, x=3, w=(count, 2))
    both = ch.compile(lambda x, w: {"y": function(x, w), "zero": 0.0 * x[0]}, x=3, w=(count, 2))  # goes forward
    for name in ("x", "w") if count < 20 else ("x",):  # forward, every element of w is a direction
        found = kernel.gradient(name)(x, w)
        assert close(found, both.jacobian(name)(x, w)[0], 1e-11)
        for k in (0, 12):  # whatever its neighbours do
            np.testing.assert_array_equal(kernel.gradient(name)(x[k], w[k]), found[k])


# Programs with loops


def two_loops(a, b):
    """Two loops in one program, one of them used twice, their results used far behind them."""
    first = ch.loop(lambda x: 0.5 * (x + a / x), 1.0, count=6)
    again = ch.loop(lambda x: 0.5 * (x + b / x), 1.0, count=6)
    other = ch.loop(lambda y: np.sin(y) + 0.5 * first, b, count=4)
    z = a
    for _ in range(12):
        z = np.cos(z * 0.3) + b * z
    return {"late": z * first + again, "sum": np.stack([first - again, other, z]), "passed": b}


def test_several_loops_in_one_program():
    kernel = ch.compile(two_loops, a=(), b=())
    assert len(kernel.program.loops) == 2  # the roots are one loop, used twice
    assert [op for op, _ in kernel.program.nodes].count("loop") == 3
    assert kernel.source.count("define internal void @loop") == 2 + sum(
        kernel.source.count(f"define internal void @loop{k}_segment") for k in range(2)
    )
    a, b = np.random.default_rng(0).uniform(1.0, 4.0, (2, 29))
    for found, expected in zip(kernel(a, b), interpreted(kernel.program, a, b), strict=True):
        assert close(found, expected, 1e-12)
    assert close(kernel(a, a).sum[:, 0], np.zeros(29), scale=1.0)


@pytest.mark.parametrize("limit", sweep([2, 7, 40], [7]))
def test_segments(monkeypatch, limit):
    """Cut anywhere, the program around the loops or their steps, it is the same."""

    def long(x, g):
        y = x
        for k in range(3):
            y = np.sin(y + g[k % 2]) * (1.0 + 0.25 * np.cos(2.0 * y)) + ch.where(x < y, 0.1 * x, y)
        return y, {"until": np.sum(y * y) > 3.5, "record": y[::-1]}

    def function(x, g):
        y, extras = ch.loop(long, x, given={"g": g}, count=9)
        return {"y": y, "until": extras["until"], "record": extras["record"]}

    whole, program = ch.compile(function, x=3, g=2), ch.compile(two_loops, a=(), b=()).program
    (loop,) = whole.program.loops
    bodies = (loop, loop.program, whole.program, whole.jacobian("g").program, program)
    x = [np.random.default_rng(1).uniform(0.2, 1.0, (21, 4, *o.shape)) for o in loop.inputs]
    inputs = [
        x[: len(body.inputs)] if body is not program else [x[0][..., 0] + 1.0, x[0][..., 1] + 1.0] for body in bodies
    ]
    expected = [as_tuple(build(body)(*given)) for body, given in zip(bodies, inputs, strict=True)]
    uncut = module(loop.step, host(), "float64").count("define internal void @segment")
    monkeypatch.setattr(schedule, "WHOLE", limit)
    monkeypatch.setattr(schedule, "SEGMENT", limit)
    assert module(loop.step, host(), "float64").count("define internal void @segment") > uncut == 1
    for body, given, wanted in zip(bodies, inputs, expected, strict=True):
        assert same(as_tuple(build(body)(*given)), wanted)


# Searches


def walk():
    """Attempt n walks from x by stride + n: found at 12, over past 20, refused below 0; it passes a pole at 7."""
    inputs = [Operand(name, ()) for name in ("x", "which", "n", "stride")]

    def step(x, which, n, stride):
        new = x[0] + stride[0] + n[0]
        score = ch.where(1.0 / (new - 7.0) < -5.0, -1.0, abs(new - 12.0))  # never, but the pole is asked
        over = ch.where(new > 20.0, 2.0, 0.0)
        status = ch.where(new < 0.0, 3.0, ch.where(score < 0.5, 1.0, over))
        outputs = {"x": new, "which": n[0], "status": status, "score": score}
        return [(Operand(name, ()), [value]) for name, value in outputs.items()]

    restart = Restart("n", "score")
    return Loop(trace(inputs, step), ("x", "which"), None, ("stride",), until="status", restart=restart)


@pytest.mark.parametrize("rows", ROWS)
def test_searches_are_what_the_interpreter_says(rows):
    """Attempts of most different lengths, with equal scores, and flags that nobody is told of."""
    rng = np.random.default_rng(rows)
    x = [rng.integers(-3, 18, rows), np.full(rows, -1), rng.integers(1, 9, rows), rng.choice([0, 1, 2, 7, 40], rows)]
    x = [a.astype(float) for a in x]
    search = walk()
    with np.errstate(all="ignore"):
        expected = tuple(np.stack([np.broadcast_to(v, rows) for v in search.run(x)]))
    targets = [None, X86_64, X86_64_V3] if host().is_x86 else [None]
    with np.errstate(all="raise"):
        for target in targets:
            assert equal(build(search, target)(*x), expected)
        for k in range(min(rows, 30)):
            alone = tuple(map(float, Kernel(search, "walk")(*(a[k] for a in x))))
            assert alone == tuple(float(e[k]) for e in expected)


def test_the_statuses_of_inverse_kinematics():
    assert [status.name for status in Status] == ["CONTINUE", "FOUND", "ENDED", "REFUSED"]
    robot = ch.load("ur5")
    q = np.linspace(0.3, 1.2, 6)
    T = np.stack([robot.forward_kinematics(q)] * 3)
    T[1, :3, 3] += 50.0  # out of reach
    T[2, 0, 0] = np.nan
    solutions = robot.inverse_kinematics(T[:1])
    assert solutions.found.all()
    ((_, kernel),) = [item for item in robot._searches.items() if item[0][0] == "inverse_kinematics"]
    given = dict(zip([o.name for o in kernel.inputs], _given(robot, kernel, T, q), strict=True))
    status = kernel(**given).status
    assert [Status(int(s)) for s in status] == [Status.FOUND, Status.ENDED, Status.REFUSED]
    assert kernel(**(given | {"T": T[0, None]})).status == Status.FOUND


def _given(robot, kernel, T, q):
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    centre, span = 0.5 * (lower + upper), upper - lower
    memory = np.zeros(next(o.size for o in kernel.inputs if o.name == "memory"))
    return memory, q, T[:, None], lower, upper, centre, span, 1e-10, 50.0, 3.0


def test_a_search_inside_of_a_program_is_refused_by_name():
    place = Operand("x", ())
    step = trace(
        (place, Operand("n", ())),
        lambda x, n: [(place, [x[0] + n[0]]), (Operand("u", ()), [1.0]), (Operand("s", ()), [0.0])],
    )
    search = Loop(step, ("x",), None, until="u", restart=Restart("n", "s"))
    assert Kernel(search, "search")(2.0, 3.0).x == 2.0
    with pytest.raises(ch.CompileError, match="a search inside a program is not compiled"):
        Kernel(search.program, "search")(2.0, 3.0)


def test_infinite_and_huge_starts():
    """Numbers that never come to rest run out of count, and no row waits for them."""
    (loop,) = ch.compile(lambda a: _root(a)[0], a=()).program.loops
    a = np.array([4.0, np.inf, -1.0, 0.0, 9.0, 1e-300])
    for body in (loop, loop.program):
        with np.errstate(all="ignore"):
            found = Kernel(body, "root")(np.ones(6), a[:, None])
        assert found.x[0] == 2.0 and found.x[4] == 3.0
        assert list(found.until[[0, 4]]) == [Status.FOUND] * 2
        assert found.until[1] != Status.FOUND and found.until[2] == Status.CONTINUE
        assert math.isinf(found.x[1]) or math.isnan(found.x[1])


def _root(a):
    def newton(x):
        new = 0.5 * (x + a / x)
        return new, {"until": abs(new - x) < 1e-13}

    return ch.loop(newton, 1.0, count=50)


# Arrays that go straight into a loop, or come out of it, move whole


def smoothed(y, u, other):
    """Slices of u in, states out; the last slice, and a column of the records, are used elsewhere too."""

    def step(y, u):
        new = 0.5 * y + u
        return new, {"record": new}

    last, kept = ch.loop(step, y, each={"u": u}, count=len(u))
    return {"last": last, "kept": kept["record"], "more": u[-1] * other + kept["record"][3]}


def test_long_arrays_cost_no_code():
    sizes = []
    for count in (40, 400):
        kernel = ch.compile(smoothed, y=3, u=(count, 3), other=3)
        sizes.append(len(kernel.to("llvm").splitlines()))
        rng = np.random.default_rng(0)
        y, u, other = rng.normal(size=(11, 3)), rng.normal(size=(11, count, 3)), rng.normal(size=(11, 3))
        expected, states = y, []
        for k in range(count):
            expected = 0.5 * expected + u[:, k]
            states.append(expected)
        found = kernel(y, u, other)
        assert close(found.last, expected) and close(found.kept, np.stack(states, axis=1))
        assert close(found.more, u[:, -1] * other + states[3])
        one = kernel(y[4], u[4], other[4])
        assert same(tuple(one), tuple(x[4] for x in found))
        for target in (X86_64_V3, X86_64) if host().is_x86 else ():
            assert close(build(kernel.program, target)(y, u, other)[1], found.kept)
    assert sizes[1] < 1.1 * sizes[0]


def test_rows_that_have_stopped_keep_their_slice():
    """Later slices of such a row are not looked at: no flag is raised by them, forwards or back."""

    def divided(y, e):
        def step(y, e):
            return y + 1.0 / e, {"until": e > 1.5}

        return ch.loop(step, y, each={"e": e}, count=len(e))[0]

    for count in (4, 16, 17):
        e = np.ones((9, count))
        for row in range(9):
            e[row, row % count :] = 0.0
            e[row, row % count] = 2.0
        kernel = ch.compile(divided, y=(), e=count)
        with np.errstate(all="raise"):
            assert close(kernel(np.zeros(9), e), np.arange(9) % count + 0.5)
            slopes = kernel.gradient("e")(np.zeros(9), e)
        expected = np.where(e == 0.0, 0.0, -1.0 / np.where(e == 0.0, 1.0, e) ** 2)
        assert close(slopes, expected)


def test_parts_of_arrays_move_whole():
    """A loop that takes the end of an input, two loops that give one output, and slopes, which go last to first."""

    def step(y, u):
        new = 0.5 * y + u
        return new, {"record": new}

    def halves(y, u):
        first = ch.loop(step, y, each={"u": u[:20]}, count=20)
        second = ch.loop(step, 2.0 * y, each={"u": u[20:]}, count=25)
        return np.concatenate([second[1]["record"], first[1]["record"]])

    rng = np.random.default_rng(1)
    y, u = rng.normal(size=(9, 2)), rng.normal(size=(9, 45, 2))
    kernel = ch.compile(halves, y=2, u=(45, 2))
    expected = []
    for start, rows in ((2.0 * y, u[:, 20:]), (y, u[:, :20])):
        state = start
        for k in range(rows.shape[1]):
            state = 0.5 * state + rows[:, k]
            expected.append(state)
    assert close(kernel(y, u), np.stack(expected, axis=1))
    slope = ch.compile(lambda y, u: np.sum(ch.loop(step, y, each={"u": u}, count=45)[0] * y), y=2, u=(45, 2)).gradient(
        "u"
    )
    weights = 0.5 ** np.arange(44, -1, -1.0)
    assert close(slope(y, u), weights[:, None] * y[:, None, :])
