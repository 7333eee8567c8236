"""Functions by the interpreter: those with an empty operand (a robot without joints), which no ufunc can be."""

from typing import Any

import numpy as np

from chasles.function.fallback import Fallback
from chasles.graph.interpret import interpret
from chasles.graph.program import Loop, Program


class InterpretedFunctions:
    """What a back end would give, computed by the interpreter."""

    def __init__(self, program: Program | Loop, name: str, dtype: str) -> None:
        self.ufunc = InterpretedUfunc(program.program if isinstance(program, Loop) else program, dtype)
        self.fast = Fallback(program, name, dtype, self.ufunc)


class InterpretedUfunc:
    """A program on arrays that broadcast over leading axes."""

    def __init__(self, program: Program, dtype: str) -> None:
        self.program, self.dtype = program, dtype

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        leading, flat = [], []
        for operand, x in zip(self.program.inputs, arguments, strict=True):
            array = np.asarray(x, dtype=self.dtype)
            core = len(operand.shape)
            if array.shape[array.ndim - core :] != operand.shape or array.ndim < core:
                raise ValueError(f"{operand.name}: wrong shape")
            leading.append(array.shape[: array.ndim - core])
            rows = array.reshape(*leading[-1], operand.size)
            flat.append([rows[..., k] for k in range(operand.size)])
        shape = np.broadcast_shapes(*leading)
        results = []
        for operand, row in zip(self.program.outputs, interpret(self.program, flat), strict=True):
            result = np.zeros((*shape, operand.size), self.dtype)
            for k, value in enumerate(row):
                result[..., k] = value
            results.append(result.reshape((*shape, *operand.shape))[()])
        if out is not None:
            for target, result in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
                target[...] = result
            return out
        return results[0] if len(results) == 1 else tuple(results)
