"""The docs' page of benchmarks has the figures of the file beside the script that measures them."""

import importlib.util
import json
from pathlib import Path

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
