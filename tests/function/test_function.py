"""chasles.compile: the user's own functions."""

import operator
import pickle
from collections import namedtuple

import numpy as np
import pytest
from support.kernels import everything, everything_kernel, same, states
from support.tolerances import EXACT, FINITE_DIFFERENCE, FLOAT32, FLOAT64, close

import chasles as ch
from chasles.graph.array import TracedArray
from chasles.graph.node import Expr
from chasles.graph.ufuncs import UFUNCS

Q = np.random.default_rng(5).uniform(0.2, 0.9, (7, 3))
DTYPES = {"float64": EXACT, "float32": FLOAT32}
LOGIC = (np.logical_and, np.logical_or, np.logical_not, np.bitwise_and, np.bitwise_or, np.invert)
COMPARISONS = (
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
)


def ufunc_name(ufunc):
    return ufunc.__name__


# elementary functions


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ufunc", [u for u in UFUNCS if u.nin == 1 and u not in LOGIC], ids=ufunc_name)
def test_functions_of_one_argument(ufunc, dtype, rng):
    x = rng.uniform(-0.95, 0.95, (9, 5))
    positive = ufunc in (np.log, np.log2, np.log10, np.sqrt)
    x = np.abs(x) if positive else x
    x[0, :3] = [0.5, 0.25, 0.75 if positive else -0.75]
    y = ch.compile(lambda x: ufunc(x), dtype=dtype, x=5)(x)
    assert y.dtype == dtype and close(y, ufunc(x), 4 * DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ufunc", [u for u in UFUNCS if u.nin == 2 and u not in COMPARISONS + LOGIC], ids=ufunc_name)
def test_functions_of_two_arguments(ufunc, dtype, rng):
    x, y = rng.uniform(-2.0, 2.0, (9, 5)), rng.uniform(0.5, 2.0, (9, 5))
    x = np.abs(x) if ufunc is np.power else x
    for f, args in (
        (ufunc, (x, y)),
        (lambda x, y: ufunc(x, 1.5), (np.abs(x), y)),
        (lambda x, y: ufunc(1.5, y), (x, y)),
    ):
        z = ch.compile(f if f is not ufunc else lambda x, y: ufunc(x, y), dtype=dtype, x=5, y=5)(*args)
        assert close(z, f(*args), 4 * DTYPES[dtype])


@pytest.mark.parametrize("ufunc", [*COMPARISONS, np.logical_not], ids=ufunc_name)
def test_comparisons(ufunc, rng):
    x, y = rng.integers(-2, 3, (20, 4)).astype(float), rng.integers(-2, 3, (20, 4)).astype(float)
    x[0], y[1] = np.nan, np.nan
    f = (
        (lambda x, y: np.where(ufunc(x < y), 5.0, y))
        if ufunc is np.logical_not
        else (lambda x, y: np.where(ufunc(x, y), 5.0, y))
    )
    np.testing.assert_array_equal(ch.compile(f, x=4, y=4)(x, y), f(x, y))


@pytest.mark.parametrize("ufunc", [u for u in LOGIC if u.nin == 2], ids=ufunc_name)
def test_logic(ufunc, rng):
    x = rng.uniform(-2.0, 2.0, (30, 4))

    def f(x):
        return np.where(ufunc(x < 1.0, x > -1.0), x, 7.0)

    def g(x):
        return ch.where(~((x < 1.0) & (x > -1.0)) | (x == 0.0), x, 7.0)

    np.testing.assert_array_equal(ch.compile(f, x=4)(x), f(x))
    np.testing.assert_array_equal(ch.compile(g, x=4)(x), g(x))


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.sign, np.abs], ids=ufunc_name)
def test_nans_stay(function):
    x = np.array([[1.0, np.nan], [np.nan, 1.0], [np.nan, np.nan], [2.0, 1.0], [0.0, -0.0]])
    f = (lambda x: function(x)) if function.nin == 1 else (lambda x: function(x[..., 0], x[..., 1]))
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(ch.compile(f, x=2)(x), f(x))


