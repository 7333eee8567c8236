"""What programs are made of besides operations: named arrays, and references to earlier nodes."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Operand:
    """A named array of a program: its name and shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


@dataclass(frozen=True)
class Ref:
    """An argument that is the result of node `index` of the same program."""

    index: int
