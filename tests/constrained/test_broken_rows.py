"""One state of a batch that is singular, or not a number, is nan and stops no other; alone it is refused by name."""

from functools import cache

import numpy as np
import pytest
from support.loops import four_bar, four_bar_angles, pinned, planar
from support.tolerances import close

import chasles as ch
from chasles import linear_algebra
from chasles.control import GaugeControl, HybridControl, HybridVelocityControl, ParallelControl


@cache
def disk():
    """Rolling upright: (x, y, theta heading, phi rolling)."""
    weights = np.array([1.5, 1.5, 0.2, 0.3]) / 2.0

    def rows(q):
        A = np.zeros_like(q, shape=(2, 4))
        A[0, 0], A[1, 1] = 1.0, 1.0
        A[0, 3], A[1, 3] = -0.5 * np.cos(q[2]), -0.5 * np.sin(q[2])
        return A

    system = ch.LagrangianSystem(
        4, lambda q, qd: np.sum(weights * qd * qd), coordinate_names=("x", "y", "theta", "phi")
    )
    return ch.ConstrainedSystem(system, ch.Constraint.pfaffian(rows, "rolling"))


@cache
def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def parts(x):
    """An array, or several."""
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("theta", [0.0, 1e-12, 1e-9])
def test_velocities_that_hardly_determine_the_others(theta):
    """y and theta say nothing of phi where the disk heads along x, and next to nothing beside."""
    r = disk().reduced(["y", "theta"])
    with pytest.raises(ch.ModelError, match="y, theta do not determine the others"):
        r.basis([0.0, 0.0, theta, 0.0])
    q = np.array([[0.0, 0.0, 0.6, 0.0], [0.0, 0.0, theta, 0.0], [0.0, 0.0, 1.2, 0.0]])
    u, tau = np.array([0.3, 0.7]), np.array([0.1, 0.2, 0.3, 0.4])
    for call in (
        lambda q: r.basis(q),
        lambda q: r.forward_dynamics(q, u, tau),
        lambda q: r.multipliers(q, u, tau),
        lambda q: r.tangent(q, np.ones(4)).J_rate,
    ):
        found = call(q)
        assert np.isnan(found[1]).all() and close(found[0], call(q[0])) and close(found[2], call(q[2]))


def test_units_do_not_make_a_choice_singular():
    """Rows, and coordinates, of quite different size."""
    system = ch.LagrangianSystem(3, lambda q, qd: qd[0] ** 2 + 1e-6 * qd[1] ** 2 + 1e6 * qd[2] ** 2)
    rows = ch.Constraint.pfaffian(lambda q: np.array([[1e-6, 1e-9, 0.0], [0.0, 1.0, 1e6]]), "rows")
    J = ch.ConstrainedSystem(system, rows).reduced([0]).basis(np.zeros(3))
    assert close(J[:, 0], [1.0, -1e3, 1e-3])


def still(t):
    return np.array([0.2]), np.zeros(1), np.zeros(1)


@cache
def laws():
    crank = {"K_p": 5.0, "independent": [0], "at": four_bar_angles(0.5)}
    speed = HybridVelocityControl(bars(), lambda t: (np.zeros(1), np.zeros(1)), force=[1.0, 2.0], K_I=2.0, **crank)
    return {
        "gauge": GaugeControl(bars(), still, K_d=3.0, force=[1.0, 2.0], K_I=1.0, **crank),
        "gauge of a frame": GaugeControl(bars(), still, K_d=[3.0], reference=four_bar_angles(0.5), **crank),
        "hybrid": HybridControl(bars(), still, K_v=3.0, **crank),
        "velocities": speed,
        "parallel": ParallelControl(bars(), still, actuated=[0, 1], K_v=3.0, preload=[0.1, 0.2], **crank),
    }


@pytest.mark.parametrize("name", ["gauge", "gauge of a frame", "hybrid", "velocities", "parallel"])
@pytest.mark.parametrize("what", ["q", "qd"])
def test_laws(name, what):
    law = laws()[name]
    q, qd = bars().consistent(four_bar_angles(np.array([0.4, 0.5, 0.6])), np.ones((3, 3)))
    if getattr(law, "integral", None) is not None:
        law.reset()
    right = law(0.0, q, qd)
    broken = {"q": q.copy(), "qd": qd.copy()}
    broken[what][1] = np.nan
    for t in (0.1, 0.2):
        found = law(t, **broken)
        assert np.isnan(found[1]).any() and np.isfinite(found[[0, 2]]).all()
        law.reset()
    assert close(law(0.0, **broken)[[0, 2]], right[[0, 2]])


