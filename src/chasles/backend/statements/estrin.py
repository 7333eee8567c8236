"""Polynomials as text, in the order of scalar/normal.py, so that a language gives the same bits."""

from __future__ import annotations

from collections.abc import Sequence


def estrin(coefficients: Sequence[float], product: str = "{} * {}") -> tuple[list[tuple[str, str]], str]:
    """Powers of x, as pairs of a name and a value, and the polynomial of them. product: those in sums."""
    terms, power, powers = list(map(repr, coefficients)), "x", []
    while len(terms) > 1:
        pairs = [f"({a} + {product.format(b, power)})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, *terms[len(pairs) * 2 :]]
        if len(terms) > 1:
            powers.append((power + power, f"{power} * {power}"))
            power += power
    return powers, terms[0][1:-1]
