"""CUDA without a device: compiled to PTX by the wheel of NVRTC, and run as C++ of this machine by that of zig.

On the host the words of CUDA are macros, the threads of a block are threads, and its barrier is theirs.
"""

import ctypes
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from support.c_library import zig

from chasles.backend.cuda import written
from chasles.function.kernel import Kernel

WORDS = """#include <math.h>
#include <pthread.h>
#include <string.h>
#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(n)
struct Three { unsigned x; };
static Three blockIdx, blockDim, gridDim;
static __thread Three threadIdx;
static pthread_barrier_t barrier;
inline void __syncthreads() { pthread_barrier_wait(&barrier); }
inline double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
inline double __dadd_rn(double x, double y) { volatile double z = x; return z + y; }
typedef NUMBER Number;
"""

RUN = """
static Number *arrays[64];
static long long count;
static int columns;
static void *thread(void *index) {
    threadIdx.x = (unsigned)(size_t)index;
    if (columns) NAME_columns(ARGUMENTS, count);
    else NAME_rows(ARGUMENTS, count);
    return 0;
}
extern "C" void run(int by_columns, unsigned blocks, unsigned threads, long long rows, Number **given) {
    columns = by_columns, count = rows, blockDim.x = threads, gridDim.x = blocks;
    memcpy(arrays, given, COUNT * sizeof *given);
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        pthread_t all[64];
        pthread_barrier_init(&barrier, 0, threads);
        for (unsigned i = 0; i < threads; i++) pthread_create(all + i, 0, thread, (void *)(size_t)i);
        for (unsigned i = 0; i < threads; i++) pthread_join(all[i], 0);
    }
}
"""


class Host:
    """A kernel's CUDA as a function of batches, in either layout, on `blocks` of `threads`."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, file = kernel, written(kernel.program, kernel.name, kernel.dtype)
        count = len(file.inputs) + len(file.outputs)
        words = {"NAME": file.function, "ARGUMENTS": ", ".join(f"arrays[{i}]" for i in range(count)), "COUNT": count}
        text = RUN
        for word, instead in words.items():
            text = text.replace(word, str(instead))
        with tempfile.TemporaryDirectory(prefix="chasles-cuda-") as folder:
            number = "double" if kernel.dtype == "float64" else "float"
            (Path(folder) / "kernel.cpp").write_text(WORDS.replace("NUMBER", number) + file.text + text, "ascii")
            flags = ["-shared", "-nostdlib", "-nostdinc++", "-fPIC", "-O0", "-ffp-contract=off", "-std=c++14"]
            flags += ["-fno-sanitize=all", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
            zig("-x", "c++", *flags, "-Wno-unknown-pragmas", "-o", "kernel.so", "kernel.cpp", folder=folder)
            ctypes.CDLL(None, ctypes.RTLD_GLOBAL)
            self.run = ctypes.CDLL(str(Path(folder) / "kernel.so")).run

    def __call__(
        self, *arrays: Any, columns: bool = False, blocks: int = 2, threads: int = 3, over: bool = False
    ) -> tuple[np.ndarray, ...]:
        """The outputs, (rows, *shape), for inputs of (rows, *shape). over: they are written over the first inputs."""
        kernel, rows = self.kernel, len(arrays[0])
        given = [np.array(x, kernel.dtype).reshape(rows, -1) for x in arrays]
        found = [np.full((rows, o.size), -77.0, kernel.dtype) for o in kernel.outputs]
        if columns:
            given, found = ([np.ascontiguousarray(x.T) for x in side] for side in (given, found))
        if over:
            found = given[: len(found)]
        pointers = (ctypes.c_void_p * 64)(*(x.ctypes.data for x in (*given, *found)))
        self.run(int(columns), blocks, threads, ctypes.c_longlong(rows), pointers)
        flat = [y.T if columns else y for y in found]
        return tuple(y.reshape(rows, *o.shape) for y, o in zip(flat, kernel.outputs, strict=True))


def ptx(text: str, architecture: str = "compute_80") -> str:
    """The assembly of a text; what NVRTC says against it, warnings included, is raised."""
    import nvidia.cuda_nvrtc as wheel

    (library,) = (Path(wheel.__path__[0]) / "lib").glob("libnvrtc.so.*")
    nvrtc, program = ctypes.CDLL(str(library)), ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode("ascii"), b"kernel.cu", 0, None, None)
    options = (ctypes.c_char_p * 2)(f"--gpu-architecture={architecture}".encode(), b"--std=c++14")
    failed = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = _text(nvrtc, program, "ProgramLog").strip()
    found = "" if failed else _text(nvrtc, program, "PTX")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed or log:
        raise RuntimeError(log)
    return found


def _text(nvrtc: Any, program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode()
