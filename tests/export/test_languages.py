"""Exported Python, MATLAB, Rust and JavaScript: the files test themselves, see what is wrong, and are reproducible."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import unittest
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support.exported_functions import exported
from support.languages import octave, rust_folders
from support.node import NODE
from support.printed import LOOPS, collatz, search
from support.programs import needs
from support.sweeps import sweep

import chasles as ch
from chasles.export.exported import Described, Exported, Reference
from chasles.export.targets import js, matlab, python, rust
from chasles.function.kernel import Kernel
from chasles.graph.program import Operand, Program

TARGETS = {"python": python, "matlab": matlab, "rust": rust, "js": js}
SYSTEM = pytest.mark.system
ALL = ["python", "js", pytest.param("matlab", marks=SYSTEM), pytest.param("rust", marks=SYSTEM)]


def shaped(q, A, t):
    drawn = ch.random.normal(t, 1.0)
    moved = ch.loop(lambda x: np.sin(x) + t, q, count=3)
    edges = np.stack([np.exp(1e4 + q[0]), np.sqrt(-1.0 - q[1] ** 2), -1.0 / np.exp(1e4 + q[2])])  # inf, nan, -0.0
    found = {"lambda": A @ q, "A": A * q[0], "tensor": np.stack([A, A]).reshape(2, 2, 3) + q[1]}
    return {**found, "sum": q[0] + drawn, "moved": moved, "edges": edges}


@cache
def function(dtype="float64"):
    elements = tuple((f"a{k}", "m") for k in range(6))
    return exported(
        ch.compile(shaped, dtype=dtype, q=3, A=(2, 3), t=()),
        about='Shapes, of \u03b8 and """ \\N {brackets} %d.',
        A=Described("a matrix */", elements),
        t=Described("time", (("", "s"),)),
    )


def written(files, folder):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "ascii")
    return folder