ROUNDED = {
    "rint": np.rint,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "remainder": lambda x: np.remainder(x, 0.75),
    "%": lambda x: x % -2.0,
    "fmax": lambda x: np.fmax(x, 1.0),
    "fmin": lambda x: np.fmin(1.0, x),
    "cbrt": np.cbrt,
    "expm1": np.expm1,
    "log2": lambda x: np.log2(np.abs(x) + 1.0),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_hard_arguments(name):
    f = ROUNDED[name]
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 3.0, -3.0, 0.3, 1e-12, -40.0, 700.0, np.nan])
    y = ch.compile(lambda x: f(x), x=())(x)
    np.testing.assert_allclose(y, f(x), rtol=16 * EXACT, atol=0.0 if name == "expm1" else 16 * EXACT)


def test_remainders_are_right_on_the_circle(rng):
    x, y = rng.integers(-200, 200, 500) * 0.1, rng.choice([0.1, -0.3, 0.7], 500)
    for f in (ch.compile(lambda x, y: x % y, x=(), y=()), lambda x, y: ch.compile(lambda x: x % 0.1, x=())(x)):
        y = y if isinstance(f, ch.Kernel) else np.full(500, 0.1)
        r = f(x, y)
        turns = (r - np.remainder(x, y)) / y
        assert close(turns, np.round(turns), 1e-12, scale=1.0) and (r / y >= 0.0).all() and (r / y <= 1.0).all()


def test_slopes_of_rounded_functions():
    f = ch.compile(lambda x: np.remainder(x, 0.7) + np.rint(x) + np.cbrt(x) + np.expm1(x), x=())
    for x in (-1.3, 1e-9, 0.4, 2.0):
        assert close(f.gradient("x")(x), 1.0 + np.cbrt(x) ** -2 / 3.0 + np.exp(x), EXACT)


