"""Sums of products of parameters with common factors taken out, as Horner does: (m_1 + m_2) l_1^2 + m_2 l_2^2."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from chasles.formula.tree import Formula, Number, Power
from chasles.simplification.collecting import Collector, Factor, Terms, content, divided, joined, place, square_root


def factored(terms: Terms, collector: Collector) -> Formula:
    """The sum with its common factor in front, and terms together that share one, the most worth first."""
    terms = dict(sorted(terms.items(), key=lambda item: collector.order(item[0])))
    common, number = content(terms)
    if number < 0 and any(x > 0 for x in terms.values()):
        number = -number
    if len(terms) == 1:
        return collector.product(number, common)
    inner = divided(terms, common, number)
    root = square_root(inner)
    if root is not None:
        return collector.product(number, common, (Power(_nested(root, collector), Number(Fraction(2))), place(inner)))
    return collector.product(number, common, (_nested(inner, collector), place(inner)))


def _nested(terms: Terms, collector: Collector) -> Formula:
    pieces: list[tuple[Any, Terms]] = []
    left = dict(terms)
    while (group := _best_group(left)) is not None:
        pieces.append((min(map(collector.order, group)), group))
        left = {term: x for term, x in left.items() if term not in group}
    pieces += [(collector.order(term), {term: x}) for term, x in left.items()]
    return joined([factored(group, collector) for _, group in sorted(pieces, key=lambda piece: piece[0])])


def _best_group(terms: Terms) -> Terms | None:
    """The terms that share the factor, or decimal, that is worth most to be written once; None if none share any."""
    groups: dict[Factor, Terms] = {}
    decimals: dict[float, Terms] = {}
    for term, x in terms.items():
        if type(x) is float:
            decimals.setdefault(abs(x), {})[term] = x
        for factor, power in term:
            if power > 0:
                groups.setdefault(factor, {})[term] = x
    best, most = None, 0
    for factor in sorted(groups):
        group = groups[factor]
        worth = (len(group) - 1) * sum(power for _, power in content(group)[0] if power > 0)
        if len(group) < len(terms) and worth > most:
            best, most = group, worth
    for group in decimals.values():
        if 1 < len(group) < len(terms) and len(group) - 1 > most:
            best, most = group, len(group) - 1
    return best
