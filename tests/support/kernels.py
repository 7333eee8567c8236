"""Kernels for tests of the compiler: made for any target that runs here, compared bit by bit."""

from typing import Any

import numpy as np

import chasles as ch
from chasles.backend.host import assemble
from chasles.backend.host.jit import Loaded, compile_object
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import Target, host
from chasles.graph.program import Loop, Program


def build(body: Program | Loop, target: Target | None = None, dtype: str = "float64") -> Any:
    """The ufunc of a program or a loop made for a target, past the cache."""
    target = target or host()
    ir = module(body.step if isinstance(body, Loop) else body, target, dtype)
    code = Loaded(compile_object(ir, target), ("range",), IMPORTS)
    return assemble(body, "kernel", dtype, "", lambda ufunc: ufunc, code, target).ufunc


def same(x: Any, y: Any) -> bool:
    """Whether arrays, or tuples of them, are the same bits; failing raises, with the place."""
    if isinstance(x, tuple):
        assert len(x) == len(y)
        return all(same(a, b) for a, b in zip(x, y, strict=True))
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype and x.shape == y.shape, (x.dtype, y.dtype, x.shape, y.shape)
    integer = f"u{x.dtype.itemsize}"
    different = x.copy("C").view(integer) != y.copy("C").view(integer)
    assert not different.any(), f"{different.sum()} of {x.size} differ, first at {np.argwhere(different)[0]}"
    return True


def everything(q: Any, v: Any, t: Any) -> dict[str, Any]:
    """Every operation the back end knows, conditions and outputs of several sizes; q: 5, v: (2, 3), t: a scalar."""
    s = np.sin(q * t + 1.0) * np.cos(v[0, 0] * q)
    nested = np.sin(3.0 * s) + np.cos(np.sin(q[0]) + s[1])
    positive = 1.0 + q * q
    both = (q < 0.3) & (q > -0.3) | ~(q <= t)
    chosen = ch.where(both, np.sqrt(positive), q / (2.0 + s))
    many = np.stack([np.exp(s), np.log(positive), np.tanh(q), np.floor(4.0 * q), np.arctan2(q, s), positive**q])
    drawn = ch.random.uniform(7.0, np.floor(4.0 * q)) + ch.random.normal(7.0, np.floor(4.0 * q))
    return {
        "chosen": chosen,
        "many": np.concatenate([many.reshape(-1), nested, np.hypot(q, s), drawn]),
        "single": np.sum(s) - np.maximum(q[0], v[1, 1]) * np.abs(v[0, 2]),
        "matrix": v.T @ v
        + np.arcsin(np.sin(0.5 * v[0, 0])) * np.arccos(np.tanh(v[0, 1]))
        + np.arctan(np.sinh(v[1, 2])) * np.cosh(t),
        "inputs": np.stack([v[1, 2], q[4], q[4], v[1, 2] * 0.0 + 2.5]),
    }


def everything_kernel(dtype: str = "float64") -> ch.Kernel:
    return ch.compile(everything, dtype=dtype, q=5, v=(2, 3), t=())


def states(kernel: ch.Kernel, rows: int, seed: int = 0) -> list[np.ndarray]:
    """Random arguments, a batch of `rows`."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1.5, 1.5, (rows, *o.shape)).astype(kernel.dtype) for o in kernel.inputs]
