"""Rows at which the mass matrix is singular or indefinite: not finite, with a warning that names the culprit."""

import warnings

import numpy as np
import pytest
from support.tolerances import close
from support.urdf_text import joint, link, robot

import chasles as ch
from chasles.catalogue import catalogue
from chasles.robot.mass_watch import is_watched

AXIS = '<axis xyz="{}"/>'
IMPOSSIBLE = (
    '<inertial><origin xyz="0 0 0.3"/><mass value="1"/>'
    '<inertia ixx="1" ixy="3" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
SOUND = '<inertial><mass value="0.1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
RNG_ROWS = np.random.default_rng(5).uniform(-2.0, 2.0, (40, 3))


@pytest.fixture(scope="module")
def doubtful() -> ch.Robot:
    """An arm whose M is positive in some rows: its last link's inertia is that of no body."""
    text = robot(
        *(link("base", ""), link("a", SOUND), link("b", SOUND), link("c", IMPOSSIBLE)),
        joint("j1", "base", "a", "continuous", AXIS.format("0 0 1")),
        joint("j2", "a", "b", "continuous", AXIS.format("0 1 0"), 'xyz="0.1 0 0.4"'),
        joint("j3", "b", "c", "continuous", AXIS.format("1 0.6 0"), 'xyz="0 0.2 0.3"'),
    )
    with pytest.warns(ch.ModelWarning, match="link 'c': its inertia has a negative eigenvalue"):
        return ch.load_text(text)


@pytest.fixture(scope="module")
def gimbal() -> ch.Robot:
    """Two rings without mass, and a body in them: singular where the outer and the inner axis are parallel."""
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 1, 0]), ch.screw([0, 0, 1])]
    links = [ch.Link(inserted=True), ch.Link(inserted=True), ch.Link(1.0, inertia=(1.0, 1.2, 1.4))]
    return ch.Robot.from_screws(
        screws, [np.eye(4)] * 3, links, name="gimbal", joint_names=["outer", "middle", "inner"], gravity=[0, 0, 0]
    )


def test_indefinite_rows_are_nan_and_named(doubtful: ch.Robot) -> None:
    M = doubtful.mass_matrix(RNG_ROWS)
    positive = np.linalg.eigvalsh(M)[:, 0] > 0.0
    assert positive.any() and not positive.all()
    tau = np.ones(3)
    said = rf"forward_dynamics: the mass matrix of robot 'r' is not positive definite at {(~positive).sum()} of 40"
    with pytest.warns(RuntimeWarning, match=f"{said} configurations: no body has the inertia of link 'c'"):
        qdd = doubtful.forward_dynamics(RNG_ROWS, 0.1 * RNG_ROWS, tau)
    assert np.isnan(qdd[~positive]).all()
    bias = doubtful.bias_forces(RNG_ROWS, 0.1 * RNG_ROWS)
    assert close(qdd[positive], np.linalg.solve(M, (tau - bias)[..., None])[..., 0][positive], 1e-10)
    with pytest.warns(ch.MassMatrixWarning, match="no body has the inertia of link 'c'"):
        path = doubtful.geodesic(RNG_ROWS[~positive][0], tau, steps=2)
    assert not path.converged and np.isnan(path.q[-1]).all()
    for _ in range(2):  # as it is first called, and then
        with pytest.warns(ch.ModelWarning, match="at this configuration: no body has the inertia of link 'c'"):
            assert np.isnan(doubtful.forward_dynamics(RNG_ROWS[~positive][0], np.zeros(3), tau)).all()


NEEDY = sorted(
    name for name, item in catalogue().items() if "inverse" in item.needs and name != "discrete_step"
)  # in kernels only


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NEEDY)
def test_all_that_needs_a_positive_mass_matrix(name: str, doubtful: ch.Robot) -> None:
    from chasles.catalogue import Options, compute

    rows = RNG_ROWS[:12]
    positive = np.linalg.eigvalsh(doubtful.mass_matrix(rows))[:, 0] > 0.0
    item, u = catalogue()[name], np.array([1.0, 0.2, -0.4])
    given = {key: list(rows.T) if key == "q" else [u[0] + 0 * rows[:, 0], *u[1:]] for key in item.inputs}
    if "v" in given:
        given["v"] = list(u[::-1])
    with np.errstate(all="ignore"):
        results = compute(doubtful.mechanism, [name], given, Options())
    for result in results:
        found = np.stack(list(_rows(result, len(rows))))
        assert np.isnan(found[:, ~positive]).all()


def _rows(x, count: int):
    """The leaves of a result, each an array of rows."""
    if isinstance(x, (list, tuple)):
        for y in x:
            yield from _rows(y, count)
    else:
        yield np.broadcast_to(np.asarray(x, dtype=float), (count,))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_task_space_and_derivatives_of_indefinite_rows(doubtful: ch.Robot) -> None:
    positive = np.linalg.eigvalsh(doubtful.mass_matrix(RNG_ROWS))[:, 0] > 0.0
    Lam = doubtful.task_inertia(RNG_ROWS, rows="tx")
    assert np.isnan(Lam[~positive]).all() and np.isfinite(Lam[positive]).all()
    slope = doubtful.kernel("forward_dynamics").jacobian("q")(RNG_ROWS, RNG_ROWS, RNG_ROWS)
    assert np.isnan(slope[~positive]).all() and np.isfinite(slope[positive]).all()


