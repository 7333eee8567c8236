"""Kernels run as texts of other languages: in this process, in one of Octave, or compiled by rustc.

`computed[language](cases)` takes pairs of a kernel and its inputs, (rows, *shape) each, and gives for each the outputs,
(rows, *shape). All cases go in one process. Numbers go there and come back as their bits.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from chasles.backend.matlab import matlab_words
from chasles.backend.python import python_words
from chasles.backend.rust import rust_words
from chasles.function.kernel import Kernel

Case = tuple[Kernel, Sequence[Any]]
Outputs = tuple[np.ndarray, ...]


def _rows(case: Case) -> list[list[np.ndarray]]:
    """Of each row its inputs."""
    kernel, arrays = case
    arrays = [np.asarray(x, kernel.dtype) for x in arrays]
    return [[x[k] for x in arrays] for k in range(len(arrays[0]))]


def _outputs(case: Case, numbers: Any) -> Outputs:
    """The outputs of all rows, from flat numbers, row by row."""
    kernel, rows = case[0], len(case[1][0])
    numbers = np.asarray(numbers, kernel.dtype).reshape(rows, -1)
    ends = np.cumsum([o.size for o in kernel.outputs])
    parts = np.split(numbers, ends[:-1], axis=1)
    return tuple(part.reshape(rows, *o.shape) for part, o in zip(parts, kernel.outputs, strict=True))


def python_function(text: str, name: str) -> Callable[..., Any]:
    """A function of a module that is given as text."""
    module: dict[str, Any] = {"__name__": "printed"}
    exec(compile(text, "printed.py", "exec"), module)
    return module[name]


def in_python(cases: Sequence[Case]) -> list[Outputs]:
    found = []
    for case in cases:
        kernel = case[0]
        function = python_function(kernel.to("python"), python_words(kernel.program, kernel.name).function)
        numbers: list[Any] = []
        for inputs in _rows(case):
            given = function(*(x.tolist() for x in inputs))
            for y in given if len(kernel.outputs) > 1 else [given]:
                numbers += np.ravel(y).tolist()
        found.append(_outputs(case, numbers))
    return found


MATLAB_ROWS = """
cd '{folder}';
from = fopen('inputs', 'r');
to = fopen('outputs', 'w');
{calls}
fclose(to);
"""


def in_octave(cases: Sequence[Case]) -> list[Outputs]:
    """Each function in a folder of its own: two may have one name."""
    with tempfile.TemporaryDirectory() as path:
        folder, calls = Path(path), []
        for k, (kernel, arrays) in enumerate(cases):
            word = matlab_words(kernel.program, kernel.name).function
            (folder / f"case{k}").mkdir()
            (folder / f"case{k}" / f"{word}.m").write_text(kernel.to("matlab"), "ascii")
            kind = "double" if kernel.dtype == "float64" else "single"
            reads = [_matlab_read(o.shape, kind) for o in kernel.inputs]
            given = ", ".join(f"y{i}" for i in range(len(kernel.outputs)))
            calls += [f"addpath('case{k}');", f"for row = 1:{len(arrays[0])}"]
            calls += [f"  x{i} = {read};" for i, read in enumerate(reads)]
            calls.append(f"  [{given}] = {word}({', '.join(f'x{i}' for i in range(len(reads)))});")
            for i, o in enumerate(kernel.outputs):
                assert_shape = f"size(y{i})", "[" + " ".join(map(str, _matlab_shape(o.shape))) + "]"
                calls.append(f"  assert(isequal({assert_shape[0]}, {assert_shape[1]})); assert(isa(y{i}, '{kind}'));")
                calls.append(f"  fwrite(to, permute(y{i}, ndims(y{i}):-1:1), '{kind}');")
            calls += ["end", f"rmpath('case{k}'); clear('{word}');"]
        (folder / "inputs").write_bytes(b"".join(x.tobytes() for case in cases for row in _rows(case) for x in row))
        (folder / "chasles_rows.m").write_text(MATLAB_ROWS.format(folder=folder, calls="\n".join(calls)), "ascii")
        octave(folder / "chasles_rows.m")
        return _read(cases, (folder / "outputs").read_bytes())


def octave(script: Path) -> str:
    """What Octave prints; what it says of an error is a RuntimeError."""
    done = subprocess.run(
        ["octave-cli", "--norc", "--no-history", "--quiet", script.name],
        capture_output=True,
        text=True,
        cwd=script.parent,
    )
    if done.returncode or done.stderr:
        raise RuntimeError(done.stderr)
    return done.stdout


def _matlab_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    while len(shape) > 2 and shape[-1] == 1:
        shape = shape[:-1]
    return shape if len(shape) > 1 else (*shape, 1) if shape else (1, 1)


def _matlab_read(shape: tuple[int, ...], kind: str) -> str:
    last_first = shape[::-1] if len(shape) > 1 else (*shape, 1) if shape else (1, 1)
    sizes = ", ".join(map(str, last_first))
    read = f"reshape(fread(from, {int(np.prod(shape))}, '{kind}=>{kind}'), {sizes})"
    return f"permute({read}, {len(shape)}:-1:1)" if len(shape) > 1 else read


RUST_MAIN = """
use std::io::{Read, Write};

