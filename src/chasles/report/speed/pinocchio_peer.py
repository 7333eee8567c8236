"""The same mechanism in Pinocchio: every joint frame on its axis, z along it, so that its specialised joints serve."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from chasles.model.facts import axis
from chasles.model.mechanism import Mechanism
from chasles.model.screws import joint_kind
from chasles.report.speed.candidate import Candidate, NotAvailable, State, refuse_all_but_screws


def model(mechanism: Mechanism) -> tuple[Any, list[int]]:
    """The pinocchio.Model and, for each of its joints, ours: Pinocchio wants subtrees numbered without gaps."""
    try:
        pin: Any = import_module("pinocchio")
    except ImportError:
        raise NotAvailable("not installed") from None
    refuse_all_but_screws(mechanism)
    made = pin.Model()
    made.name = mechanism.name
    made.gravity = pin.Motion(mechanism.gravity, np.zeros(3))
    places = [pin.SE3.Identity()] * mechanism.n
    numbers, order = [0] * mechanism.n, []

    def grow(parent: int) -> None:
        for i in [k for k in range(mechanism.n) if mechanism.parents[k] == parent]:
            direction, point, pitch, rate = axis(mechanism.screws[i], mechanism.homes[i])
            if abs(rate - 1.0) > 1e-9:
                raise NotAvailable(f"joint {mechanism.joint_names[i]!r} is geared (its screw is not of unit length)")
            kind = joint_kind(mechanism.screws[i])
            joint = {"R": pin.JointModelRZ, "P": pin.JointModelPZ, "H": partial(pin.JointModelHZ, pitch)}[kind]()
            places[i] = pin.SE3(_with_z(direction), point)
            above = places[parent] if parent >= 0 else pin.SE3.Identity()
            up = numbers[parent] if parent >= 0 else 0
            numbers[i] = made.addJoint(up, joint, above.actInv(places[i]), mechanism.joint_names[i])
            order.append(i)
            link = mechanism.links[i]
            inertia = pin.Inertia(link.mass, link.com, link.inertia)
            made.appendBodyToJoint(numbers[i], inertia, places[i].actInv(_placement(pin, mechanism.homes[i])))
            grow(i)

    grow(-1)
    made.armature = mechanism.armature[order]
    tool = mechanism.tool
    if tool is not None and tool.body >= 0:
        placement = places[tool.body].actInv(_placement(pin, mechanism.homes[tool.body] @ tool.pose))
        made.addFrame(pin.Frame("tool", numbers[tool.body], 0, placement, pin.FrameType.OP_FRAME))
    return made, order


def candidates(mechanism: Mechanism, state: State, threads: int) -> dict[str, Candidate]:
    """What Pinocchio computes of it. Raises NotAvailable."""
    made, order = model(mechanism)
    pin: Any = import_module("pinocchio")
    data = made.createData()
    pool = pin.ModelPool(made, threads)
    back = np.argsort(order)
    size = len(state.q)

    def batched(name: str, function: Callable[..., Any], parallel: Callable[..., Any]) -> Candidate:
        rows = [np.ascontiguousarray(x[:, order]) for x in state.inputs(name)]
        columns = [np.asfortranarray(x.T) for x in rows]
        out = np.empty((mechanism.n, size), order="F")
        return Candidate(
            partial(function, made, data, *(x[0].copy() for x in rows)),
            partial(parallel, threads, pool, *columns, out),
            lambda count: np.array([function(made, data, *row) for row in _rows(rows, count)])[:, back],
        )

    def looped(name: str, function: Callable[..., Any], *more: Any, take: Callable[[Any], Any]) -> Candidate:
        rows = [np.ascontiguousarray(x[:, order]) for x in state.inputs(name)]
        every = _rows(rows, size)

        def batch() -> None:
            for row in every:
                function(made, data, *row, *more)

        return Candidate(
            partial(function, made, data, *(x[0].copy() for x in rows), *more),
            batch,
            lambda count: np.array([take(function(made, data, *row, *more)) for row in every[:count]]),
            looped=True,
        )

    def square(A: np.ndarray) -> np.ndarray:
        return A.reshape(mechanism.n, mechanism.n)[np.ix_(back, back)].copy()

    def symmetric(M: np.ndarray) -> np.ndarray:  # Pinocchio fills the upper triangle
        return square(np.triu(M) + np.triu(M, 1).T)

    def angular_first(J: np.ndarray) -> np.ndarray:
        return J.reshape(6, mechanism.n)[[3, 4, 5, 0, 1, 2]][:, back]

    found = {
        "inverse_dynamics": batched("inverse_dynamics", pin.rnea, pin.rneaInParallel),
        "forward_dynamics": batched("forward_dynamics", pin.aba, pin.abaInParallel),
        "mass_matrix": looped("mass_matrix", pin.crba, take=symmetric),
        "coriolis_matrix": looped("coriolis_matrix", pin.computeCoriolisMatrix, take=square),
    }
    if made.existFrame("tool"):
        tool = made.getFrameId("tool")
        found["jacobian"] = looped("jacobian", pin.computeFrameJacobian, tool, pin.LOCAL, take=angular_first)
    return found


def _rows(arrays: list[np.ndarray], count: int) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*(list(x[:count]) for x in arrays), strict=True))


def _placement(pin: Any, T: np.ndarray) -> Any:
    return pin.SE3(np.array(T[:3, :3]), np.array(T[:3, 3]))


def _with_z(direction: np.ndarray) -> np.ndarray:
    """A rotation whose third column is that direction; the identity if it can be."""
    start = np.eye(3)[int(np.argmin(np.abs(direction)))]
    x = start - direction * (start @ direction)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(direction, x), direction])