ARRAYS = {
    "matmul": lambda q: np.arange(9.0).reshape(3, 3) @ q,
    "matmul 2": lambda q: np.outer(q, q) @ np.outer(q, q + 1),
    "quadratic": lambda q: q @ np.diag([1, 2, 3]) @ q,
    "sum": np.sum,
    "sum of axis": lambda q: np.sum(np.outer(q, [1.0, 2.0]), axis=0),
    "method sum": lambda q: q.sum() * q.mean(),
    "prod": np.prod,
    "cumsum": np.cumsum,
    "dot": lambda q: np.dot(q, [1.0, 2.0, 3.0]),
    "vdot": lambda q: np.inner(q, q),
    "cross": lambda q: np.cross(q, [1.0, 2.0, 3.0]),
    "cross 2": lambda q: np.cross([1.0, 2.0, 3.0], q),
    "norm": np.linalg.norm,
    "norm of axis": lambda q: np.linalg.norm(np.outer(q, q), axis=1, keepdims=True),
    "stack": lambda q: np.sin(np.stack([q, 2 * q])),
    "stack scalars": lambda q: np.sin(np.stack([q[2], q[0]])),
    "concatenate": lambda q: np.concatenate([q, [1.0], q[:1]]),
    "array": lambda q: np.cos(np.array([q[0], 2.0 * q[1]])),
    "array 2": lambda q: np.array([[q[0], 0.0], [1, q[1]]]) @ np.array([q[2], 1]),
    "list": lambda q: [[q[0], 1], [2.0, q[1]]],
    "max": lambda q: np.max(q) - np.min(q * q),
    "max of axis": lambda q: np.max(np.outer(q, [1.0, -1.0]), axis=0),
    "clip": lambda q: np.clip(q, 0.3, 0.6),
    "clip above": lambda q: np.clip(q, None, 0.6),
    "clip by name": lambda q: np.clip(q, a_min=0.3, a_max=0.6),
    "clip mixed": lambda q: np.clip(q, 0.3, a_max=q[0]),
    "clip of a number": lambda q: np.clip(0.5, a_min=q[0], a_max=2.0),
    "clip method": lambda q: q.clip(0.3, 0.6) + q.clip(max=0.5),
    "max and more": lambda q: np.max(q, initial=5.0) + np.min(np.outer(q, q), keepdims=True, axis=(0, 1)),
    "sum and more": lambda q: np.sum(q, initial=5.0, keepdims=True) * np.prod(q, initial=q[0]),
    "mean": lambda q: np.mean(np.outer(q, q), axis=1) + np.average(q, weights=[1.0, 2.0, 3.0]) + np.ptp(q),
    "shapes": lambda q: np.roll(np.tile(np.expand_dims(np.flip(np.append(q, 1.0)), 0), (2, 1)), 1, axis=1),
    "blocks": lambda q: np.block([[np.diag(q), q[:, None]], [np.vstack([q]), 1.0]]),
    "triangle": lambda q: np.triu(np.outer(q, q)) @ np.linalg.matrix_power(np.outer(q, q), 3) + np.kron(q, q[:1]),
    "differences": lambda q: np.concatenate([np.diff(q), np.convolve(q, [1.0, 2.0])]),
    "einsum": lambda q: np.einsum("i,ij,j->", q, np.eye(3), q),
    "trace": lambda q: np.trace(np.outer(q, q)),
    "transpose": lambda q: np.outer(q, [1.0, 2.0]).T,
    "where": lambda q: np.where(q > 0.5, q, -q),
    "where scalar": lambda q: np.where(q[0] > 0.5, q[1], 2.0),
    "ch.where": lambda q: ch.where(q > 0.5, q, [1, 2, 3]),
    "ch.where scalar": lambda q: ch.where(q[0] > 0.5, q, 1.0),
    "loop": lambda q: sum(x * k for k, x in enumerate(q)),
    "in place": lambda q: operator.iadd(q * 1.0, 1),
    "assignment": lambda q: [y := np.zeros_like(q), operator.setitem(y, 1, q[2] * 2.0), y][2],
    "numpy scalars": lambda q: np.float64(2.0) * q[0] + np.float32(0.5) - np.int64(3) / q[1] + q[2] * np.float64(1.5),
    "numpy scalar in an array": lambda q: np.stack([q[0], np.float64(2.0)]) * np.float64(3.0),
    "power": lambda q: q**3 + 2.0**q + q**0.5 + q**-1 + q**1.5 + np.power(q, [1, 2, 3]),
    "scalar": lambda q: q[0] * q[1],
    "constant": lambda q: np.array([1.0, 2.0]),
    "remainder of a scalar": lambda q: q[0] % 0.3 + 2.0 % q[1] + (q % 0.25)[2] + (q[0] % np.array([0.3]))[0],
    "spread": lambda q: np.var(q) + np.std(np.outer(q, q), axis=0) + np.polyval([1.0, 2.0, 3.0], q),
    "rounded plain array": lambda q: np.floor(np.array([9 * q[0]])) + np.ceil(np.array([q[0]])) + np.trunc(-9 * q[:1]),
    "view": lambda q: np.outer(q, q)[::-1, 1:],
    "zero axes": lambda q: np.sin(q[0]) + np.hypot(q[1], 2.0),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    f = ARRAYS[name]
    kernel = ch.compile(lambda q: f(q), q=3)
    expected = np.array([f(q) for q in Q])
    assert kernel.outputs[0].shape == expected.shape[1:]
    assert close(kernel(Q), expected, EXACT)


def test_matrix_products_of_numpy():
    A = np.arange(9.0).reshape(3, 3)
    arguments = {"matvec": lambda q: (A, q), "vecmat": lambda q: (q, A), "vecdot": lambda q: (q, q * 2)}
    for name in arguments.keys() & set(dir(np)):
        f, args = getattr(np, name), arguments[name]
        assert close(ch.compile(lambda q, f=f, args=args: f(*args(q)), q=3)(Q[0]), f(*args(Q[0])), EXACT)


# what goes in and comes out

Pair = namedtuple("Pair", ["first", "second"])


def test_results_have_names():
    a, b = Q[0] * 2.0, Q[0].sum()
    for f, names in (
        (lambda q: (q * 2, q.sum()), ["output0", "output1"]),
        (lambda q: {"a": q * 2, "b": q.sum()}, ["a", "b"]),
        (lambda q: Pair(q * 2, q.sum()), ["first", "second"]),
    ):
        kernel = ch.compile(f, q=3)
        result = kernel(Q[0])
        assert [o.name for o in kernel.outputs] == names and result._fields == tuple(names)
        assert close(result[0], a, EXACT) and close(result[1], b, EXACT)
        assert kernel(Q)[0].shape == (7, 3) and kernel(Q)[1].shape == (7,)


@pytest.mark.parametrize("name", ["true", "_2f", "_", "class_"])
def test_any_name_of_a_function_will_do(name):
    def f(q):
        return q, q

    f.__name__ = name
    assert same(tuple(ch.compile(f, q=3)(Q)), (Q, Q))


def test_lie_objects_come_out_as_arrays():
    V = ch.Twist(ch.Vec3(0.1, 0.2, 0.3), ch.Vec3(1.0, 2.0, 3.0))

    def f(q):
        T = V.exp(q[0])
        return {"T": T, "R": T.R, "p": T.p, "V": T.Ad(V * q[1]), "F": T.Ad_star(ch.Wrench(ch.Vec3(*q), ch.Vec3(*q)))}

    kernel = ch.compile(f, q=3)
    assert [o.shape for o in kernel.outputs] == [(4, 4), (3, 3), (3,), (6,), (6,)]
    result, eager = kernel(Q[0]), f(Q[0].tolist())
    assert close(result.T[:3, :3], [[*row] for row in eager["R"].matrix], EXACT) and close(
        result.T[3], [0, 0, 0, 1], 0.0
    )
    assert close(result.T[:3, 3], [*eager["p"]], EXACT) and close(result.R, result.T[:3, :3], 0.0)
    assert close(result.V, [*eager["V"].w, *eager["V"].v], EXACT) and close(
        result.F, [*eager["F"].m, *eager["F"].f], EXACT
    )


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3), (3, 1, 2)])
def test_leading_axes(shape, rng):
    A, x, t = rng.normal(size=(*shape, 3, 2)), rng.normal(size=(*shape, 2)), rng.normal(size=shape)
    kernel = ch.compile(lambda A, x, t: A @ x * t, A=(3, 2), x=2, t=())
    assert close(kernel(A, x, t), np.einsum("...ij,...j,...->...i", A, x, t), EXACT)
    assert close(kernel(A, [1.0, 2.0], 3), np.einsum("...ij,j->...i", A, [3.0, 6.0]), EXACT)


