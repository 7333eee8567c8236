"""The docs' page of benchmarks has the figures of the file beside the script that measures them."""

import importlib.util
import json
from pathlib import Path

import pytest
from support.urdf_text import example_files

FOLDER = Path(__file__).parents[2] / "benchmarks"


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_was_measured():
    page = loaded("all_functions_page")
    robots = json.loads((FOLDER / "all_functions.json").read_text())
    text = page.PAGE.read_text("utf-8")
    assert page.replaced(text, robots) == text
    assert set(robots) == {"UR5", "Panda", "Talos"}


def test_no_function_is_left_out():
    from chasles.catalogue import catalogue

    for measured in json.loads((FOLDER / "all_functions.json").read_text()).values():
        assert {row["name"] for row in measured["functions"]} == set(catalogue())
        assert all(row["why_not"] or row["batch_ns"] > 0.0 for row in measured["functions"])


def test_operations_are_those_of_today():
    """Else the page is of another day: `python benchmarks/all_functions.py` makes it anew."""
    if not example_files():
        pytest.skip("example-robot-data, whose UR5 it is, is not installed")
    measured = json.loads((FOLDER / "all_functions.json").read_text())["UR5"]["functions"]
    said = {row["name"]: row["operations"] for row in measured}
    peers = loaded("peers")
    robot = peers.robot(peers.ur5())
    for name in ("mass_matrix_inverse", "coriolis_matrix", "inverse_dynamics_derivatives"):
        assert said[name] == robot.kernel(name).operations.total, name
