"""Robots too large to be compiled: the same numbers, link by link, as the kernels give for small ones."""

import numpy as np
import pytest
from support.random_trees import random_link, random_pose, random_screw
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.riemann.by_links import AXES
from chasles.robot.methods import kernels


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every robot is a large one."""
    monkeypatch.setattr(kernels, "TENSOR_LIMIT", 0)


def robots() -> dict[str, ch.Robot]:
    arm = ch.load("stanford")
    names = [f"j{k}" for k in range(arm.n)]
    mimic = ch.Robot.from_screws(
        arm.screws, arm.homes, arm.links, joint_names=names, mimics={"j3": ("j1", -0.5, 0.2), "j5": ("j4", 2.0, 0.0)}
    )
    rng = np.random.default_rng(3)
    screws, homes, links = ([f(rng) for _ in range(3)] for f in (random_screw, random_pose, random_link))
    ball = ch.Robot.from_screws(screws, homes, links, kinds=["screw", "spherical", "screw"])
    short = ch.Robot.from_screws(screws[:2], homes[:2], links[:2], kinds=["screw", "spherical"])
    return {"arm": arm, "mimic": mimic, "groups": ball, "short": short}


@pytest.mark.parametrize("name", sweep(["arm", "mimic", "groups", "short"], ["short"]))
def test_link_by_link_is_compiled(name: str, nothing_compiled: None) -> None:
    robot = robots()[name]
    q = np.stack([robot.random(k) for k in range(2)])
    u, v = np.random.default_rng(0).normal(size=(2, robot.n))
    calls = {
        "mass_matrix_derivatives": lambda: robot.mass_matrix_derivatives(q),
        "mass_matrix_second_derivatives": lambda: robot.mass_matrix_derivatives(q, order=2),
        "christoffel_symbols": lambda: robot.christoffel_symbols(q),
        "christoffel_symbols_second_kind": lambda: robot.christoffel_symbols(q, kind=2),
        "riemann_curvature": lambda: robot.riemann_curvature(q),
        "ricci_curvature": lambda: robot.ricci_curvature(q),
        "scalar_curvature": lambda: robot.scalar_curvature(q),
    }
    assert set(calls) == set(AXES)
    for key, call in calls.items():
        expected = robot.kernel(key)(q)
        assert close(call(), expected, 1e-9, float(np.abs(robot.kernel("riemann_curvature")(q)).max())), key
    assert close(robot.sectional_curvature(q, u, v), robot.kernel("sectional_curvature")(q, u, v), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(["arm", "mimic", "groups"], ["groups"]))
def test_second_derivatives(name: str, nothing_compiled: None) -> None:
    robot = robots()[name]
    q = np.stack([robot.random(k) for k in range(2)])
    qd, qdd = np.random.default_rng(1).normal(size=(2, robot.n))
    tau = robot.inverse_dynamics(q, qd, qdd)
    inverse = robot.inverse_dynamics_second_derivatives(q, qd, qdd)
    forward = robot.forward_dynamics_second_derivatives(q, qd, tau)
    for found, key, arguments in (
        (inverse, "inverse_dynamics_second_derivatives", (q, qd, qdd)),
        (forward, "forward_dynamics_second_derivatives", (q, qd, tau)),
    ):
        for x, y in zip(found, robot.kernel(key)(*arguments), strict=True):
            assert close(x, y, 1e-8, float(np.abs(found[0]).max())), key


def test_a_singular_row_is_nan_and_the_others_are_not(nothing_compiled: None) -> None:
    with pytest.warns(ch.ModelWarning):
        polar = ch.Robot.from_screws(
            [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]], [np.eye(4)] * 2, [ch.Link(0.0), ch.Link(1.3)]
        )
    R = polar.scalar_curvature([[0.3, 0.7], [0.3, 0.0]])
    assert close(R[0], 0.0, 1e-12, 1.0)
    assert np.isnan(R[1])


def test_arguments_are_refused_by_name(nothing_compiled: None) -> None:
    robot = ch.load("stanford")
    for bad, what in (
        (np.zeros(5), "shape"),
        (np.zeros(6) + 1j, "real numbers"),
        ("a", "real numbers"),
        ([[0], [0, 1]], ""),
    ):
        with pytest.raises(ch.ShapeError, match=f"christoffel_symbols: q .*{what}"):
            robot.christoffel_symbols(bad)
    with pytest.raises(ch.ShapeError, match="do not broadcast"):
        robot.sectional_curvature(np.zeros((2, 6)), np.zeros((3, 6)), np.ones(6))


@pytest.mark.slow
def test_a_humanoid() -> None:
    """Talos on a free base: symbols, curvature and second derivatives of 38 degrees of freedom."""
    import warnings

    from support.urdf_text import example_files

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        robot = ch.load(example_files()["talos_data/robots/talos_reduced.urdf"]).with_base("free")
    assert robot.n == 38
    q, qd = robot.random(0), np.random.default_rng(0).normal(size=38)
    G = robot.christoffel_symbols(q)
    assert close(G @ qd, robot.coriolis_matrix(q, qd), 1e-9)
    R = robot.riemann_curvature(q)
    size = float(np.abs(R).max())
    assert close(R, R.transpose(2, 3, 0, 1), 1e-9, size)
    assert close(R + R.transpose(0, 2, 3, 1) + R.transpose(0, 3, 1, 2), np.zeros_like(R), 1e-9, size)
