"""Base of the methods of a robot: what all of them stand on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from chasles.lazy import lazy
from chasles.literals import Expressed
from chasles.model.mechanism import Mechanism
from chasles.model.task import TOOL, Task

if TYPE_CHECKING:
    from chasles.function.kernel import Kernel
    from chasles.robot_like import RobotLike as Base  # that each method of the protocol is there is checked statically
else:
    from chasles.hints import Hinted as Base

Array = NDArray[np.float64]


class Methods(Base):
    """A robot, as its methods see it."""

    _mechanism: Mechanism
    total_mass: lazy[float]  # kg
    _kernels: dict[Any, Kernel]
    _quick: dict[Any, Callable[..., Any]]  # what to call, by a method's name and options (forward.py)
    _problems: dict[Any, Any]
    depends_on_time = False  # as a System

    @classmethod
    @abstractmethod
    def _made(cls, mechanism: Mechanism) -> Self:
        """The robot of a mechanism."""

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
    def _prepare(self, key: Any) -> Callable[..., Any]:
        """What to call for a method (forward.py), by its name, options, and which optional inputs are given.

        It is put into `_quick` once it is machine code, by the key; it holds nothing of the robot then.
        """

    @abstractmethod
    def _fused(self, names: tuple[str, ...], arguments: tuple[Any, ...], chosen: Task, expressed: Expressed) -> Any:
        """The results of catalogue functions of a task, from one kernel: a tuple, if there are several."""
