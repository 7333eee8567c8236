"""CUDA without a device: compiled to PTX by the wheel of NVRTC, and run as C++ of this machine by that of zig.

On the host the words of CUDA are macros, device memory is memory, the threads of a block are threads, and its barrier
is theirs. Nothing is linked: what a program calls of the C library is that of this process.
"""

import ctypes
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from support.c_library import zig

from chasles.backend.cuda import written
from chasles.function.kernel import Kernel

RUNTIME = """#pragma once
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define __CUDACC__
#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(n)
#define UNUSED static __attribute__((unused))
struct dim3 { unsigned x; explicit dim3(unsigned n = 1) : x(n) {} };
UNUSED dim3 blockIdx, blockDim, gridDim;
static __thread struct { unsigned x; } threadIdx;
static pthread_barrier_t barrier;
UNUSED void __syncthreads() { pthread_barrier_wait(&barrier); }
UNUSED double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
UNUSED float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
UNUSED double __dadd_rn(double x, double y) { volatile double z = x; return z + y; }

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
typedef void *cudaStream_t;
typedef int cudaEvent_t;
UNUSED const char *cudaGetErrorString(cudaError_t) { return "no error"; }
UNUSED cudaError_t cudaMalloc(void **x, size_t n) { *x = malloc(n); return cudaSuccess; }
UNUSED cudaError_t cudaFree(void *x) { free(x); return cudaSuccess; }
UNUSED cudaError_t cudaMemcpy(void *x, const void *y, size_t n, cudaMemcpyKind) { memcpy(x, y, n); return cudaSuccess; }
UNUSED cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
UNUSED cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
UNUSED cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
UNUSED cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
UNUSED cudaError_t cudaEventElapsedTime(float *x, cudaEvent_t, cudaEvent_t) { *x = 1; return cudaSuccess; }

typedef void *P;
static void (*launched)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);
static P given[24];
static void *one_thread(void *index) {
    P *x = given;
    threadIdx.x = (unsigned)(size_t)index;
    launched(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15],
             x[16], x[17], x[18], x[19], x[20], x[21], x[22], x[23]);
    return 0;
}
UNUSED cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **x, size_t, cudaStream_t) {
    memcpy(&launched, &f, sizeof f);
    for (int i = 0; i < PARAMETERS; i++) given[i] = *(void **)x[i];
    gridDim = grid, blockDim = block;
    for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) {
        pthread_t all[128];
        pthread_barrier_init(&barrier, 0, block.x);
        for (unsigned i = 0; i < block.x; i++) pthread_create(all + i, 0, one_thread, (void *)(size_t)i);
        for (unsigned i = 0; i < block.x; i++) pthread_join(all[i], 0);
    }
    return cudaSuccess;
}
"""

RUN = """
extern "C" void run(int columns, unsigned blocks, unsigned threads, void **x) {
    const void *f = columns ? (const void *)NAME_columns : (const void *)NAME_rows;
    cudaLaunchKernel(f, dim3(blocks), dim3(threads), x, 0, 0);
}
"""


def library(files: Mapping[str, str | bytes], parameters: int) -> ctypes.CDLL:
    """A library of all files that end in .cu; warnings are errors. parameters: of the kernels in it."""
    with tempfile.TemporaryDirectory(prefix="chasles-cuda-") as folder:
        for name, text in {**files, "cuda_runtime.h": RUNTIME.replace("PARAMETERS", str(parameters))}.items():
            (Path(folder) / name).write_text(str(text), "ascii")
        flags = ["-shared", "-nostdlib", "-nostdinc++", "-fPIC", "-O0", "-ffp-contract=off", "-std=c++14", "-I."]
        flags += ["-fno-sanitize=all", "-include", "cuda_runtime.h", "-Wno-unknown-pragmas"]
        warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
        sources = [name for name in files if name.endswith(".cu")]
        zig(*flags, *warnings, "-o", "kernel.so", "-x", "c++", *sources, folder=folder)
        _symbols_of_this_process()
        return ctypes.CDLL(str(Path(folder) / "kernel.so"))


@cache
def _symbols_of_this_process() -> ctypes.CDLL:
    return ctypes.CDLL(None, ctypes.RTLD_GLOBAL)


class Host:
    """A kernel's CUDA as a function of batches, in either layout, on `blocks` of `threads`."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, file = kernel, written(kernel.program, kernel.name, kernel.dtype)
        text = f"{file.text}{RUN.replace('NAME', file.function)}"
        self.run = library({"kernel.cu": text}, len(file.inputs) + len(file.outputs) + 1).run

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
        values = [*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *found)), ctypes.c_longlong(rows)]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        self.run(int(columns), blocks, threads, pointers)
        flat = [y.T if columns else y for y in found]
        return tuple(y.reshape(rows, *o.shape) for y, o in zip(flat, kernel.outputs, strict=True))


def ptx(text: str, architecture: str = "compute_80") -> str:
    """The assembly of a text; what NVRTC says against it, warnings included, is raised."""
    import nvidia.cuda_nvrtc as wheel

    (path,) = (Path(wheel.__path__[0]) / "lib").glob("libnvrtc.so.*")
    nvrtc, program = ctypes.CDLL(str(path)), ctypes.c_void_p()
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
