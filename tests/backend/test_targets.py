"""Other machines: wider and narrower vectors that run here give the same bits, aarch64 is compiled and looked at."""

import re

import numpy as np
import pytest
from support.kernels import build, everything_kernel, same, states
from support.sweeps import sweep
from support.tolerances import EXACT, close

import chasles as ch
from chasles.backend.host import jit
from chasles.backend.host.loop_driver import driver
from chasles.backend.host.numpy_shell import shell
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import AARCH64, X86_64, X86_64_V3, Target, host

DTYPES = ("float64", "float32")
x86 = pytest.mark.skipif(not host().is_x86, reason="runs x86 code")
KERNELS = {
    "everything": everything_kernel,
    "ur5": lambda: ch.load("ur5").kernel("inverse_dynamics"),
    "scara": lambda: ch.load("scara").kernel(["mass_matrix", "forward_dynamics"]),
}


def fused(width: int, cpu: str) -> Target:
    return Target(host().triple, cpu, "+fma", width, True)


TARGETS = {"avx2": X86_64_V3, "avx2 in halves": fused(16, "x86-64-v3"), "fma 32 on v4": fused(32, "x86-64-v4")}


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def in_columns(ufunc, x, results):
    """The results of operands whose columns are contiguous, in and out."""
    out = tuple(np.moveaxis(np.zeros((*y.shape[1:], len(y)), y.dtype), -1, 0) for y in results)
    return as_tuple(ufunc(*[np.asfortranarray(a) for a in x], out=out))


@x86
@pytest.mark.skipif(not host().fma, reason="rounds as machines with fused multiply-adds do")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sweep(KERNELS, 1))
def test_the_width_of_vectors_changes_no_bit(name, target, dtype):
    if "v4" in TARGETS[target].cpu and host().vector_bytes < 64:
        pytest.skip("needs AVX-512")
    kernel = KERNELS[name]()
    x = [a.astype(dtype) for a in states(kernel, 37)]
    expected = as_tuple(build(kernel.program, None, dtype)(*x))
    other = build(kernel.program, TARGETS[target], dtype)
    for rows in (1, 2, 3, 4, 5, 9, 37):
        assert same(as_tuple(other(*[a[:rows] for a in x])), tuple(y[:rows] for y in expected))
    assert same(in_columns(other, x, expected), expected)


@x86
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KERNELS)
def test_plain_x86_64(name, dtype):
    """Without fused multiply-adds it rounds otherwise, but row by row the same."""
    kernel = KERNELS[name]()
    x = [a.astype(dtype) for a in states(kernel, 37)]
    plain = build(kernel.program, X86_64, dtype)
    found, expected = as_tuple(plain(*x)), as_tuple(build(kernel.program, None, dtype)(*x))
    for a, b in zip(found, expected, strict=True):
        assert close(a, b, 64 * EXACT if dtype == "float64" else 1e-4, scale=1.0)
    for rows in (1, 2, 3, 5):
        assert same(as_tuple(plain(*[a[:rows] for a in x])), tuple(y[:rows] for y in found))
    assert same(in_columns(plain, x, found), found)
    with np.errstate(all="raise", under="ignore"):
        plain(*x)


@x86
@pytest.mark.parametrize(
    ("target", "expected", "never"),
    [(X86_64_V3, r"vfn?m(add|sub)\d+pd.*%ymm", r"%zmm"), (X86_64, r"mulpd.*%xmm", r"%ymm|vfmadd")],
)
def test_x86_assembly(target, expected, never):
    text = jit.assembly(module(KERNELS["ur5"]().program, target, "float64"), target)
    assert re.search(expected, text) and not re.search(never, text)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KERNELS)
def test_aarch64(name, dtype):
    ir = module(KERNELS[name]().program, AARCH64, dtype)
    code = jit.compile_object(ir, AARCH64)
    assert code[:4] == b"\x7fELF" and int.from_bytes(code[18:20], "little") == 183  # EM_AARCH64
    text = jit.assembly(ir, AARCH64)
    lanes = "2d" if dtype == "float64" else "4s"
    assert re.search(rf"fml[as]\tv\d+\.{lanes}", text) and re.search(rf"fmul\tv\d+\.{lanes}", text)
    assert_symbols(text, ("range", "chasles_table"))


def assert_symbols(text, exported):
    """All that is exported is there, and everything else comes through the table."""
    for symbol in exported:
        assert re.search(rf"^{symbol}:", text, re.MULTILINE)
    undefined = set(re.findall(r"\bbl\t(\w+)", text)) - set(re.findall(r"^(\w+):", text, re.MULTILINE))
    assert not undefined


@pytest.mark.parametrize(("words", "exported"), [(shell, ("loop", "fast")), (driver, ("drive",))])
def test_the_shell_on_aarch64(words, exported):
    text = jit.assembly(words(AARCH64), AARCH64)
    assert re.search(r"mrs\tx\d+, FPSR", text, re.IGNORECASE) and re.search(r"msr\tFPSR, x\d+", text, re.IGNORECASE)
    assert_symbols(text, (*exported, "chasles_table"))


def test_this_machine():
    target = host()
    assert target.lanes("float32") == 2 * target.lanes("float64") and target.vector_bytes in (16, 32, 64)
    assert host() is target and target.flag_mask in (0x1D, 0x0F)


def test_a_broken_module_is_reported():
    with pytest.raises(ch.CompileError, match="not valid"):
        jit.compile_object("define nonsense", host())
    with pytest.raises(ch.CompileError, match=r"loaded|entry points"):
        jit.Loaded(jit.compile_object("define void @nothing() {\n  ret void\n}\n", host()), ("range",), IMPORTS)
