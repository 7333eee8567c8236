"""The self-test of exported CUDA: both layouts on a batch of reference values, and their speed if asked for."""

from __future__ import annotations

from string import Template

from chasles.backend.cuda import Written
from chasles.export.exported import Exported

_TEXT = Template("""/*
 * Self-test of $name on the device: nvcc -O3 -o ${name}_test $name.cu ${name}_test.cu
 * ./${name}_test compares; ./${name}_test 1000000 measures that many rows, too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "$name.cuh"

typedef $number Number;
enum { CALLS = $calls, INPUTS = $inputs, OPERANDS = $operands, REPEATS = 20 };
static const double tolerance = $tolerance; /* relative to the largest number of a result, or 1 */
static const int sizes[OPERANDS] = {$sizes};
static const char *const names[OPERANDS] = {$names};
$values
static const double *const values[OPERANDS] = {$all};

static cudaError_t launch(int columns, Number *const *x, long long rows) {
    return columns ? ${name}_launch_columns($arguments, rows, 0) : ${name}_launch_rows($arguments, rows, 0);
}

static void need(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\\n", cudaGetErrorString(error));
        exit(2);
    }
}

static long long place(int columns, int size, long long rows, long long row, int i) {
    return columns ? i * rows + row : row * size + i;
}

/* Row k of a batch is call k modulo CALLS. */
static void begin(int columns, long long rows, Number **device) {
    for (int o = 0; o < OPERANDS; o++) {
        const size_t bytes = (size_t)rows * (size_t)(sizes[o] ? sizes[o] : 1) * sizeof(Number);
        need(cudaMalloc((void **)&device[o], bytes));
        Number *const host = (Number *)calloc(1, bytes);
        for (long long row = 0; row < rows && o < INPUTS; row++)
            for (int i = 0; i < sizes[o]; i++)
                host[place(columns, sizes[o], rows, row, i)] = (Number)values[o][row % CALLS * sizes[o] + i];
        need(cudaMemcpy(device[o], host, bytes, cudaMemcpyHostToDevice));
        free(host);
    }
}

static int compare(int columns, long long rows) {
    Number *device[OPERANDS];
    int wrong = 0;
    begin(columns, rows, device);
    need(launch(columns, device, rows));
    need(cudaDeviceSynchronize());
    for (int o = INPUTS; o < OPERANDS; o++) {
        const size_t bytes = (size_t)rows * (size_t)(sizes[o] ? sizes[o] : 1) * sizeof(Number);
        Number *const host = (Number *)malloc(bytes);
        double worst = 0.0;
        need(cudaMemcpy(host, device[o], bytes, cudaMemcpyDeviceToHost));
        for (long long row = 0; row < rows; row++) {
            const double *const expected = values[o] + row % CALLS * sizes[o];
            double largest = 0.0;
            for (int i = 0; i < sizes[o]; i++) largest = fmax(largest, fabs(expected[i]));
            for (int i = 0; i < sizes[o]; i++) {
                const double found = (double)host[place(columns, sizes[o], rows, row, i)];
                const double error = fabs(found - expected[i]) / (largest > 1.0 ? largest : 1.0);
                if (!(error <= tolerance)) wrong++;
                if (!(error <= worst)) worst = error;
            }
        }
        printf("$name by %s: %s differs by %.1e\\n", columns ? "columns" : "rows", names[o], worst);
        free(host);
    }
    for (int o = 0; o < OPERANDS; o++) cudaFree(device[o]);
    return wrong;
}

static void measure(int columns, long long rows) {
    Number *device[OPERANDS];
    cudaEvent_t start, stop;
    float best = 1e30f;
    begin(columns, rows, device);
    need(cudaEventCreate(&start));
    need(cudaEventCreate(&stop));
    for (int k = 0; k < REPEATS; k++) {
        float taken;
        need(cudaEventRecord(start, 0));
        need(launch(columns, device, rows));
        need(cudaEventRecord(stop, 0));
        need(cudaEventSynchronize(stop));
        need(cudaEventElapsedTime(&taken, start, stop));
        if (taken < best) best = taken;
    }
    printf("$name by %s: %.3e rows a second\\n", columns ? "columns" : "rows", (double)rows / (1e-3 * (double)best));
    for (int o = 0; o < OPERANDS; o++) cudaFree(device[o]);
}

int main(int count, char **arguments) {
    const long long rows = count > 1 ? atoll(arguments[1]) : 0;
    int wrong = 0;
    for (int columns = 0; columns < 2; columns++) {
        wrong += compare(columns, 1003);
        if (rows > 0) measure(columns, rows);
    }
    printf("%s\\n", wrong ? "WRONG" : "right");
    return wrong ? 1 : 0;
}
""")


def self_test(function: Exported, file: Written) -> str:
    """A program that returns 0 where all results agree, 1 where some do not, 2 where the device fails."""
    operands = (*file.inputs, *file.outputs)
    rows = [
        [x for reference in function.references for x in (*reference.inputs, *reference.outputs)[k]]
        for k in range(len(operands))
    ]
    return _TEXT.substitute(
        name=file.function,
        number=file.number,
        calls=len(function.references),
        inputs=len(file.inputs),
        operands=len(operands),
        tolerance=repr(function.tolerance),
        sizes=", ".join(str(x.size) for x in operands),
        names=", ".join(f'"{x.name}"' for x in operands),
        values="\n".join(_array(k, row) for k, row in enumerate(rows)),
        all=", ".join(f"values_{k}" for k in range(len(operands))),
        arguments=", ".join(f"x[{k}]" for k in range(len(operands))),
    )


def _array(k: int, values: list[float]) -> str:
    lines = [", ".join(map(repr, values[i : i + 4])) for i in range(0, len(values), 4)]
    return f"static const double values_{k}[] = {{\n    " + ",\n    ".join(lines or ["0.0"]) + ",\n};"
