"""The three.js of the page: the bundle that the recipe of tools/three makes, with its licence, and nothing unused."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "tools" / "three"
ASSETS = ROOT / "src" / "chasles" / "view" / "assets"
BUNDLE = ASSETS / "three.min.js"
SHA256 = "6877db86f53f015a3c795e53ac1eb98750c190ee83747c5a63277c6c8853fbe2"


def test_the_bundle_is_the_one_that_was_made():
    assert hashlib.sha256(BUNDLE.read_bytes()).hexdigest() == SHA256


def test_the_bundle_has_its_version_and_its_licence():
    pinned = json.loads((RECIPE / "package.json").read_text())["devDependencies"]
    locked = json.loads((RECIPE / "package-lock.json").read_text())["packages"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in pinned.values())
    assert {name: locked[f"node_modules/{name}"]["version"] for name in pinned} == pinned
    text = BUNDLE.read_text(encoding="utf-8")
    assert f"three.js {pinned['three']}," in text
    assert "The MIT License" in text and "Copyright (c) 2010-2026 three.js authors" in text
    assert "The above copyright notice and this permission notice shall be included in" in text


def test_the_bundle_exports_what_the_scripts_use():
    entry = (RECIPE / "entry.js").read_text(encoding="utf-8").partition("*/")[2]
    exported = {name for names in re.findall(r"\{(.*?)\}", entry, re.DOTALL) for name in re.findall(r"\w+", names)}
    scripts = [path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js") if path != BUNDLE]
    assert {name for text in scripts for name in re.findall(r"\bTHREE\.(\w+)", text)} == exported


def test_colours_are_told_once():
    scripts = {path.name: path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js") if path != BUNDLE}
    told = {name for name, text in scripts.items() if re.search(r"#[0-9a-f]{6}\b", text)}
    assert told == {"base.js"}


@pytest.mark.system
def test_the_recipe_makes_the_bundle_byte_for_byte(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("no npm on PATH")
    copy = shutil.copytree(RECIPE, tmp_path / "tools" / "three", ignore=shutil.ignore_patterns("node_modules"))
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        if command[1] == "ci" and done.returncode and "network" in done.stderr:
            pytest.skip("the registry of npm cannot be reached")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / BUNDLE.relative_to(ROOT)).read_bytes() == BUNDLE.read_bytes()
