"""Bodies of kernels, written out."""

from __future__ import annotations

from dataclasses import replace

from chasles.function.kernel import Kernel
from chasles.graph.deferred import Deferred
from chasles.graph.program import Loop, Program


def traced(kernel: Kernel) -> Program | Loop:
    """The body of a kernel, written out where it was only promised."""
    body = kernel.program
    if isinstance(body, Loop):
        step = body.step
        return replace(body, step=step.traced()) if isinstance(step, Deferred) else body
    return body.traced() if isinstance(body, Deferred) else body