def test_kernels_and_robots_inside(rng):
    robot = ch.load("ur5")
    inner = ch.compile(lambda x: np.sin(x) * 2.0, x=6)
    single = ch.compile(lambda x: x * 0.5, x=6, dtype="float32")

    def f(q, qd):
        M = robot.mass_matrix(q)
        return {
            "momentum": M @ qd,
            "energy": 0.5 * qd @ M @ qd - robot.kinetic_energy(q, qd),
            "tau": robot.inverse_dynamics(q, qd, np.zeros(6)) - robot.bias_forces(q, qd),
            "pose": robot.forward_kinematics(q),
            "acceleration": robot.forward_dynamics(q, qd, inner(q) + single(qd)),
            "batch": robot.gravity_forces(np.stack([q, qd])),
            "list": robot.gravity_forces([*q[:3], 0.0, *q[4:]]),
        }

    q, qd = rng.uniform(-2, 2, (5, 6)), rng.normal(size=(5, 6))
    result = ch.compile(f, q=6, qd=6)(q, qd)
    assert close(result.momentum, np.einsum("bij,bj->bi", robot.mass_matrix(q), qd))
    assert close(result.energy, np.zeros(5), scale=1.0) and close(result.tau, np.zeros((5, 6)), scale=10.0)
    assert close(result.pose, robot.forward_kinematics(q))
    assert close(result.acceleration, robot.forward_dynamics(q, qd, 2 * np.sin(q) + qd / 2))
    assert close(result.batch, robot.gravity_forces(np.stack([q, qd], axis=1)))
    q0 = q.copy()
    q0[:, 3] = 0.0
    assert close(result.list, robot.gravity_forces(q0))


# derivatives


