"""Reports as readers see them: sections by title, tables, maps, and what a browser would run."""

import base64
import json
import re
import struct
import zlib
from html import unescape
from html.parser import HTMLParser

import numpy as np
from support.html import parsed

SVG = "{http://www.w3.org/2000/svg}"


def main(html):
    """The element that holds all but the contents, parsed: it is well-formed XML."""
    return parsed(html[html.index("<main") : html.index("</main>") + len("</main>")])[0]


def sections(html):
    """{title: element}."""
    return {"".join(next(one.iter("h2")).itertext()): one for one in main(html).iter("section")}


def words(element):
    """The text that a reader sees, one space between elements."""
    return " ".join(" ".join(element.itertext()).split())


def rows(element, k=0):
    """The k-th table of an element: its rows, heads first, spaces that align numbers left out."""
    table = [*element.iter("table")][k]
    return [["".join(cell.itertext()).strip("\u2007\u2008 ") for cell in row] for row in table.iter("tr")]


def frames(html):
    """The pages in the frames of a page."""
    return [unescape(text) for text in re.findall(r'srcdoc="([^"]*)"', html)]


def maps(element):
    """What the page's script reads of each map."""
    return [json.loads(one.get("data-map")) for one in element.iter(f"{SVG}svg") if one.get("data-map")]


def pixels(image):
    """(rows, columns, 4) of a PNG in a data URI, as this library writes them."""
    data = base64.b64decode(image.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        (size,), kind = struct.unpack(">I", data[place : place + 4]), data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + size]
        (check,) = struct.unpack(">I", data[place + 8 + size : place + 12 + size])
        assert check == zlib.crc32(kind + body)
        chunks[kind], place = body, place + 12 + size
    width, height, depth, form, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, form, rest) == (8, 6, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 4 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 4)


class _Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def what_runs(html):
    """Elements and attributes of a page by which something is run or loaded, as a browser reads it."""
    reader = _Elements()
    reader.feed(html)
    found = [tag for tag, _ in reader.tags if tag in ("script", "iframe", "img", "link", "object", "embed", "base")]
    for _, attributes in reader.tags:
        found += [key for key in attributes if key.startswith("on") or key == "src"]
        link = attributes.get("href", "#")
        found += [link] if not link.startswith(("#", "data:image/png;base64,")) else []
    return found
