"""Colour scales: one module for reports, pictures and terminals."""

import numpy as np
import pytest

from chasles.cli import heatmap
from chasles.colour_scales import SIGNED, SIZES, UNKNOWN, coloured
from chasles.report.heat_map import Scale


@pytest.mark.parametrize("scale", [SIZES, SIGNED])
def test_stops_are_met_and_colours_are_between(scale):
    at_stops = coloured(np.linspace(0.0, 1.0, len(scale)), scale)
    assert ["#" + bytes(one).hex() for one in at_stops] == list(scale)
    first, between, second = coloured([0.0, 0.5 / (len(scale) - 1), 1.0 / (len(scale) - 1)], scale).astype(int)
    assert np.abs(2 * between - first - second).max() <= 1
    assert coloured([[-5.0, 7.0]], scale).tolist() == coloured([[0.0, 1.0]], scale).tolist()


def test_sizes_grow_brighter_and_signs_are_as_bright_on_both_sides():
    def brightness(scale):
        return coloured(np.linspace(0.0, 1.0, 101), scale) @ np.array([0.2126, 0.7152, 0.0722])

    assert (np.diff(brightness(SIZES)) > -0.5).all()
    signed = brightness(SIGNED)
    assert (np.diff(signed[:51]) > 0).all() and (np.diff(signed[50:]) < 0).all()


def test_reports_and_terminals_have_the_same_colours():
    x = np.linspace(-1.0, 1.0, 9)
    report = Scale(-1.0, 1.0, signed=True).coloured(x)[:, :3]
    terminal = [[*heatmap._colour(float(one)).get_truecolor()] for one in x]
    assert report.tolist() == coloured((x + 1.0) / 2.0, SIGNED).tolist() == terminal
    assert Scale(0.0, 2.0).coloured(x + 1.0)[:, :3].tolist() == coloured((x + 1.0) / 2.0, SIZES).tolist()
    assert heatmap._colour(np.nan).get_truecolor().hex == UNKNOWN
