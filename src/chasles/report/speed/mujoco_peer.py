"""The same mechanism in MuJoCo, constraints and contacts switched off. It has no Coriolis matrix, no helical joint."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from chasles.model.facts import axis
from chasles.model.mechanism import Mechanism
from chasles.model.poses import relative
from chasles.model.screws import joint_kind
from chasles.report.speed.candidate import Candidate, NotAvailable, State, refuse_all_but_screws


def model(mechanism: Mechanism) -> Any:
    """The mujoco.MjModel."""
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise NotAvailable("not installed") from None
    refuse_all_but_screws(mechanism)
    spec = mujoco.MjSpec()
    spec.option.gravity = mechanism.gravity
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT)
    bodies: list[Any] = []
    for i, parent in enumerate(mechanism.parents):
        direction, point, _, rate = axis(mechanism.screws[i], mechanism.homes[i])
        kind = joint_kind(mechanism.screws[i])
        if kind == "H" or abs(rate - 1.0) > 1e-9:
            what = "helical" if kind == "H" else "geared"
            raise NotAvailable(f"joint {mechanism.joint_names[i]!r} is {what}, which it has not")
        home = mechanism.homes[i]
        T = relative(mechanism.homes[parent], home) if parent >= 0 else home
        above = bodies[parent] if parent >= 0 else spec.worldbody
        link, J = mechanism.links[i], mechanism.links[i].inertia
        body = above.add_body(
            name=mechanism.link_names[i], pos=T[:3, 3], mass=link.mass, ipos=link.com, explicitinertial=True
        )
        body.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
        body.alt.xyaxes = np.concatenate([T[:3, 0], T[:3, 1]])
        body.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        joint = mujoco.mjtJoint.mjJNT_SLIDE if kind == "P" else mujoco.mjtJoint.mjJNT_HINGE
        R = home[:3, :3]
        place, rotor = R.T @ (point - home[:3, 3]), float(mechanism.armature[i])
        body.add_joint(name=f"joint{i}", type=joint, axis=R.T @ direction, pos=place, armature=rotor)
        bodies.append(body)
    tool = mechanism.tool
    if tool is not None and tool.body >= 0:
        bodies[tool.body].add_site(name="tool", pos=tool.pose[:3, 3])
    try:
        return spec.compile()
    except ValueError as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise NotAvailable(f"cannot express this robot: {reason}") from None


def candidates(mechanism: Mechanism, state: State, _threads: int) -> dict[str, Candidate]:
    """What MuJoCo computes of it, one configuration at a time. Raises NotAvailable."""
    made = model(mechanism)
    mj: Any = import_module("mujoco")
    data = mj.MjData(made)
    order = [made.joint(f"joint{i}").dofadr[0] for i in range(mechanism.n)]
    place = np.argsort(order)
    M, J = np.zeros((mechanism.n, mechanism.n)), np.zeros((6, mechanism.n))
    tool = mechanism.tool
    turn = np.eye(3) if tool is None else tool.pose[:3, :3]
    rides = "" if tool is None or tool.body < 0 else mechanism.link_names[tool.body]

    def inverse_dynamics(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        data.qpos, data.qvel, data.qacc = q, qd, qdd
        mj.mj_inverse(made, data)
        return data.qfrc_inverse

    def forward_dynamics(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        data.qpos, data.qvel, data.qfrc_applied = q, qd, tau
        mj.mj_forward(made, data)
        return data.qacc

    def mass_matrix(q: np.ndarray) -> np.ndarray:
        data.qpos = q
        mj.mj_kinematics(made, data)
        mj.mj_comPos(made, data)
        mj.mj_makeM(made, data)
        mj.mj_fullM(made, data, M)
        return M

    def jacobian(q: np.ndarray) -> np.ndarray:
        data.qpos = q
        mj.mj_kinematics(made, data)
        mj.mj_comPos(made, data)
        mj.mj_jacSite(made, data, J[:3], J[3:], 0)
        return J

    def body_first(J: np.ndarray) -> np.ndarray:
        """Ours are (angular, linear) in the tool's axes, MuJoCo's (linear, angular) in the world's."""
        R = data.body(rides).xmat.reshape(3, 3) @ turn
        return np.vstack([R.T @ J[3:], R.T @ J[:3]])[:, order]

    found = {
        "inverse_dynamics": _candidate("inverse_dynamics", inverse_dynamics, state, place, lambda x: x[order]),
        "forward_dynamics": _candidate("forward_dynamics", forward_dynamics, state, place, lambda x: x[order]),
        "mass_matrix": _candidate("mass_matrix", mass_matrix, state, place, lambda M: M[np.ix_(order, order)]),
    }
    if made.nsite:
        found["jacobian"] = _candidate("jacobian", jacobian, state, place, body_first)
    return found


def _candidate(
    name: str, function: Callable[..., Any], state: State, place: np.ndarray, take: Callable[[Any], np.ndarray]
) -> Candidate:
    arrays = [np.ascontiguousarray(x[:, place]) for x in state.inputs(name)]
    every = list(zip(*map(list, arrays), strict=True))

    def batch() -> None:
        for row in every:
            function(*row)

    return Candidate(
        partial(function, *(x[0].copy() for x in arrays)),
        batch,
        lambda count: np.array([take(function(*row)) for row in every[:count]]),
        looped=True,
    )
