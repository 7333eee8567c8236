"""HTML as a browser and an XML parser read it: well-formed, its text, its cells, what it would run."""

from html.parser import HTMLParser
from xml.etree import ElementTree


def parsed(html: str) -> ElementTree.Element:
    """The tree of a piece of HTML that is well-formed XML too, whatever it is wrapped in."""
    return ElementTree.fromstring(f"<root>{html}</root>")


def text_of(html: str) -> str:
    """What a reader sees, one space between elements."""
    return " ".join(" ".join(parsed(html).itertext()).split())


def cells(html: str) -> list[list[str]]:
    """The rows of all its tables, heads among them."""
    return [["".join(x.itertext()) for x in row] for row in parsed(html).iter("tr")]


def value(text: str) -> float:
    """The number that is typeset in a text, its unit left out."""
    raised = str.maketrans("\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789")
    words = text.replace("\u2212", "-").replace("\u221e", "inf").split("\u202f")
    if len(words) > 2 and words[1] == "\u00d7":
        return float(f"{words[0]}e{words[2].translate(raised).removeprefix('10')}")
    return float(words[0])


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def is_harmless(html: str) -> bool:
    """Whether it has no element and no attribute that runs or loads anything, as a browser reads it."""
    reader = _Elements()
    reader.feed(html)
    for tag, attributes in reader.found:
        if tag in {"script", "img", "iframe", "object", "embed", "link", "style"}:
            return False
        if any(key.startswith("on") or key in ("href", "src") for key in attributes):
            return False
    return bool(reader.found)
