"""From a mechanism to the text of a .toml file, laid out as a person would.

tomli_w quotes the strings; the layout is ours, because it would give every number a line of its own. Of several ways to
write a number the nicest is chosen that reads back to the last bit.
"""

import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from chasles.model.checks import LIMITS, is_impossible, pitch, rigid
from chasles.model.frame import Frame
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism
from chasles.model.poses import relative
from chasles.model.screws import prismatic, screw
from chasles.model.shape import Shape

_DIGITS = 12


def write(mechanism: Mechanism) -> str:
    """The text of a .toml file that reads back as the same mechanism. Fixed links are written as what they have become,
    frames of the link they ride on, with what they hung on and their load."""
    m = mechanism
    out = [f"name = {_value(m.name)}"]
    out += [f"{key} = {_prose(text)}" for key, text in (("description", m.description), ("source", m.source)) if text]
    out.append(f"gravity = {_value(m.gravity)}")
    if m.has_friction:
        out.append("friction = true")
    if any(is_impossible(link) for link in (m.base, *m.links)):
        out.append("accept_impossible = true")
    if doubts := [doubt for doubt in m.doubts if not doubt.startswith("link ")]:  # those of links are found again
        out.append(f"doubts = [{', '.join(map(_value, doubts))}]")
    if not m.bodies:
        out.append("links = []")
    if base := [*_base(m.base)]:
        out += ["", "[base]", *base]
    if m.tool is not None:
        out += ["", "[tool]", *_frame(m, m.tool), *_hung(m, m.tool)]
    for i in range(m.bodies):
        out += ["", "[[links]]", *_link(m, i)]
    for name, frame in m.frames.items():
        if name not in (m.base_name, *m.link_names) and frame is not m.tool:
            out += ["", "[[frames]]", f"name = {_value(name)}", *_frame(m, frame), *_hung(m, frame)]
    for shape in m.visuals:
        if isinstance(shape, Shape) and shape.frame in m.frames:
            out += ["", "[[shapes]]", *_shape(shape)]
    return "\n".join(out) + "\n"


def _link(m: Mechanism, i: int) -> Iterator[str]:
    parent, mimic = m.parents[i], m.mimics[i]
    yield f"name = {_value(m.link_names[i])}"
    if parent != i - 1:
        yield f"parent = {_value(_carrier(m, parent))}"
    if (mount := m.frames[m.link_names[i]].parent) != _carrier(m, parent):
        yield f"mount = {_value(mount)}"
    yield f"home = {_value(_home(m.homes[i]))}"
    yield from _inertia(m.links[i])
    if m.links[i].inserted:
        yield "inserted = true"
    joint: dict[str, Any] = {"name": m.joint_names[i]}
    joint |= _screw(m.screws[i], m.homes[i][:3, 3]) if m.kinds[i] == "screw" else {"type": m.kinds[i]}
    if mimic is not None:
        joint["mimic"] = {"joint": m.joint_names[mimic[0]], "factor": mimic[1], "offset": mimic[2]}
    for key in LIMITS:
        if m.limits[key][i] != (-np.inf if key == "lower" else np.inf):
            joint[key] = m.limits[key][i]
    for key, numbers in zip(LOSSES, (m.armature, m.damping, m.friction), strict=True):
        if not _same(numbers[i], np.zeros(())):
            joint[key] = numbers[i]
    yield f"joint = {_value(joint)}"


def _base(base: Link) -> Iterator[str]:
    if base.name not in (None, "", "base"):
        yield f"name = {_value(base.name)}"
    nothing = Link()
    if not (base.mass == 0.0 and _same(base.com, nothing.com) and _same(base.inertia, nothing.inertia)):
        yield from _inertia(base)


def _inertia(link: Link) -> Iterator[str]:
    diagonal = np.diag(link.inertia)
    yield f"mass = {_value(link.mass)}"
    yield f"com = {_value(link.com)}"
    yield f"inertia = {_value(diagonal if _same(np.diag(diagonal), link.inertia) else link.inertia)}"


