"""A `casadi.Function` in a file, with what loads it, words about its operands, and a test."""

from __future__ import annotations

import tempfile
from pathlib import Path

from chasles.backend.casadi import render, size, words
from chasles.export.exported import Exported
from chasles.export.heading import VERSION, heading
from chasles.graph.operand import Operand

ABOUT = "a casadi.Function in a file, which CasADi loads in Python, C++ and MATLAB, with a loader and a test"

_LOADER = '''"""{heading}

Vectors are columns; of arrays of more than two axes all but the last are stacked as rows, so that
np.asarray(y).reshape(shape) is the array.
"""

from pathlib import Path

import casadi

{function} = casadi.Function.load(str(Path(__file__).with_name("{function}.casadi")))
'''

_TEST = '''"""Values that chasles {version} computed: python test_{function}.py"""

import casadi
from load_{function} import {function}

TOLERANCE = {tolerance!r}  # relative to the largest number of a result, or 1
CALLS = [
{calls}]


def test_reference_values():
    for inputs, outputs in CALLS:
        found = {function}.call([casadi.DM(x) for x in inputs])
        for name, y, expected in zip({function}.name_out(), found, outputs):
            y = [float(y[i, j]) for i in range(y.shape[0]) for j in range(y.shape[1])]
            largest = max([1.0, *map(abs, expected)])
            for k, (a, b) in enumerate(zip(y, expected)):
                assert abs(a - b) <= TOLERANCE * largest, (name, k, a, b)


if __name__ == "__main__":
    test_reference_values()
    print("{function}: {count} calls agree")
'''


def files(function: Exported) -> dict[str, str | bytes]:
    """name.casadi, load_name.py, and test_name.py where there are calls to test it by."""
    made, called = render(function.body, function.name, function.dtype), words(function.body, function.name)
    name = called.function
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "function.casadi"
        made.save(str(path))
        saved = path.read_bytes()
    text = "\n".join(heading(function, called, _index)).replace("\\", "\\\\").replace('"""', "'''")
    found: dict[str, str | bytes] = {
        f"{name}.casadi": saved,
        f"load_{name}.py": _LOADER.format(heading=text, function=name),
    }
    if function.references:
        calls = "".join(f"    ({_matrices(function, r.inputs)}, {_lists(r.outputs)}),\n" for r in function.references)
        found[f"test_{name}.py"] = _TEST.format(
            function=name, tolerance=function.tolerance, calls=calls, count=len(function.references), version=VERSION
        )
    return found


def _index(operand: Operand, k: int) -> str:
    """Where element k, in C order, is: from zero on."""
    columns = size(operand)[1]
    return f"[{k}]" if columns == 1 else f"[{k // columns}, {k % columns}]"


def _matrices(function: Exported, values: tuple[tuple[float, ...], ...]) -> str:
    """Inputs as CasADi takes them: lists of rows."""
    shaped = []
    for operand, row in zip(function.body.inputs, values, strict=True):
        columns = size(operand)[1]
        shaped.append([list(row[k : k + columns]) for k in range(0, len(row), columns)] if columns > 1 else list(row))
    return repr(shaped)


def _lists(values: tuple[tuple[float, ...], ...]) -> str:
    return repr([list(row) for row in values])
