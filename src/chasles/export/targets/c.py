"""C99: a function, its header, and a self-test, with CMake.

    name.c, name.h      the function; math.h is all that it needs, and no heap
    name_test.c         a program that makes the calls of the references and compares: 0 where all agree
    CMakeLists.txt      a library and, by ctest, a test, of each function that is in the folder

So functions that are exported to one folder are built together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from chasles.backend.c import C, Written, in_comment, written
from chasles.export import cmake
from chasles.export.exported import Exported
from chasles.export.heading import FLAT, heading, wrapped

ABOUT = "C99 for any compiler, microcontrollers too: a function, its header, a self-test, CMakeLists.txt"
IN_PLACE = "An output may be the array of an input, whose numbers are read before; no two outputs may overlap."
APART = "Inputs may overlap one another; an output may overlap neither an input nor another output."
CORTEX = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"

_COMPARE = """static const double NAMEtolerance = TOLERANCE;
static double NAMEerror = 0.0;

static int NAMEagree(const char *output, int call, const NUMBER *found, const NUMBER *expected, int size,
                     double largest) {
    int agreed = 1;
    for (int i = 0; i < size; i++) {
        const double x = CASTfound[i], y = CASTexpected[i], off = fabs(x - y) / largest;
        int same = off <= NAMEtolerance;
        if (isnan(y)) same = isnan(x);
        if (isinf(y)) same = isinf(x) && (x > 0.0) == (y > 0.0);
        if (off > NAMEerror) NAMEerror = off;
        if (!same) printf("call %d, %s[%d]: %.17g, not %.17g\\n", call, output, i, x, y);
        agreed = agreed && same;
    }
    return agreed;
}
"""


def files(function: Exported) -> dict[str, str | bytes]:
    """The files, by their names."""
    named = written(function.body, function.name, function.dtype).words.function
    file = written(function.body, function.name, function.dtype, f"{named}.h")
    found: dict[str, str | bytes] = {f"{named}.c": file.text, f"{named}.h": _header(function, file)}
    if function.references:
        found[f"{named}_test.c"] = _self_test(function, file)
    return found | {"CMakeLists.txt": cmake.C}


def _header(function: Exported, file: Written) -> str:
    name, guard = file.words.function, f"CHASLES_{file.words.function.upper()}_H"
    needs = f"{file.stack} bytes of arrays" if file.stack else "no arrays"
    stack = (
        f"On the stack are {needs}, numbers that the compiler keeps there (-fstack-usage tells), and what math.h takes."
    )
    ieee = "Nothing is checked. Results that are nan or infinite need IEEE 754: no -ffast-math."
    lines = heading(function, file.words, note=f"{FLAT} {IN_PLACE if file.in_place else APART}")
    lines += [
        "",
        *wrapped(f"No heap, no state. {stack} {ieee}"),
        "",
        f"cc -std=c99 -O2 -c {name}.c",
        f"arm-none-eabi-gcc {CORTEX} -std=c99 -O2 -c {name}.c",
    ]
    if function.references:
        lines.append(f"cc -std=c99 -O2 {name}.c {name}_test.c -o {name}_test -lm && ./{name}_test")
    about = "\n".join(f" * {in_comment(line)}".rstrip() for line in lines)
    head = file.head.replace("(", "(\n    ", 1).replace(", ", ",\n    ")
    return f"""/*
{about}
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

{head};

#ifdef __cplusplus
}}
#endif

#endif
"""


def _self_test(function: Exported, file: Written) -> str:
    """A program whose arrays are the references; its names are none of the function's."""
    language, name, calls = C(function.dtype, function.body, function.name), file.words.function, function.references
    prefix = "test_" if not name.startswith("test_") else "self_"
    inputs, outputs = file.parameters[: len(file.words.inputs)], file.parameters[len(file.words.inputs) :]
    tables, given, arrays, checks = [], [], [], []
    for k, (word, size) in enumerate(inputs):
        tables.append(_table(language, f"{prefix}in_{word}", size, [call.inputs[k] for call in calls]))
        given.append(f"{prefix}in_{word}[{prefix}call]" + ("[0]" if word in file.numbers else ""))
    for k, (word, size) in enumerate(outputs):
        rows = [call.outputs[k] for call in calls]
        tables.append(_table(language, f"{prefix}out_{word}", size, rows))
        largest = ", ".join(repr(float(max([1.0, *(abs(y) for y in row if math.isfinite(y))]))) for row in rows)
        tables.append(f"static const double {prefix}largest_{word}[{len(calls)}] = {{{largest}}};\n")
        arrays.append(f"{language.type} {prefix}found_{word}[{max(1, size)}] = {{{language.number(0.0)}}};")
        compared = (
            f"{prefix}found_{word}, {prefix}out_{word}[{prefix}call], {size}, {prefix}largest_{word}[{prefix}call]"
        )
        checks.append(f'{prefix}passed &= {prefix}agree("{word}", {prefix}call, {compared});')
    passed = ", ".join([*given, *(f"{prefix}found_{word}" for word, _ in outputs)])
    inside = "".join(f"        {line}\n" for line in (*arrays, f"{name}({passed});", *checks))
    compare = _COMPARE.replace("NAME", prefix).replace("NUMBER", language.type)
    compare = compare.replace("CAST", "(double)" if language.suffix else "")
    return f"""/* Self-test of {name}: errors are relative to the largest number of an output, or to 1. */
#include "{name}.h"

#include <math.h>
#include <stdio.h>

{"".join(tables)}
{compare.replace("TOLERANCE", repr(function.tolerance))}
int main(void) {{
    int {prefix}passed = 1;
    for (int {prefix}call = 0; {prefix}call < {len(calls)}; {prefix}call++) {{
{inside}    }}
    printf("{name}: {len(calls)} calls, largest error %.1e, allowed %.1e: %s\\n",
           {prefix}error, {prefix}tolerance, {prefix}passed ? "passed" : "FAILED");
    return {prefix}passed ? 0 : 1;
}}
"""


def _table(language: C, name: str, size: int, rows: Sequence[Sequence[float]]) -> str:
    numbers = [", ".join(map(_unbracketed, map(language.number, row))) or language.number(0.0) for row in rows]
    listed = "".join(f"    {{{row}}},\n" for row in numbers)
    return f"static const {language.type} {name}[{len(rows)}][{max(1, size)}] = {{\n{listed}}};\n"


def _unbracketed(number: str) -> str:
    return number[1:-1] if number.startswith("(-") else number
