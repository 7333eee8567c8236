"""A mechanism of a Pinocchio model; what is read and how is told in io/pinocchio.py."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.names import unique
from chasles.io.pinocchio_joints import Piece, pieces
from chasles.io.pinocchio_twin import SIZES, PinocchioTwin, TwinJoint, pinocchio
from chasles.model.building import mechanism
from chasles.model.checks import LIMITS
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.poses import pose, twist

_UNBOUNDED = 1e300
_SAME_PLACE = 1e-12  # m, and of the entries of a rotation


def from_pinocchio(model: Any) -> Mechanism:
    """The mechanism of a pinocchio.Model (or of what has one as its `model`, such as a RobotWrapper)."""
    return twin(model).mechanism


def twin(model: Any) -> PinocchioTwin:
    """The mechanism of a pinocchio.Model beside it, with the maps between their coordinates."""
    pin = pinocchio()
    model = getattr(model, "model", model)
    if not isinstance(model, pin.Model):
        raise ModelError(f"a pinocchio.Model is needed, got {type(model).__name__}")
    return _Reader(pin, model).twin()


@dataclass
class _Rows:
    """What `mechanism` takes, one row a joint of ours."""

    pieces: list[Piece] = field(default_factory=list)
    screws: list[list[float]] = field(default_factory=list)
    homes: list[np.ndarray] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


class _Reader:
    def __init__(self, pin: Any, model: Any) -> None:
        self.pin, self.model, self.rows = pin, model, _Rows()
        self.notes: list[str] = []
        self.doubts: list[str] = []
        self.taken: set[str] = set()
        self.last = {0: -1}  # per joint of Pinocchio's its link of ours
        self.places = {0: np.eye(4)}  # per joint its frame, absolute at home
        self.own: dict[int, Any] = {}  # per joint the BODY frame that is its link's
        self.chains = {j: pieces(model, j) for j in range(1, model.njoints)}
        for frame in model.frames:
            j = frame.parentJoint
            if frame.type == pin.FrameType.BODY and j not in self.own:
                free = j > 0 and self.chains[j][-1].is_screw  # other links stand where their joint does
                self.own[j] = frame if free or frame.placement.isIdentity(_SAME_PLACE) else None

    def twin(self) -> PinocchioTwin:
        model, rows = self.model, self.rows
        if np.any(model.gravity.angular):
            raise ModelError(f"robot {model.name!r}: its gravity has an angular part, {model.gravity.angular.tolist()}")
        base = self.link(0, "universe")
        for j in range(1, model.njoints):
            self.joint(j)
        frames, tool = self.frames()
        if np.any(model.rotorInertia):
            self.doubts.append("its rotor inertias are not read, as Pinocchio computes nothing with them; armature is")
        made = mechanism(
            np.array(rows.screws).reshape(-1, 6),
            np.array(rows.homes).reshape(-1, 4, 4),
            rows.links,
            rows.parents,
            name=model.name or "robot",
            joint_names=[piece.name for piece in rows.pieces],
            limits={key: [self.limit(piece, key) for piece in rows.pieces] for key in LIMITS},
            frames=frames,
            gravity=model.gravity.linear,
            kinds=["screw" if piece.is_screw else piece.form for piece in rows.pieces],
            mimics={piece.name: piece.mimic for piece in rows.pieces if piece.mimic is not None},
            armature=self.losses("armature"),
            damping=self.losses("damping"),
            friction=self.losses("friction"),
            base=base,
            notes=self.notes,
            doubts=self.doubts,
            refuse_impossible=False,
            tool=tool[1] if tool else None,
            tool_link=tool[0] if tool else None,
        )
        parts: list[TwinJoint] = []
        q = v = 0
        for piece in rows.pieces:
            if piece.mimic is None:
                parts.append(TwinJoint(piece.form, q, v, piece.q, piece.v))
                q, v = q + SIZES[piece.form][0], v + SIZES[piece.form][2]
        return PinocchioTwin(made, model, tuple(parts))

    def joint(self, j: int) -> None:
        """Add the links that joint j moves: one, or a chain of which the last has the mass."""
        parent, rows = self.model.parents[j], self.rows
        above, place = self.last[parent], self.places[parent] @ self.model.jointPlacements[j].homogeneous
        for piece in self.chains[j]:
            place = place @ piece.before
            S = pose(place).Ad(twist(piece.screw))
            is_last = piece is self.chains[j][-1]
            rows.pieces.append(piece)
            rows.screws.append([*S.w, *S.v])
            rows.parents.append(above)
            rows.homes.append(place @ self.offset(j) if is_last else place)
            between = None if is_last else Link(name=self.unique(f"{piece.name}_link"), inserted=True)
            rows.links.append(between or self.link(j, self.model.names[j]))
            above = len(rows.links) - 1
        self.last[j], self.places[j] = above, place

    def offset(self, j: int) -> np.ndarray:
        """The pose of a joint's link in the joint's frame."""
        frame = self.own.get(j)
        return np.eye(4) if frame is None else frame.placement.homogeneous

    def link(self, j: int, name: str) -> Link:
        """The body of joint j, called `name` if nothing else is known."""
        inertia, own, frame = self.model.inertias[j], self.offset(j), self.own.get(j)
        if not np.array_equal(own, np.eye(4)):
            inertia = inertia.se3ActionInverse(self.pin.SE3(own))
        return Link(
            inertia.mass, inertia.lever, inertia.inertia, self.unique(frame.name if frame else name), checked=True
        )

    def unique(self, name: str) -> str:
        """A name that no frame has."""
        return unique(name, self.taken, self.notes, "frame")

    def frames(self) -> tuple[dict[str, tuple[int, np.ndarray]], tuple[int, np.ndarray] | None]:
        """The frames that are no links, (link, absolute pose) by name, and the one that is the tool."""
        out: dict[str, tuple[int, np.ndarray]] = {}
        tool, types = None, self.pin.FrameType
        for k, frame in enumerate(self.model.frames):
            j, link, T = frame.parentJoint, self.own.get(frame.parentJoint), frame.placement.homogeneous
            if k == 0 or (link is not None and frame.type == types.BODY and frame.name == link.name):
                continue
            if frame.type == types.JOINT and np.abs(T - self.offset(j)).max() <= _SAME_PLACE:
                continue
            at = (self.last[j], self.places[j] @ T)
            if frame.name == "tool" and frame.type == types.OP_FRAME and "tool" not in self.taken:
                tool = at
                self.taken.add("tool")
            else:
                out[self.unique(frame.name)] = at
        return out, tool

    def limit(self, piece: Piece, key: str) -> float:
        """A limit; none, with a note, where those of a joint's numbers differ or bound positions."""
        none = -np.inf if key == "lower" else np.inf
        if piece.mimic is not None or (key in ("lower", "upper") and piece.form in ("circle", "spherical")):
            return none
        nq, nv = SIZES[piece.form][1:]
        if key in ("velocity", "effort"):
            values = getattr(self.model, f"{key}Limit")[piece.v : piece.v + nv]
        else:
            places = {"planar": 2, "free": 3}.get(piece.form, nq)  # not the (cos, sin), not the quaternion
            values = getattr(self.model, f"{key}PositionLimit")[piece.q : piece.q + places]
        values = np.where(np.abs(values) >= _UNBOUNDED, np.copysign(np.inf, values), values)
        if (values == values[0]).all() and (piece.is_screw or key not in ("lower", "upper") or values[0] == none):
            return float(values[0])
        self.notes.append(f"joint {piece.name!r}: its {key} limits {values.tolist()} are several: not read")
        return none

    def losses(self, key: str) -> list[float]:
        """Armature, damping or friction of each joint. Those of a joint must be the same: unequal armature, which is
        inertia, is refused; unequal damping and friction are left out, with a doubt."""
        out = []
        for piece in self.rows.pieces:
            values = getattr(self.model, key)[piece.v : piece.v + SIZES[piece.form][2]]
            differ = bool((values != values[:1]).any())
            if differ and key == "armature":
                raise ModelError(f"joint {piece.name!r}: its {key} must be one number here, got {values.tolist()}")
            if differ:
                several = ", ".join(f"{x:.6g}" for x in values)
                self.doubts.append(f"joint {piece.name!r}: its {key} [{several}] is not one number: not read")
            out.append(0.0 if differ or piece.mimic is not None else float(values[0]))
        return out
