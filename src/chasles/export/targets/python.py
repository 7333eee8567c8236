"""A module of Python that needs nothing but the standard library, and its test."""

from __future__ import annotations

import numpy as np

from chasles.backend.python import Python, module, python_words
from chasles.export.calls import listed_calls
from chasles.export.exported import Exported
from chasles.export.heading import VERSION, heading
from chasles.graph.operand import Operand

ABOUT = "a module for any Python from 3.8 on, without dependencies, and its test"

_NOTE = "Takes sequences of these shapes, or all numbers in one, in C order; gives lists, of scalars floats."

_TEST = '''"""Values that chasles {version} computed: python test_{name}.py"""

import math
import unittest

from {name} import {name} as function

TOLERANCE = {tolerance!r}  # relative to the largest number of a result, or to 1
OUTPUTS = {outputs!r}
CALLS = [  # inputs and outputs, flat
{calls}]


def flat(y):
    return [x for row in y for x in flat(row)] if isinstance(y, (list, tuple)) else [y]


def near(x, expected, largest):
    if math.isnan(expected) or math.isinf(expected):
        return x == expected or (x != x and expected != expected)
    return abs(x - expected) <= TOLERANCE * largest


class {title}(unittest.TestCase):
    def test_reference_values(self):
        for inputs, outputs in CALLS:
            found = {call}
            for what, y, expected in zip(OUTPUTS, found, outputs):
                y = flat(y)
                self.assertEqual(len(y), len(expected), what)
                largest = max([1.0] + [abs(b) for b in expected if abs(b) < math.inf])
                for k, (a, b) in enumerate(zip(y, expected)):
                    self.assertTrue(near(a, b, largest), "%s[%d]: %r instead of %r" % (what, k, a, b))


if __name__ == "__main__":
    unittest.main()
'''


def files(function: Exported) -> dict[str, str | bytes]:
    """name.py, and test_name.py where there are calls to test it by."""
    called = python_words(function.body, function.name)
    head = "\n".join(heading(function, called, _index, _NOTE))
    name = called.function
    found: dict[str, str | bytes] = {f"{name}.py": module(function.body, function.name, function.dtype, head)}
    if function.references:
        call = "function(*inputs)"
        found[f"test_{name}.py"] = _TEST.format(
            version=VERSION,
            name=name,
            title="".join(part.capitalize() for part in f"test_{name}".split("_")),
            tolerance=function.tolerance,
            outputs=called.outputs,
            call=call if len(called.outputs) > 1 else f"[{call}]",
            calls=listed_calls(function.references, Python().number, "    "),
        )
    return found


def _index(operand: Operand, k: int) -> str:
    """Where element k, in C order, is: M[1][2]."""
    return "".join(f"[{i}]" for i in np.unravel_index(k, operand.shape)) if operand.shape else ""