def test_gauge():
    gauge = bars().gauge(four_bar_angles(0.5))
    q, qd = bars().consistent(four_bar_angles(np.array([0.4, 0.5, 0.6])), np.ones((3, 3)))
    v_r = gauge.equations(q, qd).v_r
    for call in (
        lambda q: gauge.frame(q),
        lambda q: gauge.equations(q, qd),
        lambda q: gauge.forward_dynamics(q, v_r, np.ones(3)),
        lambda q: gauge.projections(q),
        lambda q: gauge.connection(q, qd),
        lambda q: gauge.joint_velocities(q, v_r),
    ):
        right, found = parts(call(q)), parts(call(np.where([[False], [True], [False]], np.nan, q)))
        for a, b in zip(right, found, strict=True):
            assert np.isnan(b[1]).any() and close(b[[0, 2]], a[[0, 2]])


def stretched():
    """A parallelogram, and its angles with one state where the rank falls."""
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)], "parallelogram")
    a = np.array([0.4, 0.0, -0.7])
    return ch.ConstrainedSystem(robot, pinned(robot)), np.stack([a, -a, np.pi + a], axis=-1)


def test_a_fall_of_rank_among_others():
    cs, q = stretched()
    gauge = cs.gauge()
    with pytest.raises(ch.ModelError, match="the rank of the constraints of 'parallelogram' falls"):
        gauge.frame(q[1])
    V = gauge.frame(q).V_2
    assert np.isnan(V[1]).all() and close(V[[0, 2]], gauge.frame(q[[0, 2]]).V_2)
    law = ParallelControl(cs, still, actuated=[0], K_p=1.0, K_v=1.0, independent=[0], at=q[0])
    tau = law(0.0, q, np.zeros(3))
    assert np.isnan(tau[1, 0]) and np.isfinite(tau[[0, 2]]).all()
    with pytest.raises(ch.ModelError, match=r"joint00 do not determine|cannot cause"):
        law(0.0, q[1], np.zeros(3))


def test_simulation_goes_on():
    """A law that gives no number for one state of a batch: the others move as they would alone."""
    q, qd = bars().consistent(four_bar_angles(np.array([0.4, 0.5, 0.6])), np.ones((3, 3)))

    def control(t, q, qd):
        tau = -0.3 * qd
        tau[1] = np.nan if t > 0.005 else tau[1]
        return tau

    law = laws()["gauge"]
    for tried in (control, lambda t, q, qd: control(t, q, qd) + law(t, q, qd)):
        law.begin()
        with pytest.warns(RuntimeWarning, match="row 1 of the batch ends at t = 0.005"):
            run = ch.simulate(bars(), q, qd, tried, duration=0.02)
        assert np.isnan(run.q[1, -1]).any() and np.isfinite(run.q[[0, 2]]).all()
        assert np.isfinite(run.multipliers[[0, 2]]).all()


def test_algebra():
    """Rows that are singular or not numbers, in every function."""
    rng = np.random.default_rng(0)
    M, x = rng.normal(size=(2, 3, 4, 4)), rng.normal(size=(3, 4))
    right = [linear_algebra.inverse(M), linear_algebra.solved(M, x), *linear_algebra.decomposed(M[..., :2, :])]
    assert close(right[0] @ M, np.broadcast_to(np.eye(4), M.shape))
    assert close(np.einsum("...ij,...j->...i", M, right[1]), np.broadcast_to(x, (2, 3, 4)))
    assert close(right[3], np.linalg.svd(M[..., :2, :])[1])
    M[0, 1], M[1, 2] = np.nan, 0.0
    found = [linear_algebra.inverse(M), linear_algebra.solved(M, x), *linear_algebra.decomposed(M[..., :2, :])]
    for k, (a, b) in enumerate(zip(right, found, strict=True)):
        assert np.isnan(b[0, 1]).all() and close(b[0, [0, 2]], a[0, [0, 2]]) and close(b[1, :2], a[1, :2])
        assert np.isnan(b[1, 2]).all() if k < 2 else np.isfinite(b[1, 2]).all()
    assert np.isnan(linear_algebra.inverse(np.zeros((2, 2)))).all()


@cache
def root(more=False):
    """y = sqrt(x), which is nothing where x is negative; with a second row, which is."""
    free = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2 - 9.81 * q[2])
    rows = ch.Constraint.holonomic(lambda q: np.sqrt(q[0]) - q[1], "root")
    rows = rows + ch.Constraint.holonomic(lambda q: q[2] - q[1], "line") if more else rows
    return ch.ConstrainedSystem(free, rows, start=[1.0, 1.0, 1.0])


