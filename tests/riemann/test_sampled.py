"""The arguments of tests at random configurations, refused by name."""

import pytest

import chasles as ch


@pytest.mark.parametrize("function", ["flatness", "balance"])
@pytest.mark.parametrize(
    ("argument", "value"), [("tolerance", "a"), ("tolerance", None), ("tolerance", -1.0), ("seed", "a"), ("samples", 0)]
)
def test_refused(function: str, argument: str, value: object) -> None:
    with pytest.raises(ch.ModelError, match=f"{function}: {argument} must be"):
        getattr(ch.load("planar_2r"), function)(**{argument: value})
