"""LLVM IR: programs as vector code for x86-64 and aarch64. `render` is what `kernel.to("llvm")` shows."""

from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import host
from chasles.graph.program import Program


def render(body: Program, name: str, dtype: str) -> str:
    """The IR for this machine."""
    return module(body, host(), dtype)
