"""Narrower vectors: code made for AVX2 and for plain x86-64, run here, beside what its width alone would make of it.

As good as its width: with half the lanes, at most twice the time. A processor that splits its wide vectors in two runs
narrower ones as fast: the share of the peak of its own instructions (`peak.py`) is noted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from dynamics import BATCH, Pair
from figures import Figure, Target
from peak import instructions, peak
from timing import Effort, one_thread

from chasles.backend.host import assemble
from chasles.backend.host.jit import Loaded, compile_object
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import X86_64, X86_64_V3, host
from chasles.backend.llvm.target import Target as Machine

MACHINES = {"AVX2": X86_64_V3, "SSE2": X86_64}
NAMES = ("inverse_dynamics", "forward_dynamics")
AS_GOOD = 1.1  # times what the width makes of this machine's own time, at most


def widths(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch beside our own on this machine's vectors, by their widths."""
    figures = []
    machines = {title: m for title, m in MACHINES.items() if host().is_x86 and m.vector_bytes <= host().vector_bytes}
    peaks = [peak(effort, target=machine) for machine in (host(), *machines.values())]
    for pair in both:
        for name in NAMES:
            rows = pair.inputs(name, BATCH)
            program = pair.robot.kernel(name).program
            calls = [pair.ours(name, rows), *(_made_for(m, program, rows) for m in machines.values())]
            own, *times = (t / BATCH for t in one_thread(calls, effort))
            full = instructions(program) / (own * peaks[0])
            for (title, machine), seconds, most in zip(machines.items(), times, peaks[1:], strict=True):
                reached = instructions(program, machine.fma) / (seconds * most)
                base = own * host().vector_bytes / machine.vector_bytes
                note = f"{reached:.2f} of its peak; this machine's {own * 1e9:.3g} ns, {full:.2f} of its"
                target = Target("share", "at most", AS_GOOD)
                title = f"{pair.title} {name}, {title}"
                figures.append(Figure(title, seconds * 1e9, "ns", base=base * 1e9, target=target, note=note))
    return figures


def _made_for(machine: Machine, program: Any, rows: list[np.ndarray]) -> Callable[[], Any]:
    """The ufunc of a program made for another machine, past the cache."""
    code = Loaded(compile_object(module(program, machine, "float64"), machine), ("range",), IMPORTS)
    ufunc = assemble(program, "kernel", "float64", "", lambda made: made, code, machine).ufunc
    return partial(ufunc, *rows, out=np.empty_like(ufunc(*rows)))
