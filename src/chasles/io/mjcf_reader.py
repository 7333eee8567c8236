"""From a compiled MuJoCo model to the mechanism; the rules are those of io/mjcf.py.

MuJoCo moves body b with its joints k in turn, all given in the body's own frame, from where its parent carries it:

    T_b = T_p B_b product over k of exp(S_k (q_k - ref_k))                                     (1)
        = T_p B_b exp(-S_1 ref_1) exp(S_1 q_1) ...                                              (2)

so that home, at q = 0, follows from (2), and a screw in the body's frame stays the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.mjcf_checks import LARGEST_NUMBER
from chasles.io.mjcf_losses import doubts_and_notes
from chasles.io.mjcf_numbers import check_numbers
from chasles.io.mjcf_shapes import MeshFile, placed, shapes
from chasles.io.names import unique
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.poses import matrix, pose, twist
from chasles.model.screws import prismatic, screw

_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mujoco.mjtJoint


def from_mujoco(
    model: Any, *, name: str = "", doubts: Sequence[str] = (), meshes: Mapping[str, MeshFile] | None = None
) -> Mechanism:
    """The mechanism of a mujoco.MjModel. name: used if the model has none of its own. meshes: by name, of files."""
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise ModelError("a model of MuJoCo's needs the package mujoco: pip install mujoco") from None
    if not isinstance(model, mujoco.MjModel):
        raise ModelError(f"a mujoco.MjModel is needed, got {type(model).__name__}")
    return _Reader(mujoco, model).mechanism(name, doubts, meshes or {})


@dataclass
class _Rows:
    """What `mechanism` takes, one row a link. joint: the index of MuJoCo's, -1 for none."""

    screws: list[Any] = field(default_factory=list)
    homes: list[np.ndarray] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)


