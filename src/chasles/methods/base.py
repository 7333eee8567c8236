"""What the methods of a robot stand on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ShapeError
from chasles.lazy import lazy
from chasles.model.mechanism import Mechanism
from chasles.model.task import TOOL, Task

if TYPE_CHECKING:
    from chasles.function.kernel import Kernel

Array = NDArray[np.float64]
COMPILED = 12  # degrees of freedom up to which tensors are compiled; beyond, they are put together in NumPy


class Methods(ABC):
    """A robot, as its methods see it."""

    _mechanism: Mechanism
    total_mass: lazy[float]  # kg
    _bounds: lazy[tuple[Array, Array]]  # the limits of q, lower and upper (nq,)
    _kernels: dict[Any, Kernel]
    _quick: dict[tuple[str, str | None, str], Any]  # single-call functions, by name and frame
    _searches: dict[tuple[str, Task], Kernel]
    _problems: dict[Any, Any]

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def n(self) -> int: ...

    @property
    @abstractmethod
    def nq(self) -> int: ...

    @property
    @abstractmethod
    def link_names(self) -> tuple[str, ...]: ...

    @abstractmethod
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array: ...

    @abstractmethod
    def _make(
        self,
        names: tuple[str, ...],
        dtype: str = "float64",
        frame: str | None = None,
        expressed: str = "body",
        inputs: tuple[str, ...] = (),
        bodies: tuple[int, ...] = (),
        chosen: Task = TOOL,
        called: str | None = None,
    ) -> Kernel:
        """The kernel of catalogue functions, with all that is fixed when it is made; each is made once."""

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

    @abstractmethod
    def _fused(self, names: tuple[str, ...], arguments: tuple[Any, ...], chosen: Task, expressed: str) -> Any:
        """The results of catalogue functions of a task, from one kernel: a tuple, if there are several."""

    @abstractmethod
    def _search(self, name: Literal["inverse_kinematics", "nearest"], chosen: Task) -> Kernel:
        """A compiled search for a task."""

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
    def _refuse_rotors(self, names: tuple[str, ...]) -> None:
        """Raise ModelError where rotors turn with joints on groups: they are no part of the metric there."""

    @abstractmethod
    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...] = ()) -> None:
        """Raise SingularMassMatrixError where M is singular at every configuration."""
