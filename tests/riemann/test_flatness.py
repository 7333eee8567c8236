"""Flatness and flat coordinates: chains known to be flat, chains known to be curved, what holds on all flat ones."""

from dataclasses import replace

import numpy as np
import pytest
from support.random_trees import random_mechanism
from support.screw_robots import at, prismatic, quiet, revolute
from support.sweeps import sweep
from support.tolerances import EXACT, FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.riemann import flatness as module
from chasles.riemann.flatness import Isometry, _steps, _transition, flatness, isometry
from chasles.riemann.geodesics import exponential_map

X, Y, Z, O = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.zeros(3)
INTEGRATED = 1e-9  # what is promised of coframes and coordinates


def planar_chain(lengths, links, **options) -> ch.Robot:
    feet = np.cumsum([0.0, *lengths[:-1]])
    return quiet([revolute(Z, (x, 0, 0)) for x in feet], [at(x, 0, 0) for x in feet], links, **options)


def gantry() -> ch.Robot:
    skew = np.array([0.0, 0.6, 0.8])
    links = [ch.Link(1.0), ch.Link(0.5), ch.Link(0.7)]
    return ch.Robot.from_screws([prismatic(X), prismatic(skew), prismatic(Z)], [np.eye(4)] * 3, links)


def polar(inertia: float = 0.0, **options) -> ch.Robot:
    """A point mass, 0.4 + q2 from the axis."""
    links = [ch.Link(0.0, inertia=(inertia,) * 3), ch.Link(1.3, (0.4, 0, 0))]
    return quiet([revolute(Z), prismatic(X)], [np.eye(4)] * 2, links, name="polar", **options)


def tip_mass(**options) -> ch.Robot:
    return planar_chain([0.7, 0.5], [ch.Link(0.0), ch.Link(1.3, (0.5, 0, 0))], tool=at(1.2, 0, 0), **options)


def balanced() -> ch.Robot:
    return planar_chain(
        [0.5, 0.4, 0.3],
        [
            ch.Link(2.0, (0.2, 0.1, 0.0), (0.1, 0.1, 0.3)),
            ch.Link(1.0, (-0.4 * 0.7, 0.0, 0.0), (0.1, 0.1, 0.2)),
            ch.Link(0.7, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
        ],
    )


def sliding_body() -> ch.Robot:
    """A planar joint with the centre of mass beside it: M is constant, the frame turns."""
    link = ch.Link(1.5, (0.2, -0.1, 0.3), (0.1, 0.2, 0.3))
    return ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["planar"], gravity=(0, -9.81, 0))


FLAT = {"gantry": gantry, "polar": polar, "tip mass": tip_mass, "balanced 3R": balanced, "planar joint": sliding_body}
START = {
    "gantry": [0.1, 0.2, 0.3],
    "polar": [0.2, 0.5],
    "tip mass": [0.3, 0.9],
    "balanced 3R": [0.5, -0.3, 0.2],
    "planar joint": [0.1, -0.2, 0.4],
}


def configurations(name: str, count: int = 12) -> np.ndarray:
    """Such that the straight way from START, and between any two, meets no singular configuration."""
    return np.random.default_rng(1).uniform(0.2, 1.5, (count, len(START[name])))


@pytest.fixture(scope="module", params=FLAT)
def flat(request) -> tuple[ch.Robot, Isometry, np.ndarray]:
    robot = FLAT[request.param]()
    return robot, isometry(robot, START[request.param]), configurations(request.param)


# whether a robot is flat


@pytest.mark.parametrize("name", FLAT)
def test_flat_chains(name: str) -> None:
    """[CUR-3]."""
    found = flatness(FLAT[name](), samples=100)
    assert found.is_flat and found.relative <= 1e-12
    assert found.samples + found.skipped == 100
    assert str(found).startswith("flat: |R| up to")


