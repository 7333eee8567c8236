"""Places of the equations of docs/equations.md: the function that computes each, and the files that test it.

    python docs/tools/equations.py            write the places into docs/equations.md
    python docs/tools/equations.py --check    leave the page alone; exit with 1 if it is not up to date

A tag is an id of the page in square brackets: [NE-1], [RED-2,6] for two of a family, [NE-1..4] for four. In a function
or a class it names that function. In the docstring of a module it ends the line of a numbered equation, `(3)  [CF-2]`,
and names the functions with a comment `# (3)`, or else those that have (3) in their docstrings. Tags are looked for in
src and in examples; tests name ids with or without brackets.

An id that no function computes is an identity, a measured number or a special case: NOT_COMPUTED says which.
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "equations.md"
HEAD = "| id | what | computed by | tested in | equation |"

ID = r"[A-Z][A-Z0-9]*-\d+[a-z]?"
FAMILY = rf"{ID}(?:(?:\.\.| to )(?:[A-Z][A-Z0-9]*-)?\d+|(?:,\d+[a-z]?)*)"
ROW = re.compile(rf"^\| (?P<ids>{ID}(?:, {ID})*) \|(?P<rest>.*)\|$")
CELL = re.compile(r"(?<!\\)\|")  # a bar within an equation is written \|
TAG = re.compile(rf"\[({FAMILY}(?:, {FAMILY})*)\]")
NUMBERED = re.compile(rf"\((\d+)\)\s+(?:{TAG.pattern},? ?)*$")  # what stands before a tag of an equation
NUMBER = re.compile(r"\((\d+)\)")

NOT_COMPUTED = {
    "SE3-4": "identities: tests",
    "SE3-11": "SE3-9 in axes of space: a test",
    "NE-7": "an identity: a test",
    "CF-9": "a number, for information: a test",
    "COR-2": "an identity: tests",
    "COR-3": "COR-1 of two joints in closed form: tests",
    "CUR-2": "identities: a test",
    "CUR-5": "a number, for information: a test",
    "BAL-2": "a property: a test of `balance`",
    "BAL-3": "the diagonal of MM-1 of a planar chain: a test",
    "BAL-4": "an example: a test of `balance`",
    "BAL-5": "a number, for information: a test of `balance`",
    "RED-3c": "an example of RED-3: a test",
    "RED-3d": "an example of RED-3: a test",
    "RED-4": "an example of RED-3: a test",
    "RED-5": "an example of RED-3: a test",
    "RED-9b": "a number, for information: a test",
    "RED-10": "an example of RED-3: a test",
    "RED-15": "an example: a test",
    "RED-19": "a number, for information: a test of `riemann_curvature`",
    "CON-3": "an identity: a test",
    "CON-6": "a number, for information: a test of `integrability`",
    "CON-7": "a pitfall, not done here: a test",
    "CON-8": "a number, for information: a test",
    "PRJ-2": "identities: a test",
    "OPT-2": "a property: a test of `minimum_energy_path`",
    "GAU-9": "HYB-1 in other coordinates: a test",
}

Place = tuple[str, str]  # the function, "" for a whole module, and the file


def ids_of(text: str) -> Iterator[str]:
    """The ids that a text names: "RED-2,6" is RED-2 and RED-6, "NE-1..3" and "NE-1 to NE-3" are three."""
    for family in re.findall(rf"\b{FAMILY}", text):
        first, *others = family.split(",")
        first, _, last = first.replace(" to ", "..").partition("..")
        yield first
        name, _, number = first.partition("-")
        numbers = range(int(number) + 1, int(last.rpartition("-")[2]) + 1) if last else others
        yield from (f"{name}-{other}" for other in numbers)


def places(path: Path) -> Iterator[tuple[str, Place]]:
    """Every id that is tagged in one file, with its place."""
    text, file = path.read_text(), path.relative_to(ROOT).as_posix()
    if not TAG.search(text):
        return
    tree = ast.parse(text)
    spans = list(definitions(tree))
    comments = [(owner(spans, line), comment) for line, comment in comments_of(path)]
    ends = tree.body[0].end_lineno or 0 if ast.get_docstring(tree) else 0
    for line, content in enumerate(text.splitlines(), 1):
        for match in TAG.finditer(content):
            names = [owner(spans, line)]
            if line <= ends:
                number = NUMBERED.search(content[: match.start()])
                names = functions_of(number[1], comments, docstrings(tree)) if number else []
            for name in dict.fromkeys(names) or [""]:
                for id in ids_of(match[1]):
                    yield id, (name, file)


def functions_of(number: str, comments: list[tuple[str, str]], docs: list[tuple[str, str]]) -> list[str]:
    """The functions that name an equation of their module, in comments or else in docstrings."""
    for texts in (comments, docs):
        if found := [name for name, text in texts if name and number in NUMBER.findall(text)]:
            return found
    return []


def docstrings(tree: ast.AST, inside: str = "") -> list[tuple[str, str]]:
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append((inside + node.name, ast.get_docstring(node) or ""))
            found += docstrings(node, f"{inside}{node.name}.") if isinstance(node, ast.ClassDef) else []
    return found


def definitions(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, int, int]]:
    """Functions, classes and methods, `Class.method`, with their lines; functions inside of functions are not told."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield inside + node.name, node.lineno, node.end_lineno or node.lineno
            if isinstance(node, ast.ClassDef):
                yield from definitions(node, f"{inside}{node.name}.")


