"""A module of JavaScript for browsers and Node, with types for TypeScript and a test."""

from __future__ import annotations

import json
from collections.abc import Sequence

from chasles.backend.javascript import WORDS, JavaScript, exported_name, render
from chasles.backend.statements.words import Words, words
from chasles.export.calls import listed_calls
from chasles.export.exported import Exported
from chasles.export.heading import FLAT, VERSION, heading
from chasles.graph.operand import Operand

ABOUT = "a module of JavaScript for browsers and Node, without dependencies, with types and a test"

_TEST = """// Values that chasles {version} computed: node --test
import assert from "node:assert/strict";
import {{ test }} from "node:test";
import {{ {name} as computed }} from "./{name}.mjs";

const TOLERANCE = {tolerance!r}; // relative to the largest number of a result, or to 1
const OUTPUTS = {outputs};
const CALLS = [ // inputs and outputs, flat
{calls}];

for (const [k, [inputs, outputs]] of CALLS.entries()) {{
  test(`call ${{k}}`, () => {{
    const found = computed(...inputs);
    outputs.forEach((expected, o) => {{
      const y = {found};
      assert.equal(y.length, expected.length, OUTPUTS[o]);
      const largest = Math.max(1, ...expected.map(Math.abs).filter(Number.isFinite));
      expected.forEach((x, i) => {{
        const near = Object.is(y[i], x) || y[i] === x || Math.abs(y[i] - x) <= TOLERANCE * largest;
        assert.ok(near, `${{OUTPUTS[o]}}[${{i}}] is ${{y[i]}} instead of ${{x}}`);
      }});
    }});
  }});
}}
"""


def files(function: Exported) -> dict[str, str | bytes]:
    """name.mjs, name.d.mts, package.json, and name.test.mjs where there are calls to test it by."""
    body, name = function.body, exported_name(function.name)
    called = words(body, function.name, WORDS)._replace(function=name)
    head = "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in heading(function, called, note=FLAT)) + " */\n"
    package = {
        "name": name.lower().strip("_") or "function",
        "version": VERSION,
        "description": f"{name}, written by chasles",
        "private": True,
        "type": "module",
        "exports": {".": {"types": f"./{name}.d.mts", "default": f"./{name}.mjs"}},
        "scripts": {"test": "node --test"},
    }
    found: dict[str, str | bytes] = {
        f"{name}.mjs": head + render(body, function.name, function.dtype),
        f"{name}.d.mts": head + _types(called, body.inputs, body.outputs),
        "package.json": json.dumps(package, indent=2) + "\n",
    }
    if function.references:
        single = len(body.outputs) == 1
        found[f"{name}.test.mjs"] = _TEST.format(
            version=VERSION,
            name=name,
            tolerance=function.tolerance,
            outputs=json.dumps([o.name for o in body.outputs]),
            calls=listed_calls(function.references, JavaScript().number, "  "),
            found="found" if single else "found[OUTPUTS[o]]",
        )
    return found


def _types(called: Words, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """The declaration, for TypeScript."""
    lines = [f"  {x}: number | ArrayLike<number>," for x in called.inputs]
    lines += [f"  {y}?: Float64Array," for y in called.outputs]
    several = "".join(f" {json.dumps(o.name)}: Float64Array;" for o in outputs)
    gives = "Float64Array" if len(outputs) == 1 else f"{{{several} }}"
    return "\n".join([f"export declare function {called.function}(", *lines, f"): {gives};", ""])
