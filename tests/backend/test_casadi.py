"""CasADi: operations, shapes, loops written out, derivatives, names, and what is refused."""

import sys

import casadi
import numpy as np
import pytest
from support.kernels import everything, states
from support.node import interpreted
from support.tolerances import FLOAT64, close
from support.whole_number_loops import collatz, endless

import chasles as ch
from chasles.backend.casadi import MOST_OPERATIONS, words
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Program, Restart
from chasles.scalar import ops
from chasles.scalar.operations import OPERATIONS

EDGES = (-np.inf, -2.5, -1.0, -0.3, 0.0, 0.7, 1.0, 2.0, 3.0, 1e300, np.inf, np.nan)


def computed(kernel, *arrays):
    """What CasADi computes, (rows, *shape) for each output, row by row."""
    function = kernel.to("casadi")
    rows = [function.call([casadi.DM(np.asarray(x[k])) for x in arrays]) for k in range(len(arrays[0]))]
    columns = zip(*rows, strict=True)
    return tuple(
        np.stack([np.asarray(y).reshape(o.shape) for y in column])
        for column, o in zip(columns, kernel.outputs, strict=True)
    )


def equal(kernel, *arrays, tol=FLOAT64):
    for found, expected in zip(computed(kernel, *arrays), interpreted(kernel, *arrays), strict=True):
        assert close(found, expected, tol)
    return True


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS.values() if row.traced and row.libm], ids=lambda row: row.name
)
def test_every_function_at_its_edges(row):
    kernel = ch.compile(lambda x: ops.apply(row.name, *x), x=row.arity)
    x = np.stack(np.meshgrid(*[EDGES] * row.arity), axis=-1).reshape(-1, row.arity)
    (found,), (expected,) = computed(kernel, x), interpreted(kernel, x)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0.0)


def without_bits(q, v, t):
    return {
        "whole": np.floor(4.0 * q) + 0.1 * np.sum(v) + t,
        "chosen": ch.where((q < 0.3) & (q > -0.3) | ~(q <= t), np.sqrt(1.0 + q * q), q / (2.0 + np.sin(q))),
        "matrix": v.T @ v - np.arctan2(v[0, 0], t) * np.tanh(v[0, 1]),
        "tensor": v.reshape(1, 2, 3) * q[0],
        "constants": np.stack([q[0] * 0.0 + 2.5, q[1]]),
    }


def test_all_shapes():
    """A number, a column, a matrix as it is, stacked rows of more axes; constants are dense."""
    kernel = ch.compile(without_bits, q=5, v=(2, 3), t=())
    function = kernel.to("casadi")
    assert [function.name_in(i) for i in range(3)] == ["q", "v", "t"]
    assert [function.size_in(i) for i in range(3)] == [(5, 1), (2, 3), (1, 1)]
    assert [function.name_out(i) for i in range(5)] == [o.name for o in kernel.outputs]
    assert [function.size_out(i) for i in range(5)] == [(5, 1), (5, 1), (3, 3), (2, 3), (2, 1)]
    assert all(function.sparsity_out(i).is_dense() for i in range(5))
    assert equal(kernel, *states(kernel, 6))


def test_a_robot_and_the_derivatives_that_casadi_takes(rng):
    kernel = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0]).kernel("inverse_dynamics")
    x = rng.normal(size=(3, 2))
    assert equal(kernel, *x[:, None])
    function = kernel.to("casadi")
    q, qd, qdd = (casadi.SX.sym(name, 2) for name in ("q", "qd", "qdd"))
    slope = casadi.Function("slope", [q, qd, qdd], [casadi.jacobian(function(q, qd, qdd), q)])
    assert close(np.asarray(slope(*x)), kernel.jacobian("q")(*x), FLOAT64)


def root(a):
    def step(x):
        new = 0.5 * (x + a / x)
        return new, {"until": abs(new - x) < 1e-13}

    return ch.loop(step, 1.0, count=30, rule="fixed_point")[0]


def test_loops_are_written_out(rng):
    """Rows of different lengths, records, what comes each time, and the derivative through all of it."""
    kernel = ch.compile(collatz, x=(), w=(25, 2))
    x = np.array([1.0, 6.0, 7.0, 27.0])
    assert equal(kernel, x, rng.integers(-9, 9, (4, 25, 2)).astype(float), tol=0.0)
    kernel = ch.compile(root, a=())
    assert equal(kernel, np.array([2.0, 9.0, 1e-2]))
    a = casadi.SX.sym("a")
    slope = casadi.Function("slope", [a], [casadi.jacobian(kernel.to("casadi")(a), a)])
    assert close(float(slope(2.0)), kernel.jacobian("a")(2.0), FLOAT64)


def test_a_loop_by_itself_has_an_output_of_another_name():
    program = ch.compile(root, a=()).program
    assert isinstance(program, Program)
    (loop,) = program.loops
    function = Kernel(loop, "newton").to("casadi")
    assert str(function) == "newton:(x,captured)->(x_out,until) SXFunction"
    assert close(float(function(1.0, 9.0)[0]), 3.0, FLOAT64)


@pytest.mark.parametrize(
    "name, word",
    [("mass_matrix", "mass_matrix"), ("2 x", "f_2_x"), ("_a__b", "f_a_b"), ("\u03b8", "theta"), ("jac", "jac_")],
)
def test_names_that_casadi_does_not_take(name, word):
    body = Program((Operand(name, ()),), (), (("input", (0, 0)),), ())
    assert words(body, name) == (word, (word,), ()) and casadi.Function.check_name(word)


def test_operands_that_become_one_name():
    operands = tuple(Operand(name, ()) for name in ("a b", "a-b", "\u03b1", "null"))
    nodes = tuple(("input", (k, 0)) for k in range(4))
    program = Program(operands, (Operand("a_b", ()), Operand("a b", ())), nodes, ((0.5,), (0.5,)))
    assert str(Kernel(program, "f").to("casadi")) == "f:(a_b,a_b_2,alpha,null_)->(a_b_3,a_b_out) SXFunction"


def test_it_is_the_same_each_time():
    kernel = ch.load("planar_2r").kernel("mass_matrix")
    assert kernel.to("casadi").serialize() == kernel.to("casadi").serialize()


def search():
    inner = ch.compile(lambda x, attempt: {"x": x - attempt, "until": x, "score": x}, x=(), attempt=()).program
    assert isinstance(inner, Program)
    return Loop(inner, ("x",), 5, until="until", restart=Restart("attempt", "score"))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ch.load("planar_2r").kernel("mass_matrix", "float32"), "mass_matrix: CasADi computes in float64"),
        (lambda: ch.compile(endless, x=()), 'endless: a loop of unknown length, until .* use "c"'),
        (lambda: Kernel(search(), "ik"), 'ik: a search cannot be written out for CasADi: use "c"'),
        (lambda: ch.compile(everything, q=5, v=(2, 3), t=()), "everything: random works on bits"),
        (
            lambda: ch.compile(lambda x: ch.loop(lambda y: y * y + x, x, count=MOST_OPERATIONS), x=()),
            "written out are 400001 operations, more than the 200000 .*mapaccum",
        ),
    ],
)
def test_what_is_refused_says_what_to_use(make, words):
    with pytest.raises(ch.CompileError, match=words):
        make().to("casadi")


def test_without_casadi_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(ch.ModelError, match=r'pip install "chasles\[casadi\]"'):
        ch.load("planar_2r").kernel("mass_matrix").to("casadi")
