"""A tableau in terms of the last stages: how far its rows reach back, and their weights, the youngest stage first."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.integrators.tableau import ExplicitRungeKutta


class LastStages:
    """depth: of how many stages k and l are carried on. coming: by stage, row (stages, depth), b and c (stages,)."""

    def __init__(self, method: ExplicitRungeKutta) -> None:
        stages = len(method.a)
        self.depth = max(i - j for i, row in enumerate(method.a) for j, weight in enumerate(row) if weight)
        rows = np.zeros((stages, self.depth))
        for i, row in enumerate(method.a):
            for j, weight in enumerate(row):
                if weight:
                    rows[i, i - j - 1] = weight
        self.coming = {"row": rows, "b": np.array(method.b, dtype=float), "c": np.array(method.c, dtype=float)}


def of_the_last(row: Any, terms: Any, h: Any) -> Any:
    """h times the weighted sum of the last terms, the oldest first."""
    return sum(terms[d] * (row[d] * h) for d in reversed(range(len(terms))))