RESULTS = {
    "forward_dynamics": lambda cs, q, qd: cs.forward_dynamics(q, qd, np.ones(3)),
    "inverse_dynamics": lambda cs, q, qd: cs.inverse_dynamics(q, qd, cs.forward_dynamics(q, qd, np.ones(3)).qdd),
    "inverse_dynamics of a number": lambda cs, q, qd: cs.inverse_dynamics(
        q, qd, np.nan_to_num(cs.forward_dynamics(q, qd, np.ones(3)).qdd)
    ),
    "consistent_acceleration": lambda cs, q, qd: cs.consistent_acceleration(q, qd, np.ones(3)),
    "projections": lambda cs, q, qd: cs.projections(q),
    "second_fundamental_form": lambda cs, q, qd: cs.second_fundamental_form(q, qd),
    "gauge": lambda cs, q, qd: cs.gauge().projections(q),
    "reduced": lambda cs, q, qd: cs.reduced(at=[1.0, 1.0, 1.0]).basis(q),
}


@pytest.mark.parametrize("what", RESULTS)
@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("broken", [[-1.0, 1.0, 1.0], [np.nan] * 3])
def test_rows_that_are_not_numbers(what, more, broken):
    """No constraint is something else than one that is not known."""
    cs, call = root(more), RESULTS[what]
    q = np.array([[1.0, 1.0, 1.0], broken, [4.0, 2.0, 2.0]])
    qd = np.array([[2.0, 1.0, 1.0], [2.0, 1.0, 1.0], [4.0, 1.0, 1.0]])
    with np.errstate(all="ignore"):
        found, right, alone = (parts(call(cs, *x)) for x in ((q, qd), (q[[0, 2]], qd[[0, 2]]), (q[1], qd[1])))
    for a, b, c in zip(found, right, alone, strict=True):
        assert np.isnan(a[1]).all() and np.isnan(c).all() and close(a[[0, 2]], b)


@pytest.mark.slow
def test_a_contact_that_is_not_found():
    """The arm does not fall freely where the place of contact is not known."""
    arm = ch.load("ur5")
    bump = ch.Surface.of(lambda u, v: np.stack([u, v, 0.1 * np.exp(-20 * (u * u + v * v))]), near=[(0.5, 0.1)])
    height = np.eye(4)
    height[2, 3] = 0.2
    touch = ch.Constraint.point_contact("tool", ch.Surface.ellipsoid(0.03, 0.04, 0.05), bump.at(height))
    cs = ch.ConstrainedSystem(arm, touch, start=[0.3, -1.2, 1.5, -0.4, 0.6, 0.2])
    q = np.random.default_rng(0).uniform(-2.0, 2.0, size=(100, 6))
    with np.errstate(all="ignore"):
        lost = np.isnan(cs.constraint_matrix(q)).any(axis=(1, 2))
        qdd, multipliers = cs.forward_dynamics(q, np.zeros(6), np.zeros(6))
        P = cs.projections(q).P_T
    assert lost.any() and not lost.all()
    assert np.isnan(qdd[lost]).all() and np.isnan(multipliers[lost]).all() and np.isnan(P[lost]).all()
    assert np.isfinite(qdd[~lost]).all() and np.isfinite(P[~lost]).all()


SHAPES = {
    "constraint_matrix: q": lambda cs, x, v: cs.constraint_matrix(x),
    "constraint_drift: qd": lambda cs, x, v: cs.constraint_drift(v, x),
    "residual: q": lambda cs, x, v: cs.residual(x),
    "forward_dynamics: q": lambda cs, x, v: cs.forward_dynamics(x, v, v),
    "forward_dynamics: tau": lambda cs, x, v: cs.forward_dynamics(v, v, x),
    "projections: q": lambda cs, x, v: cs.projections(x),
    "inverse_dynamics: qdd": lambda cs, x, v: cs.inverse_dynamics(v, v, x),
    "consistent_acceleration: qdd": lambda cs, x, v: cs.consistent_acceleration(v, v, x),
    "second_fundamental_form: qd": lambda cs, x, v: cs.second_fundamental_form(v, x),
    "project: q": lambda cs, x, v: cs.project(x),
    "consistent: qd": lambda cs, x, v: cs.consistent(v, x),
    "corrected: q": lambda cs, x, v: cs.corrected(x, v),
    "refuse_inconsistent: qd": lambda cs, x, v: cs.refuse_inconsistent(v, x),
    "root: q": lambda cs, x, v: cs.gauge().root(x),
    "equations: qd": lambda cs, x, v: cs.gauge().equations(v, x),
    "printed_connection: q": lambda cs, x, v: cs.gauge().printed_connection(x, v),
    "basis: q": lambda cs, x, v: cs.reduced([0]).basis(x),
}


@pytest.mark.parametrize("which", SHAPES)
def test_wrong_shapes(which):
    """Said of the function that was called."""
    with pytest.raises(ch.ShapeError, match=rf"^{which} must have shape \(\.\.\., 3\), got \(5,\)"):
        SHAPES[which](bars(), np.zeros(5), four_bar_angles(0.5))
