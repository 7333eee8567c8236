"""A robot as a MuJoCo model: an MJCF file, compiled by the package mujoco.

The space frame is the world, the base is called "world", bodies and joints keep MuJoCo's order, and q is MuJoCo's qpos
but for the order in a quaternion, v its qvel but for free joints (`conventions` has the maps):

    hinge, slide   a screw; home is at q = 0, also where the file has a `ref`
    ball           a spherical joint. If its `pos` is not the body's origin the moving link is BODY_ball, in its centre
    free           a free joint whose home is the origin of the world; where the file puts the body is a note
    several        a chain, with massless links BODY_after_JOINT between
    none           the body is merged into its parent and stays addressable as a frame

Carried: bodies and their inertia as MuJoCo computes it (from geoms too), ranges, armature, damping, frictionloss, a
symmetric actuatorfrcrange as the effort limit, sites as frames, gravity. All else that would change the motion
(equality constraints, tendons, springs, gravity compensation, fluids, flexible parts, plugins, polynomial damping) is
named in a doubt, and contacts, actuators, sensors and keyframes in a note: none of it is carried.

Free joints with an armature are the one place where forces differ: MuJoCo's armature resists the acceleration in the
world's axes, ours that in the body's. MuJoCo opens the files an MJCF file names: includes, meshes, height fields.
"""

import re
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from xml.parsers import expat

from chasles.errors import ModelError
from chasles.io import xml
from chasles.io.mjcf_reader import from_mujoco
from chasles.model.mechanism import Mechanism

__all__ = ["from_mujoco", "parse", "read"]

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def read(path: str | PathLike[str] | Any) -> Mechanism:
    """The mechanism of an MJCF file: a path, or anything with `read_bytes` (a resource of a package)."""
    data = xml.read(path)
    if not isinstance(path, (str, PathLike)):
        return parse(data, str(path))
    _check(data, str(path))
    return _made(str(path), lambda mujoco: mujoco.MjModel.from_xml_path(fspath(path)))


def parse(text: str | bytes, file: str = "<text>") -> Mechanism:
    """The mechanism of MJCF text; `file` names it in errors. Files that it names are looked for where we are."""
    clear = _check(text, file)
    return _made(file, lambda mujoco: mujoco.MjModel.from_xml_string(clear))


_NOT_FINITE = re.compile(r"(?i)(?<![a-z_])[+-]?(nan|inf|infinity)(?![a-z_])")
_WORDS = ("name", "class", "childclass", "file", "model", "body", "joint", "site", "geom", "mesh", "material", "target")


def _made(file: str, compiled: Any) -> Mechanism:
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise ModelError(f"{file}: an MJCF file needs the package mujoco: pip install mujoco") from None
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # or it writes a log file where we are
    try:
        model = compiled(mujoco)
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        what = " ".join(str(error).split()).removeprefix("XML ").removeprefix("Error: ")
        xml.fail(file, _line(what), f"MuJoCo: {what}")
    finally:
        mujoco.set_mju_user_warning(before)
    try:
        return from_mujoco(model, name=Path(file).stem, doubts=[f"MuJoCo: {' '.join(x.split())}" for x in said])
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def _line(message: str) -> int:
    """The line that a message of MuJoCo's is about; the first if it says none."""
    found = re.findall(r"[Ll]ine(?: number=| )(\d+)", message)
    return int(found[-1]) if found else 1


def _check(data: str | bytes, file: str) -> str:
    """The text, which is well formed and MJCF: MuJoCo reads on over repeated attributes, and reads URDF too."""
    if isinstance(data, bytes):
        if len(data) > xml.SIZE:
            xml.fail(file, 1, f"more than {xml.SIZE // 2**20} MiB: no robot is that large")
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            xml.fail(file, data.count(b"\n", 0, error.start) + 1, "not UTF-8 text")
    text = data.removeprefix("\ufeff")
    if "\0" in text:
        xml.fail(file, text.count("\n", 0, text.index("\0")) + 1, "not text: it has a NUL byte")
    tags: list[tuple[str, int]] = []
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if not tags:
            tags.append((tag, parser.CurrentLineNumber))
        for key, value in attributes.items():
            if key not in _WORDS and _NOT_FINITE.search(value):  # MuJoCo takes other numbers for them
                xml.fail(file, parser.CurrentLineNumber, f"<{tag[:80]}> {key}={value[:80]!r} is not finite")
            if key in ("file", "meshdir", "texturedir", "assetdir") and (value.startswith("/") or ".." in value):
                what = "a file outside of the robot's own folder is not opened"
                xml.fail(file, parser.CurrentLineNumber, f"<{tag[:80]}> {key}={value[:80]!r}: {what}")

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = lambda *_: xml.fail(
        file, parser.CurrentLineNumber, "a document type (<!DOCTYPE ...>) is refused: it can hide entities"
    )
    loose = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)  # MuJoCo allows "--" in comments
    try:
        parser.Parse(loose.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        what = "the file is empty" if not text.strip() else expat.ErrorString(error.code)
        xml.fail(file, error.lineno, f"not XML: {what} (column {error.offset + 1})")
    root, line = tags[0]
    if root != "mujoco":
        hint = ": a URDF file, which should be named .urdf" if root == "robot" else ""
        xml.fail(file, line, f"the root of an MJCF file is <mujoco>, this one's is <{root[:80]}>{hint}")
    return text