@pytest.mark.slow
def test_inertia_bends_flat_chains() -> None:
    """[CUR-5]: a rotor's worth of inertia is enough, where it is felt."""
    assert not flatness(polar(1e-6)).is_flat
    nearly = flatness(polar(1e-10))
    assert not nearly.is_flat and 1e-9 < nearly.relative < 1e-5
    assert flatness(polar(1e-10), samples=1, seed=1).is_flat  # far from the axis it is not felt: every sample counts
    tip = ch.Link(1.3, (0.5, 0, 0), (0.0, 0.0, 0.2))
    found = flatness(planar_chain([0.7, 0.5], [ch.Link(0.0), tip]))
    assert not found.is_flat and found.relative > 1e-2
    assert str(found).startswith("curved: |R| up to")
    assert not flatness(ch.load("panda"), samples=4).is_flat


def test_sphere_has_its_curvature() -> None:
    """[CUR-4]: the component in an orthonormal frame of a surface is K = 1/(m l^2), whatever the coordinates."""
    mass, length = 2.0, 0.7
    for gear in (1.0, 3.0):
        robot = quiet(
            [revolute(Z) * gear, revolute(Y)], [np.eye(4)] * 2, [ch.Link(0.0), ch.Link(mass, (length, 0.0, 0.0))]
        )
        found = flatness(robot, samples=20, seed=3)
        assert close(found.worst, 1.0 / (mass * length**2))
        assert close(found.worst, robot.sectional_curvature(found.q, [1.0, 0.0], [0.0, 1.0]))


def test_relative_curvature_has_no_unit() -> None:
    """Grams and millimetres: |R| in other units, the same ratio, made of what is stated."""

    def robot(kilogram: float, metre: float) -> ch.Robot:
        bar = ch.Link(1.0 * kilogram, (0.3 * metre, 0, 0), np.array([0.01, 0.1, 0.1]) * kilogram * metre**2)
        return planar_chain([0.7 * metre, 0.5 * metre], [bar, bar])

    one, other = flatness(robot(1.0, 1.0)), flatness(robot(1e3, 1e3))
    assert close(other.relative, one.relative)
    assert close(other.worst, one.worst / 1e9)
    M, G = robot(1.0, 1.0).mass_matrix(one.q), robot(1.0, 1.0).christoffel_symbols(one.q)
    E = np.linalg.inv(np.linalg.cholesky(M)).T
    seen = np.einsum("ijk,ia,jb,kc->abc", G, E, E, E)
    assert close(one.relative, one.worst / (np.abs(seen).max() ** 2 + 1.0 / np.linalg.eigvalsh(M).max()))


def test_singular_configurations_are_no_witnesses() -> None:
    """A stretched arm with its mass at the tip: M is singular; near it samples are skipped, and counted."""

    def stretched(room: float) -> ch.Robot:
        return tip_mass(limits={"lower": [-3.0, -room], "upper": [3.0, room]})

    some = flatness(stretched(1e-4))
    assert some.is_flat and 0 < some.skipped < 64 and some.samples + some.skipped == 64
    assert f"({some.skipped} more skipped" in str(some)
    with pytest.raises(ch.ModelError, match=r"singular.*at all of 64 random configurations"):
        flatness(stretched(1e-8))
    nothing = quiet([revolute(Z), revolute(X)], [np.eye(4)] * 2, [ch.Link(1.0, (1, 0, 0)), ch.Link(0.0)])
    with pytest.raises(ch.SingularMassMatrixError):
        flatness(nothing)


