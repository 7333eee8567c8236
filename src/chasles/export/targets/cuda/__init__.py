"""CUDA: kernels over batches, a header, a self-test that measures too, and CMake.

    name.cu             the function of a row, kernels over rows, and functions of the host that launch them
    name.cuh            their declarations
    name_test.cu        a program that makes the calls of the references on the device and compares: 0 where all agree
    CMakeLists.txt      a library and, by ctest, a test, of each function that is in the folder

NVRTC takes name.cu as it is; what needs the runtime of the host is left out there.
"""

from __future__ import annotations

from string import Template

from chasles.backend.cuda import Written, written
from chasles.backend.cuda.kernels import declared
from chasles.backend.statements.words import Words
from chasles.export import cmake
from chasles.export.exported import Exported
from chasles.export.heading import heading
from chasles.export.targets.cuda.self_test import self_test

ABOUT = "CUDA for nvcc and NVRTC: kernels over batches of rows, a header, CMake and a self-test"

COLUMN_THREADS = 128

_LAUNCH = Template("""
extern "C" cudaError_t ${name}_launch_${layout}($parameters, cudaStream_t stream) {
    if (rows <= 0) return cudaSuccess;
    const long long blocks = (rows + $threads - 1) / $threads, most = 2147483647;
    void *arguments[] = {$arguments};
    return cudaLaunchKernel((const void *)${name}_$layout, dim3((unsigned)(blocks < most ? blocks : most)),
                            dim3($threads), arguments, 0, stream);
}
""")

_HEADER = Template("""#ifndef ${guard}
#define ${guard}

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All rows of a batch, of arrays on the device. rows: row by row, (rows, size), as NumPy has them; columns: element by
 * element, (size, rows). They return when the kernel is launched.
 */
cudaError_t ${name}_launch_rows($parameters, cudaStream_t stream);
cudaError_t ${name}_launch_columns($parameters, cudaStream_t stream);

#ifdef __CUDACC__
/* The kernels themselves: blocks of $threads threads at most for rows, of any number for columns. */
__global__ void ${name}_rows($parameters);
__global__ void ${name}_columns($parameters);
#endif

#ifdef __cplusplus
}
#endif

#endif
""")


def files(function: Exported) -> dict[str, str | bytes]:
    """The files, by their names; no test where there are no calls to test it by."""
    file = written(function.body, function.name, function.dtype)
    called = Words(file.function, tuple(x.name for x in file.inputs), tuple(y.name for y in file.outputs))
    head = "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in heading(function, called)) + " */\n"
    name, parameters = file.function, declared(file.number, file.inputs, file.outputs)
    words = {
        "name": name,
        "guard": f"CHASLES_{name.upper()}_CUH",
        "parameters": parameters,
        "threads": file.tile.threads,
    }
    found: dict[str, str | bytes] = {
        f"{name}.cu": f'{head}\n{file.text}\n#ifndef __CUDACC_RTC__\n#include "{name}.cuh"\n{_launchers(file)}#endif\n',
        f"{name}.cuh": head + _HEADER.substitute(words),
    }
    if function.references:
        found[f"{name}_test.cu"] = self_test(function, file)
    return found | {"CMakeLists.txt": cmake.CUDA}


def _launchers(file: Written) -> str:
    """Functions of the host that launch the kernels, for as many blocks as there are rows for."""
    arrays = [x.name for x in (*file.inputs, *file.outputs)]
    words = {
        "name": file.function,
        "parameters": declared(file.number, file.inputs, file.outputs),
        "arguments": ", ".join([*(f"(void *)&{x}" for x in arrays), "&rows"]),
    }
    threads = {"rows": file.tile.threads, "columns": COLUMN_THREADS}
    return "".join(_LAUNCH.substitute(words, layout=layout, threads=n) for layout, n in threads.items())