def owner(spans: list[tuple[str, int, int]], line: int) -> str:
    around = [(last - first, name) for name, first, last in spans if first <= line <= last]
    return min(around)[1] if around else ""


def comments_of(path: Path) -> list[tuple[int, str]]:
    with tokenize.open(path) as file:
        return [(t.start[0], t.string) for t in tokenize.generate_tokens(file.readline) if t.type == tokenize.COMMENT]


def tagged() -> dict[str, list[Place]]:
    """Every id that src or the examples tag, and its places: functions before whole modules, which they replace."""
    found: dict[str, list[Place]] = {}
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").glob("*.py")]):
        for id, place in places(path):
            if place not in found.setdefault(id, []):
                found[id].append(place)
    return {id: [p for p in all if p[0]] or all for id, all in found.items()}


def tests_of(ids: set[str]) -> dict[str, list[str]]:
    """The test files that name each id, alone or in a family."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.name == "test_equations.py":  # names ids, tests none
            continue
        for id in set(ids_of(path.read_text())) & ids:
            found.setdefault(id, []).append(path.relative_to(ROOT / "tests").as_posix())
    return found


def rows(page: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Line, ids and other cells of each row of the page that has an id."""
    for line, content in enumerate(page.splitlines()):
        if match := ROW.match(content):
            yield line, match["ids"].split(", "), [cell.strip() for cell in CELL.split(match["rest"])]


def in_words(places: list[Place]) -> str:
    by_file: dict[str, list[str]] = {}
    for name, file in places:
        by_file.setdefault(file.removeprefix("src/chasles/"), []).extend([f"`{name}`"] if name else [])
    return "; ".join(f"{', '.join(names)} in `{file}`" if names else f"`{file}`" for file, names in by_file.items())


def render(page: str) -> str:
    """The page with the places of its ids: names and equations are its own, the two columns between are from tags."""
    lines = page.splitlines()
    table = list(rows(page))
    found, tests = tagged(), tests_of({id for _, ids, _ in table for id in ids})
    for line, ids, cells in table:
        computed = in_words(list(dict.fromkeys(p for id in ids for p in found.get(id, ()))))
        if reasons := "; ".join(dict.fromkeys(NOT_COMPUTED[id] for id in ids if id in NOT_COMPUTED)):
            computed = f"{reasons}; see {computed}" if computed else reasons
        tested = ", ".join(f"`{file}`" for file in sorted({file for id in ids for file in tests.get(id, ())}))
        lines[line] = f"| {', '.join(ids)} | {cells[0]} | {computed or '-'} | {tested or '-'} | {cells[-1]} |"
    for line, content in enumerate(lines):
        if content.startswith("| id |"):
            lines[line], lines[line + 1] = HEAD, "| --- " * HEAD.count(" | ") + "| --- |"
    return "\n".join(lines) + "\n"


def main() -> int:
    page = PAGE.read_text()
    new = render(page)
    if "--check" in sys.argv[1:]:
        return int(new != page)
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
