"""Brackets of lifted fields, what they leave of repeatability, and the curvature of the base by O'Neill."""

from typing import Any

import numpy as np
import pytest
from support.redundant import (
    AXIS,
    BENT,
    FLYWHEEL,
    ISOMETRIC,
    WEIGHT,
    E,
    balanced_3r,
    floating,
    gantry,
    mimicking,
    random_7r,
    regular,
    tip_arm,
)
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.task.workspace import ad


def numeric_brackets(robot: ch.Robot, q: np.ndarray, inverse: Any, **chosen: Any) -> np.ndarray:
    h, B = 1e-5, robot.jacobian_inverse(q, inverse, **chosen)
    J = robot.task_jacobian(q, chosen.get("frame"), chosen.get("rows"), expressed=chosen.get("expressed", "body"))
    slope = np.stack(
        [
            (
                robot.jacobian_inverse(robot.integrate(q, h * e), inverse, **chosen)
                - robot.jacobian_inverse(robot.integrate(q, -h * e), inverse, **chosen)
            )
            / (2 * h)
            for e in np.eye(robot.n)
        ],
        axis=-1,
    )
    along = np.einsum("ajk,ki->aij", slope, B)
    total = along - np.swapaxes(along, -1, -2)
    for i in range(B.shape[1]):
        for j in range(B.shape[1]):
            total[:, i, j] += bracket(robot, B[:, i], B[:, j])
    return np.einsum("ab,bij->aij", np.eye(robot.n) - B @ J, total)


