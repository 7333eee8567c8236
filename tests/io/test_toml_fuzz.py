"""Mangled robots in TOML: each loads to numbers that are finite or is refused by name."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mangling import fuzz, mangled

from chasles import zoo
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml
from chasles.model.mechanism import Mechanism

RICH = """\
name = "rich"
gravity = [0.0, 1.0, -9.81]
friction = true
base = {name = "ground", mass = 3.0, com = [0.0, 0.0, 0.1], inertia = [0.1, 0.1, 0.1]}
[[links]]
name = "body"
home = {position = [0.0, 0.0, 1.0], rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}
mass = 2.0
inertia = [[0.3, 0.01, 0.0], [0.01, 0.4, 0.0], [0.0, 0.0, 0.5]]
joint = {name = "root", type = "free"}
[[links]]
name = "left"
parent = "body"
home = {position = [0.0, 0.2, 1.0], rpy = [0.1, 0.2, 0.3]}
mass = 1.0
com = [0.1, 0.0, 0.0]
inertia = {xx = 0.2, yy = 0.2, zz = 0.3, xy = 0.01}
joint = {name = "u", type = "universal", axis = [1, 0, 0], axis2 = [0, 1, 0], point = [0, 0, 1], lower = [-1, -inf]}
[[links]]
name = "right"
parent = "body"
home = {position = [0.0, -0.2, 1.0]}
mass = 1.0
inertia = [0.1, 0.1, 0.1]
joint = {name = "s", type = "prismatic", axis = [1.0, 2.0, 0.0], lower = -1.0, upper = 1.0, effort = 5, damping = 0.1}
[[links]]
name = "tip"
home = {position = [0.5, -0.2, 1.0]}
mass = 0.5
inertia = [0.1, 0.1, 0.1]
joint = {name = "h", type = "helical", screw = [0, 0, 1, 0, 0, 0.1], armature = 0.2, mimic = {joint = "s", factor = 2}}
[[links]]
name = "ball"
home = {position = [0.5, -0.2, 2.0]}
mass = 0.5
inertia = [0.1, 0.1, 0.1]
joint = {type = "spherical"}
[tool]
link = "tip"
pose = {position = [0.0, 0.0, 0.1]}
[[frames]]
name = "eye"
link = "left"
pose = {position = [0.1, 0.0, 0.0], rpy = [0.0, 1.57, 0.0]}
"""
SAMPLES = [RICH, Path(__file__).with_name("arm.toml").read_text(encoding="utf-8"), zoo.path("ur5").read_text()]
PIECES = [
    *("[", "]", "{", "}", "=", ",", '"', "'", "'''", '"""', "#", "\n", "\\", ".", "[[", "]]", "\0", "\r", "\ufeff"),
    *(
        "[[links]]",
        "[[frames]]",
        "[tool]",
        "[base]",
        "[links.joint]",
        "[links]",
        "name",
        "parent",
        "home",
        "mass",
        "com",
    ),
    *("inertia", "joint", "type", "axis", "point", "pitch", "screw", "mimic", "lower", "upper", "friction", "pose"),
    *("'revolute'", "'fixed'", "'planar'", "'free'", "'cylindrical'", "'body'", "'tip'", "'base'", "'world'", "''"),
    *("true", "false", "1979-05-27", "07:32:00", "[]", "{}", "[[]]", "[1, 2, 3]", "[true, 1, 2]", "0b1", "0o7", "inf"),
]


def behaves(data, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            if isinstance(data, bytes):
                file = tmp_path / "x.toml"
                file.write_bytes(data)
                m = toml.read(file)
            else:
                m = toml.parse(data, "x.toml")
        except ModelError as error:
            assert re.match(r"(.*/)?x\.toml(:\d+)?: .", str(error)), error
            return
        assert isinstance(m, Mechanism)
        for x in (m.homes, m.screws, m.damping, m.friction, m.armature, m.gravity):
            assert np.isfinite(x).all()
        for link in (*m.links, m.base):
            assert np.isfinite(link.mass) and np.isfinite(link.com).all() and np.isfinite(link.inertia).all()
        assert all(np.isfinite(frame.pose).all() for frame in m.frames.values())
        assert (m.limits["lower"] <= m.limits["upper"]).all()


def test_what_is_mangled_is_right():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert all(toml.parse(text).n > 0 for text in SAMPLES)


@fuzz(300)
@given(data=mangled(SAMPLES, PIECES))
def test_mangled(tmp_path_factory, data):
    behaves(data, tmp_path_factory.getbasetemp())


@pytest.mark.slow
@fuzz(8000)
@given(data=mangled(SAMPLES, PIECES) | st.text() | st.binary())
def test_mangled_for_long(tmp_path_factory, data):
    behaves(data, tmp_path_factory.getbasetemp())