trait Bits: Sized {
    fn take(from: &mut &[u8]) -> Self;
    fn give(&self, to: &mut Vec<u8>);
}
impl Bits for f64 {
    fn take(from: &mut &[u8]) -> f64 {
        let (head, tail) = from.split_at(8);
        *from = tail;
        f64::from_le_bytes(head.try_into().unwrap())
    }
    fn give(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }
}
impl Bits for f32 {
    fn take(from: &mut &[u8]) -> f32 {
        let (head, tail) = from.split_at(4);
        *from = tail;
        f32::from_le_bytes(head.try_into().unwrap())
    }
    fn give(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }
}
impl<T: Bits, const N: usize> Bits for [T; N] {
    fn take(from: &mut &[u8]) -> [T; N] {
        [(); N].map(|_| T::take(from))
    }
    fn give(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|x| x.give(to));
    }
}

fn main() {
    let (mut given, mut found) = (Vec::new(), Vec::new());
    std::io::stdin().read_to_end(&mut given).unwrap();
    let from = &mut given.as_slice();
CALLS
    std::io::stdout().write_all(&found).unwrap();
}
"""


def in_rust(cases: Sequence[Case]) -> list[Outputs]:
    with tempfile.TemporaryDirectory() as path:
        folder, modules, calls = Path(path), [], []
        for k, (kernel, arrays) in enumerate(cases):
            word = rust_words(kernel.program, kernel.name).function
            (folder / f"case{k}.rs").write_text(kernel.to("rust").replace("#![forbid(unsafe_code)]\n", ""), "ascii")
            modules.append(f"mod case{k};")
            kind = "f64" if kernel.dtype == "float64" else "f32"
            calls.append(f"for _row in 0..{len(arrays[0])} {{")
            given = []
            for i, o in enumerate(kernel.inputs):
                calls.append(f"let x{i} = <{f'[{kind}; {o.size}]' if o.shape else kind}>::take(from);")
                given.append(f"&x{i}" if o.shape else f"x{i}")
            for i, o in enumerate(kernel.outputs):
                calls.append(f"let mut y{i} = {f'[{kind}::NAN; {o.size}]' if o.shape else f'{kind}::NAN'};")
                given.append(f"&mut y{i}")
            calls.append(f"case{k}::{word}({', '.join(given)});")
            calls += [f"y{i}.give(&mut found);" for i in range(len(kernel.outputs))] + ["}"]
        text = "#![deny(warnings)]\n#![forbid(unsafe_code)]\n" + "\n".join(modules)
        (folder / "main.rs").write_text(text + RUST_MAIN.replace("CALLS", "\n".join(calls)), "ascii")
        given = b"".join(x.tobytes() for case in cases for row in _rows(case) for x in row)
        found = []
        for at in rust_folders():
            rustc(folder / "main.rs", "-o", str(folder / "main"), at=at)
            done = subprocess.run([str(folder / "main")], input=given, capture_output=True, check=True)
            found.append(_read(cases, done.stdout))
        for others in found[1:]:
            for pair in zip(found[0], others, strict=True):
                assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*pair, strict=True))
        return found[0]


@cache
def rust_folders() -> tuple[str, ...]:
    """Folders of PATH with a rustc and a cargo of their own: that of Debian is older than that of rustup."""
    found = {}
    for folder in os.environ["PATH"].split(os.pathsep):
        if all(shutil.which(program, path=folder) for program in ("rustc", "cargo")):
            found.setdefault(str(Path(folder, "rustc").resolve()), folder)
    assert found, "no rustc on PATH"
    return tuple(found.values())


def rustc(path: Path, *options: str, at: str | None = None) -> None:
    """Compile a file, by all that are there, or by that of a folder; what rustc says is a RuntimeError."""
    for folder in rust_folders() if at is None else (at,):
        command = [str(Path(folder, "rustc")), "--edition", "2021", *options, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=path.parent)
        if done.returncode or done.stderr:
            raise RuntimeError(done.stderr)


def _read(cases: Sequence[Case], data: bytes) -> list[Outputs]:
    found = []
    for case in cases:
        kernel = case[0]
        size = len(case[1][0]) * sum(o.size for o in kernel.outputs) * np.dtype(kernel.dtype).itemsize
        found.append(_outputs(case, np.frombuffer(data[:size], kernel.dtype)))
        data = data[size:]
    assert not data
    return found


COMPUTED: dict[str, Callable[[Sequence[Case]], list[Outputs]]] = {
    "python": in_python,
    "matlab": in_octave,
    "rust": in_rust,
}
