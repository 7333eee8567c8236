"""C: operations at their edges, constants, random numbers to the bit, loops, searches, names; compiled by a clang with
all warnings as errors.
"""

import re
import subprocess
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.c_library import compiled, computed, zig
from support.kernels import everything_kernel, same, states
from support.node import interpreted
from support.printed import (
    FUNCTIONS,
    LOOPS,
    ROWS,
    SEARCHES,
    agrees_at_edges,
    alone,
    at_edges,
    backward,
    body_of,
    constants,
    loop_arguments,
    named,
    named_arguments,
    same_numbers,
    search,
    seeds,
)
from support.programs import needs
from support.random_expressions import agrees_on, points, trees
from support.tolerances import close

import chasles as ch
from chasles.backend.c import C, exported_name, in_comment, written
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Program, Ref
from chasles.scalar.operations import OPERATIONS

UNSHRUNK = (Phase.explicit, Phase.generate)  # each example is compiled


def equal(kernel, *x, tol=0.0):
    """Whether C and the interpreter agree: to the bit, or to a tolerance where all is finite."""
    found, expected = computed(kernel, *x), interpreted(kernel, *x)
    return all(map(close, found, expected, [tol] * len(found))) if tol else same_numbers(found, expected)


def test_every_operation_at_its_edges():
    for row, function in zip(ROWS, compiled([alone(row) for row in ROWS]), strict=True):
        x = at_edges(row)
        assert agrees_at_edges(row, function(x), interpreted(function.kernel, x))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_random_numbers_are_the_same_bits(rng, dtype):
    """On processors that fuse products into sums too, where the compiler may."""
    x = seeds(rng, 30 if dtype == "float32" else 300).astype(dtype)
    drawn = [alone(OPERATIONS[name], dtype) for name in ("random", "normal")]
    for flags in ((), ("-ffp-contract=fast", "-march=native")):
        for name, function in zip(("random", "normal"), compiled(drawn, *flags), strict=True):
            assert same(function(x)[0], OPERATIONS[name].numpy(x[:, 0], x[:, 1]))


@pytest.mark.parametrize("longest", [4000, 7])
def test_all_operations_in_parts(monkeypatch, longest):
    """Numbers and conditions that outlive their part are kept for others."""
    monkeypatch.setattr(C, "longest", longest)
    kernel = everything_kernel()
    assert ("_part1(" in kernel.to("c")) == (longest == 7)
    assert equal(kernel, *states(kernel, 5), tol=1e-14)


