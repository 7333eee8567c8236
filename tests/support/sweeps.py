"""Cases of a parametrization of which a few run always, the others under the marker `sweep`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sweep(cases: Iterable[Any], default: int | Collection[Any]) -> list[Any]:
    """All cases, marked but for those of `default`: how many of the first, or a list that may hold others too."""
    cases = list(cases)
    kept = cases[:default] if isinstance(default, int) else list(default)
    marked = [case if case in kept else pytest.param(case, marks=pytest.mark.sweep) for case in cases]
    assert not cases or any(case in kept for case in cases), "no case is left by default"
    return marked