def run(command, folder, **variables):
    environment = {**os.environ, "NO_COLOR": "1", **variables}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def unit_tests(files, name):
    """Run those of a module in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for stem in (name, f"test_{name}"):
            module = ModuleType(stem)
            patch.setitem(sys.modules, stem, module)
            exec(files[f"{stem}.py"], module.__dict__)
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    if not result.wasSuccessful():
        raise RuntimeError((result.failures + result.errors)[0][1])
    return str(result.testsRun)


def checked(target, files, folder, name):
    """What the test of the files prints; failing is a RuntimeError of its words."""
    written(files, folder)
    if target == "python":
        return unit_tests(files, name)
    if target == "js":
        return run([str(NODE), "--test"], folder)
    if target == "matlab":
        (folder / "run_it.m").write_text(f"{name}_test();\n")
        return octave(folder / "run_it.m")
    flags = ["test", "--offline", "--quiet", "--config", "build.rustflags = ['-Dwarnings']"]
    return "".join(run([str(Path(at, "cargo")), *flags], folder, RUSTC=str(Path(at, "rustc"))) for at in rust_folders())


FILES = {
    "python": ["shaped.py", "test_shaped.py"],
    "matlab": ["shaped.m", "shaped_test.m"],
    "rust": ["Cargo.toml", "src/lib.rs", "tests/references.rs"],
    "js": ["shaped.mjs", "shaped.d.mts", "package.json", "shaped.test.mjs"],
}


@pytest.mark.parametrize("target", ALL)
def test_the_files_test_themselves(target, tmp_path):
    files = TARGETS[target].files(function())
    assert list(files) == FILES[target] and files == TARGETS[target].files(function())
    checked(target, files, tmp_path, "shaped")
    if target == "python":
        assert "OK" in run([sys.executable, "-S", "test_shaped.py"], tmp_path)


@pytest.mark.parametrize("target", ALL)
def test_the_test_sees_what_is_wrong(target, tmp_path):
    right = function()
    outputs = [list(row) for row in right.references[1].outputs]
    outputs[2][4] += 1e-9
    wrong = dataclasses.replace(right.references[1], outputs=tuple(map(tuple, outputs)))
    files = TARGETS[target].files(dataclasses.replace(right, references=(right.references[0], wrong)))
    where = r"tensor\(\d+\) is" if target == "matlab" else r"tensor\[4\]"
    with pytest.raises(RuntimeError, match=where):
        checked(target, files, tmp_path, "shaped")


@pytest.mark.parametrize("target", [pytest.param("matlab", marks=SYSTEM), pytest.param("rust", marks=SYSTEM)])
def test_float32(target, tmp_path):
    files = TARGETS[target].files(function("float32"))
    assert "single" in str(files.get("shaped.m")) or "f32" in str(files["src/lib.rs"])
    checked(target, files, tmp_path, "shaped")


@pytest.mark.parametrize("target", TARGETS)
def test_without_calls_there_is_no_test(target):
    files = TARGETS[target].files(Exported(function().body, "shaped"))
    assert list(files) == [name for name in FILES[target] if "test" not in name]


INDICES = {"python": "[0][1]", "matlab": "(1, 2)", "rust": "[1]", "js": "[1]"}


@pytest.mark.parametrize("target", TARGETS)
def test_heads(target):
    """Shapes, units, names that became others, and the cost: in ASCII, and nothing that ends a comment."""
    text = str(next(t for name, t in TARGETS[target].files(function()).items() if not name.endswith("toml")))
    assert text.isascii() and re.search(rf"{re.escape(INDICES[target])} +a1, m", text)
    lines = [re.sub(r"^(%| \*|//!) ?", "", line) for line in text.splitlines()]
    assert "  A: 2 x 3, a matrix * /" in lines and '  A_out ("A"): 2 x 3, a matrix * /' in lines
    assert f"Numbers are float64. Written by chasles {ch.__version__}." in lines
    assert any(re.match(r"\d+ operations: .*loop 1", line) for line in lines)
    assert "Repeated 3 times: 6 operations: add 3, sin 3." in lines


@pytest.mark.parametrize("target", [ALL[0], pytest.param("js", marks=pytest.mark.sweep), *ALL[2:]])
@pytest.mark.parametrize("name", sweep(["f \u03b8", "class", "random", "1st", "test", "agree", "near", "M"], 1))
def test_names(target, name, tmp_path):
    """Functions and operands that are words of languages, in files of names that do no harm."""
    kernel = Kernel(
        ch.compile(lambda **x: {"out": 2.0 * x["end"], "end": x["fn"]}, **{"end": 2, "fn": ()}).program, name
    )
    files = TARGETS[target].files(exported(kernel))
    assert all(re.fullmatch(r"[A-Za-z0-9_./]+", path) for path in files)
    checked(target, files, tmp_path, next(iter(files)).split(".")[0])


@pytest.mark.parametrize("target", ["python", "js"])
def test_float32_is_refused_where_there_is_none(target):
    with pytest.raises(ch.CompileError, match=r"shaped: .* computes in float64"):
        TARGETS[target].files(Exported(function().body, "shaped", "float32"))


@pytest.mark.parametrize("target", ["python", *(pytest.param(x, marks=SYSTEM) for x in ("matlab", "rust"))])
def test_a_search(target, tmp_path):
    files = TARGETS[target].files(exported(Kernel(search(), "search")))
    checked(target, files, tmp_path, "search")


@pytest.mark.parametrize("target", ALL)
def test_no_inputs_and_empty_outputs(target, tmp_path):
    program = Program((), (Operand("y", (2,)), Operand("z", (0,)), Operand("w", (2, 0))), (), ((1.5, -0.0), (), ()))
    call = Reference((), ((1.5, -0.0), (), ()))
    checked(target, TARGETS[target].files(Exported(program, "constant", references=(call,))), tmp_path, "constant")


def test_the_package_of_javascript():
    files = js.files(function())
    package = json.loads(files["package.json"])
    assert package["exports"]["."] == {"types": "./shaped.d.mts", "default": "./shaped.mjs"}
    assert "export declare function shaped(\n  q: number | ArrayLike<number>," in str(files["shaped.d.mts"])
    assert '{ "lambda": Float64Array; "A": Float64Array;' in str(files["shaped.d.mts"])


@pytest.mark.system
@needs("cargo-clippy")
@pytest.mark.parametrize("case", ["shapes", "a loop", "an arm"])
def test_clippy_has_nothing_to_say(case, tmp_path):
    """Not of what the oldest compiler that is named lacks, either."""
    if case == "shapes":
        given = function()
    else:
        kernel = (
            ch.compile(collatz, **LOOPS[collatz]) if case == "a loop" else ch.load("ur5").kernel("inverse_dynamics")
        )
        given = Exported(kernel.program, kernel.name)
    written(rust.files(given), tmp_path)
    run(["cargo", "clippy", "--offline", "--quiet", "--all-targets", "--", "-D", "warnings"], tmp_path)