def test_floats():
    """The functions of float, constants with their suffix and rounded to float: nothing is promoted to double."""
    kernel = everything_kernel("float32")
    text = kernel.to("c")
    assert "sinf(" in text and "const float v" in text and not re.search(r"\d\.\d+[,;)\s]", text.split("/*")[1])
    x = states(kernel, 20)
    for found, expected in zip(computed(kernel, *x), interpreted(kernel, *x), strict=True):
        assert found.dtype == np.float32 and close(found.astype(float), expected, 2e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_constants_are_exact(dtype):
    kernel = constants()
    x = np.ones((1, kernel.inputs[0].size))
    with np.errstate(over="ignore"):
        expected = [y.astype(dtype) for y in interpreted(kernel, x)]
    assert same_numbers(computed(Kernel(kernel.program, "constants", dtype), x), expected)


@settings(max_examples=2, phases=UNSHRUNK)
@given(
    st.lists(trees(), min_size=4, max_size=4), st.lists(points(), min_size=1, max_size=5), st.sampled_from([3, 1000])
)
def test_random_expressions(expressions, rows, longest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(C, "longest", longest)
        assert agrees_on(expressions, rows, computed)


# loops and searches


def test_loops(rng, monkeypatch):
    whole = [ch.compile(function, **shapes) for function, shapes in LOOPS.items()]
    alone = [Kernel(body_of(kernel).loops[-1], "by_itself") for kernel in whole]
    for longest in (4000, 1):
        monkeypatch.setattr(C, "longest", longest)
        for function in compiled([*whole, *alone], "-O0"):
            x = loop_arguments(function.kernel, rng)
            assert same_numbers(function(*x), interpreted(function.kernel, *x)), function.kernel.name


def test_rows_taken_backward(rng):
    kernel = ch.compile(backward, x=108).gradient("x")
    assert re.search(r"while \(r0 < 1[12]\)", kernel.to("c"))
    assert equal(kernel, rng.normal(size=(3, 108)), tol=1e-13)


def test_searches():
    alone, inside = Kernel(search(), "search"), Kernel(search().program, "search_in_a_program")
    for function in compiled([alone, inside]):
        assert same_numbers(function(*SEARCHES), interpreted(function.kernel, *SEARCHES))


def test_the_bytes_of_arrays_inside():
    """The largest chain of calls: arrays of a loop, and of the loop in its step; none where there is no loop."""
    assert written(body_of(everything_kernel()), "f", "float64").stack == 0

    def twice(x):
        return ch.loop(lambda y: ch.loop(lambda z: np.sin(z), y, count=2) + x, x, count=2)

    body = body_of(ch.compile(twice, x=4))
    text = written(body, "f", "float64").text
    sizes = [int(size) for size in re.findall(r"^    double \w+\[(\d+)\];", text, re.MULTILINE)]
    assert written(body, "f", "float64").stack == 8 * sum(sizes) > 0  # each calls one other
    assert written(body, "f", "float32").stack == 4 * sum(sizes)


# text


def count_operators(text):
    """Operations in statements of values, as a reader counts them."""
    values = re.findall(r"^ +const \w+ v\d+ = (.*);$", text, re.MULTILINE)
    found = {"add": r" \+ ", "sub": r" - ", "mul": r" \* ", "div": " / ", "sin": r"\bsinf?\(", "cos": r"\bcosf?\("}
    found["neg"] = r"^-v"
    return {op: n for op, pattern in found.items() if (n := sum(len(re.findall(pattern, v)) for v in values))}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_operations_of_a_ur5_are_those_of_its_kernel(dtype):
    kernel = ch.load("ur5").kernel("inverse_dynamics", dtype=dtype)
    assert count_operators(kernel.to("c")) == kernel.operations.by_kind
    assert kernel.operations.total < 300


def test_no_heap_no_state_no_other_header():
    text = everything_kernel().to("c") + ch.load("ur5").kernel("forward_dynamics").to("c")
    assert set(re.findall(r"#include <(.*)>", text)) == {"math.h", "stdint.h", "string.h"}
    assert not re.search(r"malloc|alloca|^static (?!\w+ \w+\()", text, re.MULTILINE)
    assert set(re.findall(r"#include <(.*)>", ch.load("ur5").kernel("mass_matrix").to("c"))) == {"math.h"}


def test_the_same_bytes_each_time():
    texts = {ch.compile(lambda x, y: np.sin(x) * y, x=2, y=2).to("c") for _ in range(3)}
    assert len(texts) == 1


# names

ODD = ["double", "int", "main", "y1", "gamma", "j0", "sin", "NAN", "I", "linux", "k", "v0", "i", "kept", "status"]
ODD += ["in3_x", "now_q", "random_number", "f_part0", "*/", "/*", "??/", "\\", "a b", "a_b", "_", "__x", "1", "q"]
ODD += ["\N{GREEK SMALL LETTER THETA}", "th\N{LATIN SMALL LETTER E WITH ACUTE}", "M_PI", "new", "bool", "errno", "\n"]
NAMES = st.one_of(st.sampled_from(ODD), st.text(max_size=12))
LISTS = st.lists(NAMES, min_size=8, max_size=14, unique=True)


def test_names_that_are_none():
    """Operands and functions called by words of C, by no words, or by two that become one."""
    for function in compiled({name: named(name) for name in FUNCTIONS}):
        found = function(*named_arguments())
        assert same_numbers(found, interpreted(function.kernel, *named_arguments()))


@settings(max_examples=5, phases=UNSHRUNK)
@given(LISTS, LISTS, NAMES)
def test_odd_names(inputs, outputs, name):
    """They compile, one stands for one operand each, and a comment says for which."""
    operands = tuple(Operand(word, (2,)) for word in inputs)
    given = [("input", (k, 1)) for k in range(len(inputs))]
    nodes = (*given, ("random", (Ref(0), Ref(1))), ("sin", (Ref(len(given)),)))
    results = tuple((Ref(len(given) + 1 if k == 0 else (5 * k + 3) % len(given)),) for k in range(len(outputs)))
    kernel = Kernel(Program(operands, tuple(Operand(word, (1,)) for word in outputs), nodes, results), name)
    x = [np.full((1, 2), 1.0 + k) for k in range(len(inputs))]
    assert same_numbers(computed(kernel, *x), interpreted(kernel, *x))
    file = written(body_of(kernel), name, "float64")
    words = [*file.words.inputs, *file.words.outputs, file.words.function]
    assert len(set(words)) == len(words) and all(re.fullmatch(r"[A-Za-z]\w*", word, re.ASCII) for word in words)
    for word, operand in zip(words, [*inputs, *outputs], strict=False):
        assert f" * {word}: {in_comment(operand)}, shape" in file.text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            ("stdin", "stdin_"),
            ("HALF_PI", "HALF_PI_"),
            ("A0", "A0_"),
            ("B101", "B101_"),
            ("TIME", "TIME_"),
            ("Mass", "Mass"),
        ),
        *(("gamma", "gamma_"), ("main", "main_"), ("step", "step"), ("v1", "v1_"), ("L_1", "L_1"), ("M_E", "M_E_")),
        ("M_inverse", "M_inverse"),
        ("\N{GREEK SMALL LETTER TAU}", "tau"),
    ],
)
def test_names_of_functions(name, expected):
    assert exported_name(name) == expected


