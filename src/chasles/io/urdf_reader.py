"""From the elements of a URDF file to the mechanism; the rules are those of io/urdf.py."""

import pathlib

import numpy as np

from chasles.arguments import shown
from chasles.errors import CONTROL, ModelError
from chasles.io.urdf_checks import listed
from chasles.io.urdf_joints import JointReader, UrdfJoint
from chasles.io.urdf_rows import UrdfRow, rows_of
from chasles.io.urdf_shapes import ShapeReader
from chasles.io.xml import Element
from chasles.model.building import mechanism
from chasles.model.checks import LIMITS
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.shape import Shape

_VERSIONS = ("1", "1.0", "1.1", "1.2")
_MOST_LINKS = 10_000
_OTHER_ROOTS = {"mujoco": "an MJCF file", "sdf": "an SDF file", "COLLADA": "a mesh", "launch": "a ROS launch file"}


class Reader(JointReader, ShapeReader):
    """Reads one robot."""

    def mechanism(self, root: Element) -> Mechanism:
        self.robot(root)
        links = self.named(root, "link")
        bodies: dict[str, Link] = {}
        shapes: list[Shape] = []
        self.learn_materials(root)
        for name, element in links.items():
            self.survey(element, f"link {name!r}")
            bodies[name] = self.body(element, name)
            shapes += self.shapes(element, name)
        joints = {name: self.joint(element) for name, element in self.named(root, "joint").items()}
        ground, order = self.tree(links, joints)
        self.resolve_mimics(joints)
        self.doubt(order)
        raw = rows_of(ground, bodies, order)
        try:
            return mechanism(
                np.array([entry.screw for entry in raw]).reshape(-1, 6),
                np.array([entry.home for entry in raw]).reshape(-1, 4, 4),
                [entry.link for entry in raw],
                [entry.parent for entry in raw],
                kinds=[entry.kind for entry in raw],
                mimics={joint.name: joint.mimic for joint in order if joint.mimic is not None},
                damping=[entry.joint.damping if entry.joint else 0.0 for entry in raw],
                friction=[entry.joint.friction if entry.joint else 0.0 for entry in raw],
                base=bodies[ground],
                visuals=tuple(shapes),
                notes=[*self.notes, *self.ignored()],
                doubts=self.doubts,
                refuse_impossible=False,
                name=root.attributes.get("name") or pathlib.Path(self.file).stem,
                joint_names=[entry.joint_name for entry in raw],
                link_names=[entry.name for entry in raw],
                limits={key: [_bound(entry, key) for entry in raw] for key in LIMITS},
            )
        except ModelError as error:
            self.fail(self.culprit(str(error), links, joints, root), str(error))

    def robot(self, root: Element) -> None:
        if root.tag != "robot":
            other = _OTHER_ROOTS.get(root.tag)
            hint = f": {other}, not URDF" if other else ""
            self.fail(root, f"the root of a URDF file is <robot>, this one's is <{shown(root.tag)[1:-1]}>{hint}")
        self.refuse_xacro(root)
        self.survey(root, "the robot")
        self.doubt_hidden(root)
        if "name" in root.attributes:
            self.string(root, "name", "the robot")
        else:
            self.notes.append("the robot has no name: it is called after its file")
        version = root.attributes.get("version", "1.0").strip()
        if version not in _VERSIONS:
            self.fail(root, f"URDF version {shown(version)} is not known; those known are 1.0, 1.1 and 1.2")

    def named(self, root: Element, tag: str) -> dict[str, Element]:
        """The elements of a tag by their names, which must be their own."""
        found = root.all(tag)
        if len(found) > _MOST_LINKS:
            self.fail(found[_MOST_LINKS], f"more than {_MOST_LINKS:,} <{tag}>: no robot has that many")
        if not found and tag == "link":
            hint = "; it declares xacro: expand it first" if "xmlns:xacro" in root.attributes else ""
            self.fail(root, f"the robot has no <link>{hint}")
        out: dict[str, Element] = {}
        for element in found:
            name = self.string(element, "name", f"a {tag}")
            if CONTROL.search(name):
                self.fail(element, f"{tag} {shown(name)}: its name has a control character")
            if name in out:
                self.fail(element, f"{tag} name {name!r} is taken by that of line {out[name].line}")
            out[name] = element
        return out

    def body(self, link: Element, name: str) -> Link:
        """The inertia of a link, in its frame; zero without an <inertial>."""
        what = f"link {name!r}"
        inertial = self.one(link, "inertial", what)
        if inertial is None:
            return Link(name=name)
        mass = self.number(self.needed(inertial, "mass", what), "value", what)
        if mass < 0.0:
            self.fail(inertial, f"{what}: its mass is negative ({mass:g})")
        moments = self.needed(inertial, "inertia", what)
        xx, xy, xz, yy, yz, zz = (self.number(moments, key, what) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        T = self.origin(inertial, what)
        R = T[:3, :3]
        turned = R @ J @ R.T
        own = J if np.array_equal(R, np.eye(3)) else 0.5 * (turned + turned.T)
        return Link(mass, T[:3, 3], own, name, checked=True)

    def doubt(self, order: list[UrdfJoint]) -> None:
        """Say what is allowed, but hardly meant."""
        moving = [joint for joint in order if joint.moves]
        for kind in ("revolute", "prismatic"):
            if endless := [joint.name for joint in moving if joint.type == kind and not joint.element.all("limit")]:
                text = f"no <limit>, which URDF wants of a {kind} joint, so that nothing bounds it"
                self.doubts.append(f"{text}: joint {listed(endless)}")
        for key in ("effort", "velocity"):
            if none := [joint.name for joint in moving if joint.limits[key] == 0.0]:
                self.doubts.append(f"no {key} is allowed, its limit is zero: joint {listed(none)}")
        if stuck := [joint.name for joint in moving if joint.limits["lower"] == joint.limits["upper"]]:
            self.doubts.append(f"a lower limit equal to the upper, no room to move: joint {listed(stuck)}")

    def culprit(self, message: str, links: dict[str, Element], joints: dict[str, UrdfJoint], root: Element) -> Element:
        """The element that an error of the model is about."""
        at = {f"link {name!r}": element for name, element in links.items()}
        at |= {f"joint {name!r}": joint.element for name, joint in joints.items()}
        named = [text for text in at if text in message]
        return at[max(named, key=len)] if named else root


def _bound(entry: UrdfRow, key: str) -> float:
    return (-np.inf if key == "lower" else np.inf) if entry.joint is None else entry.joint.limits[key]
