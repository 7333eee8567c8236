"""What the methods of a robot stand on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.mechanism import Mechanism

Array = NDArray[np.float64]


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

    @abstractmethod
    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...] = ()) -> None:
        """Raise SingularMassMatrixError where M is singular at every configuration."""
