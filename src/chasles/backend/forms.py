"""A long program as pieces of few forms: what its links, limbs and columns have in common, said once.

The links of a chain are computed alike: the same operations, wired alike, on other numbers. Where the operations of a
program, in their order, are cut at places that depend only on what is near, such stretches are cut alike. Pieces that
differ only in their constants and in which values they take are of one form: the form is a small program, compiled
once, and a piece is data, namely its constants and the slots of scratch memory that it reads and writes (tape.py).

A cut is made where fewest of the values made shortly before are still needed, within a window behind the cut before. A
product stays with the sum that it is fused into (schedule.py): the bits are those of the program in one. What is found
only once is cut again, finer, and is a form of its own in the end. A program that is not much alike is left whole, if
it is not too long for that. From a longer one, sums of many products, as of matrices, are taken out before: they are
all of one form, a loop. If that is still too much code, what is not found often is cut down to single operations: there
are few forms of these, and the tape is a program for an interpreter.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.backend.schedule import fusions
from chasles.graph.program import Operand, Program, Ref
from chasles.scalar.operations import CONDITIONS, OPERATIONS

LEAST = 10_000  # operations of a program that is taken to pieces,
WHOLE = 100_000  # and the most of one that may be left whole,
SHARE = 0.25  # if its forms together are more than that part of it
CODE = 60_000  # operations that the forms of a longer one may be together,
LONGEST = 1_000_000  # unless it is longer still
WINDOWS = ((60, 240), (20, 80))  # operations from one cut to the next, at least and at most,
FINER = ((8, 32), (2, 8))  # and finer, for longer programs
MOST = 200  # operations of a piece that is found only once
TERMS = 4  # products of a sum that is a loop, at least
NEAR = 16  # operations before a cut that decide between those with equally many values

# Measured, mostly on chains. LEAST: inverse dynamics of 60 links, 9,622 operations, are compiled in 0.5 s whole, 0.2 s
# in pieces; of 120 links in 1.0 and 0.3 s, and are as fast. WHOLE: derivatives of a humanoid's forward dynamics, which
# have fewer, are twice as fast whole as cut finer. SHARE: a Coriolis matrix of 30 links, a third in its forms, takes as
# long to compile in pieces, and a row of it 1.5 times as long. CODE: second derivatives of 10 links, 207,770
# operations, are 47,000 in their forms, compiled in 6 s; cut down to single operations they are 21,000, in 3.4 s, and
# take 1.5 times as long. WINDOWS: with half of them the forms of a mass matrix of 30 links have 0.6 of the operations,
# and it takes 1.3 times as long; with twice as much they have 1.3 of them. NEAR: with 4 or 64 forms have up to 1.25 and
# 1.6 of the operations.

_CONSTANT, _NONE = -1, -2
_CODES = {op: k for k, op in enumerate(OPERATIONS)}

Stretch = tuple[int, int]
Groups = dict[Any, list[Stretch]]  # by their forms


class Products(NamedTuple):
    """The form of sums of products: (x + a b) + c d ... or, minus, (x - a b) - c d ...; it reads x, a, b, c, d, ..."""

    minus: bool


def forms(program: Program) -> "tuple[Line, Groups] | None":
    """A program's operations in a row, and its forms; None where it is short, has loops, or is not much alike."""
    if program.loops or program.operations.total < LEAST:
        return None
    line = Line(program)
    if line.size <= WHOLE:
        found = line.forms(WINDOWS)
        return (line, found) if _code(found) <= SHARE * line.size else None
    if line.size <= LONGEST:
        found = line.forms((*WINDOWS, FINER[0]), line.products())
        if _code(found) <= CODE:
            return line, found
    return line, line.few_forms()


def _code(groups: Groups) -> int:
    """Operations of forms."""
    return sum(group[0][1] - group[0][0] for group in groups.values())