def bracket(robot: ch.Robot, v: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Of the fields of a free base: that of se(3), in the order of its velocities."""
    out = np.zeros(robot.n)
    if robot.nq > robot.n:
        order = [int(np.argmax(np.abs(row))) for row in robot.screws[:6]]  # where each velocity is in a twist
        a, b = np.zeros(6), np.zeros(6)
        a[order], b[order] = v[:6], w[:6]
        out[:6] = (ad(a) @ b)[order]
    return out


def moving_weight(q: Any) -> Any:
    s = np.sin(q)
    return np.diag(np.arange(1.0, 8.0)) * (2.0 + np.cos(q[1])) + s[:, None] * s[None, :] * 0.1


@pytest.mark.parametrize(
    "inverse",
    ["inertia", "moore-penrose", WEIGHT, moving_weight],
    ids=["inertia", "moore-penrose", "weight", "function"],
)
def test_brackets_by_differences(inverse: Any) -> None:
    robot = ch.load("panda")
    V = robot.vertical_brackets(BENT, inverse)
    assert close(V, numeric_brackets(robot, BENT, inverse), 1e-6)
    assert close(V, -np.swapaxes(V, -1, -2), FLOAT64)
    assert close(np.einsum("ma,aij->mij", robot.jacobian(BENT), V), np.zeros((6, 6, 6)), 1e-8, scale=1.0)
    assert close(robot.vertical_brackets(np.stack([BENT, BENT + 0.1]), inverse)[0], V, 1e-8)


def test_brackets_of_an_inverse_given_as_a_function() -> None:
    robot = ch.load("panda")

    def inverse(q: Any) -> Any:
        return robot.consistent_inverse(q, rows="tx ty tz", expressed="mixed")

    chosen: Any = {"rows": "tx ty tz", "expressed": "mixed"}
    V = robot.vertical_brackets(BENT, inverse, **chosen)
    assert close(V, robot.vertical_brackets(BENT, "inertia", **chosen), 1e-7)


def test_brackets_on_groups_and_mimics() -> None:
    robot = floating()
    q = robot.random(1)
    V = robot.vertical_brackets(q)
    assert close(V, numeric_brackets(robot, q, "inertia"), 1e-6)
    assert np.abs(V).max() > 1e-2
    arm = mimicking()
    q = arm.random(2)
    chosen: Any = {"rows": "tx ty", "expressed": "mixed"}
    V = arm.vertical_brackets(q, **chosen)
    assert close(V, numeric_brackets(arm, q, "inertia", **chosen), 1e-6)


def test_lifts_are_not_integrable() -> None:
    """[RED-11a] [RED-11b] of a random chain, by both inverses, [RED-11c] of a Riemannian submersion.

    Corollary III.2 is false.
    """
    robot = random_7r()
    for inverse in ("inertia", "moore-penrose"):
        found = robot.repeatability(inverse)
        assert not found and found.relative > 1e-3 and np.abs(robot.vertical_brackets(found.q, inverse)).max() > 0.1
        assert found.describe().startswith("not repeatable: the vertical part of brackets is up to")
    q = regular(FLYWHEEL)
    V = FLYWHEEL.vertical_brackets(q)
    assert close(np.abs(V).max(axis=(1, 2, 3)), np.full(len(q), AXIS[2]), 1e-9)
    assert not FLYWHEEL.repeatability()


def test_a_flat_robot_is_not_repeatable() -> None:
    """[RED-12] the brackets of a balanced, and so flat, chain."""
    robot = balanced_3r()
    assert robot.flatness().is_flat
    for inverse in ("inertia", "moore-penrose"):
        assert not robot.repeatability(inverse, rows="tx ty")


def test_rows_are_those_of_holonomy() -> None:
    """In the axes of space by default: in those of the body, two rows of three are another task."""
    robot = random_7r()
    found, same, other = (
        robot.repeatability(rows="tx ty", samples=4, **axes)
        for axes in ({}, {"expressed": "mixed"}, {"expressed": "body"})
    )
    assert found.worst == same.worst and abs(found.worst - other.worst) > 1e-3 * found.worst
    q, s, rows = found.q, 1e-3, {"rows": "tx ty"}
    T = np.tile(robot.forward_kinematics(q), (5, 1, 1))
    T[1:3, 0, 3] += s
    T[2:4, 1, 3] += s
    drift = robot.holonomy(T, "inertia", q, steps=40, **rows).drift / s**2
    assert close(drift, robot.vertical_brackets(q, expressed="mixed", **rows)[:, 0, 1], 0.1)


def test_lifts_that_are_integrable() -> None:
    assert gantry(1.0, 0.5, 0.7).repeatability(rows="tx ty", expressed="mixed")
    assert FLYWHEEL.repeatability("moore-penrose")  # it holds the flywheel still
    found = ch.load("ur5").repeatability()  # not redundant
    assert found and found.describe().startswith("repeatable") and found.samples + found.skipped == 16
    assert ch.load("panda").repeatability(rows="tz", expressed="mixed")  # one row has no brackets


def group_curvature(W: np.ndarray, X: np.ndarray, Y: np.ndarray) -> float:
    """Of the left-invariant metric W on SE(3), by Koszul's formula on the structure constants."""
    c = np.stack([ad(e) for e in E])  # [i, :, j] = [e_i, e_j]
    c = np.swapaxes(c, 1, 2)
    low = c @ W  # <[e_i, e_j], e_k>
    G = 0.5 * (low - np.transpose(low, (2, 0, 1)) + np.transpose(low, (1, 2, 0)))  # <nabla_i e_j, e_k>
    nabla = np.einsum("ijk,kl->ijl", G, np.linalg.inv(W))
    D = [np.einsum("i,ijl->lj", v, nabla) for v in (X, Y)]
    bracket = np.einsum("i,j,ijk->k", X, Y, c)
    R = D[0] @ D[1] @ Y - D[1] @ D[0] @ Y - np.einsum("i,ijl->lj", bracket, nabla) @ Y
    return float(R @ W @ X / ((X @ W @ X) * (Y @ W @ Y) - (X @ W @ Y) ** 2))


def test_curvature_of_the_group() -> None:
    """[RED-7] (SE(3), 1) has 1/4 on planes of rotations and 0 on mixed ones, measured on isometric6."""
    q = regular(ISOMETRIC)
    B = ISOMETRIC.consistent_inverse(q)
    for i, j, K in ((0, 1, 0.25), (1, 2, 0.25), (0, 4, 0.0), (0, 3, 0.0), (3, 4, 0.0)):
        found = ISOMETRIC.sectional_curvature(q, B[..., i], B[..., j])
        assert close(found, np.full(len(q), K), 1e-8, scale=1.0)
        assert close(group_curvature(np.eye(6), E[i], E[j]), K)
    G = np.diag([1.0, 2.0, 2.5, 2.0, 2.0, 2.0])
    arm = tip_arm(ch.Link(2.0, inertia=(1.0, 2.0, 2.5)))
    rng = np.random.default_rng(5)
    q, (X, Y) = regular(arm)[0], rng.normal(size=(2, 6))
    assert close(arm.base_curvature(q, X, Y).base, group_curvature(G, X, Y), 1e-07)


def test_oneill() -> None:
    """[RED-20] the base of flywheel7 is as curved as SE(3) is, its total space is not."""
    q = regular(FLYWHEEL)
    rng = np.random.default_rng(6)
    for X, Y in ((E[0], E[1]), (E[0], E[2]), (E[1], E[2]), (E[0], E[4]), (E[3], E[4]), *rng.normal(size=(3, 2, 6))):
        found = FLYWHEEL.base_curvature(q, X, Y)
        expected = np.full(len(q), group_curvature(np.eye(6), X, Y))
        assert close(found.base, expected, 1e-8, scale=1.0)
        assert close(found.base, found.total + found.vertical) and (found.vertical >= -1e-15).all()
    rolling = FLYWHEEL.base_curvature(q, E[0], E[1])
    assert close(rolling.vertical, np.full(len(q), 0.75 * 0.8 * AXIS[2] ** 2), 1e-8)
    with np.errstate(invalid="ignore"):
        assert np.isnan(FLYWHEEL.base_curvature(q[0], E[0], 2.0 * E[0]).base)
    panda = ch.load("panda").base_curvature(BENT, E[0], E[1])  # no Riemannian submersion: another number
    assert abs(panda.base - 0.25) > 1e-3


@pytest.mark.slow
def test_curvature_of_the_flywheel() -> None:
    """[RED-19] it is not flat."""
    found = FLYWHEEL.flatness(samples=4)
    assert not found.is_flat and found.worst > 0.1