@pytest.mark.system
@needs("gcc", "arm-none-eabi-gcc")
def test_names_that_headers_define(tmp_path):
    """Every macro of the headers of two libraries that is a word alone, as the name of an operand, after them."""
    headers = ("stdio", "stdlib", "string", "complex", "math", "stdint", "float", "limits")
    included = "".join(f"#include <{name}.h>\n" for name in headers)
    for compiler in ("gcc", "arm-none-eabi-gcc"):
        command = [compiler, "-std=c99", "-x", "c"]
        said = subprocess.run([*command, "-dM", "-E", "-"], input=included, capture_output=True, text=True, check=True)
        names = re.findall(r"^#define ([A-Za-z]\w*) \S", said.stdout, re.M)
        assert {"stdin", "I", "NAN"} <= set(names)
        operands = tuple(Operand(name, (1,)) for name in names)
        program = Program(operands, (Operand("y", (1,)),), (("input", (0, 0)),), ((Ref(0),),))
        (tmp_path / "f.c").write_text(included + written(program, "f", "float64").text, "ascii")
        done = subprocess.run(
            [*command, "-c", "f.c", "-o", "f.o"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert not done.returncode, re.sub(r"\(.*", "", done.stderr)


def test_an_operand_keeps_its_name():
    text = ch.compile(lambda q, gamma, v1: {"tau": q * gamma[0] + v1, "q": q}, q=3, gamma=1, v1=3).to("c")
    head = "(const double q[3], const double gamma_[1], const double v1_[3], double tau[3], double q_out[3])"
    assert head in text and " * gamma_: gamma, shape [1]" in text and " * q_out: q, shape [3]" in text


def test_where_outputs_may_be_inputs():
    """A step writes over its state, where all is read before; the file says so, and not of others."""
    step = ch.compile(lambda q, qd: {"q": q + 0.1 * qd[::-1], "qd": qd * q[::-1]}, q=2, qd=2)
    swapped = ch.compile(lambda q: {"a": q, "b": q[::-1]}, q=2)
    looped = ch.compile(lambda q: ch.loop(lambda x: x + q[::-1], q, count=3), q=2)
    assert [written(body_of(k), "f", "float64").in_place for k in (step, swapped, looped)] == [True, False, False]
    q, qd = np.array([[1.0, 2.0]]), np.array([[3.0, 5.0]])
    (function,) = compiled([step])
    apart = function(q, qd)
    function.function(q.ctypes.data, qd.ctypes.data, q.ctypes.data, qd.ctypes.data)
    assert same_numbers((q, qd), apart)


def test_outputs_of_a_loop_are_not_inputs():
    """What it records would be read as what it is given, in the next step."""
    step: Any = ch.compile(lambda x, g: {"x": x + g, "seen": 2.0 * x + g}, x=2, g=2).program
    loop = Kernel(Loop(step, ("x",), 3, given=("g",), record=("seen",)), "marched")
    assert not written(loop.program, "marched", "float64").in_place
    (function,), x, shared, last = compiled([loop]), np.array([1.0, 2.0]), np.array([3.0, 5.0, 0, 0, 0, 0]), np.zeros(2)
    apart = function(x[None], shared[None, :2])
    function.function(x.ctypes.data, shared.ctypes.data, last.ctypes.data, shared.ctypes.data)
    assert not np.array_equal(last[None], apart[0])


def test_other_processors(tmp_path):
    """Compiled for 64 and 32 bits, hard and soft, big and small ends: nothing is asked of the machine."""
    text = ch.compile(lambda x: np.sin(x) + ch.random.normal(7.0, x), dtype="float32", x=()).to("c")
    (tmp_path / "f.c").write_text(text, "ascii")
    for target in ("arm-linux-musleabihf", "s390x-linux-musl", "x86_64-windows-gnu"):
        zig("-target", target, "-O1", "-Wall", "-Wextra", "-Werror", "-c", "f.c", "-o", "f.o", folder=str(tmp_path))
