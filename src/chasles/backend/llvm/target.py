"""The machine a kernel is made for: its vectors, its instructions, how it keeps its floating-point flags."""

import functools
import platform
from typing import NamedTuple

from chasles.errors import CompileError

# bits of the sticky flags that NumPy looks at: invalid, divide by zero, overflow, underflow
_X86_FLAGS = 0x01 | 0x04 | 0x08 | 0x10
_ARM_FLAGS = 0x01 | 0x02 | 0x04 | 0x08


class Target(NamedTuple):
    """A processor, as LLVM names it, and what the emitter must know of it."""

    triple: str
    cpu: str
    features: str
    vector_bytes: int
    fma: bool
    threads: bool = True

    @property
    def is_x86(self) -> bool:
        return self.triple.startswith(("x86_64", "i686", "amd64"))

    @property
    def masks(self) -> bool:
        """Whether some lanes of a vector are stored as fast as all of them."""
        return self.is_x86 and self.vector_bytes == 64

    @property
    def flag_mask(self) -> int:
        return _X86_FLAGS if self.is_x86 else _ARM_FLAGS

    def lanes(self, dtype: str) -> int:
        return self.vector_bytes // (8 if dtype == "float64" else 4)


@functools.cache
def host() -> Target:
    """This machine."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    triple = llvm.get_process_triple()
    threads = platform.system() != "Windows"
    if triple.startswith(("aarch64", "arm64")):
        return Target(triple, llvm.get_host_cpu_name(), features.flatten(), 16, True, threads)
    if not triple.startswith(("x86_64", "amd64")):
        raise CompileError(f"no back end for {triple}: chasles compiles for x86-64 and aarch64")
    width = 64 if features.get("avx512f") and features.get("avx512dq") else 32 if features.get("avx") else 16
    flags = features.flatten() + ",-prefer-256-bit"
    return Target(triple, llvm.get_host_cpu_name(), flags, width, bool(features.get("fma")), threads)


AARCH64 = Target("aarch64-unknown-linux-gnu", "generic", "+neon", 16, True)
X86_64_V3 = Target("x86_64-unknown-linux-gnu", "x86-64-v3", "", 32, True)
X86_64 = Target("x86_64-unknown-linux-gnu", "x86-64", "", 16, False)
