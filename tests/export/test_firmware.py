"""Programs around exported code: a loop in C with a law and a step moves as the library does; a page; Octave."""

import shutil
import subprocess
from functools import cache

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch

LOOP = """
#include <stdio.h>

#include "law.h"
#include "step.h"

int main(void) {
    double t = 0.0, q[2] = {0.4, -0.3}, qd[2] = {0.0, 0.0}, tau[2];
    for (int k = 0; k < 200; k++) {
        law(t, q, qd, tau);
        step(q, qd, tau, q, qd);
        t = 1e-3 * (k + 1);
    }
    printf("%.17g %.17g %.17g %.17g\\n", q[0], q[1], qd[0], qd[1]);
    return 0;
}
"""
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]


@cache
def arm():
    return ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])


@cache
def law():
    goal = np.array([1.0, 0.5])
    return ch.control.ComputedTorque(
        arm(), lambda t: (goal * np.sin(t), goal * np.cos(t), -goal * np.sin(t)), K_p=100.0, K_d=20.0
    )


def motion():
    q, qd = np.array([0.4, -0.3]), np.zeros(2)
    for k in range(200):
        q, qd = arm().step(q, qd, law()(1e-3 * k, q, qd), dt=1e-3)
    return [*q, *qd]


def exported(folder):
    arm().export(law(), to="c", folder=folder, name="law")
    arm().export("step", to="c", folder=folder, dt=1e-3)


@pytest.mark.system
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_loop_in_c_moves_as_the_library_does(compiler, tmp_path):
    exported(tmp_path)
    (tmp_path / "main.c").write_text(LOOP)
    made = [compiler, *STRICT, "main.c", "law.c", "step.c", "-o", "run", "-lm"]
    subprocess.run(made, cwd=tmp_path, check=True, timeout=100)
    said = subprocess.run([tmp_path / "run"], check=True, capture_output=True, text=True, timeout=100).stdout
    assert close(np.array([float(x) for x in said.split()]), motion(), 1e-12)


@pytest.mark.system
def test_the_folder_builds_by_cmake_and_its_tests_pass(tmp_path):
    exported(tmp_path)
    arm().export("inverse_dynamics", to="c", folder=tmp_path, dtype="float32", name="id_float")
    arm().export("inverse_kinematics", to="c", folder=tmp_path, rows="tx ty")
    cmake = shutil.which("cmake")
    assert cmake is not None, "needs cmake"
    for command in (["cmake", "-S", ".", "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=300, capture_output=True)
    said = subprocess.run(["ctest", "--test-dir", "build"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert said.returncode == 0 and "100% tests passed, 0 tests failed out of 4" in said.stdout, said.stdout


PAGE = """
import { computed_torque } from "./computed_torque.mjs";
console.log(JSON.stringify([...computed_torque(0.5, [0.1, 0.2], [0.3, -0.1])]));
"""


def test_a_page_calls_the_law(tmp_path):
    from support.node import NODE

    arm().export(law(), to="js", folder=tmp_path)
    (tmp_path / "main.mjs").write_text(PAGE)
    said = subprocess.run([NODE, "main.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=100)
    own = law()(0.5, np.array([0.1, 0.2]), np.array([0.3, -0.1]))
    assert close(np.array([float(x) for x in said.stdout.strip("[]\n").split(",")]), own, 1e-12)


@pytest.mark.system
def test_a_user_of_matlab(tmp_path):
    arm().export(["mass_matrix", "bias_forces"], to="matlab", folder=tmp_path, name="terms")
    code = "[M, h] = terms([0.1; 0.2], [0.3; -0.1]); printf('%.17g ', M', h)"
    said = subprocess.run(["octave-cli", "--eval", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    q, qd = np.array([0.1, 0.2]), np.array([0.3, -0.1])
    expected = [*arm().mass_matrix(q).ravel(), *arm().bias_forces(q, qd)]
    assert close(np.array([float(x) for x in said.stdout.split()]), expected, 1e-12)
