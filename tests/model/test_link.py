"""Links: what they take, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from motions import ROUNDING, array, assert_close, inertias

from chasles.errors import ModelError
from chasles.model.link import Link


def test_defaults_and_shapes():
    link = Link(2.0, [1, 2, 3], [1, 2, 3])
    assert link.mass == 2.0 and link.name is None
    assert np.array_equal(link.inertia, np.diag([1.0, 2.0, 3.0]))
    assert Link().mass == 0.0 and not Link().inertia.any()
    with pytest.raises(ValueError, match="read-only"):
        link.com[0] = 5.0


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"com": [1.0, 2.0]}, r"link 'arm': com must have shape \(3,\), got \(2,\)"),
        ({"inertia": np.eye(4)}, r"link 'arm': inertia must have shape \(3, 3\), or \(3,\) .* got \(4, 4\)"),
        ({"inertia": [1.0, 2.0]}, r"got \(2,\)"),
        ({"mass": "heavy"}, "link 'arm': mass, com and inertia must be numbers"),
        ({"com": [[1.0], [1.0, 2.0]]}, "must be numbers"),
    ],
)
def test_refusals(given_, message):
    with pytest.raises(ModelError, match=message):
        Link(**{"mass": 1.0, "name": "arm"} | given_)


@given(inertias())
def test_spatial_and_back(G):
    link = Link.from_spatial(G, "arm")
    assert link.name == "arm"
    assert_close(array(link.spatial()), array(G), 16 * ROUNDING)


def test_massless_and_equal():
    assert Link.from_spatial(Link().spatial()) == Link()
    assert Link(1.0, name="a") != Link(1.0, name="b")
    assert Link(1.0) != Link(2.0) and Link(1.0) != "link"
    assert Link(1.0, inertia=[1, 2, 3]) == Link(1.0, inertia=np.diag([1.0, 2.0, 3.0]))