def test_singular_rows_are_named(gimbal: ch.Robot) -> None:
    rows, zero, tau = np.array([[0.3, 0.5, 0.1], [0.3, 0.0, 0.1]]), np.zeros(3), np.array([1.0, 0.0, 0.0])
    said = "the mass matrix of robot 'gimbal' is singular at 1 of 2 configurations: joint 'outer' moves no inertia"
    for name in ("forward_dynamics",):
        for _ in range(2):
            with pytest.warns(RuntimeWarning, match=f"{name}: {said}"):
                qdd = getattr(gimbal, name)(rows, zero, tau)
        assert np.isfinite(qdd[0]).all() and not np.isfinite(qdd[1]).any()
    with pytest.warns(RuntimeWarning, match=r"mass_matrix_inverse: .* 'gimbal' is singular at this .* joint 'outer'"):
        gimbal.mass_matrix_inverse(rows[1])


def test_the_warning_follows_errstate(gimbal: ch.Robot) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(divide="ignore", invalid="ignore"):
            gimbal.mass_matrix_inverse([0.0, 0.0, 0.0])
        with np.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="'gimbal' is singular"):
            gimbal.mass_matrix_inverse([0.0, 0.0, 0.0])
        assert np.isnan(gimbal.mass_matrix_inverse([0.0, np.nan, 0.0])).any()  # what was asked is no number itself
        assert gimbal.mass_matrix_inverse([0.0, 0.5, 0.0]).shape == (3, 3)


def test_only_such_robots_are_watched(doubtful: ch.Robot, gimbal: ch.Robot) -> None:
    assert is_watched(doubtful.mechanism) and is_watched(gimbal.mechanism)
    for name in ("panda", "ur5", "planar_2r"):
        plain = ch.load(name)
        assert not is_watched(plain.mechanism) and not plain.mechanism.impossible_links
    links = [ch.Link(inserted=True), ch.Link(inserted=True), ch.Link(1.0, inertia=(1.0, 1.2, 1.4))]
    assert not is_watched(ch.Robot.from_screws(gimbal.screws, gimbal.homes, links, armature=[1, 1, 0]).mechanism)


def test_other_reasons_are_left_to_numpy(gimbal: ch.Robot) -> None:
    with pytest.warns(RuntimeWarning, match="encountered in forward_dynamics$"):
        gimbal.forward_dynamics([0.1, 0.5, 0.2], [1e200, 1e200, 1e200], [0.0, 0.0, 0.0])


def test_traced_values_pass(gimbal: ch.Robot) -> None:
    made = ch.compile(lambda q, tau: gimbal.forward_dynamics(q, 0.0 * q, tau), q=3, tau=3)
    q, tau = np.array([0.3, 0.5, 0.1]), np.ones(3)
    assert close(made(q, tau), gimbal.forward_dynamics(q, np.zeros(3), tau))


def test_indefinite_rows_under_constraints(doubtful: ch.Robot) -> None:
    bound = ch.ConstrainedSystem(doubtful, ch.Constraint.mimic("j1", "j2", factor=0.5))
    q = RNG_ROWS.copy()
    q[:, 0] = 0.5 * q[:, 1]
    positive = np.linalg.eigvalsh(doubtful.mass_matrix(q))[:, 0] > 0.0
    assert positive.any() and not positive.all()
    with pytest.warns(ch.ModelWarning, match="no body has the inertia of link 'c'"):
        motion = bound.forward_dynamics(q, 0.0 * q, np.ones(3))
    with pytest.warns(ch.ModelWarning, match="no body has the inertia of link 'c'"):
        P = bound.projections(q).P_T
    for x in (*motion, P):
        assert np.array_equal(np.isnan(x).reshape(len(q), -1).any(-1), ~positive)
    for function in (
        bound.second_fundamental_form,
        bound.reduced().basis_rate,
        bound.gauge().velocities,
        bound.gauge().root_rate,
    ):
        with pytest.warns(ch.ModelWarning, match="no body has the inertia of link 'c'"):
            x = function(q, bound.projections(q[positive][0]).P_T @ np.ones(3))
        assert np.array_equal(np.isnan(x).reshape(len(q), -1).any(-1), ~positive)
    for system in (doubtful, bound):
        with pytest.raises(ch.SimulationError, match=r"not positive definite at t = 0, .* no body has .* link 'c'"):
            ch.simulate(system, q[~positive][0], np.zeros(3), duration=0.01)


def test_the_link_that_was_merged_is_named() -> None:
    text = robot(
        *(link("base", ""), link("a", SOUND), link("weight", IMPOSSIBLE)),
        joint("j1", "base", "a", "continuous", AXIS.format("1 -1 0")),
        joint("weld", "a", "weight", "fixed", "", 'xyz="0 0 0"'),
    )
    with pytest.warns(ch.ModelWarning, match="link 'weight': its inertia has a negative eigenvalue"):
        arm = ch.load_text(text)
    with pytest.warns(ch.ModelWarning, match="no body has the inertia of link 'weight'"):
        assert np.isnan(arm.forward_dynamics([0.1], [0.0], [1.0])).all()