def _screw(S: np.ndarray, origin: np.ndarray) -> dict[str, Any]:
    """A joint's type and geometry; the point of its axis is the link's origin where that will do."""
    w, v = S[:3], S[3:]
    if not w.any():
        return {"type": "prismatic", "axis": v} if _same(prismatic(v), S) else {"type": "prismatic", "screw": S}
    turn = pitch(w, v)
    kind = "helical" if turn else "revolute"
    foot = np.cross(w, v) / float(w @ w) + 0.0
    for point in (origin, np.round(foot, _DIGITS) + 0.0, foot):
        for h in (0.0,) if kind == "revolute" else (round(turn, _DIGITS), turn):
            if _same(screw(w, point, h), S):
                return {"type": kind, "axis": w, "point": point, **({"pitch": h} if kind == "helical" else {})}
    return {"type": kind, "screw": S}


def _frame(m: Mechanism, frame: Frame) -> Iterator[str]:
    yield f"link = {_value(_carrier(m, frame.body))}"
    H = np.eye(4) if frame.body < 0 else m.homes[frame.body]
    absolute = H @ frame.pose
    rounded = absolute.copy()
    rounded[:3, 3] = np.round(absolute[:3, 3], _DIGITS) + 0.0
    for T in (rounded, absolute):
        if _same(T[:3, :3], rigid(T, "", [])[:3, :3]) and _same(relative(H, T) if frame.body >= 0 else T, frame.pose):
            yield f"home = {_value(_home(T))}"
            return
    yield f"pose = {_value(_home(frame.pose))}"


def _hung(m: Mechanism, frame: Frame) -> Iterator[str]:
    """What a frame hangs on, where that is a merged link, and the load of one that is a merged link itself."""
    if frame.parent != _carrier(m, frame.body) or (frame.name == "tool" and frame is not m.tool):
        yield f"parent = {_value(frame.parent)}"
    if frame.load is not None:
        yield f"load = {_value({key: getattr(frame.load, key) for key in ('mass', 'com', 'inertia')})}"


def _carrier(m: Mechanism, body: int) -> str:
    return m.base_name if body < 0 else m.link_names[body]


def _shape(x: Shape) -> Iterator[str]:
    yield f"frame = {_value(x.frame)}"
    if x.role != "visual":
        yield f"role = {_value(x.role)}"
    if x.kind == "mesh":
        yield f"mesh = {_value(x.file)}"
        if x.size != (1.0, 1.0, 1.0):
            yield f"scale = {_value(np.array(x.size))}"
    else:
        yield f"{x.kind} = {_value(np.array(x.size).squeeze())}"
    T = np.array(x.pose)
    if not np.array_equal(T, np.eye(4)):
        yield f"pose = {_value(_home(T))}"
    for key, value in (("name", x.name), ("colour", x.colour), ("texture", x.texture)):
        if value:
            yield f"{key} = {_value(value if isinstance(value, str) else np.array(value))}"


def _home(T: np.ndarray) -> dict[str, Any]:
    turned = not _same(T[:3, :3], np.eye(3))
    return {"position": T[:3, 3], **({"rotation": T[:3, :3]} if turned else {"rpy": np.zeros(3)})}


def _same(x: Any, y: Any) -> bool:
    """Equal to the last bit, the signs of zeros too."""
    return x.tobytes() == y.tobytes()


def _value(x: Any) -> str:
    """A value on one line."""
    if isinstance(x, str):
        import tomli_w

        return tomli_w.dumps({"x": x})[len("x = ") : -1]
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key} = {_value(item)}" for key, item in x.items()) + "}"
    if isinstance(x, np.ndarray) and x.ndim:
        return "[" + ", ".join(map(_value, x)) + "]"
    return repr(float(x))


def _prose(text: str) -> str:
    """A string, folded where it is long and folding keeps it as it is."""
    plain = text == " ".join(text.split()) and text.isprintable() and not any(c in text for c in '"\\')
    if len(text) <= 100 or not plain:
        return _value(text)
    lines = textwrap.wrap(
        text, 110, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return '"""\\\n' + " \\\n".join(lines) + '"""'
