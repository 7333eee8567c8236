"""Calls of a function with their results as nested lists, in languages that write lists in brackets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chasles.export.exported import Reference


def listed_calls(references: Sequence[Reference], number: Callable[[float], str], indent: str) -> str:
    """Elements of a list: of each call the inputs and the outputs, a line for each operand, flat."""
    return "".join(
        f"{indent}[\n{_side(r.inputs, number, indent)}{_side(r.outputs, number, indent)}{indent}],\n"
        for r in references
    )


def flat_list(values: Sequence[float], number: Callable[[float], str]) -> str:
    """Numbers in brackets: none needs parentheses there."""
    return f"[{', '.join(number(x).strip('()') for x in values)}]"


def _side(rows: Sequence[Sequence[float]], number: Callable[[float], str], indent: str) -> str:
    lines = "".join(f"{indent * 3}{flat_list(row, number)},\n" for row in rows)
    return f"{indent * 2}[\n{lines}{indent * 2}],\n"
