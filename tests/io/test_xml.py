"""The reader of XML: tags, attributes, text and lines. What it refuses is in test_urdf_hostile.py."""

import pytest

import chasles
from chasles.errors import ModelError
from chasles.io import files, xml

TEXT = """<?xml version="1.0"?>
<!-- a comment
     of two lines -->
<a x="1" y:z="&lt;two&gt;">
  one <b/><![CDATA[<two>]]>
  <c
     d="3"
     ><b>&#233;</b></c>
</a>
"""


def test_elements_know_their_lines():
    a = xml.parse(TEXT, "here")
    assert (a.tag, a.line, a.attributes, a.text) == ("a", 4, {"x": "1", "y:z": "<two>"}, "one <two>")
    assert [(e.tag, e.line) for e in a.walk()] == [("a", 4), ("b", 5), ("c", 6), ("b", 8)]
    assert [e.text for e in a.children[1].all("b")] == ["\u00e9"] and a.all("d") == []
    assert xml.parse(TEXT.encode(), "here") == a


def test_resources_are_read(tmp_path):
    class Resource:
        def read_bytes(self):
            return TEXT.encode()

    file = tmp_path / "x.xml"
    file.write_text(TEXT)
    assert files.read(Resource()) == files.read(file) == files.read(str(file)) == TEXT.encode()


def test_complaints_are_short():
    with pytest.raises(ModelError, match=r"^here:1: not XML: mismatched tag") as error:
        xml.parse(f"<{'x' * 10_000}></y>", "here")
    assert len(str(error.value)) < 700


def test_comments_are_blanked_and_nothing_else():
    text = "<!-- a -- b\n--><a b='<!--' c=\"-->\"><![CDATA[<!-- -->]]><?p <!-- ?><!---></a --><b/></a>"
    clean = xml.without_comments(text)
    assert len(clean) == len(text) and clean.count("\n") == 1 and "<!---" not in clean and "a -- b" not in clean
    assert "b='<!--' c=\"-->\"><![CDATA[<!-- -->]]><?p <!-- ?>" in clean
    assert xml.parse(text.replace("'<!--'", "''"), "here").children[0].line == 2
    for hostile in ("<!--" * 300_000, "<a '" * 300_000, "<?" * 300_000, "<" * 300_000):
        assert xml.without_comments(hostile) == hostile
    many = "<a>" + "<!-- b -->\n" * 3 + "c<!-- d --> <!--> --></a>"
    assert xml.without_comments(many) == "<a>" + (" " * 10 + "\n") * 3 + "c" + " " * 20 + "</a>"


@pytest.mark.parametrize("format", ["urdf", "mjcf"])
def test_attributes_are_bounded(format, monkeypatch):
    """They are counted before they are read."""
    root = {"urdf": "robot", "mjcf": "mujoco"}[format]
    many = " ".join(f"a{i}=''" for i in range(1_001))
    assert xml.MOST_ATTRIBUTES <= 10**6
    monkeypatch.setattr(xml, "MOST_ATTRIBUTES", 1_000)
    with pytest.raises(ModelError, match="<text>:1: more than 1,000 attributes: no robot is that large"):
        chasles.load_text(f"<{root} {many}/>", format)
