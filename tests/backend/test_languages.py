"""Python, MATLAB and Rust: operations at their edges, constants, random numbers to the bit, loops, searches, names.

Python runs here; MATLAB needs Octave and Rust rustc, under the marker `system`.
"""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from support.kernels import everything_kernel, same, states
from support.languages import COMPUTED
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
from support.tolerances import close

import chasles as ch
from chasles.backend.matlab import Matlab
from chasles.backend.python import Python
from chasles.backend.rust import Rust
from chasles.function.kernel import Kernel
from chasles.scalar.operations import OPERATIONS

SYSTEM = pytest.mark.system
LANGUAGES = ["python", pytest.param("matlab", marks=SYSTEM), pytest.param("rust", marks=SYSTEM)]
SINGLE = [pytest.param("matlab", marks=SYSTEM), pytest.param("rust", marks=SYSTEM)]
CLASSES = {"python": Python, "matlab": Matlab, "rust": Rust}


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@contextmanager
def parts_of(language, longest):
    """Functions of at most so many operations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CLASSES[language], "longest", longest)
        yield


def agree(language, cases):
    """Whether the language and the interpreter give the same numbers."""
    for (kernel, x), found in zip(cases, COMPUTED[language](cases), strict=True):
        assert same_numbers(found, interpreted(kernel, *x)), kernel.name
    return True


def test_every_operation_at_its_edges(language):
    cases = [(alone(row), [at_edges(row)]) for row in ROWS]
    for row, (kernel, x), found in zip(ROWS, cases, COMPUTED[language](cases), strict=True):
        assert agrees_at_edges(row, found, interpreted(kernel, *x))


@pytest.mark.parametrize("language", SINGLE)
def test_every_operation_in_float32(language):
    with np.errstate(over="ignore"):
        cases = [(alone(row, "float32"), [at_edges(row).astype("float32")]) for row in ROWS]
    for row, (kernel, (x,)), (found,) in zip(ROWS, cases, COMPUTED[language](cases), strict=True):
        with np.errstate(all="ignore"):
            expected = np.array([kernel(one) for one in x])
        np.testing.assert_allclose(found, expected, rtol=5e-7, atol=1e-45, err_msg=row.name)


@pytest.mark.parametrize("name", ["random", "normal"])
def test_random_numbers_are_the_same_bits(language, name, rng):
    row = OPERATIONS[name]
    dtypes = ["float64"] if language == "python" else ["float64", "float32"]
    drawn = [seeds(rng, 30)[::10].astype(dtype) for dtype in dtypes]
    cases = [(alone(row, x.dtype.name), [x]) for x in drawn]
    for x, (found,) in zip(drawn, COMPUTED[language](cases), strict=True):
        assert same(found, row.numpy(x[:, 0], x[:, 1]))


@pytest.mark.parametrize("longest", [None, 7])
def test_all_operations_in_parts(language, longest):
    """Numbers and conditions that outlive their part are kept for others."""
    kernel = everything_kernel()
    x = states(kernel, 5)
    with parts_of(language, longest):
        assert ("_part1(" in kernel.to(language)) == (longest == 7)
        (found,) = COMPUTED[language]([(kernel, x)])
    for y, expected in zip(found, interpreted(kernel, *x), strict=True):
        assert close(y, expected, 1e-14)


def test_constants_are_exact(language):
    kernel = constants()
    assert agree(language, [(kernel, [np.ones((1, kernel.inputs[0].size))])])


@pytest.mark.parametrize("language", SINGLE)
def test_constants_are_exact_in_float32(language):
    kernel = constants()
    single = Kernel(kernel.program, "constants", "float32")
    x = np.ones((1, kernel.inputs[0].size), "float32")
    with np.errstate(over="ignore"):
        (found,) = COMPUTED[language]([(single, [x])])
        expected = [y.astype("float32") for y in interpreted(kernel, x)]
    assert same_numbers(found, expected)


@pytest.mark.parametrize("longest", [None, 1])
def test_loops(language, longest, rng):
    kernels = [ch.compile(function, **shapes) for function, shapes in LOOPS.items()]
    kernels += [Kernel(body_of(kernel).loops[-1], f"{kernel.name}_by_itself") for kernel in kernels]
    with parts_of(language, longest):
        assert agree(language, [(kernel, loop_arguments(kernel, rng)) for kernel in kernels])


def test_rows_taken_backward(language, rng):
    kernel = ch.compile(backward, x=108).gradient("x")
    assert re.search(r"r0 < 1[12]", kernel.to(language))
    x = rng.normal(size=(3, 108))
    (found,) = COMPUTED[language]([(kernel, [x])])
    assert close(found[0], interpreted(kernel, x)[0], 1e-13)


def test_searches(language):
    kernels = [Kernel(search(), "search"), Kernel(search().program, "search_in_a_program")]
    assert agree(language, [(kernel, list(SEARCHES)) for kernel in kernels])


def test_names_that_are_none(language):
    """Operands and functions called by words of languages, by no words, or by two that become one; empty inputs."""
    keywords = ["lambda", "end", "fn", "match", "zeros", "taken", "_taken", "threefry"]
    names = [*FUNCTIONS, *keywords] if language != "python" else [*FUNCTIONS[::3], *keywords[::3]]
    kernels = [named(name) for name in names]
    assert agree(language, [(kernel, named_arguments()) for kernel in kernels])
    for kernel in kernels:
        assert kernel.to(language).isascii()
