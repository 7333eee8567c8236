"""What a MuJoCo model has and a mechanism has not: in doubts what changes the motion, in notes the rest."""

from collections.abc import Callable
from typing import Any

import numpy as np

_FREE, _BALL = 0, 1  # mujoco.mjtJoint
_SHOWN = 8


def doubts_and_notes(mujoco: Any, model: Any, named: Callable[[str, int], str]) -> tuple[list[str], list[str]]:
    """All that is not carried. named: the name of a body, joint and so on by its index."""

    def which(what: str, mask: Any) -> str:
        names = [named(what, int(i)) for i in np.flatnonzero(np.asarray(mask))]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"{what} {', '.join(map(repr, names[:_SHOWN]))}{more}"

    def rows(name: str) -> np.ndarray:
        """For each row of an array of the model's whether it is not zero; none where this MuJoCo has no such array."""
        x = np.asarray(getattr(model, name, ()))
        return np.array([bool(np.any(row)) for row in x], dtype=bool)

    doubts = _equalities(mujoco, model, named)
    for what, mask, text in (
        ("joint", rows("jnt_stiffness"), "its spring"),
        ("joint", rows("jnt_stiffnesspoly"), "its spring that is not linear"),
        ("joint", _of_joints(model, rows("dof_dampingpoly")), "the part of its damping that is not linear"),
        ("body", rows("body_gravcomp"), "its gravity compensation"),
        ("body", np.asarray(model.body_mocapid) >= 0, "its motion from outside (mocap)"),
        ("actuator", rows("actuator_armature"), "its armature"),
    ):
        if mask.any():
            doubts.append(f"{which(what, mask)}: {text} is not carried")
    armed = (np.asarray(model.jnt_type) == _FREE) & _of_joints(model, rows("dof_armature"))
    if armed.any():
        doubts.append(f"{which('joint', armed)}: the armature of a free joint has another effect than in MuJoCo")
    if model.ntendon:
        doubts.append(f"{which('tendon', np.ones(model.ntendon))}: tendons are not carried")
    if model.opt.density or model.opt.viscosity:
        doubts.append("the forces of the fluid around (density, viscosity) are not carried")
    for what in ("flex", "plugin"):
        if getattr(model, f"n{what}", 0):
            doubts.append(f"{getattr(model, f'n{what}')} of <{what}> are not carried")

    notes = []
    limited = (np.asarray(model.jnt_type) == _BALL) & (np.asarray(model.jnt_limited) != 0)
    if limited.any():
        notes.append(f"{which('joint', limited)}: the range of a ball joint is not carried")
    touching = int(np.count_nonzero((np.asarray(model.geom_contype) != 0) | (np.asarray(model.geom_conaffinity) != 0)))
    if touching or model.npair:
        notes.append(f"contacts are not carried: {touching} geoms and {model.npair} pairs may collide")
    if model.ngeom:
        notes.append(f"the shapes of {model.ngeom} geoms are not carried; their mass is in the bodies'")
    if model.nu:
        notes.append(
            f"{which('actuator', np.ones(model.nu))}: actuators are not carried, tau is what acts in the joints"
        )
    for what, count in (("sensors", model.nsensor), ("keyframes", model.nkey)):
        if count:
            notes.append(f"{count} {what} are not carried")
    return doubts, notes


def _of_joints(model: Any, dofs: np.ndarray) -> np.ndarray:
    """For each joint whether any of its degrees of freedom is marked."""
    out = np.zeros(model.njnt, dtype=bool)
    out[np.asarray(model.dof_jntid)[np.flatnonzero(dofs)]] = True
    return out


def _equalities(mujoco: Any, model: Any, named: Callable[[str, int], str]) -> list[str]:
    """One doubt a constraint; of two joints in a line, with the mimic that would do it."""
    out = []
    for k in range(model.neq):
        kind = mujoco.mjtEq(int(model.eq_type[k])).name.removeprefix("mjEQ_").lower()
        what = f"equality {mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, k) or k!r} ({kind})"
        if kind == "joint":
            first, second, c = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k]
            y = named("joint", first)
            if second >= 0 and not np.any(c[2:5]):
                zero = [float(model.qpos0[model.jnt_qposadr[j]]) for j in (first, second)]
                what += f", which says {y} = {c[1]:g} {named('joint', second)} + {c[0] + zero[0] - c[1] * zero[1]:g}"
            else:
                what += f", on joint {y!r}"
        out.append(f"{what} is not carried: the joints move on their own")
    return out
