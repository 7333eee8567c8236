"""Hostile input: every file loads right or is refused by name, at once, and no other file is ever touched."""

import os
import re
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.tolerances import close
from support.urdf_hostile import ALIKE, REFUSED, SAMPLE

from chasles.errors import ModelError, ModelWarning
from chasles.io import urdf
from chasles.io.urdf_checks import KNOWN
from chasles.model.mechanism import Mechanism

_opened: list | None = None


def _watch(event, args):
    if _opened is not None and event in ("open", "socket.connect", "os.system", "subprocess.Popen", "exec", "compile"):
        _opened.append(args[0])


sys.addaudithook(_watch)  # for good: Python has no way to take it back


@pytest.fixture
def opened():
    """What is opened from here on."""
    global _opened
    _opened = []
    yield _opened
    _opened = None


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return urdf.read(path)


def saved(tmp_path, data):
    file = tmp_path / "hostile.urdf"
    file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    return file


def test_there_are_enough():
    assert len(REFUSED) >= 250 and len(ALIKE) >= 30


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path, opened):
    data, line, pattern = REFUSED[name]
    data = data() if callable(data) else data
    where = rf":{line or '[0-9]+'}: "
    if isinstance(data, str):
        with pytest.raises(ModelError, match=f"^here.urdf{where}(?s:.*){pattern}") as error:
            urdf.parse(data, "here.urdf")
        assert type(error.value) is ModelError and len(str(error.value)) < 1000
    if name == "half a surrogate":  # which is no UTF-8
        pattern = "not UTF-8 text"
    file = saved(tmp_path, data)
    opened.clear()
    start = time.perf_counter()
    with pytest.raises(ModelError, match=f"^{re.escape(str(file))}{where}(?s:.*){pattern}"):
        read(file)
    assert time.perf_counter() - start < 20.0
    assert {str(path) for path in opened} == {str(file)}


@pytest.mark.parametrize("name", ALIKE)
def test_loads_alike(name, tmp_path, opened):
    data = ALIKE[name]
    expected, file = urdf.parse(SAMPLE), saved(tmp_path, data() if callable(data) else data)
    opened.clear()
    start = time.perf_counter()
    m = read(file)
    assert time.perf_counter() - start < 20.0
    assert {str(path) for path in opened} == {str(file)}
    assert m.key == expected.key and m.doubts == ()


# Files


@pytest.mark.parametrize(
    "name", ["missing.urdf", "", ".", "/dev/zero", "/dev/null", "a\0b.urdf", "x" * 5000, "pipe", "loop"]
)
def test_no_such_file(name, tmp_path, opened):
    os.mkfifo(tmp_path / "pipe")
    os.symlink(tmp_path / "loop", tmp_path / "loop")
    with pytest.raises(ModelError, match=r"this is not a file|cannot be read"):
        urdf.read(tmp_path / name)
    assert opened == []


def test_a_path_is_named_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved(tmp_path, "<robot>")
    with pytest.raises(ModelError, match=r"^hostile.urdf:1: not XML"):
        urdf.read("hostile.urdf")


# Strange, but right


def test_text_has_no_encoding_of_its_own():
    assert urdf.parse(SAMPLE.replace('"1.0"', '"1.0" encoding="x-foo"', 1)).key == urdf.parse(SAMPLE).key


def edited(*pairs):
    text = SAMPLE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_names_are_free():
    strange = ["base", "tool", "a b", "\u00e9\u4e2d\U0001f916", "'", "a/b", "..", "-", "0", "None"]
    for name in strange:
        m = urdf.parse(edited(('"b"', f'"{name}"'), ('"k"', f'"{name}"')))
        assert m.link_names == (name, "c") and m.joint_names == ("j", name)
    with pytest.raises(ModelError, match=r':3: link "it\'s": its inertia'):
        urdf.parse(edited(('"a"', '"it\'s"'), ('iyy="0.4"', 'iyy="-0.4"')))


