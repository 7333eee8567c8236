"""The <joint> elements of a URDF file, the tree they make, and who mimics whom."""

import math
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from chasles.arguments import shown
from chasles.io.urdf_checks import Checked, listed
from chasles.io.xml import Element
from chasles.model.checks import LIMITS
from chasles.model.screws import direction, is_unit

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_ONE = ("revolute", "continuous", "prismatic")
_NO_BOUND = 1e300  # URDF has no infinity: a limit beyond this is none


@dataclass
class UrdfJoint:
    """A joint as the file has it. axis: a unit vector in the joint's frame. frozen: where it is held, or None."""

    element: Element
    name: str
    type: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    limits: dict[str, float]
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple[str, float, float] | None = None
    frozen: float | None = None

    @property
    def moves(self) -> bool:
        return self.type != "fixed" and self.frozen is None


class JointReader(Checked):
    """Reads joints, and orders them."""

    def joint(self, element: Element) -> UrdfJoint:
        name = self.string(element, "name", "a joint")
        what = f"joint {name!r}"
        self.survey(element, what)
        kind = self.string(element, "type", what)
        if kind not in TYPES:
            self.fail(element, f"{what}: its type must be one of {', '.join(TYPES)}, got {shown(kind)}")
        parent, child = (self.string(self.needed(element, tag, what), "link", what) for tag in ("parent", "child"))
        if parent == child:
            self.fail(element, f"{what}: it joins link {parent!r} to itself")
        joint = UrdfJoint(
            element, name, kind, parent, child, self.origin(element, what), self.axis(element, kind, what), {}
        )
        joint.limits = self.limits(element, kind, what)
        dynamics = self.one(element, "dynamics", what)
        if dynamics is not None and kind != "fixed":
            joint.damping, joint.friction = (self.amount(dynamics, key, what) for key in ("damping", "friction"))
        mimic = self.one(element, "mimic", what)
        if mimic is not None and kind == "fixed":
            self.ignore(mimic, "<mimic> of a fixed joint")
        elif mimic is not None:
            factor, offset = self.number(mimic, "multiplier", what, 1.0), self.number(mimic, "offset", what, 0.0)
            joint.mimic = self.string(mimic, "joint", what), factor, offset
        return joint

    def axis(self, element: Element, kind: str, what: str) -> np.ndarray:
        axis = self.one(element, "axis", what)
        if kind in ("fixed", "floating"):
            return np.zeros(3)
        if axis is None:
            if kind == "planar":
                self.notes.append(f"{what}: without an <axis> its plane is that across the default, 1 0 0")
            return np.array([1.0, 0.0, 0.0])
        v = self.numbers(axis, "xyz", 3, what)
        length = math.hypot(*v)
        if length < 1e-9:
            self.fail(axis, f"{what}: its axis {shown(axis.attributes['xyz'])} is zero; give it a direction")
        if not is_unit(v):
            self.notes.append(f"{what}: its axis, of length {length:.17g}, was normalised")
        return direction(v)

    def amount(self, element: Element, key: str, what: str, default: float = 0.0, largest: float = 1e30) -> float:
        """A number that must not be negative."""
        x = self.number(element, key, what, default, largest)
        if x < 0.0:
            self.fail(element, f"{what}: its {key} is negative ({x:g})")
        return x

    def limits(self, element: Element, kind: str, what: str) -> dict[str, float]:
        out = {key: -math.inf if key == "lower" else math.inf for key in LIMITS}
        limit = self.one(element, "limit", what)
        if kind == "fixed":
            return out
        if limit is None:
            return out
        for key in ("effort", "velocity"):
            x = self.amount(limit, key, what, math.inf, math.inf) if key in limit.attributes else math.inf
            out[key] = x if x < _NO_BOUND else math.inf
        bounds = {key: self.number(limit, key, what, 0.0, math.inf) for key in ("lower", "upper")}
        if kind not in ("revolute", "prismatic"):
            if any(bounds.values()):
                self.ignore(limit, f"lower and upper limits of a {kind} joint")
            return out
        if bounds["lower"] > bounds["upper"]:
            text = f"{what}: its lower limit {bounds['lower']:g} is above its upper {bounds['upper']:g}"
            self.doubts.append(f"{text}: taken the other way round")
            bounds = {"lower": bounds["upper"], "upper": bounds["lower"]}
        if bounds["lower"] >= _NO_BOUND or bounds["upper"] <= -_NO_BOUND:
            self.fail(limit, f"{what}: its limits {bounds['lower']:g} and {bounds['upper']:g} leave nothing between")
        return out | {key: x if abs(x) < _NO_BOUND else math.copysign(math.inf, x) for key, x in bounds.items()}

    def tree(self, links: dict[str, Element], joints: dict[str, UrdfJoint]) -> tuple[str, list[UrdfJoint]]:
        """The root link, and the joints in depth-first order, those of a link by name: Pinocchio's order."""
        above: dict[str, UrdfJoint] = {}
        below: dict[str, list[UrdfJoint]] = {}
        for joint in joints.values():
            for role, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in links:
                    self.fail(joint.element, f"joint {joint.name!r}: its {role} {link!r} is no link of this file")
            if joint.child in above:
                first = above[joint.child]
                self.fail(
                    joint.element,
                    f"joint {joint.name!r}: its child {joint.child!r} is already that of joint {first.name!r} "
                    f"(line {first.element.line}); a link has one parent, loops are not URDF",
                )
            above[joint.child] = joint
            below.setdefault(joint.parent, []).append(joint)
        roots = [name for name in links if name not in above]
        if len(roots) > 1:
            self.fail(
                links[roots[1]], f"{len(roots)} links have no parent: {listed(roots)}; a robot has one root: join them"
            )
        order: list[UrdfJoint] = []
        stack = [roots[0]] if roots else []
        while stack:
            link = stack.pop()
            if link in above:
                order.append(above[link])
            children = sorted(below.get(link, ()), key=lambda joint: joint.name)
            stack.extend(joint.child for joint in reversed(children))
        if len(order) < len(joints):
            self.circle(above, {joint.child for joint in order})
        return roots[0], order

    def circle(self, above: dict[str, UrdfJoint], reached: set[str]) -> None:
        """Complain about links that are their own ancestors."""
        link = next(name for name in above if name not in reached)
        seen: dict[str, int] = {}
        while link not in seen:
            seen[link] = len(seen)
            link = above[link].parent
        loop = [link, *reversed(list(seen)[seen[link] :])]
        self.fail(above[link].element, f"links go round in a circle: {' -> '.join(loop)}")

    def resolve_mimics(self, joints: dict[str, UrdfJoint]) -> None:
        """Let every mimic follow, in the end, a joint that moves on its own; hold it where there is none to follow."""
        for joint in joints.values():
            if joint.mimic is None:
                continue
            what = f"joint {joint.name!r}"
            if joint.type not in _ONE:
                self.fail(joint.element, f"{what}: a {joint.type} joint cannot mimic another")
            if joint.mimic[0] not in joints:
                near = get_close_matches(joint.mimic[0][:80], list(joints), 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self.fail(joint.element, f"{what} mimics {shown(joint.mimic[0])}, which is no joint of this file{hint}")
            if joints[joint.mimic[0]].type not in (*_ONE, "fixed"):
                self.fail(joint.element, f"{what} mimics {joint.mimic[0]!r}, which has several degrees of freedom")
        done: set[str] = set()
        for start in joints:
            chain, name = {start: 0}, start
            while name not in done and (mimic := joints[name].mimic) is not None:
                if mimic[0] in chain:
                    loop = [*list(chain)[chain[mimic[0]] :], mimic[0]]
                    self.fail(joints[name].element, f"joints mimic each other in a circle: {' -> '.join(loop)}")
                name = mimic[0]
                chain[name] = len(chain)
            for name in reversed(chain):
                self.follow(joints[name], joints)
                done.add(name)

    def follow(self, joint: UrdfJoint, joints: dict[str, UrdfJoint]) -> None:
        """Replace a master that is a mimic itself by its own master."""
        if joint.mimic is None:
            return
        name, factor, offset = joint.mimic
        master = joints[name]
        if master.mimic is not None:
            name, k, c = master.mimic
            factor, offset = factor * k, factor * c + offset
        if not (abs(factor) <= 1e30 and abs(offset) <= 1e30):
            self.fail(joint.element, f"joint {joint.name!r}: the multipliers of its mimics multiply beyond all bounds")
        joint.mimic = name, factor, offset
        if not master.moves or factor == 0.0:
            value = offset if factor == 0.0 else factor * (master.frozen or 0.0) + offset
            joint.mimic, joint.frozen = None, value
            self.notes.append(f"joint {joint.name!r} mimics {name!r} and so never moves: fixed at {value:g}")
