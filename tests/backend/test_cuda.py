"""CUDA: NVRTC compiles it, and on the host it computes what the library does, in blocks, in both layouts."""

import functools
import re
from typing import Any

import numpy as np
import pytest
from support.cuda import Host, ptx
from support.kernels import everything, everything_kernel, same, states
from support.node import interpreted
from support.sweeps import sweep
from support.tolerances import FLOAT32, FLOAT64, close
from support.whole_number_loops import collatz

import chasles as ch
from chasles.backend.cuda import written
from chasles.backend.cuda.kernels import BYTES, WORDS, Tile
from chasles.backend.statements import Parameter
from chasles.function.kernel import Kernel
from chasles.graph.program import Operand, Program, Ref


@functools.cache
def host_of_everything(dtype):
    kernel = everything_kernel(dtype)
    return kernel, Host(kernel)


def parameters(*sizes):
    return [Parameter(f"x{k}", size) for k, size in enumerate(sizes)]


@pytest.mark.parametrize("dtype", sweep(["float64", "float32"], ["float64"]))
@pytest.mark.parametrize("columns", [False, True])
def test_all_operations_in_both_layouts(dtype, columns):
    """Eleven rows on two blocks of three threads: several turns, of which the last is not full."""
    kernel, host = host_of_everything(dtype)
    x = states(kernel, 11)
    for found, expected in zip(host(*x, columns=columns), interpreted(kernel, *x), strict=True):
        assert close(found, expected, FLOAT64 if dtype == "float64" else 20.0 * FLOAT32)


@pytest.mark.parametrize("blocks, threads, rows", [(1, 1, 1), (3, 4, 2), (5, 1, 7), (1, 32, 100)])
def test_any_grid_covers_any_number_of_rows(blocks, threads, rows):
    kernel, host = host_of_everything("float64")
    x = states(kernel, rows)
    assert same(host(*x, blocks=blocks, threads=threads), host(*x, columns=True))


def step(q, v):
    return {"q_new": q + 0.1 * v[::-1], "v_new": v - 0.1 * np.sin(q[::-1])}


def test_outputs_may_be_written_over_inputs():
    kernel = ch.compile(step, q=3, v=3)
    host, x = Host(kernel), states(kernel, 8)
    for columns in (False, True):
        assert same(host(*x, columns=columns, over=True), host(*x))


def test_loops():
    kernel = ch.compile(collatz, x=(), w=(25, 2))
    x, w = np.array([1.0, 6.0, 7.0, 27.0]), np.arange(200.0).reshape(4, 25, 2)
    assert same(Host(kernel)(x, w), interpreted(kernel, x, w))


def drawn(seed, k):
    return np.stack([ch.random.uniform(seed, k), ch.random.normal(seed, k)])


def test_random_numbers_are_the_same_bits(rng):
    kernel = ch.compile(drawn, seed=(), k=())
    x = rng.normal(size=(2, 50)) * 10.0 ** rng.integers(-300, 300, (2, 50))
    assert same(Host(kernel)(*x), interpreted(kernel, *x))
    assert "__dadd_rn(x, -0.0)" in kernel.to("cuda")  # no product is fused into a sum


@pytest.mark.parametrize("architecture", sweep(["compute_80", "compute_90"], ["compute_90"]))
@pytest.mark.parametrize("name", sweep(["float64", "float32", "loop", "ur5", "drawn"], ["ur5", "drawn"]))
def test_nvrtc_compiles_it_without_a_warning(architecture, name):
    kernels = {
        "loop": lambda: ch.compile(collatz, x=(), w=(25, 2)),
        "ur5": lambda: ch.load("ur5").kernel("inverse_dynamics"),
        "drawn": lambda: ch.compile(drawn, seed=(), k=()),
    }
    kernel = kernels[name]() if name in kernels else everything_kernel(name)
    text = ptx(kernel.to("cuda"), architecture)
    entries = re.findall(r"\.visible \.entry (\w+)\(", text)
    assert sorted(entries) == [f"{kernel.name}_columns", f"{kernel.name}_rows"]
    assert f".target sm_{architecture[-2:]}" in text


