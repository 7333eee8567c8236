"""An MJCF file, looked at before MuJoCo is: what would hang or end the process, or be read as other than it says.

What is looked at: the file, those it includes, and those of the models it attaches (<model file="...">). MuJoCo opens
these while it reads; what its assets name, meshes, height fields, textures and skins, it opens later, and
io/mjcf_assets.py sees to that. All of them must lie in the folder of the file given, below it (links of the file system
are followed), or in folders that the user allows; text lies in the working folder.

Refused, with FILE:LINE and the element:

    form      what is not UTF-8 or not well formed (MuJoCo reads on over repeated attributes), or has a document type
    files     outside of the folder, pipes and devices, or files that attach each other in a circle, for which MuJoCo
              has no stack
    amounts   nesting beyond MOST_NESTED; more than MOST_ELEMENTS elements, of which <replicate> and <attach> may make
              MOST_MADE: MuJoCo's time grows with their square; more of anything counted than a robot has, or, of cells
              of height fields, pixels, points of built-in meshes and user data, all together: MuJoCo would reserve
              memory for it, and go through it. What is in a model is counted as often as it is read or attached
    numbers   a nan or an infinity, which MuJoCo may take for another number; beyond LARGEST_NUMBER, whose squares
              overflow; none where some belong: of an empty anchor MuJoCo fails without a word, and at last hangs

What is inside of meshes is left to MuJoCo.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from chasles.errors import CONTROL
from chasles.io import files, xml
from chasles.io.files import LARGEST_FILE
from chasles.io.roots import Roots, irregular

MOST_NESTED = 500
MOST_ELEMENTS = 30_000
MOST_MADE = 10_000
LARGEST_NUMBER = 1e30
_NAMES = ("name", "class", "childclass", "model", "body", "joint", "site", "geom", "mesh", "material", "target")
_FOLDERS = ("meshdir", "assetdir")  # of meshes
_LATER = ("mesh", "hfield", "texture", "skin")  # whose files MuJoCo opens when it has read all
_COPIES = "elements made by <replicate> and <attach>"
_BOUNDED = (
    *("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia", "density", "size"),
    *("fromto", "axis", "ref", "armature", "damping", "frictionloss", "gravity", "offset", "scale", "vertex"),
    *("boundmass", "boundinertia", "settotalmass", "refpos", "refquat", "stiffness", "springref", "anchor"),
)
_COUNTED = {"nkey": 10_000, **dict.fromkeys(("nrow", "ncol", "width", "height"), 10_000)}
_USER = 10_000  # of nuser_body and its like
_PER_ELEMENT = 3 * 10**7  # of those, and of keyframes, times the elements that may have them
_TOGETHER = {
    "elements": MOST_ELEMENTS,
    _COPIES: MOST_MADE,
    **{"cells of height fields": 2**25, "pixels": 2**25, "points of meshes": 10**6, "numbers of user data": 10**6},
}
_NOT_FINITE = re.compile(r"(?i)(?<![a-z_])[+-]?(nan|inf|infinity)(?![a-z_])")


class _Model:
    """A model that is looked through: a file with those it includes. amounts: of what it makes, by _TOGETHER."""

    def __init__(self) -> None:
        self.amounts = dict.fromkeys(_TOGETHER, 0)
        self.included: set[Path] = set()
        self.attachable: dict[str, dict[str, int]] = {}  # the amounts of models, by name

    def add(self, amounts: dict[str, int], times: int) -> str | None:
        """Count amounts so many times; what there is too much of then."""
        for what, amount in amounts.items():
            self.amounts[what] += amount * times
        return next((what for what in amounts if self.amounts[what] > _TOGETHER[what]), None)

    def copied(self, name: str) -> dict[str, int]:
        """What attaching a model makes; where its name is not known, as much as of any."""
        known = [self.attachable[name]] if name in self.attachable else self.attachable.values()
        most = {what: max((x[what] for x in known), default=0) for what in _TOGETHER}
        return {**most, _COPIES: most["elements"]}


class Checked:
    """A file that passed, and all that it names. `files`: those it includes or attaches."""

    def __init__(self, data: str | bytes, file: str, folder: Path, others: Iterable[Path] = ()) -> None:
        self.file, self.folder, self.files = file, folder, list[str]()
        self.roots = Roots(folder, others)
        self._lines: dict[tuple[str, str], str] = {}
        self._reserved = 0, file, 1  # numbers that each element may have, and where that is said
        self._open: list[Path] = []  # files on the way down, to see a circle
        self._models: dict[Path, dict[str, int]] = {}
        self._mesh_folders, self._others = {""}, list[tuple[str, int, Path, str, str]]()
        self._include = 1
        own, model = Path(file).resolve() if Path(file).is_file() else None, _Model()
        with self._within(own):
            self.text = self._document(data, file, Path(file).parent if own else folder, model)
        for at, line, beside, tag, name in self._others:
            for inside in self._mesh_folders:
                self._check_file(at, line, beside, tag, joined(inside, name))
        reserved, at, line = self._reserved
        if reserved * model.amounts["elements"] > _PER_ELEMENT:
            text = f"{reserved:,} numbers for each of {model.amounts['elements']:,} elements: no robot has that many"
            xml.fail(at, line, f"<size>: {text}")

    def where(self, message: str) -> str:
        """FILE:LINE of what a message of ours names, a body, joint or site; FILE where that is not known."""
        for kind, name in re.findall(r"(body|link|joint|site|frame|mesh) ['\"]([^'\"]*)['\"]", message):
            kinds = {"link": ("body",), "frame": ("site", "body")}.get(kind, (kind,))
            for place in (self._lines.get((k, name)) for k in kinds):
                if place:
                    return place
        return self.file

    def check_mesh(self, mesh: str, name: str) -> None:
        """Refuse a mesh whose file, whose name is relative to that of any of the models, may not be opened."""
        where = self._lines.get(("mesh", mesh)) or self._lines.get(("mesh", Path(name).stem), f"{self.file}:1")
        file, _, line = where.rpartition(":")
        for beside in (Path(file).parent for file in (self.file, *self.files)):
            self._check_file(file, int(line), beside, "mesh", name)

    def fail(self, message: str) -> NoReturn:
        """What MuJoCo says is wrong: at the line it names, which is 0 in an included file."""
        found = re.findall(r"[Ll]ine(?: number=| )(\d+)", message)
        line = int(found[-1]) if found else 1
        if line == 0 and self.files:
            names = ", ".join(Path(name).name for name in self.files[:8])
            xml.fail(self.file, self._include, f"MuJoCo, of what this file includes ({names}): {message}")
        xml.fail(self.file, max(line, 1), f"MuJoCo: {message}")

    @contextmanager
    def _within(self, path: Path | None) -> Iterator[None]:
        if path is not None:
            self._open.append(path)
        yield
        if path is not None:
            self._open.pop()

    def _document(self, data: str | bytes, file: str, folder: Path, model: _Model, times: int | None = None) -> str:
        """Look through one document; its text. times: how often MuJoCo reads it, None for the first."""
        text = _decoded(data, file)
        parser = expat.ParserCreate("utf-8")
        repeats: list[int] = []  # for each element that is open how often MuJoCo will make what is in it

        def add(line: int, tag: str, amounts: dict[str, int], times: int) -> None:
            if what := model.add(amounts, times):
                xml.fail(file, line, f"<{tag}>: more than {_TOGETHER[what]:,} {what}: no robot has that many")

        def start(tag: str, attributes: dict[str, str]) -> None:
            line, short = parser.CurrentLineNumber, tag[:80]
            if times is None and not repeats:
                _check_root(short, file, line)
            if len(repeats) >= MOST_NESTED:
                xml.fail(file, line, f"<{short}>: elements are nested more than {MOST_NESTED} deep")
            often = repeats[-1] if repeats else times or 1
            add(line, short, {"elements": often, _COPIES: often - 1}, 1)
            for key, value in attributes.items():
                self._attribute(file, line, short, key, value)
            add(line, short, dict(_amounts(tag, attributes)), often)
            if tag == "size":
                reserved = sum(_count(x) for key, x in attributes.items() if key == "nkey" or key.startswith("nuser_"))
                self._reserved = max(self._reserved, (reserved, file, line))
            repeats.append(often * _count(attributes.get("count", "1")) if tag == "replicate" else often)
            self._note(file, line, folder, tag, attributes)
            if tag == "attach":
                add(line, short, model.copied(attributes.get("model", "")), often)
            if tag in ("include", "model") and "file" in attributes:
                self._include = line if file == self.file else self._include
                for found in self._other(file, line, folder, short, attributes["file"], model, often):
                    model.attachable[attributes.get("name", "")] = found
                    add(line, short, found, 1)

        parser.StartElementHandler = start
        parser.EndElementHandler = lambda _: repeats.pop()
        parser.StartDoctypeDeclHandler = lambda *_: xml.fail(
            file, parser.CurrentLineNumber, "a document type (<!DOCTYPE ...>) is refused: it can hide entities"
        )
        clean = xml.without_comments(text).encode("utf-8", "replace")
        xml.check_amount(clean, file)
        try:
            parser.Parse(clean, True)
        except expat.ExpatError as error:
            what = "the file is empty" if not text.strip() else expat.ErrorString(error.code)
            xml.fail(file, error.lineno, f"not XML: {what} (column {error.offset + 1})")
        return text

    def _note(self, file: str, line: int, folder: Path, tag: str, attributes: dict[str, str]) -> None:
        """Remember where a thing of a name stands, and what is looked for when all is read."""
        name = attributes.get("name") or Path(attributes.get("file", "").replace("\\", "/")).stem
        if name:
            self._lines.setdefault(("joint" if tag == "freejoint" else tag, name), f"{file}:{line}")
        self._mesh_folders |= {attributes[key] for key in _FOLDERS if key in attributes}
        if "file" in attributes and tag not in ("include", "model", *_LATER):
            self._others.append((file, line, folder, tag[:80], attributes["file"]))

    def _attribute(self, file: str, line: int, tag: str, key: str, value: str) -> None:
        """One attribute of an element."""

        def refuse(why: str) -> NoReturn:
            xml.fail(file, line, f"<{tag}> {key[:80]}={value[:80]!r}{why}")

        if key.startswith("file") or key in (*_FOLDERS, "texturedir"):
            return
        if key in _NAMES and CONTROL.search(value):
            refuse(" has a control character")
        if key not in _NAMES and _NOT_FINITE.search(value):
            refuse(" is not finite")
        if key in _BOUNDED and not value.strip():
            refuse(" is empty")
        if key in _BOUNDED and any(abs(x) > LARGEST_NUMBER for x in _numbers(value)):
            refuse(f" is beyond any {key} of a robot")
        most = _USER if key.startswith("nuser_") else MOST_ELEMENTS if key == "count" else _COUNTED.get(key)
        if most is not None and _count(value) > most:
            refuse(f" is more than {most:,}: no robot has that many")

    def _check_file(self, file: str, line: int, folder: Path, tag: str, name: str) -> list[Path]:
        """The files that a name may stand for: MuJoCo looks beside the first file, then beside the one that has it."""
        out = []
        for beside in dict.fromkeys((self.folder, folder)):
            path = beside / name.replace("\\", "/")
            if why := self.roots.refusal(name, beside) or irregular(path):
                xml.fail(file, line, f"<{tag}> file={name[:80]!r}: {why}")
            if path.exists():
                out.append(path)
        return out  # if it is empty MuJoCo says so

    def _other(
        self, file: str, line: int, folder: Path, tag: str, name: str, model: _Model, times: int
    ) -> Iterator[dict[str, int]]:
        """A file that is included is part of the model; of one that is attached, what it makes."""
        for path in self._check_file(file, line, folder, tag, name):
            real = path.resolve()
            if real in self._open:
                xml.fail(file, line, f"<{tag}> file={name[:80]!r}: the files go round in a circle")
            if real in self._models and tag == "model":
                yield {**self._models[real], _COPIES: self._models[real]["elements"]}
            if real in (model.included if tag == "include" else self._models):
                continue
            self.files.append(str(path))
            inner = model if tag == "include" else _Model()
            inner.included.add(real)
            with self._within(real):
                self._document(files.read(path), str(path), path.parent, inner, times if tag == "include" else 1)
            if tag == "model":
                self._models[real] = inner.amounts
                yield inner.amounts


def joined(folder: str, name: str) -> str:
    """A name in a folder, as MuJoCo has it: one that is absolute stays as it is."""
    return name if not folder or name.startswith(("/", "\\")) or re.match("[A-Za-z]:", name) else f"{folder}/{name}"


def _decoded(data: str | bytes, file: str) -> str:
    if len(data) > LARGEST_FILE:
        xml.fail(file, 1, f"more than {LARGEST_FILE // 2**20} MiB: no robot is that large")
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            xml.fail(file, data.count(b"\n", 0, error.start) + 1, "not UTF-8 text")
    text = data.removeprefix("\ufeff")
    if "\0" in text:
        xml.fail(file, text.count("\n", 0, text.index("\0")) + 1, "not text: it has a NUL byte")
    return text


def _amounts(tag: str, attributes: dict[str, str]) -> Iterator[tuple[str, int]]:
    """What an element has to be added up, and how much of it."""

    def product(*keys: str) -> int:
        return prod(_count(attributes.get(key, "0")) for key in keys)

    if tag == "hfield":
        yield "cells of height fields", product("nrow", "ncol")
    elif tag == "texture":
        is_flat = attributes.get("type") == "2d"  # a cube's height need not be given
        yield "pixels", product("width", "height") if is_flat else 6 * product("width", "width")
    elif tag == "mesh" and "builtin" in attributes:
        most = int(min(max(map(abs, _numbers(attributes.get("params", ""))), default=0.0), 2.0**20))
        is_sphere = attributes["builtin"] == "sphere"  # halved again and again
        yield "points of meshes", 10 * 4 ** min(most, 20) if is_sphere else most * most
    elif tag in ("size", "user"):
        yield "numbers of user data", product("nuserdata" if tag == "size" else "dim")


def _check_root(tag: str, file: str, line: int) -> None:
    if tag != "mujoco":
        hint = ": a URDF file, which should be named .urdf" if tag == "robot" else ""
        xml.fail(file, line, f"the root of an MJCF file is <mujoco>, this one's is <{tag}>{hint}")


def _numbers(value: str) -> list[float]:
    """The words that are decimal numbers; MuJoCo complains of the others."""
    out = []
    for word in value.split():
        try:
            out.append(float(word))
        except ValueError:
            continue
    return out


def _count(value: str) -> int:
    """A count, or the product of several."""
    return prod(int(min(abs(x), 2.0**40)) for x in _numbers(value))
