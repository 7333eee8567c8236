"""Functions as export takes them, with reference values by the interpreter."""

import numpy as np
from support.kernels import states
from support.node import interpreted

from chasles.export.exported import Described, Exported, Reference
from chasles.function.kernel import Kernel


def exported(kernel: Kernel, rows: int = 3, about: str = "", **operands: Described) -> Exported:
    """A kernel with `rows` calls to test it by."""
    given = [x.astype(float) for x in states(kernel, rows)]
    found = interpreted(kernel, *given)
    calls = tuple(
        Reference(*(tuple(tuple(np.ravel(x[k]).tolist()) for x in side) for side in (given, found)))
        for k in range(rows)
    )
    tolerance = 1e-12 if kernel.dtype == "float64" else 1e-4
    return Exported(kernel.program, kernel.name, kernel.dtype, about, operands, calls, tolerance)
