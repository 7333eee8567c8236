"""HTML of numbers, tables and curves: escaped, well-formed, with the values that were given."""

import math

import numpy as np
import pytest
from support.html import cells, is_harmless, parsed, text_of, value

from chasles import markup

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'too' \x00"


def test_text_is_escaped_wherever_it_enters() -> None:
    made = [
        markup.escaped(HOSTILE),
        markup.table([HOSTILE], [(HOSTILE,)], caption=HOSTILE),
        markup.listed([HOSTILE]),
        markup.block(HOSTILE, HOSTILE, about=HOSTILE),
        markup.folded(HOSTILE, HOSTILE),
        markup.number(HOSTILE, HOSTILE),
        markup.numbers([HOSTILE], HOSTILE),
        markup.matrix([[HOSTILE]]),
        markup.tag("b", HOSTILE, title=HOSTILE),
        markup.curves_svg([0.0, 1.0], [[0.0, 1.0]], [HOSTILE], unit=HOSTILE, title=HOSTILE),
    ]
    for html in made:
        assert is_harmless(f"<p>{html}</p>") and isinstance(html, markup.Markup)
        assert parsed(html) is not None


def test_markup_is_not_escaped_again() -> None:
    assert markup.escaped(markup.tag("b", "x < y")) == "<b>x &lt; y</b>"


def test_long_text_loses_its_middle() -> None:
    assert len(markup.table([], [("x" * 10_000,)])) < 1000


@pytest.mark.parametrize(
    "x, unit, text",
    [
        (0.25, "m", "0.25\u202fm"),
        (-1.5e-7, "kg m^2", "\u22121.5\u202f\u00d7\u202f10\u207b\u2077\u202fkg\u202fm\u00b2"),
        (-0.0, "", "0"),
        (3, "", "3"),
        (12345678, "", "12345678"),
        (None, "m", "\u2013"),
        (math.inf, "", "\u221e"),
        (-math.inf, "", "\u2212\u221e"),
        (math.nan, "", "nan"),
        (True, "", "True"),
        (np.float32(0.5), "", "0.5"),
        (np.int64(7), "s", "7\u202fs"),
    ],
)
def test_numbers_are_typeset(x: object, unit: str, text: str) -> None:
    assert markup.number(x, unit) == text


def test_numbers_are_the_numbers(rng: np.random.Generator) -> None:
    for x in rng.normal(size=50) * 10.0 ** rng.integers(-9, 9, 50):
        assert value(markup.number(float(x), "N m", digits=9)) == pytest.approx(x, rel=1e-8)


def test_many_numbers_are_cut() -> None:
    assert markup.numbers(range(3), "m") == "(0, 1, 2)\u202fm"
    assert markup.numbers(range(10**9)).endswith("11, ...)")


def test_a_long_table_says_how_much_is_left_out() -> None:
    found = cells(markup.table(["joint", "mass"], [(f"j{k}", float(k)) for k in range(38)]))
    assert found[0] == ["joint", "mass"] and found[12] == ["j11", "11"] and found[13] == ["and 26 more"]
    assert len(found) == 14 and len(cells(markup.table(["x"], [(1.0,)] * 12))) == 13
    assert cells(markup.table(["joint"], [])) == [["joint"]]


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    row = parsed(markup.table([], [("x", 1.0, None)]))[0][0][0]
    assert [cell.get("style", "").split(";")[0] for cell in row] == [
        "text-align:left",
        "text-align:right",
        "text-align:right",
    ]


def test_nothing_but_curves_has_a_colour() -> None:
    made = markup.block("x", markup.table(["a"], [(1,)]), markup.matrix([[1.0]]), markup.listed(["x"]))
    assert "#" not in made and ";color" not in made and '"color' not in made


def svg_paths(html: str) -> list[list[tuple[float, float]]]:
    """The points of each curve, in the picture's coordinates."""
    paths = parsed(html).iter("{http://www.w3.org/2000/svg}path")
    drawn = [x.get("d", "").replace("M", "L").split("L") for x in paths if x.get("stroke-width") == "1.5"]
    return [[(float(x), float(y)) for x, y in map(str.split, filter(str.strip, points))] for points in drawn]


def test_curves_are_where_the_values_are() -> None:
    t = np.linspace(0.0, 2.0, 101)
    found = svg_paths(markup.curves_svg(t, np.stack([t, 4.0 - 2.0 * t]), ["up", "down"], unit="rad", title="q"))
    up, down = (np.array(curve) for curve in found)
    assert len(up) == 101 and up[-1, 1] == pytest.approx((up[0, 1] + down[0, 1]) / 2.0, abs=0.1)  # 2, of 0 to 4
    assert (np.diff(up[:, 1]) < 0.0).all() and (np.diff(down[:, 1]) > 0.0).all()  # y goes down in pictures
    assert (np.diff(up[:, 0]) > 0.0).all() and down[0, 1] < up[-1, 1] < up[0, 1]


def test_peaks_of_many_samples_are_drawn() -> None:
    y = np.zeros(100_000)
    y[54_321] = 1.0
    html = markup.curves_svg(np.arange(100_000), [y], ["spike"])
    (curve,) = svg_paths(html)
    assert len(html) < 20_000 and sum(p[1] < 30.0 for p in curve) == 1


def test_curves_stop_where_they_are_not_finite() -> None:
    y = np.arange(10.0)
    y[4] = np.nan
    html = markup.curves_svg(np.arange(10.0), [y], ["y"])
    assert "nan" not in html and html.count("M") == 4  # axes, two parts, the legend's
    assert markup.curves_svg([0.0], [[math.nan]], ["y"]) == "" and markup.curves_svg([], [[]], ["y"]) == ""
    assert "path" in markup.curves_svg([1.0], [[2.0]], ["still"])


def test_more_curves_than_colours_are_counted() -> None:
    html = markup.curves_svg([0.0, 1.0], np.ones((38, 2)), [f"joint{k}" for k in range(38)])
    assert len(svg_paths(html)) == 8 and "and 30 more" in text_of(html)
