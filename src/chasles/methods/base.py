"""What the methods of a robot stand on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ShapeError
from chasles.model.mechanism import Mechanism

Array = NDArray[np.float64]
COMPILED = 12  # degrees of freedom up to which tensors are compiled; beyond, they are put together in NumPy


class Methods(ABC):
    """A robot, as its methods see it."""

    _mechanism: Mechanism

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def n(self) -> int: ...

    @property
    @abstractmethod
    def nq(self) -> int: ...

    @abstractmethod
    def _call(
        self,
        name: str,
        arguments: tuple[Any, ...],
        frame: str | None = None,
        expressed: str = "body",
        optional: Mapping[str, Any] = MappingProxyType({}),
    ) -> Any:
        """The result of a catalogue function, compiled when first called."""

    def _real(self, function: str, name: str, x: Any, size: int) -> Array:
        """An argument as an array (..., size) of numbers; what is none is refused as a kernel refuses it."""
        try:
            out = np.asarray(x)
        except ValueError:
            raise ShapeError(f"{function}: {name} is not a rectangular array") from None
        if out.dtype == object:
            raise ShapeError(f"{function}: {name} must be real numbers; of robots this large it cannot be traced")
        if not (np.issubdtype(out.dtype, np.number) or out.dtype == bool) or np.iscomplexobj(out):
            raise ShapeError(f"{function}: {name} must be real numbers, got {out.dtype}")
        if out.ndim < 1 or out.shape[-1] != size:
            raise ShapeError(f"{function}: {name} must have shape (..., {size}), got {out.shape}")
        return out.astype(float)

    @abstractmethod
    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...] = ()) -> None:
        """Raise SingularMassMatrixError where M is singular at every configuration."""
