"""What the methods of a robot stand on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import vector
from chasles.lazy import lazy
from chasles.literals import Expressed
from chasles.model.mechanism import Mechanism
from chasles.model.task import TOOL, Task

if TYPE_CHECKING:
    from chasles.function.kernel import Kernel

Array = NDArray[np.float64]


class Methods(ABC):
    """A robot, as its methods see it."""

    _mechanism: Mechanism
    total_mass: lazy[float]  # kg
    _bounds: lazy[tuple[Array, Array]]  # the limits of q, lower and upper (nq,)
    _kernels: dict[Any, Kernel]
    _quick: dict[Any, Callable[..., Any]]  # what to call, by a method's name and options (forward.py)
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
        expressed: Expressed = "body",
        inputs: tuple[str, ...] = (),
        bodies: tuple[int, ...] = (),
        chosen: Task = TOOL,
        called: str | None = None,
        target: str = "cpu",
    ) -> Kernel:
        """The kernel of catalogue functions, with all that is fixed when it is made; each is made once."""

    @abstractmethod
    def _prepare(self, key: Any, given: tuple[str, ...] = ()) -> Callable[..., Any]:
        """What to call for a method (forward.py), by its name and options, and for these optional inputs.

        It is put into `_quick` once it is machine code, by the key, or the key and `given`; it holds nothing of the
        robot then.
        """

    @abstractmethod
    def _call(self, key: Any, arguments: tuple[Any, ...], **optional: Any) -> Any:
        """The result of a method with those of its optional inputs that are not None."""

    @abstractmethod
    def _fused(self, names: tuple[str, ...], arguments: tuple[Any, ...], chosen: Task, expressed: Expressed) -> Any:
        """The results of catalogue functions of a task, from one kernel: a tuple, if there are several."""

    @abstractmethod
    def _search(self, name: Literal["inverse_kinematics", "nearest"], chosen: Task) -> Kernel:
        """A compiled search for a task."""

    def _real(self, function: str, name: str, x: Any, size: int) -> Array:
        """An argument as an array (..., size) of numbers, where a robot is too large to be traced."""
        return vector(x, f"{function}: {name}", size)
