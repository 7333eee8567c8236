"""Symbols of poses, twists, wrenches and inertias: what the recursions compute when they are fed with names.

They have the operations of chasles.lie, and each gives what it is made of: `T.Ad_inv(V) + S * qd` remembers a sum of an
adjoint map of V and a multiple of S. Only the laws of the group are applied, to poses: a product is the word of its
factors, the inverse of a word is the word of the inverses, and Ad_T Ad_U = Ad_{TU}. A joint of several degrees of
freedom is one symbol S whose columns are twists, with symbols of as many velocities and forces.

Values compare by what they are made of, so that a name given to one is found wherever it appears.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from chasles.lie import Twist
from chasles.model.leaves import is_number

Word = tuple[tuple["Value", bool], ...]  # factors, each with whether it is inverted


class Leaf(NamedTuple):
    """An expression of the robot's symbols, which is equal to itself alone. key: its id."""

    key: int
    leaf: Any

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.key == other.key


class Value:
    """An operation and what it was done on; a symbol's arguments are its name, those of a constant its numbers."""

    __slots__ = ("_hash", "arguments", "operation")

    def __init__(self, operation: str, *arguments: Any) -> None:
        if operation == "constant":
            arguments = tuple(x if is_number(x) else Leaf(id(x), x) for x in arguments)
        self.operation, self.arguments = operation, arguments
        self._hash = hash((type(self), operation, arguments))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is type(self)
            and self._hash == other._hash  # type: ignore[attr-defined]
            and self.operation == other.operation  # type: ignore[attr-defined]
            and self.arguments == other.arguments  # type: ignore[attr-defined]
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.operation!r}, {', '.join(map(repr, self.arguments))})"


class Linear(Value):
    """What is added, subtracted and multiplied by numbers."""

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return self if _is_zero(other) else type(self)("sum", self, self._lifted(other))

    def __radd__(self, other: Any) -> Self:
        return self if _is_zero(other) else type(self)("sum", self._lifted(other), self)

    def __sub__(self, other: Any) -> Self:
        return self if _is_zero(other) else self + -self._lifted(other)

    def __rsub__(self, other: Any) -> Self:
        return -self if _is_zero(other) else self._lifted(other) + -self

    def __neg__(self) -> Self:
        return self.arguments[0] if self.operation == "minus" else type(self)("minus", self)

    def __mul__(self, s: Any) -> Self:
        return type(self)("times", self, ScalarSymbol.lifted(s))

    __rmul__ = __mul__

    @classmethod
    def _lifted(cls, x: Any) -> Self:
        return x if isinstance(x, cls) else cls("constant", x)


class ScalarSymbol(Linear):
    """A coordinate, velocity, force or inertia of a joint: a number, or as many as the joint has degrees of freedom."""

    __slots__ = ()

    @classmethod
    def lifted(cls, x: Any) -> ScalarSymbol:
        return x if isinstance(x, cls) else cls("constant", x)

    def __mul__(self, s: Any) -> ScalarSymbol:
        if isinstance(s, (int, float)) and s in (0.0, 1.0):
            return self if s == 1.0 else ScalarSymbol("constant", 0.0)
        return ScalarSymbol("times", self, ScalarSymbol.lifted(s))

    def __rmul__(self, s: Any) -> Any:
        return 0.0 if _is_zero(s) else ScalarSymbol("times", ScalarSymbol.lifted(s), self)

    def __rtruediv__(self, one: float) -> ScalarSymbol:
        return ScalarSymbol("inverse", self)


class TwistSymbol(Linear):
    """A twist; or the columns of a joint."""

    __slots__ = ()

    @property
    def has_columns(self) -> bool:
        """Whether it is the columns of a joint, before they are multiplied by velocities."""
        if self.operation == "columns":
            return True
        return self.operation == "Ad" and self.arguments[1].has_columns

    @staticmethod
    def of(V: Any) -> TwistSymbol:
        return V if isinstance(V, TwistSymbol) else TwistSymbol("constant", *V.w, *V.v)

    @classmethod
    def _lifted(cls, x: Any) -> TwistSymbol:  # type: ignore[override]
        return TwistSymbol.of(x)

    def ad(self, W: TwistSymbol) -> TwistSymbol:
        return TwistSymbol("ad", self, W)

    def ad_star(self, F: WrenchSymbol) -> WrenchSymbol:
        return WrenchSymbol("ad_star", self, F)

    def exp(self, q: Any) -> PoseSymbol:
        return PoseSymbol(((Value("exp", self, ScalarSymbol.lifted(q)), False),))


class WrenchSymbol(Linear):
    """A wrench; or those of the columns of a joint."""

    __slots__ = ()

    @property
    def has_columns(self) -> bool:
        return self.operation in ("momentum", "Ad_star") and self.arguments[1].has_columns

    def pair(self, V: Any) -> ScalarSymbol:
        return ScalarSymbol("pair", self, TwistSymbol.of(V))


class InertiaSymbol(Linear):
    """The inertia of a rigid body, or of an articulated one."""

    __slots__ = ()

    def _articulated(self) -> InertiaSymbol:
        return InertiaSymbol("articulated", self)

    def __matmul__(self, V: Any) -> WrenchSymbol:
        return WrenchSymbol("momentum", self, TwistSymbol.of(V))

    def moved(self, T: PoseSymbol) -> InertiaSymbol:
        if self.operation == "moved":
            first, G = self.arguments
            return G.moved(T @ PoseSymbol(first))
        return InertiaSymbol("moved", T.word, self)

    def without(self, K: WrenchSymbol, d_inv: ScalarSymbol) -> InertiaSymbol:
        return InertiaSymbol("without", self, K, d_inv)


class PoseSymbol:
    """A word of poses and their inverses, without neighbours that cancel."""

    __slots__ = ("word",)

    def __init__(self, word: Word) -> None:
        self.word = word

    @staticmethod
    def named(name: Any) -> PoseSymbol:
        return PoseSymbol(((Value("symbol", name), False),))

    def __matmul__(self, other: PoseSymbol) -> PoseSymbol:
        left, right = list(self.word), list(other.word)
        while left and right and left[-1][0] == right[0][0] and left[-1][1] != right[0][1]:
            left.pop()
            right.pop(0)
        return PoseSymbol((*left, *right))

    def inv(self) -> PoseSymbol:
        return PoseSymbol(inverted(self.word))

    def Ad(self, V: Any) -> TwistSymbol:
        V = TwistSymbol.of(V)
        if V.operation == "Ad":
            return (self @ PoseSymbol(V.arguments[0])).Ad(V.arguments[1])
        return TwistSymbol("Ad", self.word, V)

    def Ad_inv(self, V: Any) -> TwistSymbol:
        return self.inv().Ad(V)

    def Ad_star(self, F: WrenchSymbol) -> WrenchSymbol:
        if F.operation == "Ad_star":
            return (PoseSymbol(F.arguments[0]) @ self).Ad_star(F.arguments[1])
        return WrenchSymbol("Ad_star", self.word, F)

    def Ad_inv_star(self, F: WrenchSymbol) -> WrenchSymbol:
        return self.inv().Ad_star(F)


def inverted(word: Word) -> Word:
    return tuple((factor, not inverse) for factor, inverse in reversed(word))


def _is_zero(x: Any) -> bool:
    if isinstance(x, Twist):
        return _is_zero_twist(x)
    return isinstance(x, (int, float)) and x == 0.0


def _is_zero_twist(V: Twist) -> bool:
    return all(isinstance(x, (int, float)) and x == 0.0 for x in (*V.w, *V.v))
