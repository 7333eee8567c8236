"""What programs are made of besides operations: named arrays, and references to earlier nodes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Operand(NamedTuple):
    """A named array of a program: its name and shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(math.prod(self.shape))


@dataclass(frozen=True)
class Ref:
    """An argument that is the result of node `index` of the same program."""

    index: int


def signature(inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """NumPy's signature of a function of these operands, such as (6),(6)->(6,6)."""

    def core(operands: Sequence[Operand]) -> str:
        return ",".join("(" + ",".join(map(str, o.shape)) + ")" for o in operands)

    return f"{core(inputs)}->{core(outputs)}"
