"""LLVM IR: programs as vector code for x86-64 and aarch64. `render` is what `kernel.to("llvm")` shows."""

from chasles.backend.llvm.target import Target, host
from chasles.graph.program import Loop, Program


def render(body: Program | Loop, name: str, dtype: str, target: Target | None = None) -> str:
    """The IR for a machine, this one: of a loop with the loop in it, of a search its step, which a driver repeats."""
    from chasles.backend.llvm.module import module  # which takes longer to import than most kernels to load

    if isinstance(body, Loop):
        body = body.program if body.restart is None else body.step
    return module(body, target or host(), dtype)
