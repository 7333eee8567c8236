"""What printed Python, MATLAB and Rust take and refuse, which versions read them, and what cannot be printed."""

import ast
import re
import subprocess
import sys

import numpy as np
import pytest
from support.kernels import everything_kernel
from support.languages import octave, python_function, rustc
from support.printed import LOOPS, constants

import chasles as ch
from chasles.function.kernel import Kernel


def moved(A, q, t):
    return {"moved": A @ q + t, "A": 2.0 * A, "time": t}


@pytest.fixture(scope="module")
def kernel():
    return ch.compile(moved, A=(2, 3), q=3, t=())


# Python


@pytest.fixture(scope="module")
def function(kernel):
    return python_function(kernel.to("python"), "moved")


TAKEN = {
    "lists": ([[1, 2, 3], [4, 5, 6]], [1, 0, 0], 2),
    "flat, tuples, a list of one": ((1, 2, 3, 4, 5, 6), (1, 0, 0), [2]),
    "arrays": (np.arange(1, 7).reshape(2, 3), np.eye(3)[0], np.array(2.0)),
    "a generator, rows of arrays": ([np.array([1, 2, 3]), (4, 5, 6)], (x for x in (1, 0, 0)), np.float32(2)),
    "truths": (range(1, 7), [True, False, False], 2),
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_python_takes(function, case):
    found = function(*TAKEN[case])
    assert found == ([3.0, 6.0], [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]], 2.0)
    assert found.moved == [3.0, 6.0] and found.A_out[1] == [8.0, 10.0, 12.0] and type(found.time) is float


