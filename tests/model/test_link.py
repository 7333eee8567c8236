"""Links: what they take, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from support.motions import array, inertias, motions
from support.tolerances import ROUNDING, close

from chasles.errors import ModelError
from chasles.model.link import Link
from chasles.model.poses import matrix


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
        ({"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}, "link 'arm': its inertia matrix is not symmetric"),
        ({"inertia": [1.0, 2.0]}, r"got \(2,\)"),
        ({"mass": "heavy"}, "link 'arm': mass must be a real number, got text"),
        ({"com": [[1.0], [1.0, 2.0]]}, "com is not a rectangular array"),
    ],
)
def test_refusals(given_, message):
    with pytest.raises(ModelError, match=message):
        Link(**{"mass": 1.0, "name": "arm"} | given_)


def of(G, name=None):
    """The link with spatial inertia G in its frame."""
    c = np.array([*G.h]) / G.mass if G.mass else np.zeros(3)
    J = np.array([[*row] for row in G.I.matrix])
    return Link(G.mass, c, J - G.mass * (c @ c * np.eye(3) - np.outer(c, c)), name)


@given(inertias(), inertias(), motions())
def test_moved_and_added(G, other, T):
    link = of(G, "arm") + of(other).moved(matrix(T))
    assert link.name == "arm"
    assert close(array(link.spatial()), array(G + other.moved(T)), 64 * ROUNDING)


def test_point_masses_add_without_rounding():
    """Two points on a line far away: no inertia about it, where moments about the origin would leave 1e-8 of them."""
    a, b = Link(1.0, (1e4, 0.1, 0.3)), Link(2.0, (1e4 + 1.0, 0.1, 0.3))
    assert np.array_equal((a + b).inertia, (b + a).inertia)
    assert close((a + b).inertia, np.diag([0.0, 2.0 / 3.0, 2.0 / 3.0]), 4 * ROUNDING)
    assert (a + Link()) == a and (Link() + a) == a


def test_massless_and_equal():
    assert Link() + Link() == Link()
    assert Link(1.0, name="a") != Link(1.0, name="b")
    assert Link(1.0) != Link(2.0) and Link(1.0) != "link"
    assert Link(1.0, inertia=[1, 2, 3]) == Link(1.0, inertia=np.diag([1.0, 2.0, 3.0]))