class Line:
    """The operations of a program in a row, products just before the sums that they are fused into.

    A value is called by its place in the row; an input by a number beyond.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        nodes, fused = program.nodes, fusions(program)
        product = {total: k for k, total in fused.items()}
        self.row: list[int] = []
        for k, (op, _) in enumerate(nodes):
            if op != "input" and k not in fused:
                self.row += [product[k], k] if k in product else [k]
        self.size = len(self.row)
        place = [self.size + k for k in range(len(nodes))]
        for p, k in enumerate(self.row):
            place[k] = p
        self.place = place
        self.codes = np.array([_CODES[nodes[k][0]] for k in self.row])
        self.taken = np.full((self.size, 3), _NONE)
        taken = [place[x.index] if type(x) is Ref else _CONSTANT for k in self.row for x in nodes[k][1]]
        counts = np.array([len(nodes[k][1]) for k in self.row])
        self.taken[np.arange(3) < counts[:, None]] = taken
        self.stays = np.array([k in fused for k in self.row])  # with what comes next, which it is fused into
        self.codes[self.stays] += len(_CODES)
        self.letters, self.wires = self.codes.astype(np.uint8).tobytes(), self.taken.tolist()
        self.last = np.full(self.size, -1)
        here = np.arange(self.size)
        for column in self.taken.T:
            inner = (column >= 0) & (column < self.size)
            np.maximum.at(self.last, column[inner], here[inner])
        shown = {place[x.index] for row in program.results for x in row if type(x) is Ref}
        self.last[[p for p in shown if p < self.size]] = self.size  # beyond the end

    def forms(self, windows: Sequence[Stretch], known: Groups | None = None) -> Groups:
        """Stretches of the row, those of one form together; what is found only once is there too."""
        groups = dict(known or {})
        for stretch in self._cut(self._add_forms(groups, windows, 2), MOST // 2, MOST):
            groups.setdefault(self._form(*stretch), []).append(stretch)
        return groups

    def few_forms(self) -> Groups:
        """The same, of forms that are found often, sums of products and single operations."""
        groups = self.products()
        for a, b in self._add_forms(groups, (*WINDOWS, *FINER), self.size // (2 * CODE) + 2):
            cuts = [a, *(a + 1 + np.flatnonzero(~self.stays[a : b - 1])).tolist(), b]
            for stretch in itertools.pairwise(cuts):
                groups.setdefault(self._form(*stretch), []).append(stretch)
        return groups

    def _add_forms(self, groups: Groups, windows: Sequence[Stretch], often: int) -> list[Stretch]:
        """Add to groups the stretches of forms that are found so often; the stretches that are left."""
        taken = sorted(stretch for group in groups.values() for stretch in group)
        ends = [0, *itertools.chain(*taken), self.size]
        rest = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]
        for least, most in windows:
            found: Groups = {}
            for stretch in self._cut(rest, least, most):
                found.setdefault(self._form(*stretch), []).append(stretch)
            rest = []
            for form, group in found.items():
                if len(group) >= often or form in groups:
                    groups.setdefault(form, []).extend(group)
                else:
                    rest += group
            rest = _one(rest)
        return rest

    def products(self) -> Groups:
        """Sums of many products of values, by whether these are added or subtracted."""
        found: Groups = {}
        product = np.arange(self.size - 1)  # and behind it the sum
        x, y = self.taken[:-1, 0], self.taken[:-1, 1]
        first, second = self.taken[1:, 0], self.taken[1:, 1]
        other = np.where(first == product, second, first)
        of_values = self.stays[:-1] & (np.minimum(x, y) >= 0) & (other >= 0)
        for form, op in ((Products(False), "add"), (Products(True), "sub")):
            sums = of_values & (self.codes[1:] == _CODES[op]) & ((second == product) | (op == "add"))
            on = sums & (other == product - 1) & (x != product - 1) & (y != product - 1)
            on[:2] = False
            on[2:] &= sums[:-2] & (self.last[1:-2] == product[2:] + 1)  # what it is added to is used nowhere else
            goes_on = [*on.tolist(), False, False]
            for a in np.flatnonzero(sums & ~on).tolist():
                b = a + 2
                while goes_on[b]:
                    b += 2
                if b - a >= 2 * TERMS:
                    found.setdefault(form, []).append((a, b))
        return found

    def _cut(self, stretches: list[Stretch], least: int, most: int) -> list[Stretch]:
        """Stretches in shorter ones."""
        price, found = self._price(most), []
        for a, b in stretches:
            ends = [a]
            while b - ends[-1] > most:
                first, beyond = ends[-1] + least, ends[-1] + most
                ends.append(first + int(np.argmin(price[first:beyond])))
            found += itertools.pairwise([*ends, b])
        return found

    def _price(self, most: int) -> np.ndarray:
        """Of a cut before each place: how many of the `most` values before it are needed behind it, in the high bits;
        in the low ones a number made of the operations before it, which is the same wherever these are. The factors by
        which it is made may be any odd numbers: they only decide between equals."""
        here = np.arange(self.size)
        until = np.clip(self.last, here, here + most)
        change = np.zeros(self.size + most + 1, np.int64)
        change[: self.size] += 1
        np.subtract.at(change, until, 1)
        needed = np.cumsum(change)[: self.size - 1]  # behind each place but the last
        word = self.codes.astype(np.uint64)
        for column in self.taken.T:
            kind = np.where(column == _CONSTANT, 1, np.where(here - column < NEAR, here - column, 0))
            word = word * np.uint64(1_000_003) + kind.astype(np.uint64)
        mixed = np.zeros(self.size, np.uint64)
        for k in range(min(NEAR, self.size)):
            mixed[k:] += word[: self.size - k] * np.uint64(pow(0x5851F42D4C957F2D, k + 1, 1 << 64))
        price = np.zeros(self.size, np.int64)
        price[1:] = (needed << 20) + (mixed[:-1] >> np.uint64(44)).astype(np.int64)
        price[1:][self.stays[:-1]] = np.iinfo(np.int64).max
        return price

    def _form(self, a: int, b: int) -> Any:
        """What stretches of one form have in common: the operations, and how they are wired."""
        outer: dict[int, int] = {}
        wires = [
            x - a if a <= x < b else x if x < 0 else _NONE - 1 - outer.setdefault(x, len(outer))
            for row in self.wires[a:b]
            for x in row
        ]
        return self.letters[a:b], tuple(wires)

    def outer(self, a: int, b: int) -> list[int]:
        """The values that a stretch takes, each once, in the order in which it takes them."""
        return list(dict.fromkeys([x for row in self.wires[a:b] for x in row if x >= b or 0 <= x < a]))

    def terms(self, a: int, b: int) -> list[int]:
        """The values of a sum of products: what they are added to, then both factors of each."""
        x, y, _ = self.wires[a + 1]
        return [y if x == a else x, *(x for row in self.wires[a:b:2] for x in row[:2])]

    def constants(self, a: int, b: int) -> list[float]:
        nodes = self.program.nodes
        return [x for k in self.row[a:b] for x in nodes[k][1] if type(x) is not Ref]

    def is_condition(self, value: int) -> bool:
        return value < self.size and self.program.nodes[self.row[value]][0] in CONDITIONS

    def step(self, a: int, b: int, results: list[int]) -> Program:
        """The form of a stretch, which gives the values at some places; conditions come and go as 0 or 1."""
        outer, constants = self.outer(a, b), self.constants(a, b)
        nodes: list[tuple[str, tuple[Any, ...]]] = [("input", (0, j)) for j in range(len(outer))]
        nodes += [("input", (1, j)) for j in range(len(constants))]
        became = {x: Ref(j) for j, x in enumerate(outer)}
        for x in outer:
            if self.is_condition(x):
                nodes.append(("less", (0.5, became[x])))
                became[x] = Ref(len(nodes) - 1)
        unnamed = itertools.count(len(outer))
        for p in range(a, b):
            op, args = self.program.nodes[self.row[p]]
            wires = [became[self.place[x.index]] if type(x) is Ref else Ref(next(unnamed)) for x in args]
            became[p] = Ref(len(nodes))
            nodes.append((op, tuple(wires)))
        for p in results:
            if self.is_condition(p):
                nodes.append(("where", (became[p], 1.0, 0.0)))
                became[p] = Ref(len(nodes) - 1)
        operands = Operand("values", (len(outer),)), Operand("constants", (len(constants),))
        given = tuple(became[p] for p in results)
        return Program(operands, (Operand("values", (len(results),)),), tuple(nodes), (given,))


def _one(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Stretches, neighbours made one."""
    found: list[Stretch] = []
    for a, b in sorted(stretches):
        if found and found[-1][1] == a:
            found[-1] = found[-1][0], b
        else:
            found.append((a, b))
    return found
