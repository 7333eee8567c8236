"""Losses from a MuJoCo model, which has what a mechanism has not: in doubts what changes the motion, in notes the rest.

A doubt is also a warning when the model is loaded: with it MuJoCo, given the same state and joint forces, moves
otherwise, or takes other numbers for the same forces. A note is for the curious.

    equality constraints    a doubt each, with the mimic that would do what a linear one of two joints does
    contacts                a doubt, with the number of pairs of geoms that MuJoCo would let collide: contype and
                            conaffinity match, the bodies are not one, parent and child, or excluded; and of <pair>s
    actuators               a doubt where one has more than a joint and a control that is its force: gear, gain, bias
                            (servos act at control 0 too), dynamics, or a tendon, site or body to act on. A note where
                            it is a plain motor, whose control is tau
    tendons, springs, gravity compensation, fluids, flexible parts, plugins, polynomial damping, mocap bodies: doubts
    sensors, keyframes, cameras, planes and other shapes that are not carried, ranges of ball joints: notes
"""

from collections.abc import Callable
from typing import Any

import numpy as np

_FREE, _BALL = 0, 1  # mujoco.mjtJoint
_SHOWN = 8


def doubts_and_notes(
    mujoco: Any, model: Any, named: Callable[[str, int], str], shapeless: int
) -> tuple[list[str], list[str]]:
    """All that is not carried. named: the name of a body, joint and so on. shapeless: geoms that are no shapes here."""

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
    pairs = colliding_pairs(mujoco, model)
    if pairs:
        doubts.append(f"contacts are not carried: {pairs:,} pair{'s' * (pairs > 1)} of geoms can collide in MuJoCo")
    driven = _geared(mujoco, model)
    if driven.any():
        doubts.append(
            f"{which('actuator', driven)}: gear, gain, bias and dynamics of actuators are not carried; "
            "tau is what acts in the joints, not a control"
        )

    notes = []
    limited = (np.asarray(model.jnt_type) == _BALL) & (np.asarray(model.jnt_limited) != 0)
    if limited.any():
        notes.append(f"{which('joint', limited)}: the range of a ball joint is not carried")
    if shapeless:
        notes.append(f"the shapes of {shapeless} geoms are not carried; their mass is in the bodies'")
    if not driven.all():
        notes.append(f"{which('actuator', ~driven)}: plain motors are not carried, their control is the joint's tau")
    for what, count in (("sensors", model.nsensor), ("keyframes", model.nkey), ("cameras", model.ncam)):
        if count:
            notes.append(f"{count} {what} are not carried")
    return doubts, notes


def colliding_pairs(mujoco: Any, model: Any) -> int:
    """How many pairs of geoms MuJoCo would test for contact, wherever they are."""
    off = mujoco.mjtDisableBit
    if model.opt.disableflags & int(off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT):
        return 0
    body, kinds = np.asarray(model.geom_bodyid), (model.geom_contype, model.geom_conaffinity)
    rows, counts = np.unique(np.stack([body, *kinds], axis=1).reshape(-1, 3), axis=0, return_counts=True)
    body, contype, conaffinity = rows.T
    weld = np.asarray(model.body_weldid)[body]  # bodies without a joint between them are one
    above = np.asarray(model.body_weldid)[np.asarray(model.body_parentid)[weld]]
    excluded = {tuple(sorted((int(x) >> 16, int(x) & 0xFFFF))) for x in np.asarray(model.exclude_signature)}
    kin = not model.opt.disableflags & int(off.mjDSBL_FILTERPARENT)
    total = 0
    for i in range(len(rows)):
        j = slice(i + 1, None)  # two geoms of one row are of one body
        may = ((contype[i] & conaffinity[j]) | (contype[j] & conaffinity[i])) != 0
        may &= weld[i] != weld[j]
        if kin and weld[i]:
            may &= (weld[j] == 0) | ((weld[i] != above[j]) & (weld[j] != above[i]))
        for k in np.flatnonzero(may) if excluded else ():
            may[k] = tuple(sorted((int(body[i]), int(body[i + 1 + k])))) not in excluded
        total += int(counts[i] * counts[j][may].sum())
    return total + int(model.npair)


def _geared(mujoco: Any, model: Any) -> np.ndarray:
    """For each actuator whether there is more to it than a control that is the force in a joint."""
    kinds = ((model.actuator_trntype, mujoco.mjtTrn.mjTRN_JOINT), (model.actuator_dyntype, mujoco.mjtDyn.mjDYN_NONE))
    kinds += (
        (model.actuator_gaintype, mujoco.mjtGain.mjGAIN_FIXED),
        (model.actuator_biastype, mujoco.mjtBias.mjBIAS_NONE),
    )
    plain = np.ones(model.nu, dtype=bool)
    for x, kind in kinds:
        plain &= np.asarray(x) == int(kind)
    for numbers in (model.actuator_gear, model.actuator_gainprm):
        plain &= (numbers[:, 0] == 1.0) & ~numbers[:, 1:].any(axis=1)
    return ~plain


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
