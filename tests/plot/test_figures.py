"""Figures: their style, their files, and that nothing of matplotlib's own state is touched."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.pictures import is_drawn

import chasles as ch
from chasles import figures
from chasles.figures import style

ARM = ch.load("planar_2r")


def test_axes_and_sizes_of_papers():
    made, axes = ch.plot.figure(2, 3, width="two columns", views=["2d"] * 5 + ["3d"])
    assert axes.shape == (2, 3) and made.get_figwidth() == style.WIDTHS["two columns"]
    assert [hasattr(ax, "get_zlim") for ax in axes.flat] == [False] * 5 + [True]
    assert ch.plot.figure(height=1.25, width=2.0)[0].get_size_inches().tolist() == [2.0, 1.25]
    colours = [line.get_color() for line in axes[0, 0].plot(np.eye(4))]
    assert colours == list(style.COLOURS[:4])


def test_pictures_on_one_another_and_none_where_there_is_none():
    _, axes = ch.plot.figure()
    assert not is_drawn(axes[0, 0])  # so that it can fail
    assert ARM.plot([0.3, 0.5], ax=axes[0, 0]) is axes[0, 0].figure
    assert is_drawn(axes[0, 0]) and axes[0, 0].get_aspect() == 1.0


@pytest.mark.slow
def test_files_have_text_as_text_and_no_date(tmp_path):
    def saved(name: str) -> bytes:
        ch.plot.save(ARM.plot([0.3, 0.5], frames="tool"), tmp_path / name)
        return (tmp_path / name).read_bytes()

    svg = saved("a.svg").decode()
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    assert {"x (m)", "y (m)", "tool"} <= set(texts) and "dc:date" not in svg
    pdf = saved("a.pdf")
    assert b"CreationDate" not in pdf and b"/FontFile2" in pdf  # letters, not outlines
    assert saved("b.svg") == svg.encode() and saved("b.pdf") == pdf
    ARM.plot([0.3, 0.5], frames="tool").savefig(tmp_path / "c.svg")
    assert (tmp_path / "c.svg").read_bytes() == svg.encode()
    assert saved("a.png").startswith(b"\x89PNG")


def test_a_figure_of_somebody_else_is_saved_alike(tmp_path):
    from matplotlib.figure import Figure

    theirs = Figure()
    theirs.add_subplot().set_title("mine")
    ch.plot.save(theirs, tmp_path / "theirs.svg")
    assert ">mine</text>" in (tmp_path / "theirs.svg").read_text()


@pytest.mark.slow
def test_notebooks_show_a_picture():
    assert ARM.plot()._repr_svg_().startswith("<?xml")


@pytest.mark.slow
def test_nothing_of_matplotlib_is_touched():
    """Neither pyplot is imported nor a setting changed, by pictures and by saving them."""
    code = """
import sys, io, matplotlib
before = matplotlib.rcParams.copy()  # its backend is not looked up, which would import pyplot
import chasles as ch
arm = ch.load("planar_2r")
figure = arm.plot([0.3, 0.5])
ch.plot.figure(views="3d")
figure.savefig(io.BytesIO(), format="svg")
assert matplotlib.rcParams.copy() == before and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=100)


@pytest.mark.parametrize(
    "unit, printed",
    [
        ("N m", "N·m"),
        ("1/(kg m^2)", "1/(kg·m²)"),
        ("rad or m", "rad or m"),
        ("N m or N", "N·m or N"),
        ("m^3", "m³"),
        ("kg^-1 m^-2", "kg⁻¹·m⁻²"),
        ("m^12", "m¹²"),
        ("rad, m", "rad, m"),
    ],
)
def test_units_as_print_has_them(unit, printed):
    assert figures.typeset("this", unit) == f"this ({printed})"
    assert figures.typeset("this") == "this"


def test_names_are_no_mathematics():
    """A name with dollars is a name."""
    robot = ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[1, 0, 0])],
        np.tile(np.eye(4), (2, 1, 1)),
        [ch.Link(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))] * 2,
        joint_names=["$a_", "b$"],
        tool=np.eye(4),
    )
    figure = ch.plot.joint_map(robot, lambda q: q[:, 0] ** 2, size=4, label="$x", unit="m")
    figure.canvas.draw()
    assert figure.axes[0].get_xlabel() == "$a_ (rad)" and figure.axes[1].get_ylabel() == "$x (m)"


def test_what_is_refused(tmp_path, monkeypatch):
    figure = ARM.plot()
    with pytest.raises(ch.ModelError, match=r"save: 'a.xyz' is no kind of picture; there are .*pdf"):
        ch.plot.save(figure, tmp_path / "a.xyz")
    with pytest.raises(ch.ModelError, match="save: there is no folder"):
        ch.plot.save(figure, tmp_path / "no" / "a.svg")
    (tmp_path / "is.svg").mkdir()
    with pytest.raises(ch.ModelError, match="is a folder"):
        ch.plot.save(figure, tmp_path / "is.svg")
    (tmp_path / "kept.svg").write_text("mine")
    with pytest.raises(ch.ModelError, match="exists, and is not overwritten unless you say overwrite=True"):
        ch.plot.save(figure, tmp_path / "kept.svg", overwrite=False)
    assert (tmp_path / "kept.svg").read_text() == "mine"
    with pytest.raises(ch.ModelError, match="save: overwrite must be True or False"):
        ch.plot.save(figure, tmp_path / "a.svg", overwrite="no")  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="views must be one or 2"):
        ch.plot.figure(1, 2, views=["2d"])
    with pytest.raises(ch.ModelError, match=r"width must be .*'one column'"):
        ch.plot.figure(width="wide")
    assert not list(Path(tmp_path).glob("a.*"))


DRAWING = [name for name in ch.plot.__all__ if name not in ("save", "figure")]


def test_without_matplotlib_a_robot_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ch.ModelError, match=r'plot needs the package matplotlib: pip install "chasles\[plot\]"'):
        ARM.plot()


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWING)
def test_without_matplotlib_the_extra_is_named(name, monkeypatch):
    from support.public import Public
    from support.right_arguments import right

    given = right(Public(f"plot.{name}", getattr(ch.plot, name)))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ch.ModelError, match=r'needs the package matplotlib: pip install "chasles\[plot\]"'):
        getattr(ch.plot, name)(**given)