def test_the_text_needs_no_header():
    text = everything_kernel().to("cuda")
    assert "#include" not in text and "uint64_t" not in text and text.isascii()
    assert text == everything_kernel().to("cuda")


def test_sine_and_cosine_of_an_angle_are_one_call():
    text = ch.load("ur5").kernel("inverse_dynamics").to("cuda")
    assert text.count("sincos(") == 5 and not re.search(r"\b(sin|cos)\(", text)
    both = ch.compile(lambda x: np.stack([np.sin(x), 2.0 * np.cos(x)]), x=())
    assert "sincos(" in both.to("cuda")
    assert close(Host(both)([0.3, 0.4])[0], [[np.sin(x), 2.0 * np.cos(x)] for x in (0.3, 0.4)], FLOAT64)
    alone = ch.compile(lambda x: np.sin(x[0]) + np.cos(x[1]), x=2).to("cuda")
    assert "sincos" not in alone
    single = ch.load("planar_2r").kernel("mass_matrix", "float32").to("cuda")
    assert not re.search(r"\bdouble\b", single)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_constants_are_exact(dtype):
    """In results and as arguments; what is too large for float32 is infinite there."""
    values = (np.inf, -np.inf, np.nan, -0.0, 0.1, 1e-45, -1e300, 1.7976931348623157e308)
    nodes = [node for k, v in enumerate(values) for node in (("input", (0, k)), ("mul", (float(v), Ref(2 * k))))]
    results = (values, tuple(Ref(2 * k + 1) for k in range(len(values))))
    operands = [Operand(name, (len(values),)) for name in ("x", "plain", "times")]
    kernel = Kernel(Program((operands[0],), tuple(operands[1:]), tuple(nodes), results), "constants", dtype)
    with np.errstate(over="ignore"):
        expected = np.array([values], dtype)
    for found in Host(kernel)(np.ones((1, len(values)))):
        np.testing.assert_array_equal(found, expected)
        assert (np.signbit(found) == np.signbit(expected))[~np.isnan(expected)].all()
    ptx(kernel.to("cuda"))


def test_names_that_cuda_has_already():
    """Operands and functions: what kernels call their own is taken."""
    names = sorted(WORDS)
    shapes: dict[str, Any] = {name: () for name in names}
    kernel = Kernel(ch.compile(lambda **x: sum(x.values()), **shapes).program, "rows")
    file = written(kernel.program, kernel.name, kernel.dtype)
    assert file.function == "rows_" and not WORDS & {x.name for x in (*file.inputs, *file.outputs)}
    ptx(file.text)
    x = np.arange(float(len(names)))[:, None]
    assert Host(kernel)(*x)[0] == x.sum()


def test_what_is_too_wide_for_shared_memory_stays_outside():
    narrow, wide, widest = (Tile.of(parameters(6, 7), parameters(size), 8) for size in (6, 150, 343))
    assert narrow == Tile(64, (7, 7, 7)) and narrow.whole and narrow.starts == (0, 448, 896)
    assert wide == Tile(32, (7, 7, 151)) and wide.whole
    assert widest == Tile(64, (7, 7, 0)) and not widest.whole
    assert all(8 * tile.elements <= BYTES for tile in (narrow, wide, widest))
    kernel = ch.compile(lambda q: {"wide": np.outer(q, q).reshape(-1, 1) * q, "sum": np.sum(q)}, q=8)
    x = states(kernel, 5)
    for found, expected in zip(Host(kernel)(*x), interpreted(kernel, *x), strict=True):
        assert close(found, expected, FLOAT64)
    assert "outputs are other arrays than inputs" in kernel.to("cuda")


def test_everything_is_named_in_the_text():
    text = ch.compile(everything, q=5, v=(2, 3), t=()).to("cuda")
    assert " * v: v, shape [2, 3]\n" in text and "matrix: matrix, shape [3, 3]" in text
