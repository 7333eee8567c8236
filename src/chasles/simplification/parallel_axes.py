"""Angles that occur in sums, as those of joints with parallel axes do, replaced by the sums.

In sines and cosines of single angles that of a sum of n angles has 2^(n-1) terms. Where a program computes such sums,

    t_1 = q_1,   t_2 = q_1 + q_2,   t_3 = q_1 + q_2 + q_3,   ...                                      (1)
    sin q_k = sin(t_k - t_(k-1)),   cos q_k = cos(t_k - t_(k-1))                                      (2)

take the place of the angles, and sums of any length have one term, and differences of them two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chasles.graph.program import Program
from chasles.simplification.angle_sums import Angles, Trig
from chasles.simplification.evaluation import expanded_nodes
from chasles.simplification.functions import sine_and_cosine
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.table import Angle, Cosine, Sine, Table
from chasles.simplification.trigonometry import fewest

_MOST_TERMS = 8
_MOST_PRODUCTS = 20_000
_LEAST_ANGLES = 3


def replace_by_sums(table: Table, program: Program, inputs: Sequence[Sequence[Polynomial]]) -> None:
    """Let the sines and cosines of angles of the table be those of differences of sums (2), where these occur."""
    table.in_sums.clear()
    signs: dict[int, int] = {}
    groups: list[list[int]] = []
    while True:
        found = _groups(groups, signs, _sums(table, program, inputs))
        if found == groups:
            break
        groups = found
        for group in groups:
            _replace(table, group, signs)
    for group in groups:
        if len(group) < _LEAST_ANGLES:
            for angle in group:
                table.in_sums.pop(angle, None)


def _sums(table: Table, program: Program, inputs: Sequence[Sequence[Polynomial]]) -> list[Angles]:
    """The sums of angles of which some node is the sine or cosine, times something."""
    found: dict[Angles, None] = {}
    for value in expanded_nodes(table, program, inputs, _MOST_TERMS, _MOST_PRODUCTS):
        if isinstance(value, Polynomial) and len(value) > 1:
            angles = _sum_of_angles(table, value)
            if angles:
                found[angles] = None
    return list(found)


def _sum_of_angles(table: Table, value: Polynomial) -> Angles:
    """The angles of a polynomial that is the sine or cosine of a sum, times something; none otherwise."""
    terms: dict[Trig, Any] = {}
    shared: set[Any] = set()
    for monomial, x in value.terms.items():
        rest = [(atom, n) for atom, n in table.monomials[monomial] if table.kinds[atom] not in (Sine, Cosine)]
        trig = [(table.atoms[atom], n) for atom, n in table.monomials[monomial] if table.kinds[atom] in (Sine, Cosine)]
        angles = [atom.angle for atom, _ in trig]
        if any(n != 1 for _, n in trig) or len(set(angles)) < len(angles):
            return ()
        shared.add((tuple(rest), tuple(sorted(angles)), abs(float(x))))
        if len(shared) > 1:
            return ()
        powers = ((table.combination(atom.angle), *((1, 0) if type(atom) is Sine else (0, 1))) for atom, _ in trig)
        terms[Trig(tuple(sorted(powers)))] = x
    few = list(fewest(terms, value.scale))
    if len(few) != 1:
        return ()
    sums = [*(angles for angles, _, _ in few[0].powers), *(wave.angles for wave in few[0].waves)]
    longest = max(sums, key=len)
    return longest if len(longest) > 1 and all(abs(n) == 1 for _, n in longest) else ()


def _groups(groups: list[list[int]], signs: dict[int, int], sums: list[Angles]) -> list[list[int]]:
    """Groups of angles, ascending, and those that occur in sums with them; signs: of each, in the sums of its group."""
    for angles in sums:
        numbers = dict(angles)
        met = [group for group in groups if any(angle in numbers for angle in group)]
        joined = sorted({angle for group in (*met, list(numbers)) for angle in group})
        first = next((angle for angle in joined if angle in signs and angle in numbers), None)
        factor = signs[first] * numbers[first] if first is not None else 1
        for angle, n in angles:
            signs.setdefault(angle, n * factor)
        groups = [group for group in groups if group not in met] + [joined]
    return groups


def _replace(table: Table, group: list[int], signs: dict[int, int]) -> None:
    """(1) and (2) for the angles of a group."""
    total: dict[int, int] = {}
    s_t: Any = None
    c_t: Any = None
    for angle in group:
        total[angle] = signs[angle] * signs[group[0]]
        if len(total) == 1:
            s_t, c_t = sine_and_cosine(table, angle)
            continue
        s_new, c_new = sine_and_cosine(table, table.angle(Angle(-1, 1, tuple(sorted(total.items())))))
        sine = (s_new * c_t - c_new * s_t).scaled(total[angle])
        table.in_sums[angle] = sine, c_new * c_t + s_new * s_t  # (2)
        s_t, c_t = s_new, c_new