A, Q = [[1, 2, 3], [4, 5, 6]], [1, 0, 0]
MISTAKES = {
    "one too few": ((A, [1, 0], 2), "moved: q must be 3 numbers, got 2"),
    "a number for three": ((A, 1, 2), "moved: q must be 3 numbers, got 1"),
    "transposed": (([[1, 4], [2, 5], [3, 6]], Q, 2), "moved: A must be 2 x 3 numbers, got 3 rows"),
    "a short row": (([[1, 2, 3], [4, 5]], Q, 2), "moved: A[1] must be 3 numbers, got 2"),
    "too many": ((range(7), Q, 2), "moved: A must be 2 x 3 numbers, got 7 rows"),
    "two for one": ((A, Q, [1, 2]), "moved: t must be 1 number, got 2"),
    "none": ((A, Q, None), "moved: t must be a number, got None"),
    "a text": ((A, "123", 2), "moved: q must be 3 numbers, got '123'"),
    "a text in it": ((A, [1, "0", 0], 2), "moved: q[1] must be a number, got '0'"),
    "none in it": (([[1, 2, 3], [4, None, 6]], Q, 2), "moved: A[1][1] must be a number, got None"),
    "nested": ((A, [[1, 0, 0]], 2), "moved: q must be 3 numbers, got 1"),
    "empty": ((A, [], 2), "moved: q must be 3 numbers, got []"),
    "complex": ((A, [1j, 0, 0], 2), "moved: q[0] must be a number, got 1j"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_in_python_are_named(function, case):
    arguments, message = MISTAKES[case]
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}$"):
        function(*arguments)


def test_python_of_any_version_reads_it():
    """Texts without what came after 3.8, of modules that it has."""
    kernels = [everything_kernel(), constants(), *(ch.compile(f, **shapes) for f, shapes in LOOPS.items())]
    for kernel in kernels:
        tree = ast.parse(kernel.to("python"), feature_version=(3, 8))
        imported = {n.name for node in ast.walk(tree) if isinstance(node, ast.Import) for n in node.names}
        assert imported <= {"math", "struct"}


def test_a_printed_module_is_alone():
    """It runs in a Python without site packages, and tells what it is."""
    text = ch.load("planar_2r").kernel("mass_matrix").to("python") + "print(mass_matrix([0.1, 0.2]), __doc__)\n"
    done = subprocess.run([sys.executable, "-I", "-S", "-"], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[[") and "mass_matrix, as Python." in done.stdout


def test_python_computes_in_float64(kernel):
    with pytest.raises(ch.CompileError, match=r"moved: Python computes in float64.*not of float32"):
        Kernel(kernel.program, "moved", "float32").to("python")


# MATLAB


def statements(text):
    """Without comments and strings."""
    return [re.sub(r"'[^']*'|%.*", "", line) for line in text.splitlines()]


def test_matlab_has_nothing_of_octave_alone():
    kernels = [everything_kernel(), constants(), *(ch.compile(f, **shapes) for f, shapes in LOOPS.items())]
    for kernel in kernels:
        for line in statements(kernel.to("matlab")):
            assert not re.search(r"""[!"#]|\+=|\+\+|^\s*end\w+|\bprintf\b|\bdo\b|\bunwind""", line), line
        text = "\n".join(statements(kernel.to("matlab")))
        opened = len(re.findall(r"\b(?:function|if|for|while)\b", text))
        assert opened == len(re.findall(r"^\s*end$", text, re.MULTILINE))


OCTAVE = """
function refused(expected, varargin)
  try
    moved(varargin{:});
  catch problem
    if ~strcmp(problem.message, expected), error('%s', problem.message); end
    return
  end
  error('nothing was refused: %s', expected);
end
1;
A = [1, 2, 3; 4, 5, 6];
[y, B, t] = moved(A, [1; 0; 0], 2);
assert(isequal(y, [3; 6]) && isequal(B, 2 * A) && t == 2);
y = moved(A, [1, 0, 0], 2);
assert(isequal(y, [3; 6]));
y = moved(int8(A), single([1, 0, 0]), true);
assert(isequal(y, [2; 5]) && isa(y, 'double'));
refused('moved: q must have 3 elements, got 2 x 1', A, [1; 0], 2);
refused('moved: q must have 3 elements, got 1 x 1', A, 1, 2);
refused('moved: A must be 2 x 3, got 3 x 2', A', [1; 0; 0], 2);
refused('moved: A must be 2 x 3, got 6 x 1', A(:), [1; 0; 0], 2);
refused('moved: t must have 1 elements, got 0 x 0', A, [1; 0; 0], []);
refused('moved: q must be an array of real numbers', A, 'abc', 2);
refused('moved: q must be an array of real numbers', A, [1i; 0; 0], 2);
refused('moved: q must be an array of real numbers', A, {1; 0; 0}, 2);
refused('moved: 3 inputs are needed, got 2', A, [1; 0; 0]);
"""


@pytest.mark.system
def test_what_matlab_takes_and_refuses(kernel, tmp_path):
    (tmp_path / "moved.m").write_text(kernel.to("matlab"))
    (tmp_path / "doors.m").write_text("1;\n" + OCTAVE)
    octave(tmp_path / "doors.m")


# Rust


RUST = """#![deny(warnings)]
mod moved;

fn main() {
    let (mut y, mut twice, mut t) = ([0.0; 2], [0.0; 6], 0.0);
    moved::moved(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1.0, 0.0, 0.0], 2.0, &mut y, &mut twice, &mut t);
    assert_eq!((y, twice, t), ([3.0, 6.0], [2.0, 4.0, 6.0, 8.0, 10.0, 12.0], 2.0));
}
"""


@pytest.mark.system
def test_rust_takes_arrays_of_fixed_sizes(kernel, tmp_path):
    (tmp_path / "moved.rs").write_text(kernel.to("rust"))
    (tmp_path / "main.rs").write_text(RUST)
    rustc(tmp_path / "main.rs", "-o", str(tmp_path / "main"))
    subprocess.run([str(tmp_path / "main")], check=True)
    (tmp_path / "main.rs").write_text(RUST.replace("&[1.0, 0.0, 0.0]", "&[1.0, 0.0]"))
    with pytest.raises(RuntimeError, match="mismatched types"):
        rustc(tmp_path / "main.rs", "-o", str(tmp_path / "main"))
