"""A function file for MATLAB and Octave, and its test."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from chasles.backend.matlab import function_file, literal, matlab_words
from chasles.export.exported import Exported
from chasles.export.heading import VERSION, heading
from chasles.graph.operand import Operand

ABOUT = "a function file for MATLAB and Octave, and its test"

_NOTE = "Arrays have these shapes, vectors are columns; rows are taken too."

_TEST = """function {name}_test()
% Values that chasles {version} computed.
{calls}  fprintf('{name}: {count} calls agree\\n');
end

function agree(what, found, expected)
  tolerance = {tolerance!r}; % relative to the largest number of a result, or to 1
  if ~isequal(size(found), size(expected))
    error('{name}:reference', '%s has %d numbers instead of %d, or another shape', what, numel(found), numel(expected));
  end
  found = double(found(:));
  expected = expected(:);
  largest = max([1; abs(expected(abs(expected) < Inf))]);
  same = found == expected | (found ~= found & expected ~= expected);
  near = same | abs(found - expected) <= tolerance * largest;
  if ~all(near)
    k = find(~near, 1);
    error('{name}:reference', '%s(%d) is %.17g instead of %.17g', what, k, found(k), expected(k));
  end
end
"""


def files(function: Exported) -> dict[str, str | bytes]:
    """name.m, and name_test.m where there are calls to test it by."""
    called, body = matlab_words(function.body, function.name), function.body
    name = called.function
    signature = f"[{', '.join(called.outputs)}] = {name}({', '.join(called.inputs)})"
    lines = heading(function, called, _index, _NOTE)
    lines[0] = re.sub(rf"^{name}:? *", f"{name.upper()} ", lines[0]).rstrip()  # as MATLAB's own help begins
    first = lines.index("")
    head = [*lines[:first], f"  {signature}", *lines[first:]]
    found: dict[str, str | bytes] = {f"{name}.m": function_file(body, function.name, function.dtype, head)}
    if function.references:
        calls, given = "", [f"y{k}" for k in range(1, 1 + len(called.outputs))]
        for r in function.references:
            inputs = ", ...\n    ".join(map(array, body.inputs, r.inputs))
            calls += f"  [{', '.join(given)}] = {name}( ...\n    {inputs});\n"
            for y, word, operand, values in zip(given, called.outputs, body.outputs, r.outputs, strict=True):
                calls += f"  agree('{word}', {y}, {array(operand, values)});\n"
        found[f"{name}_test.m"] = _TEST.format(
            name=name, version=VERSION, calls=calls, count=len(function.references), tolerance=function.tolerance
        )
    return found


def array(operand: Operand, values: Sequence[float]) -> str:
    """An array of the operand's shape, from its elements in C order."""
    numbers = [literal(x) for x in values]
    if not operand.shape:
        return numbers[0]
    if len(operand.shape) == 1:
        return f"[{'; '.join(numbers)}]" if numbers else "zeros(0, 1)"
    if not numbers:
        return f"zeros({', '.join(map(str, operand.shape))})"
    if len(operand.shape) == 2:
        n = operand.shape[1]
        return f"[{'; '.join(', '.join(numbers[k : k + n]) for k in range(0, len(numbers), n))}]"
    axes = ", ".join(map(str, operand.shape[::-1]))
    return f"permute(reshape([{', '.join(numbers)}], [{axes}]), {len(operand.shape)}:-1:1)"


def _index(operand: Operand, k: int) -> str:
    """Where element k, in C order, is: M(2, 3)."""
    return f"({', '.join(str(i + 1) for i in np.unravel_index(k, operand.shape))})" if operand.shape else ""