def test_tiny_and_large():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        m = urdf.parse(edited(('value="1"', 'value="1e-320"'), ('"1 2 3"', '"1e30 1e-320 -1e30"')))
    assert m.links[0].mass == 1e-320 and np.isfinite(m.homes).all() and np.isfinite(m.screws).all()


def test_impossible_inertia_is_doubted():
    with pytest.warns(ModelWarning, match=r"link 'b': its principal inertias .* break the triangle inequality"):
        urdf.parse(edited(('<inertia ixx="1"', '<inertia ixx="9"')))
    with pytest.warns(ModelWarning, match=r"link 'b': its inertia has a negative eigenvalue \(-1\)"):
        urdf.parse(edited(('<inertia ixx="1" ixy="0"', '<inertia ixx="1" ixy="2"')))


def test_degrees_are_doubted():
    with pytest.warns(ModelWarning, match=r"joint 'j': rpy='90 0 0' on line 16 is more than a turn; angles are in rad"):
        m = urdf.parse(edited(('rpy="0.1 0.2 0.3"', 'rpy="90 0 0"')))
    assert m.homes[0][1, 1] == np.cos(90.0)


@pytest.mark.slow
def test_a_long_chain():
    n = 3000
    links = "".join(f'<link name="{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
                    f'izz="1"/></inertial></link>' for k in range(n + 1))  # fmt: skip
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="{k}"/><child link="{k + 1}"/>'
        + (f'<mimic joint="j{k + 1}"/>' if k < n - 1 else "") + "</joint>" for k in range(n)
    )  # fmt: skip
    start = time.perf_counter()
    m = urdf.parse(f'<robot name="r">{links}{joints}</robot>')
    assert m.bodies == n and m.joint_names[-1] == f"j{n - 1}" and m.mimics[0] == (n - 1, 1.0, 0.0)
    assert time.perf_counter() - start < 60.0


# Fuzzing


