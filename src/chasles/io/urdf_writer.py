"""From a mechanism to the text of a .urdf file that other tools load.

A URDF link sits at its joint. Where the axis of a revolute joint misses the origin of its link's frame, the link that
moves is NAME_axis, parallel to it at the point of the axis nearest to it, with the inertia; NAME is fixed to it. Other
frames are fixed links without mass, and so is what was merged: its inertia is in the link it was merged into.

URDF readers order joints depth first, those of a link by name. Where that is not the mechanism's order, but can be, the
joints of a link are mounted on fixed links NAME_mount1, ... of that order.

Not in URDF: helical joints, gears (screws of another length than 1) and spherical joints, which are refused; rotor
inertia, another gravity than (0, 0, -9.81), an order that is not depth first and that damping and friction count, whose
values are written all the same, which are left out with a warning.
"""

import math
import re
import warnings
from collections.abc import Iterator

import numpy as np

from chasles.errors import ModelError, ModelWarning
from chasles.io.urdf_entries import fresh
from chasles.io.urdf_xml import Tag, look_names, number, numbers, origin, shape
from chasles.model.checks import SNAP, pitch
from chasles.model.link import Link
from chasles.model.mechanism import Frame, Mechanism, relative
from chasles.model.shape import Shape

_NONE = 1e308  # a limit that is none: URDF has no infinity


def write(mechanism: Mechanism) -> str:
    """The text of a .urdf file of the same robot."""
    text = "\n".join(_Writer(mechanism).robot().lines())
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


class _Writer:
    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.links = set(m.frames)
        self.joints = set(m.joint_names)
        self.seats = [m.homes[i] + 0.0 for i in range(m.bodies)]  # where the joints are, in the axes of the bodies
        self.carriers = list(m.link_names)  # the links that move
        for i in range(m.bodies):
            if (away := _to_axis(m, i)).any():
                self.seats[i][:3, 3] += away
                self.carriers[i] = fresh(f"{m.link_names[i]}_axis", self.links)
        self.children: dict[int, list[int]] = {}
        for i, parent in enumerate(m.parents):
            self.children.setdefault(parent, []).append(i)
        self.riders: dict[int, list[Frame]] = {}
        for frame in m.frames.values():
            mount = re.fullmatch(r"(.*)_mount\d+", frame.name)
            if mount and mount[1] == self.carrier(frame.body) and np.array_equal(frame.pose, np.eye(4)):
                self.links.remove(frame.name)  # from a file that was written here before
            else:
                self.riders.setdefault(frame.body, []).append(frame)
        self.mounts = self.order()
        self.shapes: dict[str, list[Shape]] = {}
        for x in m.visuals:
            if isinstance(x, Shape):
                self.shapes.setdefault(x.frame, []).append(x)
        self.looks = look_names(x for shapes in self.shapes.values() for x in shapes)

    def robot(self) -> Tag:
        m, out = self.m, Tag("robot", name=self.m.name)
        for left_out in self.left_out():
            warnings.warn(f"robot {m.name!r}: URDF cannot hold {left_out}", ModelWarning, stacklevel=2)
        for (colour, texture), name in self.looks.items():
            look = out.add("material", name=name)
            if colour is not None:
                look.add("color", rgba=numbers(colour))
            if texture:
                look.add("texture", filename=texture)
        out.children.append(self.link(m.base_name, m.base))
        self.frames(out, -1)
        for i in range(m.bodies):
            mount = self.mounts.get(i)
            if mount is not None:
                self.fixed(out, mount, mount, self.carrier(m.parents[i]), np.eye(4))
            body = m.links[i]
            if self.carriers[i] != m.link_names[i]:  # parallel frames: the inertia about the centre of mass stays
                body = Link(body.mass, body.com + relative(self.seats[i], m.homes[i])[:3, 3], body.inertia)
            out.children.append(self.link(self.carriers[i], body))
            out.children.append(self.joint(i, mount or self.carrier(m.parents[i])))
            self.frames(out, i)
        return out

    def left_out(self) -> Iterator[str]:
        m = self.m
        if rotors := [m.joint_names[i] for i in range(m.bodies) if m.armature[i]]:
            yield f"the rotor inertia of joint {rotors[0]!r}" + " and others" * (len(rotors) > 1)
        if not np.array_equal(m.gravity, [0.0, 0.0, -9.81]):
            yield f"its gravity, {m.gravity.tolist()}"
        if m.has_friction:
            yield "that damping and friction count: load it and ask for with_friction() again"
        order, stack = [], [-1]
        while stack:
            order.append(stack.pop())
            stack += reversed(self.children.get(order[-1], []))
        if order != sorted(order):
            yield "joints in another order than depth first: q of the file is in another order"

    def order(self) -> dict[int, str]:
        """The fixed links to mount bodies on, for those that would not come in their order by name."""
        out = {}
        for parent, bodies in self.children.items():
            names = [self.m.joint_names[i] for i in bodies]
            if names != sorted(names):
                taken, width = self.links | self.joints, len(str(len(bodies)))
                for k, i in enumerate(bodies, start=1):
                    out[i] = fresh(f"{self.carrier(parent)}_mount{k:0{width}}", taken)
        self.links.update(out.values())
        self.joints.update(out.values())
        return out

    def carrier(self, body: int) -> str:
        return self.m.base_name if body < 0 else self.carriers[body]

    def link(self, name: str, body: Link | None) -> Tag:
        out = Tag("link", name=name)
        if body is not None and (body.mass or body.inertia.any()):
            inertial = out.add("inertial")
            inertial.add("origin", xyz=numbers(body.com), rpy="0 0 0")
            inertial.add("mass", value=number(body.mass))
            moments = {f"i{'xyz'[i]}{'xyz'[j]}": number(body.inertia[i, j]) for i in range(3) for j in range(i, 3)}
            inertial.add("inertia", **moments)
        out.children += [shape(x, self.looks) for x in self.shapes.get(name, ())]
        return out

    def fixed(self, out: Tag, name: str, joint_name: str, parent: str, T: np.ndarray) -> None:
        out.children.append(self.link(name, None))
        joint = out.add("joint", name=joint_name, type="fixed")
        joint.children.append(origin(T))
        joint.add("parent", link=parent)
        joint.add("child", link=name)

    def frames(self, out: Tag, body: int) -> None:
        """The frames of a body, but its own, as fixed links."""
        m, carrier = self.m, self.carrier(body)
        for frame in self.riders.get(body, []):
            T = frame.pose if body < 0 else relative(self.seats[body], m.homes[body] @ frame.pose)
            others = (f for f in self.riders[body] if f is not frame)
            again = frame is m.tool and any(np.array_equal(f.pose, frame.pose) for f in others)
            if frame.name != carrier and not again:
                self.fixed(out, frame.name, fresh(f"{frame.name}_fixed", self.joints), carrier, T)

    def joint(self, i: int, parent: str) -> Tag:
        m, p = self.m, self.m.parents[i]
        lower, upper, velocity, effort = (float(m.limits[key][i]) for key in ("lower", "upper", "velocity", "effort"))
        bounded = math.isfinite(lower) or math.isfinite(upper)
        kind, axis = _type_and_axis(m, i)
        out = Tag("joint", name=m.joint_names[i], type="continuous" if kind == "revolute" and not bounded else kind)
        out.children.append(origin(self.seats[i] if p < 0 else relative(self.seats[p], self.seats[i])))
        out.add("parent", link=parent)
        out.add("child", link=self.carriers[i])
        if kind != "floating":
            out.add("axis", xyz=numbers(axis))
        limit = {"lower": lower, "upper": upper, "effort": effort, "velocity": velocity}
        if kind not in ("revolute", "prismatic") or (kind == "revolute" and not bounded):
            del limit["lower"], limit["upper"]
        if bounded or kind == "prismatic" or math.isfinite(min(effort, velocity)):
            finite = {key: x if math.isfinite(x) else math.copysign(_NONE, x) for key, x in limit.items()}
            out.add("limit", **{key: number(x) for key, x in finite.items()})
        if m.damping[i] or m.friction[i]:
            out.add("dynamics", damping=number(m.damping[i]), friction=number(m.friction[i]))
        if mimic := m.mimics[i]:
            master, factor, offset = mimic
            out.add("mimic", joint=m.joint_names[master], multiplier=number(factor), offset=number(offset))
        return out


