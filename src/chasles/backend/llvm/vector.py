"""LLVM IR for vectors of lanes, one lane a configuration: text, with no robot and no NumPy in it.

Every instruction is exact or correctly rounded and in a fixed order (fused multiply-adds are chosen here, not by
LLVM), so a lane's bits do not depend on its neighbours, its place, or the width of the vector.
"""

import itertools
import struct
from collections.abc import Iterator
from typing import Any

from chasles.backend.llvm.target import Target


class Vector:
    """A writer of instructions on <W x T>; each method appends one or more lines and returns the result's name."""

    def __init__(self, target: Target, dtype: str, lanes: int | None = None, within: "Vector | None" = None) -> None:
        """`lanes`: the machine's number of them unless given. `within`: the writer whose text this one continues."""
        self.target, self.dtype = target, dtype
        self.scalar = "double" if dtype == "float64" else "float"
        self.bytes = 8 if dtype == "float64" else 4
        self.lanes = lanes or target.lanes(dtype)
        self.type = f"<{self.lanes} x {self.scalar}>"
        self.integer = f"i{8 * self.bytes}"
        self.integers = f"<{self.lanes} x {self.integer}>"
        self.booleans = f"<{self.lanes} x i1>"
        self.suffix = f"v{self.lanes}f{8 * self.bytes}"
        self.lines: list[str] = within.lines if within else []
        self._names: Iterator[int] = within._names if within else itertools.count(1)

    def fresh(self, stem: str = "t") -> str:
        return f"%{stem}{next(self._names)}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def set(self, text: str, stem: str = "t") -> str:
        name = self.fresh(stem)
        self.lines.append(f"  {name} = {text}")
        return name

    def number(self, value: float) -> str:
        """The bits of a constant, in LLVM's hexadecimal (of the double that holds the float)."""
        if self.dtype == "float32":
            try:
                value = struct.unpack("f", struct.pack("f", value))[0]
            except OverflowError:
                value = float("inf") if value > 0 else float("-inf")
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"

    def constant(self, value: float) -> str:
        return f"splat ({self.scalar} {self.number(value)})"

    def int_constant(self, value: int) -> str:
        """A constant vector of integers as wide as the lanes."""
        return f"splat ({self.integer} {value})"

    def op(self, name: str, x: str, y: str) -> str:
        return self.set(f"{name} {self.type} {x}, {y}")

    def add(self, x: str, y: str) -> str:
        return self.op("fadd", x, y)

    def sub(self, x: str, y: str) -> str:
        return self.op("fsub", x, y)

    def mul(self, x: str, y: str) -> str:
        return self.op("fmul", x, y)

    def neg(self, x: str) -> str:
        return self.set(f"fneg {self.type} {x}")

    def fma(self, x: str, y: str, z: str) -> str:
        """x y + z, rounded once where the machine can."""
        if not self.target.fma:
            return self.add(self.mul(x, y), z)
        t = self.type
        return self.set(f"call {t} @llvm.fma.{self.suffix}({t} {x}, {t} {y}, {t} {z})")

    def sqrt(self, x: str) -> str:
        return self.set(f"call {self.type} @llvm.sqrt.{self.suffix}({self.type} {x})")

    def floor(self, x: str) -> str:
        return self.set(f"call {self.type} @llvm.floor.{self.suffix}({self.type} {x})")

    def select(self, condition: str, x: str, y: str) -> str:
        return self.set(f"select {self.booleans} {condition}, {self.type} {x}, {self.type} {y}")

    def choose(self, condition: str, x: str, y: str) -> str:
        """A selection of integers."""
        return self.set(f"select {self.booleans} {condition}, {self.integers} {x}, {self.integers} {y}")

    def bits(self, x: str) -> str:
        return self.set(f"bitcast {self.type} {x} to {self.integers}")

    def unbits(self, x: str) -> str:
        return self.set(f"bitcast {self.integers} {x} to {self.type}")

    def iop(self, name: str, x: str, y: str) -> str:
        return self.set(f"{name} {self.integers} {x}, {y}")

    def less(self, predicate: str, x: str, y: str) -> str:
        """An ordered comparison that raises no flag on a nan: nans are compared apart."""
        unordered = self.set(f"fcmp uno {self.type} {x}, {y}")
        zero = self.constant(0.0)
        x, y = self.select(unordered, zero, x), self.select(unordered, zero, y)
        ordered = self.set(f"xor {self.booleans} {unordered}, splat (i1 true)")
        below = self.set(f"fcmp {predicate} {self.type} {x}, {y}")
        return self.set(f"and {self.booleans} {below}, {ordered}")

    def shuffle(self, x: str, y: str, mask: list[int], lanes: int | None = None) -> str:
        """Elements of x and y, which have W lanes unless told."""
        indices = ", ".join(f"i32 {k}" for k in mask)
        given = self.of(lanes or self.lanes)
        return self.set(f"shufflevector {given} {x}, {given} {y}, <{len(mask)} x i32> <{indices}>")

    def of(self, lanes: int) -> str:
        """The type of a vector of so many lanes."""
        return f"<{lanes} x {self.scalar}>"

    def address(self, base: str, offset: Any, unit: str = "i8") -> str:
        return self.set(f"getelementptr {unit}, ptr {base}, i64 {offset}", "p")

    def load_row(self, pointer: str, count: int) -> str:
        """`count` elements, a vector of so many."""
        return self.set(f"load {self.of(count)}, ptr {pointer}, align {self.bytes}")

    def store_row(self, value: str, pointer: str, count: int) -> None:
        """The first `count` lanes; the memory of the others is not touched."""
        if count == self.lanes:
            self.line(f"store {self.type} {value}, ptr {pointer}, align {self.bytes}")
            return
        mask = ", ".join(f"i1 {'true' if k < count else 'false'}" for k in range(self.lanes))
        self.line(
            f"call void @llvm.masked.store.{self.suffix}.p0({self.type} {value}, "
            f"ptr {pointer}, i32 {self.bytes}, {self.booleans} <{mask}>)"
        )

    def prefetch(self, pointer: str) -> None:
        self.line(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 2, i32 1)")

    def declarations(self) -> str:
        t, s, b = self.type, self.suffix, self.booleans
        return "\n".join(
            [
                "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
                f"declare {t} @llvm.fma.{s}({t}, {t}, {t})",
                f"declare {t} @llvm.sqrt.{s}({t})",
                f"declare {t} @llvm.floor.{s}({t})",
                f"declare void @llvm.masked.store.{s}.p0({t}, ptr, i32, {b})",
            ]
        )