class _Reader:
    def __init__(self, mujoco: Any, model: Any) -> None:
        self.mujoco, self.model, self.rows = mujoco, model, _Rows()
        self.notes: list[str] = []
        self.taken: set[str] = set()  # by frames
        self.taken_joints: set[str] = set()
        self.last, self.homes = {0: -1}, {0: np.eye(4)}  # per body its link, and its pose at q = 0
        self.names: dict[tuple[str, int], str] = {}
        self.name_all()
        check_numbers(model, self.named)

    def name_all(self) -> None:
        """Name bodies, joints and sites: first those that have a name, so that none is taken by one that has not."""
        model = self.model
        counts = {"body": model.nbody, "joint": model.njnt, "site": model.nsite}
        given = {(what, i): self.given(what, i) for what, count in counts.items() for i in range(count)}
        for (what, i), name in given.items():
            if name:
                taken = self.taken_joints if what == "joint" else self.taken
                self.names[what, i] = unique(name, taken, self.notes, what)
        for (what, i), name in given.items():
            if not name and what == "joint":
                b = int(model.jnt_bodyid[i])
                number = i - int(model.body_jntadr[b]) + 1 if model.body_jntnum[b] > 1 else ""
                self.names[what, i] = unique(f"{self.names['body', b]}_joint{number}", self.taken_joints)
            elif not name:
                self.names[what, i] = unique(f"{what}{i}", self.taken)

    def mechanism(self, name: str, doubts: Sequence[str], meshes: Mapping[str, MeshFile]) -> Mechanism:
        model, rows = self.model, self.rows
        for b in range(1, model.nbody):
            self.body(b)
        frames, tool = self.sites()
        seen = shapes(model, self.named, meshes)
        lost, notes = doubts_and_notes(self.mujoco, model, self.named, model.ngeom - len(seen))
        weightless = model.opt.disableflags & int(self.mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        title = model.names.split(b"\0", 1)[0].decode("utf-8", "replace")  # MuJoCo puts the model's own name first
        return mechanism(
            np.array(rows.screws).reshape(-1, 6),
            np.array(rows.homes).reshape(-1, 4, 4),
            rows.links,
            rows.parents,
            name=title if title and title != "MuJoCo Model" else name or "robot",
            joint_names=rows.names,
            limits={key: [self.limit(j, key) for j in rows.joints] for key in ("lower", "upper", "effort")},
            frames=frames,
            tool=tool[1] if tool else None,
            tool_link=tool[0] if tool else None,
            gravity=np.zeros(3) if weightless else model.opt.gravity,
            kinds=rows.kinds,
            armature=self.per_joint("armature"),
            damping=self.per_joint("damping"),
            friction=self.per_joint("frictionloss"),
            base=Link(name=self.named("body", 0)),
            visuals=seen,
            doubts=[*doubts, *lost],
            notes=[*self.notes, *notes],
        )

    def given(self, what: str, i: int) -> str:
        return self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{what.upper()}"), i) or ""

    def named(self, what: str, i: int) -> str:
        """The name of a body, joint, site and so on, its number where there is none; those three have ours."""
        return self.names.get((what, i)) or self.given(what, i) or f"{what}{i}"

    def body(self, b: int) -> None:
        """Add the links of body b: one, or a chain of which the last has the mass."""
        model, name = self.model, self.named("body", b)
        parent = int(model.body_parentid[b])
        above, place = self.last[parent], self.homes[parent] @ placed(model.body_pos[b], model.body_quat[b])
        first, count = int(model.body_jntadr[b]), int(model.body_jntnum[b])
        for j in range(first, first + count):
            kind, centre = int(model.jnt_type[j]), model.jnt_pos[j]
            away = kind == _BALL and bool(np.any(centre))
            is_last = j == first + count - 1
            joint = self.named("joint", j)
            if kind == _FREE:
                self.notes.append(
                    f"body {name!r} is free: at q = 0 it is at the origin of the world; the file puts it at "
                    f"{model.body_pos[b].tolist()}, quaternion (w, x, y, z) {model.body_quat[b].tolist()}"
                )
                place = np.eye(4)
            if is_last and not away:
                link = self.link(b)
            else:
                massless = f"{name}_ball" if is_last else f"{name}_after_{joint}"
                link = Link(name=unique(massless, self.taken, self.notes, "link"), inserted=True)
            if kind in (_FREE, _BALL):
                at = place @ placed(centre) if away else place
                above = self.add(above, at, link, joint, j, kind="free" if kind == _FREE else "spherical")
            else:
                axis = model.jnt_axis[j]
                S = twist(screw(axis, centre) if kind == _HINGE else prismatic(axis))
                place = place @ matrix(S.exp(-float(model.qpos0[model.jnt_qposadr[j]])))  # (2)
                V = pose(place).Ad(S)
                above = self.add(above, place, link, joint, j, [*V.w, *V.v])
            if is_last and away:
                fixed = unique(f"{joint}_to_{name}", self.taken_joints)
                above = self.add(above, place, self.link(b), fixed)
        if not count:
            above = self.add(above, place, self.link(b), unique(f"{name}_fixed", self.taken_joints))
        self.last[b], self.homes[b] = above, place

    def add(
        self,
        above: int,
        home: np.ndarray,
        link: Link,
        name: str,
        joint: int = -1,
        S: Any = (0.0,) * 6,
        kind: str = "screw",
    ) -> int:
        """Add a link, fixed if it has no screw and no other kind; its index."""
        rows = self.rows
        rows.screws.append(list(S))
        rows.homes.append(home)
        rows.links.append(link)
        rows.parents.append(above)
        rows.kinds.append(kind)
        rows.names.append(name)
        rows.joints.append(joint)
        return len(rows.links) - 1

    def link(self, b: int) -> Link:
        """The body's inertia, about its centre of mass, in its frame; MuJoCo has it in principal axes."""
        R = placed(np.zeros(3), self.model.body_iquat[b])[:3, :3]
        J = (R * self.model.body_inertia[b]) @ R.T
        m, c = self.model.body_mass[b], self.model.body_ipos[b]
        return Link(m, c, 0.5 * (J + J.T), self.named("body", b), checked=True)

    def sites(self) -> tuple[dict[str, tuple[int, np.ndarray]], tuple[int, np.ndarray] | None]:
        """The sites, (link, absolute pose) by name, and the one that is called tool."""
        out: dict[str, tuple[int, np.ndarray]] = {}
        tool = None
        for s in range(self.model.nsite):
            b, name = int(self.model.site_bodyid[s]), self.named("site", s)
            at = (self.last[b], self.homes[b] @ placed(self.model.site_pos[s], self.model.site_quat[s]))
            if name == "tool":
                tool = at
            else:
                out[name] = at
        return out, tool

    def limit(self, j: int, key: str) -> float:
        model = self.model
        none = -np.inf if key == "lower" else np.inf
        if j < 0 or model.jnt_type[j] in (_FREE, _BALL):
            return none
        if key == "effort":
            low, high = model.jnt_actfrcrange[j]
            if model.jnt_actfrclimited[j] and low != -high:
                self.notes.append(
                    f"joint {self.named('joint', j)!r}: its actuatorfrcrange is not symmetric: not carried"
                )
            return float(high) if model.jnt_actfrclimited[j] and low == -high else none
        if not model.jnt_limited[j] and key == "lower" and model.jnt_range[j].any():
            low, high = model.jnt_range[j].tolist()
            self.notes.append(
                f"joint {self.named('joint', j)!r}: its range, {low:g} to {high:g}, limits it neither there nor here"
            )
        return float(model.jnt_range[j][0 if key == "lower" else 1]) if model.jnt_limited[j] else none

    def per_joint(self, what: str) -> list[float]:
        """One of each joint's degrees of freedom: they all have the same."""
        values, out = getattr(self.model, f"dof_{what}"), []
        for j, name in zip(self.rows.joints, self.rows.names, strict=True):
            out.append(float(values[self.model.jnt_dofadr[j]]) if j >= 0 else 0.0)
            if not out[-1] <= LARGEST_NUMBER:
                raise ModelError(f"joint {name!r}: its {what} is {out[-1]}, beyond any of a robot")
        return out
