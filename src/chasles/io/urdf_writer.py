"""From a mechanism to the text of a .urdf file that other tools load.

The tree is the one that was given: a merged link is a link again, with the inertia that is its own, on the fixed joint
that it had, LINK_fixed where that has no name, and joints hang on the links that they hung on. Other frames are fixed
links without mass; so is the tool, called "tool", where a reader would not take it for the tool anyway.

A URDF link sits at its joint. Where the axis of a revolute joint misses the origin of its link's frame, the link that
moves is NAME_axis, parallel to it at the point of the axis nearest to it, with the inertia; NAME is fixed to it.

URDF readers order joints depth first, those of a link by name. Where that is not the mechanism's order, but can be, the
joints of a link are mounted on fixed links NAME_mount1, ... of that order; and where what was merged stands in the way
of it, joints hang on the moving link that it was merged into. What was read from a URDF file needs neither.

Not in URDF: helical joints, gears (screws of another length than 1) and spherical joints, which are refused; rotor
inertia, another gravity than (0, 0, -9.81), an order that is not depth first, a tool elsewhere than the link called
"tool", and that damping and friction count, whose values are written all the same, which are left out with a warning.
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from chasles.errors import ModelError, ModelWarning
from chasles.io.names import unique
from chasles.io.urdf_xml import Tag, look_names, number, numbers, origin, shape
from chasles.model.checks import pitch
from chasles.model.frame import same_place
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.merged_links import own_inertias
from chasles.model.poses import relative
from chasles.model.rounding import SNAP_DISTANCE
from chasles.model.shape import Shape

_NO_LIMIT = 1e308  # a limit that is none: URDF has no infinity


def write(mechanism: Mechanism) -> str:
    """The text of a .urdf file of the same robot."""
    text = "\n".join(_Writer(mechanism).robot().lines())
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


@dataclass
class _Node:
    """A link of the file, and the joint that it hangs on. body: that which moves by it, or None where it is fixed."""

    name: str
    parent: str
    joint: str
    body: int | None
    place: np.ndarray  # in the frame of the body that carries it; of a moving link, that is where it is itself


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
                self.carriers[i] = unique(f"{m.link_names[i]}_axis", self.links)
        self.nodes: dict[str, _Node] = {}
        self.plant()
        self.children = self.sorted_children()
        for body in range(-1, m.bodies):
            self.put_in_order(body)
        self.lost_tool = self.place_tool()
        self.inertias = own_inertias(m)
        for i, name in enumerate(m.link_names):
            if self.carriers[i] != name and (body := self.inertias.pop(name, None)):
                away = relative(self.seats[i], m.homes[i])[:3, 3]  # of parallel frames: the inertia about the com stays
                self.inertias[self.carriers[i]] = Link(body.mass, body.com + away, body.inertia, checked=True)
        self.shapes: dict[str, list[Shape]] = {}
        for x in m.visuals:
            if isinstance(x, Shape):
                self.shapes.setdefault(x.frame, []).append(x)
        self.looks = look_names(x for shapes in self.shapes.values() for x in shapes)

    # the tree

    def plant(self) -> None:
        """Make the nodes of all links and frames but the tool."""
        m = self.m
        for i, name in enumerate(m.link_names):
            seat = relative(m.homes[i], self.seats[i])
            self.nodes[self.carriers[i]] = _Node(self.carriers[i], m.frames[name].parent, m.joint_names[i], i, seat)
            if self.carriers[i] != name:
                joint = unique(f"{name}_fixed", self.joints)
                self.nodes[name] = _Node(name, self.carriers[i], joint, None, np.eye(4))
        fixed = [f for name, f in m.frames.items() if name not in (m.base_name, *m.link_names) and f is not m.tool]
        names = {f.name: unique(f.joint, self.joints) for f in fixed if f.joint}  # before those that are made up
        for f in fixed:
            joint = names.get(f.name) or unique(f"{f.name}_fixed", self.joints)
            self.nodes[f.name] = _Node(f.name, f.parent, joint, None, f.pose)

    def sorted_children(self) -> dict[str, list[_Node]]:
        """The nodes below each, in the order that a reader has them in."""
        out: dict[str, list[_Node]] = {}
        for node in sorted(self.nodes.values(), key=lambda node: node.joint):
            out.setdefault(node.parent, []).append(node)
        return out

    def read_order(self, root: str, *, through: bool = True) -> list[_Node]:
        """The nodes below a link as a reader meets them; without those beyond the joints that move, if not through."""
        out, stack = [], self.children.get(root, [])[::-1]
        while stack:
            out.append(node := stack.pop())
            if through or node.body is None:
                stack += self.children.get(node.name, [])[::-1]
        return out

    def put_in_order(self, body: int) -> None:
        """Let the joints that hang on a body, or on what is merged into it, be read in the order they have here."""
        carrier = self.m.base_name if body < 0 else self.carriers[body]
        below = self.read_order(carrier, through=False)
        moving = sorted(node.body for node in below if node.body is not None)
        if [node.body for node in below if node.body is not None] == moving:
            return
        first = {carrier: -1}  # the first body that hangs on each, where one does
        for i in reversed(moving):
            name = self.carriers[i]
            while name != carrier:
                first[name] = i
                name = self.nodes[name].parent
        for link in (carrier, *(node.name for node in below if node.body is None)):
            ours = sorted((x for x in below if x.parent == link and x.name in first), key=lambda x: first[x.name])
            if [x.joint for x in ours] != sorted(x.joint for x in ours):
                self.mount(link, ours)
        if [n.body for n in self.read_order(carrier, through=False) if n.body is not None] != moving:
            for node in below:
                if node.body is not None:
                    node.parent = carrier
            self.mount(carrier, [self.nodes[self.carriers[i]] for i in moving])

    def mount(self, link: str, nodes: list[_Node]) -> None:
        """Let nodes hang on fixed links of their own at a link, in that order."""
        place = self.place(link)
        taken, width = self.links | self.joints, len(str(len(nodes)))
        for k, node in enumerate(nodes, start=1):
            name = unique(f"{link}_mount{k:0{width}}", taken)
            self.nodes[name] = _Node(name, link, name, None, place)
            node.parent = name
            self.links.add(name)
            self.joints.add(name)
        self.children = self.sorted_children()

    def place(self, link: str) -> np.ndarray:
        """The pose of a link in the frame of the body that carries it."""
        return np.eye(4) if link == self.m.base_name else self.nodes[link].place

    def place_tool(self) -> bool:
        """Add the tool, where a reader would not find it; whether it is lost, because a link has its name."""
        m, tool = self.m, self.m.tool
        if tool is None:
            return False
        own = m.frames.get("tool")
        if own is not None and own is not tool:
            return not same_place(own, tool)
        order = self.read_order(m.base_name)
        tip = next((x.body for x in reversed(order) if x.body is not None), -1)
        top = m.base_name if tip < 0 else self.carriers[tip]
        last = next(reversed(self.read_order(top, through=False)), None)
        branched = len(set(m.parents)) < len(m.parents)
        if branched or tool.body != tip or not np.array_equal(self.place(last.name if last else top), tool.pose):
            joint = unique("tool_fixed", self.joints)
            self.nodes["tool"] = _Node("tool", tool.parent, joint, None, tool.pose)
            self.children = self.sorted_children()
        return False

    # the text

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
        out.children.append(self.link(m.base_name))
        for node in self.read_order(m.base_name):
            out.children.append(self.link(node.name))
            out.children.append(self.fixed(node) if node.body is None else self.joint(node.body, node.parent))
        return out

    def left_out(self) -> Iterator[str]:
        m = self.m
        if rotors := [m.joint_names[i] for i in range(m.bodies) if m.armature[i]]:
            yield f"the rotor inertia of joint {rotors[0]!r}" + " and others" * (len(rotors) > 1)
        if not np.array_equal(m.gravity, [0.0, 0.0, -9.81]):
            yield f"its gravity, {m.gravity.tolist()}"
        if m.has_friction:
            yield "that damping and friction count: load it and ask for with_friction() again"
        if self.lost_tool:
            yield "its tool, as a link of another place is called 'tool': load it and ask for with_tool again"
        order = [node.body for node in self.read_order(m.base_name) if node.body is not None]
        if order != sorted(order):
            yield "joints in another order than depth first: q of the file is in another order"

    def link(self, name: str) -> Tag:
        out = Tag("link", name=name)
        if body := self.inertias.get(name):
            inertial = out.add("inertial")
            inertial.add("origin", xyz=numbers(body.com), rpy="0 0 0")
            inertial.add("mass", value=number(body.mass))
            moments = {f"i{'xyz'[i]}{'xyz'[j]}": number(body.inertia[i, j]) for i in range(3) for j in range(i, 3)}
            inertial.add("inertia", **moments)
        out.children += [shape(x, self.looks) for x in self.shapes.get(name, ())]
        return out

    def fixed(self, node: _Node) -> Tag:
        out = Tag("joint", name=node.joint, type="fixed")
        out.children.append(origin(relative(self.place(node.parent), node.place)))
        out.add("parent", link=node.parent)
        out.add("child", link=node.name)
        return out

    def origin(self, i: int, parent: str) -> np.ndarray:
        """Where the joint of a body is, seen from the link it hangs on."""
        p = self.m.parents[i]
        above = self.place(parent) if p < 0 else self.m.homes[p] @ self.place(parent)
        return relative(above, self.seats[i])

    def joint(self, i: int, parent: str) -> Tag:
        m = self.m
        lower, upper, velocity, effort = (float(m.limits[key][i]) for key in ("lower", "upper", "velocity", "effort"))
        bounded = math.isfinite(lower) or math.isfinite(upper)
        kind, axis = _type_and_axis(m, i)
        out = Tag("joint", name=m.joint_names[i], type="continuous" if kind == "revolute" and not bounded else kind)
        out.children.append(origin(self.origin(i, parent)))
        out.add("parent", link=parent)
        out.add("child", link=self.carriers[i])
        if kind != "floating":
            out.add("axis", xyz=numbers(axis))
        limit = {"lower": lower, "upper": upper, "effort": effort, "velocity": velocity}
        if kind not in ("revolute", "prismatic") or (kind == "revolute" and not bounded):
            del limit["lower"], limit["upper"]
        if bounded or kind == "prismatic" or math.isfinite(min(effort, velocity)):
            finite = {key: x if math.isfinite(x) else math.copysign(_NO_LIMIT, x) for key, x in limit.items()}
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
    if abs(math.hypot(*s) - 1.0) > SNAP_DISTANCE:
        raise ModelError(f"{what} is geared, its screw has length {math.hypot(*s):.6g}: URDF has no such joint")
    axis = m.homes[i][:3, :3].T @ s
    axis = np.where(np.abs(axis) <= SNAP_DISTANCE, 0.0, axis)
    return "revolute" if turns else "prismatic", axis / math.hypot(*axis) + 0.0


def _to_axis(m: Mechanism, i: int) -> np.ndarray:
    """From the origin of a link at home to the nearest point of its revolute joint's axis; zero where it is on it."""
    w, v, p = m.screws[i][:3], m.screws[i][3:], m.homes[i][:3, 3]
    if not w.any():
        return np.zeros(3)
    away = (np.cross(w, v) + (p @ w) * w) / (w @ w) - p
    return away if math.hypot(*away) > SNAP_DISTANCE * max(1.0, math.hypot(*p)) else np.zeros(3)
