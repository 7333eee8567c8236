"""The LaTeX of small robots and systems, to the letter.

A change of what is printed shows as a difference of these files in review. Where it is meant, write them anew by

    CHASLES_GOLDEN=write pytest -n 0 tests/equations/test_golden.py
"""

from pathlib import Path

import pytest
from support import golden, textbook

import chasles as ch

GOLDEN = Path(__file__).parent / "golden"
COMMAND = "CHASLES_GOLDEN=write pytest -n 0 tests/equations/test_golden.py"
CASES = {
    "planar_2r": lambda: ch.load("planar_2r").equations(),
    "planar_2r_symbols": lambda: textbook.planar_2r().equations(),
    "scara_inertias": lambda: ch.load("scara").equations(symbols="inertias"),
    "planar_3r": lambda: ch.load("planar_3r").equations(coordinates=["theta1", "theta2", "theta3"]),
    "cart_pole": lambda: textbook.cart_pole().equations(),
}


@pytest.mark.parametrize("case", CASES)
def test_the_latex_is_as_it_was(case):
    eq = CASES[case]()
    assert golden.as_before(GOLDEN / f"{case}.tex", f"{eq.latex()}\n\n{eq.motion.latex()}\n", COMMAND)


def test_each_golden_file_is_compared():
    assert {path.name for path in GOLDEN.iterdir()} == {f"{case}.tex" for case in CASES}
