"""Wide outputs are moved out of slots by a loop over tiles: columns are where they belong, for vectors of any width."""

import numpy as np
import pytest
from support.kernels import build, same, states

import chasles as ch
from chasles.backend.host.jit import compile_object
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import AARCH64, X86_64, X86_64_V3, host
from chasles.backend.schedule import WIDE
from chasles.function.kernel import Kernel
from chasles.graph.program import Operand, Program

TARGETS = {"sse2": X86_64, "avx2": X86_64_V3, "this": None}
SIZE = WIDE + 11  # tiles of no width fill it


def wide(x, y):
    """Values in order, backward and alone among zeros; inputs; constants, of which -0.0 is one; nothing but zeros."""
    z = [x[k] + y[k % 3] for k in range(20)]
    row = [*z, *z[::-1], -0.0, 1.5, *x[:3], *[0.0] * SIZE][:SIZE]
    row[-7] = z[4]
    return {"wide": row, "narrow": z[:5], "zeros": [0.0] * WIDE}


@pytest.mark.skipif(not host().is_x86, reason="runs x86 code")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", TARGETS)
def test_columns_are_where_they_belong(target, dtype):
    kernel = ch.compile(wide, x=20, y=3)
    moved = build(kernel.program, TARGETS[target], dtype)
    x, y = [a.astype(dtype) for a in states(kernel, 21)]
    expected = np.zeros((21, SIZE), dtype)
    z = x + y[:, np.arange(20) % 3]
    expected[:, :45] = np.hstack([z, z[:, ::-1], np.full((21, 1), -0.0), np.full((21, 1), 1.5), x[:, :3]])
    expected[:, -7] = z[:, 4]
    for rows in (1, 7, 16, 21):
        found = moved(x[:rows], y[:rows])
        assert same(found[0], expected[:rows])
        assert same(found[2], np.zeros((rows, WIDE), dtype))
    columns = np.empty((SIZE, 21), dtype).T
    moved(np.asfortranarray(x), y, out=(columns, *(np.empty_like(f) for f in moved(x, y)[1:])))
    assert same(columns, expected)


def test_code_does_not_grow_with_columns():
    """Of a value that is all of an output there is one store."""
    programs = [ch.compile(lambda x, n=n: {"y": [x[0] * x[1]] * n}, x=2).program for n in (100, 1000)]
    short, long = (module(program, AARCH64, "float64") for program in programs)
    assert short.count("\n") == long.count("\n")
    assert compile_object(long, AARCH64)


def test_constants_of_any_type():
    """A program may be given NumPy's numbers, and truths."""
    results = ((np.float64(2.5), True, *[np.float64(0.0)] * WIDE),)
    program = Program((Operand("x", (1,)),), (Operand("y", (WIDE + 2,)),), (), results)
    assert np.array_equal(Kernel(program, "constants")(np.ones(1)), [2.5, 1.0, *[0.0] * WIDE])
