"""The LLVM IR, the JavaScript and the C of small robots, to the letter; IR for processors that are written down here.

A change of what is emitted shows as a difference of these files in review. Where it is meant, write them anew by

    CHASLES_GOLDEN=write pytest tests/backend/test_golden.py

The text is our own, before LLVM reads it: no version of LLVM and no machine has a part in it.
"""

from pathlib import Path

import numpy as np
import pytest
from support import golden

import chasles as ch
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import AARCH64, X86_64_V3

GOLDEN = Path(__file__).parent / "golden"
COMMAND = "CHASLES_GOLDEN=write pytest tests/backend/test_golden.py"
CASES = {
    "pendulum_inverse_dynamics_x86_64_float64": ("pendulum", "inverse_dynamics", X86_64_V3, "float64"),
    "planar_2r_mass_matrix_x86_64_float64": ("planar_2r", "mass_matrix", X86_64_V3, "float64"),
    "planar_2r_mass_matrix_aarch64_float32": ("planar_2r", "mass_matrix", AARCH64, "float32"),
}


def settled(x):
    """A loop: until, a record, and a call of a library function."""

    def step(y):
        return np.sin(y) + 0.1 * x, {"until": abs(y) < 0.2, "record": {"seen": y * y}}

    y, how = ch.loop(step, x, count=4)
    return {"y": y, "until": how["until"], "seen": how["record"]["seen"]}


JAVASCRIPT = {
    "pendulum_inverse_dynamics": lambda: ch.load("pendulum").kernel("inverse_dynamics"),
    "loop": lambda: ch.compile(settled, x=()),
}
C = JAVASCRIPT | {
    "planar_2r_inverse_dynamics": lambda: ch.load("planar_2r").kernel("inverse_dynamics"),
    "planar_2r_mass_matrix_float32": lambda: ch.load("planar_2r").kernel("mass_matrix", dtype="float32"),
    "scara_inverse_dynamics": lambda: ch.load("scara").kernel("inverse_dynamics"),
    "ur5_inverse_dynamics": lambda: ch.load("ur5").kernel("inverse_dynamics"),
    "noise": lambda: ch.compile(lambda x: ch.random.normal(7.0, x), x=()),
}


@pytest.mark.parametrize("case", CASES)
def test_the_ir_is_as_it_was(case):
    robot, function, target, dtype = CASES[case]
    assert as_before(f"{case}.ll", module(ch.load(robot).kernel(function).program, target, dtype))


@pytest.mark.parametrize("case", JAVASCRIPT)
def test_the_javascript_is_as_it_was(case):
    assert as_before(f"{case}.js", JAVASCRIPT[case]().to("js"))


@pytest.mark.parametrize("case", C)
def test_the_c_is_as_it_was(case):
    assert as_before(f"{case}.c", C[case]().to("c"))


def as_before(name, emitted):
    return golden.as_before(GOLDEN / name, emitted, COMMAND)


def test_each_golden_file_is_compared():
    assert {path.name for path in GOLDEN.iterdir()} == {
        *(f"{case}.ll" for case in CASES),
        *(f"{case}.js" for case in JAVASCRIPT),
        *(f"{case}.c" for case in C),
    }
