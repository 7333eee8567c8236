"""CasADi's generated C as a peer in batches, of the recursions in `casadi_recursions.py`.

CasADi writes a function of (sines, cosines, velocities, ...) as straight-line C without a call. Its lines become the
body of a loop over the batch, which gcc vectorises; sines and cosines of a block of rows are computed before, by the
vectors of the C library (libmvec). Numbers are read and written where they are: in columns, `(n, B)`, a row's are B
apart and a vector takes neighbours; in rows, `(B, n)`, the compiler gathers and scatters, or does one row after the
other, as it sees fit. Several sizes of blocks and widths of vectors are tried, and the fastest is the peer. Its body is
compiled without -ffast-math, which would not keep what infinities and nan mean; both sides do.
"""

import ctypes
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import casadi
import casadi_recursions as recursions
import numpy as np
from compiled_c import FLAGS, address, library
from timing import QUICK, one_thread

Layout = Literal["rows", "columns"]
WIDE = "-mprefer-vector-width=512"
SINES = "-ffast-math " + WIDE  # without which gcc does not call libmvec
TRIED = [(block, flags) for block in (32, 64, 256) for flags in ("", WIDE)]
SCALAR = (256, "-fno-tree-vectorize")  # in rows, where gathering may not pay

_BODY = re.compile(r"static int casadi_f0\(.*?\{\n(.*?)  return 0;", re.DOTALL)
_READ = re.compile(r"arg\[(\d+)\]\? arg\[\d+\]\[(\d+)\] : 0")
_WRITE = re.compile(r"if \(res\[(\d+)\]!=0\) res\[\d+\]\[(\d+)\]=")

_SINES = """
#include <math.h>
void sines(const double *restrict q, double *restrict s, double *restrict c) {
  for (int k = 0; k < BLOCK; k++) s[k] = sin(q[k * STEP]);
  for (int k = 0; k < BLOCK; k++) c[k] = cos(q[k * STEP]);
}
"""
_LOOP = """
#define casadi_real double
static inline double casadi_sq(double x) { return x * x; }
void sines(const double *restrict q, double *restrict s, double *restrict c);
static double s[NQ][BLOCK] __attribute__((aligned(64))), c[NQ][BLOCK] __attribute__((aligned(64)));
void run(long rows, GIVEN, double *restrict y) {
  for (long first = 0; first < rows; first += BLOCK) {
    SINES
    #pragma omp simd
    for (long k = first; k < first + BLOCK; k++) {
BODY    }
  }
}
"""


class Function(NamedTuple):
    """A function that CasADi generates: what it reads beside s and c, how many numbers it gives, its C."""

    n: int
    read: int  # arrays (B, n), q first
    size: int
    angles: tuple[int, ...]  # those whose sines it reads
    text: str
    instructions: int

    @staticmethod
    def of(model: Any, name: str, read: int) -> "Function":
        arm = recursions.Arm(model)
        s, c, *others = (casadi.SX.sym(f"x{k}", arm.n) for k in range(read + 1))
        y = casadi.cse(getattr(recursions, name)(arm, s, c, *others))
        made = casadi.Function("f", [s, c, *others], [casadi.vec(casadi.densify(y).T)])
        generator = casadi.CodeGenerator("peer")
        generator.add(made)
        body = _BODY.search(generator.dump())
        assert body, "CasADi's C is not as it was"
        used = np.array(casadi.which_depends(y, casadi.horzcat(s, c).T.reshape((-1, 1)), 1)).reshape(arm.n, 2)
        angles = tuple(np.flatnonzero(used.any(axis=1)).tolist())
        return Function(arm.n, read, y.numel(), angles, body[1], made.n_instructions())

    def compiled(self, layout: Layout, block: int, flags: str) -> Any:
        """The loop over a batch whose size is a multiple of the block."""

        def place(array: str, size: int, j: int) -> str:
            return f"{array}[{j} * rows + k]" if layout == "columns" else f"{array}[k * {size} + {j}]"

        def read(match: re.Match[str]) -> str:
            i, j = int(match[1]), int(match[2])
            return f"{'sc'[i]}[{j}][k - first]" if i < 2 else place(f"x{i - 1}", self.n, j)

        body = _WRITE.sub(lambda match: f"{place('y', self.size, int(match[2]))}=", _READ.sub(read, self.text))
        columns = layout == "columns"
        given = ", ".join(f"const double *restrict x{k}" for k in range(self.read))
        starts = [f"{j} * rows + first" if columns else f"first * {self.n} + {j}" for j in self.angles]
        calls = " ".join(f"sines(x0 + {start}, s[{j}], c[{j}]);" for start, j in zip(starts, self.angles, strict=True))
        words = {"NQ": self.n, "BLOCK": block, "GIVEN": given, "SINES": calls, "BODY": body}
        sines = _SINES.replace("BLOCK", str(block)).replace("STEP", str(1 if columns else self.n))
        return library([(sines, SINES), (_filled(_LOOP, words), flags)], ["-lmvec", "-lm"]).run

    def call(self, layout: Layout, block: int, flags: str, rows: list[np.ndarray]) -> "Batch":
        """On a batch of rows (B, n), in that layout."""
        run = self.compiled(layout, block, flags)
        given = [np.ascontiguousarray(x if layout == "rows" else x.T) for x in rows]
        batch = len(rows[0])
        out = np.empty((batch, self.size) if layout == "rows" else (self.size, batch))
        arguments = [ctypes.c_long(batch), *map(address, (*given, out))]
        return Batch(partial(run, *arguments), out if layout == "rows" else out.T, (given, out), block, flags)


class Batch(NamedTuple):
    """A call, and its results as rows; `kept` are arrays that it reads and writes."""

    call: Callable[[], Any]
    rows: np.ndarray
    kept: Any
    block: int
    flags: str

    @property
    def described(self) -> str:
        return " ".join(["gcc", *FLAGS[:2], *filter(None, [self.flags]), f"blocks of {self.block}"])


def fastest(function: Function, layout: Layout, rows: list[np.ndarray], quick: bool = False) -> Batch:
    """The fastest of what is tried; quick: of two."""
    tried = [*TRIED, SCALAR] if layout == "rows" else TRIED
    batches = [function.call(layout, block, flags, rows) for block, flags in (tried[-2:] if quick else tried)]
    times = one_thread([batch.call for batch in batches], QUICK)
    return batches[int(np.argmin(times))]


def _filled(text: str, words: dict[str, Any]) -> str:
    return re.sub("|".join(rf"\b{word}\b" for word in words), lambda match: str(words[match[0]]), text)
