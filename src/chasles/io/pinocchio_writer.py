"""A mechanism as a Pinocchio model; what is written and how is told in io/pinocchio.py."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.pinocchio_twin import SIZES, PinocchioTwin, TwinJoint, pinocchio
from chasles.model.checks import pitch
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism

_LEAST_DISTANCE = 1e-12  # of an axis' distance from the origin, m
_NEAR_ONE = 1.01  # Pinocchio's bound where there is none: of cosines and quaternions


@dataclass
class _Together:
    """The joints that follow one, itself included: Pinocchio's number is rate * q + offset, that of `joint`."""

    joint: Any
    rate: float
    offset: float
    losses: np.ndarray = field(default_factory=lambda: np.zeros(3))  # armature, damping, friction


def to_pinocchio(mechanism: Mechanism) -> PinocchioTwin:
    """The mechanism in Pinocchio, with the maps between the coordinates."""
    writer = _Writer(mechanism)
    for i in writer.order:
        writer.body(i)
    writer.frames()
    parts = writer.parts()
    writer.numbers(parts)
    return PinocchioTwin(mechanism, writer.model, tuple(parts))


class _Writer:
    def __init__(self, m: Mechanism) -> None:
        self.pin, self.m = pinocchio(), m
        self.model = self.pin.Model()
        self.model.name = m.name
        self.model.gravity = self.pin.Motion(m.gravity, np.zeros(3))
        self.ids, self.places = {-1: 0}, {-1: np.eye(4)}  # per body the joint and its frame, absolute at home
        self.nodes = {-1: 0}  # per body the index of its link's frame
        self.groups: dict[int, _Together] = {}  # of screws, per joint that others follow
        self.order = self._depth_first()
        if m.base.mass or np.any(m.base.inertia):
            self.model.appendBodyToJoint(0, self.inertia(m.base), self.pin.SE3.Identity())

    def _depth_first(self) -> list[int]:
        """Pinocchio wants subtrees without gaps."""
        children: dict[int, list[int]] = {}
        for i, parent in enumerate(self.m.parents):
            children.setdefault(parent, []).append(i)
        order, stack = [], [-1]
        while stack:
            i = stack.pop()
            order.append(i)
            stack.extend(reversed(children.get(i, [])))
        return order[1:]

    def inertia(self, link: Link) -> Any:
        out = self.pin.Inertia.Zero()  # its constructor refuses inertias that files of real robots have
        out.mass, out.lever, out.inertia = link.mass, link.com.copy(), link.inertia.copy()
        return out

    def se3(self, parent: int, T: np.ndarray) -> Any:
        """The absolute pose T in the frame of a body's joint."""
        return self.pin.SE3(self.places[parent]).actInv(self.pin.SE3(T))

    def body(self, i: int) -> None:
        m, parent = self.m, self.m.parents[i]
        place, joint = m.homes[i].copy(), None
        if m.kinds[i] == "screw":
            joint, rate, point = self.screw(i)
            place[:3, 3] += place[:3, :3] @ point
            master, factor, offset = m.mimics[i] or (i, 1.0, 0.0)
            joint = self.follow(i, joint, master, (rate * factor, rate * offset))
            loss = np.array([m.armature[i] * factor**2, m.damping[i] * factor**2, m.friction[i] * abs(factor)])
            self.groups[master].losses += loss
        else:
            names = {"planar": "JointModelPlanar", "spherical": "JointModelSpherical", "free": "JointModelFreeFlyer"}
            if m.kinds[i] not in names:
                raise ModelError(f"joint {m.joint_names[i]!r} is {m.kinds[i]}: Pinocchio has no such joint")
            joint = getattr(self.pin, names[m.kinds[i]])()
        self.places[i] = place
        self.ids[i] = self.model.addJoint(self.ids[parent], joint, self.se3(parent, place), m.joint_names[i])
        group = self.groups.get((m.mimics[i] or (i, 0, 0))[0])
        if group is not None and group.joint is None:
            group.joint = self.model.joints[self.ids[i]]
        home = self.se3(i, m.homes[i])
        self.model.appendBodyToJoint(self.ids[i], self.inertia(m.links[i]), home)
        frame = self.model.addJointFrame(self.ids[i], self.nodes[parent])
        if m.link_names[i] != m.joint_names[i] or not home.isIdentity(_LEAST_DISTANCE):
            frame = self.model.addBodyFrame(m.link_names[i], self.ids[i], home, frame)
        self.nodes[i] = frame

    def screw(self, i: int) -> tuple[Any, float, np.ndarray]:
        """Pinocchio's joint of unit length, the length of ours, and the point of the axis nearest the link's origin."""
        pin, S = self.pin, self.m.tree.bodies[i].S
        w, v, point = np.array([*S.w]), np.array([*S.v]), np.zeros(3)
        if not w.any():
            rate = float(np.linalg.norm(v))
            return self.aligned("P", v / rate) or pin.JointModelPrismaticUnaligned(v / rate), rate, point
        rate = float(np.linalg.norm(w))
        axis, h = w / rate, pitch(w, v, float(np.linalg.norm(self.m.homes[i][:3, 3])))
        if np.abs(away := np.cross(w, v) / rate**2).max() > _LEAST_DISTANCE:
            point = away
        if h:
            return self.aligned("H", axis, h) or pin.JointModelHelicalUnaligned(axis, h), rate, point
        return self.aligned("R", axis) or pin.JointModelRevoluteUnaligned(axis), rate, point

    def aligned(self, letter: str, axis: np.ndarray, *pitch: float) -> Any:
        """The special joint of an axis that is x, y or z; None of others."""
        for name, e in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(axis, e):
                return getattr(self.pin, f"JointModel{letter}{name}")(*pitch)
        return None

    def follow(self, i: int, joint: Any, master: int, line: tuple[float, float]) -> Any:
        """The joint itself if it is the first of those that move together, else its mimic. line: rate and offset."""
        rate, offset = line
        if rate == 0.0:
            raise ModelError(
                f"joint {self.m.joint_names[i]!r} mimics {self.m.joint_names[master]!r} by a factor of zero: "
                "Pinocchio has no such joint"
            )
        group = self.groups.get(master)
        if group is None:
            self.groups[master] = _Together(None, rate, offset)
            return joint
        if joint.shortname().startswith("JointModelH"):
            raise ModelError(
                f"joint {self.m.joint_names[i]!r} is helical and moves with {self.m.joint_names[master]!r}: "
                "Pinocchio's mimic joints are not right there"
            )
        first, scaling = group.joint, rate / group.rate
        joint.setIndexes(first.id, first.idx_q, first.idx_v, first.idx_vExtended)
        return self.pin.JointModelMimic(self.pin.JointModel(joint), scaling, offset - scaling * group.offset)

    def frames(self) -> None:
        """Those of the base, of merged links and all others; those of the links are there."""
        m, types = self.m, self.pin.FrameType
        for name, frame in m.frames.items():
            if name in m.link_names or name == "universe":
                continue
            absolute = m.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose
            kind = types.BODY if name == m.base_name else types.OP_FRAME
            placement = self.se3(frame.body, absolute)
            self.model.addFrame(
                self.pin.Frame(name, self.ids[frame.body], self.nodes[frame.body], placement, kind), False
            )

    def parts(self) -> list[TwinJoint]:
        """Of the joints that follow no other, in our order."""
        out: list[TwinJoint] = []
        for i, _, _, q, v in self.m.own_joints:
            kind = self.m.kinds[i]
            form = "number" if kind == "screw" else kind
            joint, rate, offset = self.model.joints[self.ids[i]], 1.0, 0.0
            if kind == "screw":
                group = self.groups[i]
                joint, rate, offset = group.joint, group.rate, group.offset
            out.append(TwinJoint(form, q.start, v.start, joint.idx_q, joint.idx_v, rate, offset))
        return out

    def numbers(self, parts: list[TwinJoint]) -> None:
        """Limits, armature, damping, friction."""
        m, model = self.m, self.model
        lower, upper = -np.inf * np.ones(model.nq), np.inf * np.ones(model.nq)
        velocity, effort, losses = np.full(model.nv, np.inf), np.full(model.nv, np.inf), np.zeros((3, model.nv))
        for (i, *_), part in zip(m.own_joints, parts, strict=True):
            _, nq, nv = SIZES[part.form]
            q, v = slice(part.pin_q, part.pin_q + nq), slice(part.pin_v, part.pin_v + nv)
            bounds = sorted(x * part.rate + part.offset for x in (m.limits["lower"][i], m.limits["upper"][i]))
            lower[q], upper[q] = bounds
            turning = {"planar": 2, "spherical": 4, "free": 4}.get(part.form, 0)
            lower[q.stop - turning : q.stop], upper[q.stop - turning : q.stop] = -_NEAR_ONE, _NEAR_ONE
            rate = abs(part.rate)
            velocity[v], effort[v] = m.limits["velocity"][i] * rate, m.limits["effort"][i] / rate
            own_losses = np.array([m.armature[i], m.damping[i], m.friction[i]])
            loss = self.groups[i].losses if i in self.groups else own_losses
            losses[:, v] = (loss / [rate**2, rate**2, rate])[:, None]
        model.lowerPositionLimit, model.upperPositionLimit = lower, upper
        model.velocityLimit, model.effortLimit = velocity, effort
        model.armature, model.damping, model.friction = losses
        for name, value in (("Velocity", velocity), ("Effort", effort), ("DryFriction", losses[2])):
            if hasattr(model, f"lower{name}Limit"):  # Pinocchio 4
                setattr(model, f"lower{name}Limit", -value)
