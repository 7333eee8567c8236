"""The house: imports without cycles, files of a readable size, words of modules, one exception to the layers."""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "chasles"
MUTUAL = {"chasles.lie.se3", "chasles.lie.twist", "chasles.lie.wrench"}  # types of one algebra, each made of the others
# By names in strings: who may, and from where (a prefix). All are of the same room or below it, but for the table of
# methods that higher rooms give to systems and trajectories.
IMPORTED_BY_NAME = {
    "chasles": "chasles.",
    "chasles.backend": "chasles.backend.",
    "chasles.catalogue.entry": "chasles.catalogue.",
    "chasles.cli.subjects": "chasles.",  # modules of the user's own
    "chasles.export.targets": "chasles.export.targets.",
    "chasles.integrators": "chasles.integrators.",
    "chasles.loading": "chasles.io.",
    "chasles.plot": "chasles.plot.",
    "chasles.robot.methods.kernels": "chasles.",  # functions of the catalogue, for large robots: `test_catalogue.py`
    "chasles.higher_rooms": "chasles.",  # the exception: `test_higher_rooms.py`
}


def modules():
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = ("chasles", *path.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@cache
def parsed(path):
    return ast.parse(path.read_text())


def walked(node):
    """All statements in a node, without looking into expressions, where there are none."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from walked(inner)


def imports(name):
    """The modules of chasles that a module imports, lazily and for types too."""
    path, out = MODULES[name], set()
    for node in walked(parsed(path)):
        if isinstance(node, ast.Import):
            given = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: a relative import"
            given = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in given:
            while target and target not in MODULES:
                target = target.rpartition(".")[0]
            out |= {target} - {""}
    return out


def test_no_import_cycles():
    """Lazy and type-only imports counted: no module reaches itself."""
    graph = {name: imports(name) - {name} for name in MODULES}
    for name in MUTUAL:
        graph[name] -= MUTUAL
    circular = []
    for name, needed in graph.items():
        seen, left = set(), list(needed)
        while left:
            module = left.pop()
            if module not in seen:
                seen.add(module)
                left += graph[module]
        if name in seen:
            circular.append(name)
    assert not circular, f"modules that import themselves by way of others: {', '.join(sorted(circular))}"


def test_the_exception_is_one():
    for name in MUTUAL:
        assert imports(name) & MUTUAL


def test_imports_by_name_are_known():
    """No module hides an import of chasles in a string, but those that are named here."""
    for name, path in MODULES.items():
        if "import_module" not in path.read_text() and "__import__" not in path.read_text():
            continue
        calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        named = [x for x in calls if ast.unparse(x.func) in ("import_module", "importlib.import_module", "__import__")]
        outside = ("'pinocchio'", "'mujoco'", "'xacro'", "'xacrodoc'", "f'robot_descriptions.{name}'")
        own = [x for x in named if ast.unparse(x.args[0]) not in outside]
        assert not own or name in IMPORTED_BY_NAME, f"{name} imports by name: {ast.unparse(own[0])}"


def test_only_the_table_of_higher_rooms_is_an_exception_to_the_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert not any(contract.get("ignore_imports") for contract in contracts)


@pytest.mark.parametrize("folder, most", [("src", 400), ("tests", 600)])
def test_files_are_of_a_readable_size(folder, most):
    for path in (ROOT / folder).rglob("*.py"):
        lines = len(path.read_text().splitlines())
        assert lines <= most, f"{path.relative_to(ROOT)} has {lines} lines, more than {most}"


def test_the_docstring_of_a_module_begins_with_its_subject():
    for name, path in MODULES.items():
        words = (ast.get_docstring(parsed(path)) or "").split()
        assert words, f"{name} has no docstring"
        assert words[0] not in {"What", "How", "Whether", "Where", "When", "Which"}, f"{name} opens with {words[0]!r}"


def test_importing_chasles_loads_no_room_that_is_not_needed() -> None:
    """The rooms above the robot's own, the compiler and NumPy's generators come when they are first used."""
    program = "import sys, numpy; before = set(sys.modules); import chasles; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("chasles.")}
    late = {"catalogue", "control", "constrained", "derivatives", "dynamics", "function", "geometry", "ik", "io"}
    assert not rooms & {*late, "formulations", "lagrangian", "riemann", "simulation", "surface", "task"}
    assert not [name for name in loaded if name.startswith(("llvmlite", "numpy.random", "difflib", "inspect"))]


def test_no_ten_lines_occur_twice():
    """Lines of code as they are written, imports and signatures not counted: a protocol repeats those of its class."""
    places = {}
    for folder in ("src", "tests", "examples", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            lines = list(statements(path))
            for k in range(len(lines) - 9):
                block = tuple(text for _, text in lines[k : k + 10])
                places.setdefault(block, []).append(f"{path.relative_to(ROOT)}:{lines[k][0]}")
    assert [where for where in places.values() if len(where) > 1] == []


def statements(path):
    """Lines with their numbers, without blank ones, imports and the heads of functions."""
    text = path.read_text()
    skipped = set()
    for node in walked(parsed(path)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            skipped |= set(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.FunctionDef):
            skipped |= set(range(node.lineno, node.body[0].lineno))
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and number not in skipped:
            yield number, line.strip()