def test_arguments_are_checked() -> None:
    robot = balanced()
    for samples in (0, -1, 2.5, True):
        with pytest.raises(ch.ModelError, match="samples must be a positive integer"):
            flatness(robot, samples=samples)  # type: ignore[arg-type]
    for tolerance in (-1.0, np.nan, np.inf):
        with pytest.raises(ch.ModelError, match="tolerance must be"):
            flatness(robot, tolerance=tolerance)
    with pytest.raises(ch.ShapeError, match=r"q0 must have shape \(\.\.\., 3\), got \(2,\)"):
        isometry(robot, [0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"q must have shape \(\.\.\., 3\), got \(2,\)"):
        isometry(robot, np.zeros(3)).coframe([0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"phi must have shape \(\.\.\., 3\), got \(2,\)"):
        isometry(robot, np.zeros(3)).configuration([0.0, 0.0])


# flat coordinates


def test_coframe_is_a_root_of_the_mass_matrix(flat) -> None:
    """[RED-13]: N^T N = M, over a batch and one by one."""
    robot, iso, q = flat
    N = iso.coframe(q)
    assert N.shape == (len(q), robot.n, robot.n)
    assert close(np.swapaxes(N, -1, -2) @ N, robot.mass_matrix(q), INTEGRATED)
    assert close(iso.coframe(q.reshape(3, 4, -1)), N.reshape(3, 4, robot.n, robot.n), EXACT)
    assert close(iso.coframe(q[5]), N[5], FLOAT64)
    assert close(iso.coordinates(iso.q0), np.zeros(robot.n), EXACT, 1.0)


def test_coframe_is_parallel(flat) -> None:
    """[RED-13]: d_k N = N G_k, by central differences along the joints' columns."""
    robot, iso, q = flat
    h = 1e-5
    steps = h * np.eye(robot.n)[:, None, :]
    change = (iso.coframe(robot.integrate(q, steps)) - iso.coframe(robot.integrate(q, -steps))) / (2.0 * h)
    expected = np.einsum("bai,bijk->kbaj", iso.coframe(q), robot.christoffel_symbols(q, kind=2))
    assert close(change, expected, FINITE_DIFFERENCE, 1.0)


def test_coframe_is_the_derivative_of_coordinates(flat) -> None:
    """[RED-13]: dphi = N dq, by central differences along the joints' columns."""
    robot, iso, q = flat
    h = 1e-5
    steps = h * np.eye(robot.n)[:, None, :]
    change = (iso.coordinates(robot.integrate(q, steps)) - iso.coordinates(robot.integrate(q, -steps))) / (2.0 * h)
    assert close(np.moveaxis(change, 0, -1), iso.coframe(q), FINITE_DIFFERENCE)


def test_paths_do_not_matter(flat) -> None:
    """[RED-13]: by way of another configuration, the same."""
    robot, iso, q = flat
    a, corner, b = np.asarray(iso.q0), q[0], q[1]
    straight = _transition(robot, a, robot.difference(a, b))
    bent = _transition(robot, a, robot.difference(a, corner)) @ _transition(robot, corner, robot.difference(corner, b))
    assert close(bent, straight, INTEGRATED)


@pytest.mark.parametrize("seed", sweep(range(12), 4))
def test_paths_matter_on_curved_robots_only(seed: int) -> None:
    """[RED-13, RED-15]: on random robots, where `flatness` says so; N^T N = M holds along any path."""
    robot = ch.Robot(random_mechanism(seed, 3))
    a, corner, b = np.random.default_rng(seed).uniform(-0.4, 0.4, (3, robot.n))
    straight = _transition(robot, a, b - a)
    bent = _transition(robot, a, corner - a) @ _transition(robot, corner, b - corner)
    apart = np.abs(bent - straight).max()
    assert apart < 1e-10 if flatness(robot).is_flat else apart > 1e-6
    for T in (straight, bent):
        N = np.linalg.cholesky(robot.mass_matrix(a)).T @ T[:-1, :-1]
        assert close(N.T @ N, robot.mass_matrix(b), INTEGRATED)


def test_steps_are_of_order_six() -> None:
    """(6): twice as many, a 64th of the error."""
    robot = ch.Robot(random_mechanism(6, 3))
    a, b = np.random.default_rng(6).uniform(-0.6, 0.6, (2, 1, robot.n))
    fine = _steps(robot, a, b - a, 256)[0]
    errors = [np.abs(_steps(robot, a, b - a, count)[0] - fine).max() for count in (4, 8, 16)]
    for more, less in ((errors[0], errors[1]), (errors[1], errors[2])):
        assert 5.9 < np.log2(more / less) < 6.1


def test_arm_with_its_mass_at_the_tip() -> None:
    """[CUR-3]: phi is where the tip is, times sqrt(m), in axes that are turned."""
    robot = tip_mass()
    iso = isometry(robot, [0.3, 0.9])
    q = np.random.default_rng(0).uniform([-9.0, 0.05], [9.0, 3.0], (40, 2))
    tip, J = robot.forward_kinematics(q)[:, :2, 3], robot.jacobian(q, expressed="mixed")[:, 3:5]
    tip_0 = robot.forward_kinematics(iso.q0)[:2, 3]
    turn = iso.origin @ np.linalg.inv(np.sqrt(1.3) * robot.jacobian(iso.q0, expressed="mixed")[3:5])
    assert close(turn @ turn.T, np.eye(2))
    assert close(iso.coordinates(q), np.sqrt(1.3) * (tip - tip_0) @ turn.T, INTEGRATED)
    assert close(iso.coframe(q), np.sqrt(1.3) * turn @ J, INTEGRATED)


def test_polar_coordinates() -> None:
    """[CUR-3]: phi is (x, y) sqrt(m), with q2 from 0.4 and the axes along the arm at q0."""
    robot = polar()
    iso = isometry(robot, [0.2, 0.5])
    q = np.random.default_rng(0).uniform([-9.0, -0.3], [9.0, 3.0], (40, 2))
    r, angle = q[:, 1] + 0.4, q[:, 0] - 0.2
    expected = np.sqrt(1.3) * np.stack([r * np.sin(angle), r * np.cos(angle) - 0.9], axis=-1)
    assert close(iso.coordinates(q), expected, INTEGRATED)


def test_constant_mass_matrix() -> None:
    """[CUR-3]: where M is constant, phi is linear in q."""
    robot = balanced()
    iso = isometry(robot, START["balanced 3R"])
    q = configurations("balanced 3R")
    assert close(iso.coframe(q), np.broadcast_to(iso.origin, (len(q), 3, 3)), FLOAT64)
    assert close(iso.coordinates(q), (q - iso.q0) @ iso.origin.T, FLOAT64)


def test_force_makes_acceleration(flat) -> None:
    """[RED-14]: d/dt (N qd) = N^-T (tau - g) for any state and forces, by central differences in time."""
    robot, iso, q = flat
    qd, tau = np.random.default_rng(2).normal(size=(2, *q.shape[:-1], robot.n))
    qdd = robot.forward_dynamics(q, qd, tau)
    h = 1e-4
    later, sooner = (
        iso.velocity(robot.integrate(q, s * qd + 0.5 * s * s * qdd), qd + s * qdd) for s in (h, -h)
    )  # to second order in time, for a derivative at its middle
    linear = iso.linear(q, qd, tau)
    assert close(linear.acceleration, (later - sooner) / (2.0 * h), FINITE_DIFFERENCE, 10.0)
    assert close(linear.acceleration, iso.force(q, tau - robot.gravity_forces(q)), FLOAT64)
    assert close(linear.velocity, iso.velocity(q, qd), EXACT)
    assert close(linear.position, iso.coordinates(q), EXACT)
    assert close(0.5 * (linear.velocity**2).sum(axis=-1), robot.kinetic_energy(q, qd), INTEGRATED)


@pytest.mark.parametrize("name", ["polar", "tip mass"])
def test_simulated_motion_is_a_parabola(name: str) -> None:
    """[RED-14]: without gravity, under forces tau = N^T f with f constant, phi is a parabola in time."""
    robot = FLAT[name](gravity=(0.0, 0.0, 0.0))
    iso = isometry(robot, START[name])
    f, v = 0.3 * np.random.default_rng(4).normal(size=(2, 2))
    q, span, steps = iso.q0, 0.6, 60
    position, velocity, h = f * span**2 / 2 + iso.velocity(q, v) * span, f * span + iso.velocity(q, v), span / steps

    def field(x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        return robot.forward_dynamics(x, rate, iso.coframe(x).T @ f)

    for _ in range(steps):  # Nystroem's method, of order 4
        k1 = field(q, v)
        middle = q + h / 2 * v + h * h / 8 * k1
        k2 = field(middle, v + h / 2 * k1)
        k3 = field(middle, v + h / 2 * k2)
        k4 = field(q + h * v + h * h / 2 * k3, v + h * k3)
        q = q + h * v + h * h / 6 * (k1 + k2 + k3)
        v = v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert np.abs(q - iso.q0).max() > 0.1
    assert close(iso.coordinates(q), position, 1e-8)
    assert close(iso.velocity(q, v), velocity, 1e-8)


def test_configurations_of_coordinates(flat) -> None:
    """phi^-1 is a geodesic from q0: back and forth."""
    robot, iso, _ = flat
    phi = 0.05 * np.random.default_rng(5).normal(size=(3, 4, robot.n))
    q = iso.configuration(phi)
    assert q.shape == (3, 4, robot.nq)
    assert close(iso.coordinates(q), phi, INTEGRATED, 1.0)
    assert close(iso.configuration(np.zeros(robot.n)), iso.q0, FLOAT64)


@pytest.mark.parametrize("name", sweep(["planar_2r", "panda"], 1))
def test_curved_robots_are_refused(name: str) -> None:
    """[CUR-5]: with how curved they are, and where."""
    robot = ch.load(name)
    with pytest.raises(ch.ModelError, match=r"has no flat coordinates, since it is curved: \|R\| up to .* at q = "):
        isometry(robot, robot.neutral())


def test_singular_robots_are_refused() -> None:
    arm = tip_mass()
    with pytest.raises(ch.ModelError, match="singular at q0"):
        isometry(arm, [0.3, 0.0])


def test_singular_configurations_are_a_border() -> None:
    """Through the stretched arm no coframe is parallel: nan, on whichever side steps fall; beside it there is one."""
    iso = isometry(tip_mass(), [0.3, 0.9])
    beyond = np.array([[0.3, -0.9], [0.5, -0.3], [0.1, -2.0], [0.3, 0.0]])
    assert np.isnan(iso.coframe(beyond)).all() and np.isnan(iso.coordinates(beyond)).all()
    assert np.isnan(iso.force(beyond, [1.0, 2.0])).all()
    mixed = iso.coordinates([[0.3, -0.9], [1.0, 0.05]])
    assert np.isnan(mixed[0]).all() and np.isfinite(mixed[1]).all()


def test_poles_do_not_cancel() -> None:
    """Through the axis of a polar arm and as far beyond, the pole of (5) is met symmetrically: still no result."""
    iso = isometry(polar(), [0.2, 0.5])
    assert np.isnan(iso.coframe([[0.2, -1.3], [1.2, -1.3]])).all()


def test_configurations_are_right_or_nan(monkeypatch) -> None:
    """Where a straight line leaves the arm's reach, or meets the hole about its base, there is none."""
    iso = isometry(tip_mass(), [0.3, 0.9])
    phi = np.random.default_rng(0).normal(size=(40, 2))
    q = iso.configuration(phi)
    known = np.isfinite(q).all(axis=-1)
    assert 10 < known.sum() < 40
    assert close(iso.coordinates(q[known]), phi[known], INTEGRATED)
    assert np.isnan(q[~known]).all()
    lost = replace(exponential_map(iso.robot, iso.q0, np.zeros((40, 2))), converged=np.zeros(40, dtype=bool))
    monkeypatch.setattr(module, "exponential_map", lambda *_, **__: lost)
    assert np.isnan(iso.configuration(phi)).all()