def numeric(f, x, h=1e-5):
    columns = [
        (np.asarray(f(x + h * e)) - np.asarray(f(x - h * e))) / (2 * h)
        for e in np.eye(x.size).reshape(x.size, *x.shape)
    ]
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)


def test_jacobian(rng):
    def f(q, A):
        return np.sin(A @ q) / (1.0 + q @ q)

    A = rng.normal(size=(2, 3))
    kernel = ch.compile(f, q=3, A=(2, 3))
    assert close(kernel.jacobian("q")(Q[0], A), numeric(lambda q: f(q, A), Q[0]), FINITE_DIFFERENCE)
    assert close(kernel.jacobian("A")(Q[0], A), numeric(lambda A: f(Q[0], A), A), FINITE_DIFFERENCE)
    assert kernel.jacobian("A")(Q, A).shape == (7, 2, 2, 3)
    second = kernel.jacobian("A").jacobian("q")
    assert second(Q[0], A).shape == (2, 2, 3, 3)
    assert close(second(Q[0], A), numeric(lambda q: kernel.jacobian("A")(q, A), Q[0]), FINITE_DIFFERENCE)


def test_gradient_and_hessian():
    def f(q):
        return (
            np.exp(q[0] * q[1]) * np.cos(q[2]) + np.arctan2(q[0], q[2]) / q[1] + np.where(q[0] > 2.0, q[0], q[1] ** 3)
        )

    kernel = ch.compile(f, q=3)
    for q in Q:
        assert close(kernel.gradient("q")(q), numeric(f, q), FINITE_DIFFERENCE)
        assert close(kernel.hessian("q")(q), numeric(kernel.gradient("q"), q), FINITE_DIFFERENCE)
    assert close(kernel.jacobian("q")(Q), kernel.gradient("q")(Q), FLOAT64)
    H = kernel.hessian("q")(Q)
    assert H.shape == (7, 3, 3) and close(H, np.swapaxes(H, -1, -2), EXACT)
    assert kernel.gradient("q").outputs[0].name == "doutput_dq"


def test_derivatives_by_complex_steps():
    def f(q):
        return np.stack([np.sin(q[0]) * np.exp(q[1]), np.sqrt(q[2]) / q[0], np.tanh(q[1] * q[2])])

    J = np.stack([f(Q[0] + 1e-30j * e).imag / 1e-30 for e in np.eye(3)], axis=-1)
    assert close(ch.compile(f, q=3).jacobian("q")(Q[0]), J, EXACT)
    single = ch.compile(f, q=3, dtype="float32").jacobian("q")
    assert single(Q[0]).dtype == np.float32 and close(single(Q[0]), J, FLOAT32)


def test_derivatives_of_choices():
    def f(q):
        return ch.where(~(q[0] < 0.5) & (q[1] != 0.0), q[0] * q[1], np.maximum(q[1], q[2]))

    kernel = ch.compile(f, q=3)
    for q in Q:
        assert close(kernel.jacobian("q")(q), numeric(f, q), FINITE_DIFFERENCE)


def test_derivatives_of_robots():
    robot = ch.load("planar_2r")
    energy = ch.compile(lambda q, qd: robot.kinetic_energy(q, qd), q=2, qd=2)
    q, qd = np.array([0.3, -1.1]), np.array([0.7, 0.2])
    assert close(energy.hessian("qd")(q, qd), robot.mass_matrix(q))
    potential = ch.compile(lambda q: robot.potential_energy(q), q=2)
    assert close(potential.gradient("q")(q), robot.gravity_forces(q))


# errors: each names the culprit


def branch(q):
    return q if q[0] > 0 else -q


