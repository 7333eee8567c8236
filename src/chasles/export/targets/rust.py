"""A crate without dependencies, with a test."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.rust import literal, module, rust_words
from chasles.backend.statements.words import Words
from chasles.export.exported import Exported, Reference
from chasles.export.heading import FLAT, VERSION, heading

ABOUT = "a crate without dependencies or unsafe code, for Rust from 1.56 on, with a test"

_CARGO = """[package]
name = "{crate}"
version = "{version}"
edition = "2021"
rust-version = "1.56"
description = "{name}, written by chasles"
publish = false

[dependencies]
"""

_TEST = """//! Values that chasles {version} computed.

const TOLERANCE: f64 = {tolerance!r}; // relative to the largest number of a result, or to 1

fn agree(what: &str, found: &[{kind}], expected: &[f64]) {{
    let finite = expected.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    let largest = finite.fold(1.0, f64::max);
    for (k, (&x, &y)) in found.iter().zip(expected).enumerate() {{
{wide}        let same = x == y || (x.is_nan() && y.is_nan());
        assert!(
            same || (x - y).abs() <= TOLERANCE * largest,
            "{{}}[{{}}] is {{}} instead of {{}}",
            what,
            k,
            x,
            y
        );
    }}
}}
{calls}"""


def files(function: Exported) -> dict[str, str | bytes]:
    """Cargo.toml, src/lib.rs, and tests/references.rs where there are calls to test it by."""
    called = rust_words(function.body, function.name)
    crate = called.function.lower()
    about = _markdown(heading(function, called, note=FLAT))
    found: dict[str, str | bytes] = {
        "Cargo.toml": _CARGO.format(crate=crate, name=called.function, version=VERSION),
        "src/lib.rs": module(function.body, function.name, function.dtype, about),
    }
    if function.references:
        kind = "f64" if function.dtype == "float64" else "f32"
        calls = "".join(_call(function, called, k, r) for k, r in enumerate(function.references))
        found["tests/references.rs"] = _TEST.format(
            version=VERSION,
            crate=crate,
            tolerance=function.tolerance,
            kind=kind,
            wide="" if kind == "f64" else "        let x = f64::from(x);\n",
            calls=calls,
        )
    return found


def _markdown(lines: Sequence[str]) -> list[str]:
    """The head as documentation: the first paragraph as text, what stands in columns as it is."""
    first = lines.index("")
    return [re.sub(r"([][<>*_`\\])", r"\\\1", line) for line in lines[:first]] + [
        "",
        "```text",
        *lines[first + 1 :],
        "```",
    ]


def _call(function: Exported, called: Words, k: int, reference: Reference) -> str:
    kind, given, made, looks = "f64" if function.dtype == "float64" else "f32", [], [], []
    for operand, values in zip(function.body.inputs, reference.inputs, strict=True):
        given.append(f"&{_array(values, function.dtype)}" if operand.shape else literal(values[0], function.dtype))
    outputs = zip(called.outputs, function.body.outputs, reference.outputs, strict=True)
    for i, (word, operand, values) in enumerate(outputs):
        made.append(f"    let mut y{i} = {f'[0.0_{kind}; {operand.size}]' if operand.shape else f'0.0_{kind}'};\n")
        given.append(f"&mut y{i}")
        looks.append(
            f'    agree("{word}", &{f"y{i}" if operand.shape else f"[y{i}]"}, &{_array(values, "float64")});\n'
        )
    arguments = "".join(f"        {x},\n" for x in given)
    call = f"    {called.function.lower()}::{called.function}(\n{arguments}    );\n"
    return f"\n#[test]\nfn call_{k}() {{\n{''.join(made)}{call}{''.join(looks)}}}\n"


def _array(values: Sequence[float], dtype: str) -> str:
    return f"[{', '.join(literal(x, dtype) for x in values)}]"
