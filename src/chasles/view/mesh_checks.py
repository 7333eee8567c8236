"""Meshes looked at before they are read: what would take memory or time without end is refused.

STL   as many triangles as it says, not more than it has room for
OBJ   bounds on its changes of material and on the triangles that its polygons make
DAE   well-formed XML without a document type, whose entities might swell; bounds on elements, on nesting, and on
      what its nodes place, again and again, in the scene
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from chasles.view.mesh_files import Unusable

MOST_TRIANGLES = 1_000_000  # of a file: as many as fit into the largest STL
MOST_ELEMENTS, DEEPEST = 200_000, 100  # of a DAE file
HEAVIEST = 10**8  # of what its scene places: the text of the indices of a shape as often as it is placed, and
NODE = 20_000  # for each node and shape
MOST_MATERIALS = 1_000  # changes of material in an OBJ file


def checked(data: bytes, kind: str) -> tuple[bytes, float]:
    """The bytes of a file of that kind, "stl", "obj" or "dae", as they may be read, and the metres of its unit."""
    if kind == "dae":
        return data, _unit(data)
    return (_stl if kind == "stl" else _obj)(data), 1.0


def check_triangles(count: int) -> None:
    """Refuse a file with so many triangles that they would take too long."""
    if count > MOST_TRIANGLES:
        raise Unusable(f"it has more than {MOST_TRIANGLES:,} triangles, and these are the most that is shown")


def _stl(data: bytes) -> bytes:
    if data[:512].lstrip()[:5].lower() == b"solid" and b"facet" in data[:4096].lower():
        return data.decode("utf-8", "replace").encode()
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    room = (len(data) - 84) // 50
    if count > room or count < 0:
        said = f"it says that it has {count:,} triangles, and has room for {room:,}" if count > 0 else "it is no STL"
        raise Unusable(said)
    return data[: 84 + 50 * count]


def _obj(data: bytes) -> bytes:
    if data.count(b"usemtl") > MOST_MATERIALS:
        raise Unusable(f"it changes its material more than {MOST_MATERIALS:,} times")
    text = data.decode("utf-8", "replace")
    lines = text.strip().replace("\r\n", "\n").replace("\\\n", "").split("\n")  # as trimesh takes them
    corners = (len(line.split(None, MOST_TRIANGLES + 3)) - 1 for line in lines if line.startswith("f"))
    check_triangles(sum(max(0, count - 2) for count in corners))
    return text.encode()


def _unit(data: bytes) -> float:
    scene = _Scene()
    try:
        scene.check(data)
    except expat.ExpatError as error:
        raise Unusable(f"it is not XML: {error}") from None
    if not 1e-9 < scene.unit < 1e9:
        raise Unusable(f"its unit is {scene.unit} m")
    return scene.unit


class _Scene:
    """What a DAE file places in its scene: of each node and shape, by its id, what it refers to and its own weight."""

    def __init__(self) -> None:
        self.elements = 0
        self.open: list[str] = []  # tags
        self.holders: list[str] = []  # nodes and shapes
        self.below: dict[str, list[str]] = {}
        self.weights: dict[str, int] = {}
        self.tops: list[str] = []
        self.words: list[str] | None = None  # of the list of numbers that is open
        self.listed: list[dict[str, list[int]]] = [{}]  # of open elements: corners of vcounts, sizes of ps
        self.unit = 1.0

    def check(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self.text, self.doctype
        parser.Parse(data, True)
        totals: dict[str, int] = {}
        if sum(self.total(top, totals, ()) for top in self.tops) > HEAVIEST:
            raise Unusable("its scene places too many shapes, or the same ones too often")

    def start(self, tag: str, given: dict[str, Any]) -> None:
        tag = tag.rpartition(":")[2]
        self.elements += 1
        self.open.append(tag)
        self.listed.append({})
        if self.words is not None:
            raise Unusable("a list of numbers in it has elements")
        if self.elements > MOST_ELEMENTS or len(self.open) > DEEPEST:
            raise Unusable(f"it has more than {MOST_ELEMENTS:,} elements, or {DEEPEST} of them in each other")
        if tag in ("node", "geometry"):
            name = f"{tag} {given.get('id') or self.elements}"
            if tag == "node":
                (self.below[self.holders[-1]] if self.holders else self.tops).append(name)
            self.below.setdefault(name, [])
            self.weights[name] = self.weights.get(name, 0) + NODE
            self.holders.append(name)
        elif tag in ("instance_node", "instance_geometry") and self.holders:
            named = f"{tag.removeprefix('instance_')} {given.get('url', '').removeprefix('#')}"
            self.below[self.holders[-1]].append(named)
        elif tag in ("vcount", "p"):
            self.words = []
        elif tag == "unit" and len(self.open) == 3:  # of the whole: <COLLADA><asset><unit>
            self.unit = float(given.get("meter", 1.0))

    def end(self, tag: str) -> None:
        tag = self.open.pop()
        self.check_lists(self.listed.pop())
        if tag in ("node", "geometry"):
            self.holders.pop()
        elif tag in ("vcount", "p"):
            words = "".join(self.words or ())
            self.words = None
            counted = sum(map(abs, map(int, words.split()))) if tag == "vcount" else len(words)
            self.listed[-1].setdefault(tag, []).append(counted)
            if tag == "p" and self.holders:
                self.weights[self.holders[-1]] += len(words)

    def check_lists(self, listed: dict[str, list[int]]) -> None:
        """Of an element that ends: as many corners as its list of counts says, whatever comes first in it."""
        if "vcount" not in listed:
            return
        if len(listed["vcount"]) > 1 or len(listed.get("p", ())) > 1:
            raise Unusable("a list of polygons in it has more than one list of counts, or of corners")
        corners = listed["vcount"][0]
        if corners > sum(listed.get("p", ())):
            raise Unusable(f"it says that it has {corners:,} corners, and has not so many")
        check_triangles(corners // 3)

    def text(self, words: str) -> None:
        if self.words is not None:
            self.words.append(words)

    def doctype(self, *_: Any) -> None:
        raise Unusable(
            "it has a document type (<!DOCTYPE ...>), which can hide entities that swell or read other files"
        )

    def total(self, name: str, totals: dict[str, int], above: tuple[str, ...]) -> int:
        """The weight of what a node places, with all below it."""
        if name in above:
            raise Unusable(f"its {name[:80]} is inside of itself")
        if name not in totals:
            below = sum(self.total(child, totals, (*above, name)) for child in self.below.get(name, ()))
            totals[name] = self.weights.get(name, NODE) + below
        return totals[name]