ERRORS = {
    "if": (branch, r"chasles\.where"),
    "if equal": (lambda q: 1.0 if q[0] == 0.0 else 2.0, r"chasles\.where"),
    "and": (lambda q: ch.where(q[0] > 0 and q[1] > 0, 1.0, 2.0), r"chasles\.where"),
    "max": (lambda q: max(q), r"chasles\.where"),
    "None": (lambda q: None, "output is None"),
    "None in a tuple": (lambda q: (q, None), "output1 is None"),
    "string": (lambda q: "text", "str"),
    "number in a string": (lambda q: "1.5", "str"),
    "string in a dict": (lambda q: {"q": q, "label": "text"}, "label holds a str"),
    "condition": (lambda q: q[0] < 1.0, "output is a condition"),
    "complex": (lambda q: np.array([1j]), "complex"),
    "ragged": (lambda q: [[q[0]], [q[0], 1.0]], "list"),
    "empty tuple": (lambda q: (), "returns nothing"),
    "empty dict": (lambda q: {}, "returns nothing"),
    "inv": (lambda q: np.linalg.inv(np.outer(q, q)), r"np\.linalg\.inv"),
    "solve": (lambda q: np.linalg.solve(np.outer(q, q), q), r"np\.linalg\.solve"),
    "unknown": (lambda q: np.arcsinh(q), r"np\.arcsinh"),
    "unknown method": (lambda q: np.subtract.accumulate(q), r"np\.subtract\.accumulate"),
    "plain array": (lambda q: np.cos(np.array([q[0], 3.0])), r"np\.stack"),
    "where=": (lambda q: np.sqrt(q, where=[True, False, True]), "where="),
    "where= of a sum": (lambda q: np.max(q, initial=0.0, where=[True, False, True]), "where="),
    "dtype=": (lambda q: np.sin(q, dtype=np.float32), "dtype="),
    "clip twice": (lambda q: np.clip(q, 0.0, a_max=1.0, max=2.0), "both a_max and max"),
    "nan_to_num": (lambda q: np.nan_to_num(q), r"np\.nan_to_num"),
    "float": (lambda q: float(q[0]), "not a number yet"),
    "index": (lambda q: q[q[0]], "the index is a traced value"),
    "range": (lambda q: list(range(q[0])), r"not a whole number yet.*chasles\.loop"),
    "assignment": (lambda q: operator.setitem(np.zeros(3), 0, q[0]), "not a number yet"),
    "condition times": (lambda q: (q > 0.0) * q, "condition is not a number"),
    "number as condition": (lambda q: ch.where(q, 1.0, 2.0), "number is not a condition"),
    "arguments": (lambda x: x, "does not take the inputs q"),
    "more arguments": (lambda q, qd: q, "qd"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_in_the_function(name):
    function, message = ERRORS[name]
    with pytest.raises(ch.TraceError, match=message):
        ch.compile(function, q=3)


def test_a_leaked_value_is_refused():
    leak = []
    ch.compile(lambda q: [leak.append(q[0] * 2), q][1], q=1)
    for f in (lambda q: leak[0], lambda q: q[0] + leak[0], lambda q: np.arctan2(q, leak[0]), lambda q: (q, leak[0])):
        with pytest.raises(ch.TraceError, match="trace"):
            ch.compile(f, q=1)


@pytest.mark.parametrize("size", [0, -1, 2.5, True, (2, True), "3", (2, 0), (2, 1.5), None])
def test_sizes_are_checked(size):
    with pytest.raises(ch.TraceError, match=r"input 'q'.*positive integer"):
        ch.compile(lambda q: q, q=size)


def test_inputs_must_be_named():
    with pytest.raises(ch.TraceError, match=r"compile\(f, q=7"):
        ch.compile(lambda q: q)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_wrong_arguments_are_named(dtype):
    kernel = ch.compile(lambda q, A: A @ q, dtype=dtype, q=3, A=(2, 3))
    A = np.ones((2, 3))
    for arguments, message in (
        ((Q[:, :2], A), r"q must have shape \(\.\.\., 3\), got \(7, 2\)"),
        ((Q, A.T), r"A must have shape \(\.\.\., 2, 3\), got \(3, 2\)"),
        ((1.0, A), r"q must have shape \(\.\.\., 3\), got \(\)"),
        (("text", A), "q must be real numbers"),
        ((Q * 1j, A), "q must be real numbers, got complex128"),
        (([[1.0], [1.0, 2.0]], A), "q is not a rectangular array"),
        ((None, A), "q must be real numbers"),
        ((Q, np.ones((5, 2, 3))), r"do not broadcast: q \(7,\), A \(5,\)"),
    ):
        with pytest.raises(ch.ShapeError, match=message):
            kernel(*arguments)
    with pytest.raises(TypeError, match=r"2 arguments \(q, A\), got 1"):
        kernel(Q)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_wrong_out_is_named(dtype):
    kernel = ch.compile(lambda q: (q * 2, q.sum()), dtype=dtype, q=3)
    y, s = np.empty((7, 3), dtype), np.empty(7, dtype)
    fixed = np.empty((7, 3), dtype)
    fixed.flags.writeable = False
    for out, message in (
        ((y[:4], s), r"out for output0 must have shape \(7, 3\), got \(4, 3\)"),
        ((y, np.empty((7, 1), dtype)), r"out for output1 must have shape \(7,\), got \(7, 1\)"),
        (y, "tuple of 2 arrays"),
        ((fixed, s), "output0 is read-only"),
    ):
        with pytest.raises(ch.ShapeError, match=message):
            kernel(Q, out=out)
    kernel(Q, out=(y, s))
    assert close(y, Q * 2, FLOAT32)
    with pytest.raises(ch.TraceError, match="out="):
        ch.compile(lambda q: kernel(q, out=(y, s)), q=3)


def test_results_are_pickled():
    kernel = ch.compile(lambda q: {"twice": q * 2, "class": q.sum()}, q=3)
    result = kernel(Q[0])
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) and again._fields == ("twice", "_1") and same(again, result)


def test_wrong_shapes_of_traced_values_are_named():
    inner = ch.compile(lambda x: x * 2, x=2)
    with pytest.raises(ch.ShapeError, match=r"x must have shape \(\.\.\., 2\), got \(3,\)"):
        ch.compile(lambda q: inner(q), q=3)


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex128", "banana", object])
def test_dtypes_are_checked(dtype):
    with pytest.raises((ValueError, TypeError), match=r"float64|not understood"):
        ch.compile(lambda q: q, q=3, dtype=dtype)


# a kernel as an object


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pickled_it_computes_the_same(dtype):
    kernel = everything_kernel(dtype)
    x = states(kernel, 11)
    again = pickle.loads(pickle.dumps(kernel))
    assert same(tuple(kernel(*x)), tuple(again(*x)))
    assert again.name == kernel.name and again.dtype == dtype and again.operations == kernel.operations
    assert again.signature == kernel.signature == "(5),(2,3),()->(5),(45),(),(3,3),(4)"
    assert repr(again) == repr(kernel) and "everything(q[5]" in repr(kernel)


def test_what_a_kernel_shows():
    kernel = ch.compile(lambda q: np.sin(q) + np.cos(q), q=3)
    assert kernel.operations.by_kind == {"sin": 3, "cos": 3, "add": 3} and kernel.operations.total == 9
    assert "define void @range" in kernel.source and "@chasles_table" in kernel.source
    assert "range" in kernel.assembly and kernel.ufunc.signature == "(3)->(3)"

    def documented(q):
        """What it is for."""
        return q

    assert "What it is for." in ch.compile(documented, q=1).ufunc.__doc__


def test_everything_in_floats_and_compiled():
    kernel = everything_kernel()
    x = states(kernel, 9)
    result, rows = kernel(*x), [everything(*row) for row in zip(*x, strict=True)]
    for name in rows[0]:
        assert close(getattr(result, name), [r[name] for r in rows], 64 * EXACT)


def test_where_on_numbers():
    assert ch.where(True, 1.0, 2.0) == 1.0
    np.testing.assert_array_equal(ch.where(Q > 0.5, Q, 0.0), np.where(Q > 0.5, Q, 0.0))
    assert ch.compile(lambda q: ch.where(len(q) == 1, q[0], 0.0), q=1)([3.0]) == 3.0


def test_traced_values_stay_expressions():
    seen = []
    ch.compile(lambda q, t: [seen.extend([q, t, q[0], q[:2], q + 1, np.sin(t)]), q][1], q=3, t=())
    kinds = [type(x) for x in seen]
    assert kinds == [TracedArray, Expr, Expr, TracedArray, TracedArray, Expr]
