"""A small, safe reader of XML: elements with the line each stands on, and nothing else.

The parser is the standard library's expat, kept from everything that has ever made XML dangerous: a document type is
refused, and with it entities of one's own, their bombs and whatever they point to. No file is opened but the one given,
which may have at most 64 MiB, MOST_ELEMENTS elements, MOST_ATTRIBUTES attributes and a nesting of DEEPEST. Text is
UTF-8; UTF-16 with its byte order mark, and ASCII or Latin-1 where the file declares them, are read too. Prefixes of
namespaces stay in the tag. Comments may have "--" in them, which XML does not allow but other readers of robots do.
Whatever is wrong is a `ModelError` that begins with FILE:LINE.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from chasles.errors import ModelError
from chasles.io import files

MOST_ELEMENTS = 250_000
MOST_ATTRIBUTES = 500_000
DEEPEST = 100

_CODECS = {"utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "latin-1"}
_TAG = re.compile(r"""<[^"'<>]*+(?:(?:"[^"]*+"|'[^']*+')[^"'<>]*+)*+>""")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_COMMENTS = re.compile(r"(?:(?><!--.*?-->)\s*+)++", re.DOTALL)  # one behind the other
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"'>]{0,80})["']""")


@dataclass(slots=True)
class Element:
    """An element: its tag and attributes as written, its children, its own text without the space around it."""

    tag: str
    line: int
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list["Element"]:
        """The children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator["Element"]:
        """The element and all below it, in the order of the file."""
        stack: list[Element] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))


def parse(data: bytes | str, file: str) -> Element:
    """The root element of a document; `file` names it in errors."""
    text = _decoded(data, file) if isinstance(data, bytes) else data
    try:
        clean = text.removeprefix("\ufeff").encode("utf-8")
    except UnicodeEncodeError as error:
        fail(file, text.count("\n", 0, error.start) + 1, "not text: it has half of a surrogate pair")
    if len(clean) > files.LARGEST_FILE:
        fail(file, 1, f"more than {files.LARGEST_FILE // 2**20} MiB: no robot is that large")
    if b"\0" in clean:
        fail(file, clean.count(b"\n", 0, clean.index(b"\0")) + 1, "not text: it has a NUL byte")
    if not clean.strip():
        fail(file, clean.count(b"\n") + 1, "not XML: the file is empty")
    if b"<!--" in clean:
        clean = without_comments(clean.decode("utf-8")).encode("utf-8")
    check_amount(clean, file)
    return _Builder(file).build(clean)


def check_amount(data: bytes, file: str) -> None:
    """Refuse more attributes than any robot has, before a parser keeps them."""
    if data.count(b"=") > MOST_ATTRIBUTES:
        fail(file, 1, f"more than {MOST_ATTRIBUTES:,} attributes: no robot is that large")


def without_comments(text: str) -> str:
    """The text with spaces in the place of comments, up to where it is no XML."""
    out, done, at = [], 0, 0
    while (start := text.find("<", at)) >= 0:
        kind = next((kind for kind in _ENDS if text.startswith(kind, start)), "")
        if kind == "<!--":
            comments = _COMMENTS.match(text, start)
            at = comments.end() if comments else -1
        elif kind:
            end = text.find(_ENDS[kind], start + len(kind))
            at = end + len(_ENDS[kind]) if end >= 0 else -1
        else:
            tag = _TAG.match(text, start)
            at = tag.end() if tag else -1
        if at < 0:
            break
        if kind == "<!--":
            out += [text[done:start], re.sub(r"[^\n]", " ", text[start:at])]
            done = at
    return "".join([*out, text[done:]])


def fail(file: str, line: int, message: str) -> NoReturn:
    """Complain, without repeating more than a little of what may be very long."""
    short = message if len(message) <= 600 else f"{message[:300]} ... {message[-200:]}"
    raise ModelError(f"{file}:{line}: {short}")


def _decoded(data: bytes, file: str) -> str:
    if len(data) > files.LARGEST_FILE:
        fail(file, 1, f"more than {files.LARGEST_FILE // 2**20} MiB: no robot is that large")
    codec = "utf-8"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        codec = "utf-16"
    elif declared := _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf")):
        name = declared[1].decode("ascii", "replace").lower()
        if name not in _CODECS:
            fail(file, 1, f"its encoding {name!r} is not read here; save it as UTF-8")
        codec = _CODECS[name]
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(file, line, f"not {codec.upper()} text ({error.reason} at byte {error.start}); save it as UTF-8")


class _Builder:
    """Builds the tree from what expat reports."""

    def __init__(self, file: str) -> None:
        self.file, self.count = file, 0
        self.open: list[Element] = []
        self.words: list[list[str]] = []
        self.root: Element | None = None

    def build(self, data: bytes) -> Element:
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            inside = f"; <{self.open[-1].tag}> of line {self.open[-1].line} is open" if self.open else ""
            what = expat.ErrorString(error.code) or "unknown error"
            fail(self.file, error.lineno, f"not XML: {what} (column {error.offset + 1}){inside}")
        assert self.root is not None  # or expat would have complained
        return self.root

    def fail(self, message: str) -> NoReturn:
        fail(self.file, self.parser.CurrentLineNumber, message)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self.fail(f"more than {MOST_ELEMENTS:,} elements: no robot is that large")
        if len(self.open) >= DEEPEST:
            self.fail(f"<{tag}>: elements are nested more than {DEEPEST} deep")
        element = Element(tag, self.parser.CurrentLineNumber, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.words.append([])

    def end(self, tag: str) -> None:
        self.open.pop().text = "".join(self.words.pop()).strip()

    def characters(self, text: str) -> None:
        self.words[-1].append(text)

    def doctype(self, *_: Any) -> None:
        self.fail("a document type (<!DOCTYPE ...>) is refused: it can hide entities that swell or read other files")