def behaves(data):
    """Load or refuse, and nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            m = urdf.parse(data, "x.urdf")
        except ModelError as error:
            assert re.match(r"x\.urdf:\d+: .", str(error)), error
            return
        assert isinstance(m, Mechanism)
        assert all(np.isfinite(x).all() for x in (m.homes, m.screws, m.damping, m.friction))
        assert (m.limits["lower"] <= m.limits["upper"]).all()
        try:
            text = urdf.write(m)
        except ModelError:
            return
        again = urdf.parse(text)
        assert (again.link_names, again.joint_names, again.mimics) == (m.link_names, m.joint_names, m.mimics)
        same_numbers(again, m)


def same_numbers(again, m):
    """What was written is what was read: to rounding, each beside the largest of its kind and the places it is at."""
    far = float(np.abs(m.homes[:, :3, 3]).max(initial=1.0))
    assert (again.kinds, again.parents) == (m.kinds, m.parents)
    assert close(again.homes[:, :3, :3], m.homes[:, :3, :3], 1e-12)
    assert close(again.homes[:, :3, 3], m.homes[:, :3, 3], 1e-12, scale=1.0)
    assert close(again.screws[:, :3], m.screws[:, :3], 1e-12, scale=1.0)
    assert close(again.screws[:, 3:], m.screws[:, 3:], 1e-12, scale=far)
    for key, limits in m.limits.items():
        assert np.array_equal(again.limits[key], limits), key
    for losses in ("damping", "friction"):
        assert np.array_equal(getattr(again, losses), getattr(m, losses)), losses
    for link, other in zip((again.base, *again.links), (m.base, *m.links), strict=True):
        assert close(link.mass, other.mass, 1e-12)
        assert close(link.com, other.com, 1e-12, scale=far)
        assert close(link.inertia, other.inertia, 1e-12, scale=other.mass * far**2)


_WORDS = sorted(
    {*KNOWN, *(k for tags, keys in KNOWN.values() for k in (*tags, *keys)), "visual", "geometry", "mesh", "xmlns"}
)
_KINDS = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
_VALUES = [
    *_KINDS,
    *"abcjk",
    "0",
    "1",
    "-1",
    "0 0 1",
    "1 2 3",
    "0.1 0 0",
    "1e30",
    "-1e308",
    "nan",
    "",
    "${x}",
    "\u00e9",
]
_PIECES = [
    *(b"<", b">", b"/>", b'"', b"&", b"\0", b"\xff", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE r [", b"&#0;"),
    *(b"<link name='a'/>", b"<mimic joint='k'/>", b"-", b".", b"e9", b" ", b"nan", b"0", b"9"),
    *(word.encode() for word in (*_WORDS, *_KINDS)),
]
_INSIDE = [
    *(
        '<axis xyz="0 0 1"/>',
        '<axis xyz="0 2 0"/>',
        "<axis/>",
        '<origin xyz="1 2 3"/>',
        '<origin rpy="0 1.5707963 3"/>',
    ),
    *('<limit lower="-1" upper="1"/>', '<limit effort="0"/>', '<dynamics damping="1"/>', '<mimic joint="j0"/>'),
    *('<mimic joint="j1" multiplier="-2" offset="1"/>', '<mimic joint="j3" multiplier="0"/>'),
]
_EDITS = st.lists(
    st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 40), st.sampled_from(_PIECES) | st.binary(max_size=4)),
    min_size=1,
    max_size=6,
)


def mangled(edits):
    data = SAMPLE.encode()
    for at, length, piece in edits:
        data = data[:at] + piece + data[at + length :]
    return data


@st.composite
def trees(draw):
    """XML of URDF words: well-formed, mostly meaningless."""

    def element(tag, depth):
        tags, keys = KNOWN.get(tag, (("origin", "geometry"), ("name",)))
        given_keys = [key for key in keys if draw(st.integers(0, 9)) > 0]
        attributes = "".join(f' {key}="{draw(st.sampled_from(_VALUES))}"' for key in given_keys)
        inside = draw(st.lists(st.sampled_from(tags or _WORDS), max_size=6 if tag == "robot" else 3)) if depth else []
        return f"<{tag}{attributes}>" + "".join(element(child, depth - 1) for child in inside) + f"</{tag}>"

    return element("robot", draw(st.integers(1, 3)))


@st.composite
def robots(draw):
    """Nearly right robots: random trees of links, random attributes."""
    names = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=draw(st.integers(0, 9)) > 0))
    parts = [f'<link name="{name}"/>' for name in names]
    for k, name in enumerate(names[1:]):
        parent = draw(st.sampled_from(names[: k + 1] if draw(st.integers(0, 9)) else names))
        kind, inside = draw(st.sampled_from(_KINDS)), "".join(draw(st.lists(st.sampled_from(_INSIDE), max_size=3)))
        ends = f'<parent link="{parent}"/><child link="{name}"/>'
        parts.append(f'<joint name="j{k}" type="{kind}">{ends}{inside}</joint>')
    return '<robot name="r">' + "".join(draw(st.permutations(parts))) + "</robot>"


def fuzz(examples):
    return settings(max_examples=examples, suppress_health_check=list(HealthCheck))


@fuzz(150)
@given(_EDITS)
def test_mangled(edits):
    behaves(mangled(edits))


@fuzz(60)
@given(trees())
def test_random_trees(text):
    behaves(text)


@fuzz(80)
@given(robots())
def test_random_robots(text):
    behaves(text)


@pytest.mark.slow
@fuzz(4000)
@given(_EDITS)
def test_mangled_for_long(edits):
    behaves(mangled(edits))


@pytest.mark.slow
@fuzz(1500)
@given(trees() | robots() | st.text() | st.binary())
def test_random_for_long(data):
    behaves(data)
