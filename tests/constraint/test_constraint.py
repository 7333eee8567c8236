"""Constraints: sums of them, and what is refused by name."""

import numpy as np
import pytest
from support.loops import particle

import chasles as ch


def test_sums_of_constraints():
    one, row = (
        ch.Constraint.holonomic(lambda q: q[:1], "still"),
        ch.Constraint.pfaffian(lambda q: np.stack([0.0 * q[0], np.cos(q[0])]), "row"),
    )
    both = one + row + one
    assert both.names == ("still", "row", "still 2")
    assert repr(both) == "<Constraint still (holonomic), row (pfaffian), still 2 (holonomic)>"
    with pytest.raises(TypeError):
        one + 3  # type: ignore[operator]


REFUSED = {
    r"h must be a function of \(q\), got int": lambda: ch.Constraint.holonomic(3),
    r"A must be a function of \(q\), got list": lambda: ch.Constraint.pfaffian([1.0, 0.0]),
    r"constraint 'turn': h must return a number or an array \(k,\), got \(2, 2\)": lambda: ch.ConstrainedSystem(
        particle(), ch.Constraint.holonomic(lambda q: np.stack([q, q]), "turn")
    ),
    r"constraint 'rows': A must return an array \(k, 2\) or \(2,\), got \(3,\)": lambda: ch.ConstrainedSystem(
        particle(), ch.Constraint.pfaffian(lambda q: np.stack([q[0], q[0], q[0]]), "rows")
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(ch.ModelError, match=message):
        REFUSED[message]()