def _type_and_axis(m: Mechanism, i: int) -> tuple[str, np.ndarray]:
    """The URDF type of a joint and its axis in the link's frame."""
    what, kind = f"joint {m.joint_names[i]!r}", m.kinds[i]
    if kind in ("planar", "free"):
        return ("planar" if kind == "planar" else "floating"), np.array([0.0, 0.0, 1.0])
    if kind != "screw":
        raise ModelError(f"{what} is {kind}: URDF has no such joint")
    w, v = m.screws[i][:3], m.screws[i][3:]
    turns = bool(w.any())
    if turns and (h := pitch(w, v)):
        raise ModelError(f"{what} is helical, with a pitch of {h:.6g} m/rad: URDF has no such joint")
    s = w if turns else v
    if abs(math.hypot(*s) - 1.0) > SNAP:
        raise ModelError(f"{what} is geared, its screw has length {math.hypot(*s):.6g}: URDF has no such joint")
    axis = m.homes[i][:3, :3].T @ s
    near = np.rint(axis)
    axis = np.where(np.abs(axis - near) <= SNAP, near, axis)
    return "revolute" if turns else "prismatic", axis / math.hypot(*axis) + 0.0


def _to_axis(m: Mechanism, i: int) -> np.ndarray:
    """From the origin of a link at home to the nearest point of its revolute joint's axis; zero where it is on it."""
    w, v, p = m.screws[i][:3], m.screws[i][3:], m.homes[i][:3, 3]
    if not w.any():
        return np.zeros(3)
    away = (np.cross(w, v) + (p @ w) * w) / (w @ w) - p
    return away if math.hypot(*away) > SNAP * max(1.0, math.hypot(*p)) else np.zeros(3)
