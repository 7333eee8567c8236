"""Denavit-Hartenberg parameters against products of their own matrices, and against the robots of the zoo."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.motions import array, numbers
from support.tolerances import EPS, ROUNDING, close

from chasles import zoo
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml
from chasles.model.dh import dh
from chasles.model.poses import twist

RIGHT = math.pi / 2
PUMA = [
    (0.0, RIGHT, 0.672, 0.0),
    (0.4318, 0.0, 0.0, 0.0),
    (0.0203, -RIGHT, 0.15005, 0.0),
    (0.0, RIGHT, 0.4318, 0.0),
    (0.0, -RIGHT, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0),
]
STANFORD = [
    (0.0, -RIGHT, 0.412, 0.0),
    (0.0, RIGHT, 0.154, 0.0),
    {"theta": -RIGHT, "type": "prismatic"},
    (0.0, -RIGHT, 0.0, 0.0),
    (0.0, RIGHT, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0),
]


def matrix(convention, a, alpha, d, theta):
    """One row's motion, entry by entry as the textbooks print it."""
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    if convention == "standard":
        rows = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    else:
        rows = [[c, -s, 0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca], [0, 0, 0, 1]]
    return np.array(rows)


def product(convention, rows, q):
    """The poses of all frames at q."""
    T, out = np.eye(4), []
    for (a, alpha, d, theta, kind), x in zip(rows, q, strict=True):
        moved = (d, theta + x) if kind == "revolute" else (d + x, theta)
        T = T @ matrix(convention, a, alpha, *moved)
        out.append(T)
    return np.array(out)


def exponentials(screws, homes, q):
    T, out = np.eye(4), []
    for S, H, x in zip(screws, homes, q, strict=True):
        T = T @ array(twist(S).exp(x))
        out.append(T @ H)
    return np.array(out)


def full(row):
    if isinstance(row, dict):
        return (*(row.get(key, 0.0) for key in ("a", "alpha", "d", "theta")), row.get("type", "revolute"))
    return (*row, "revolute") if len(row) == 4 else row


kinds = st.sampled_from(["revolute", "prismatic"])
rows = st.lists(st.builds(lambda x, kind: (*x, kind), numbers(4), kinds), min_size=1, max_size=6)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@given(rows=rows, q=numbers(6))
def test_against_the_product_of_matrices(convention, rows, q):
    q = q[: len(rows)]
    screws, homes = dh(rows, convention)
    scale = 10.0 * len(rows)
    assert close(exponentials(screws, homes, q), product(convention, rows, q), 256 * EPS, scale=scale)


@given(rows=rows)
def test_both_conventions_describe_one_robot(rows):
    """Shifting (a, alpha) down a row turns standard into modified: the joint axes are the same lines."""
    shifted = [(*above[:2], *row[2:]) for above, row in zip([(0.0, 0.0), *rows], rows, strict=False)]
    assert close(dh(shifted, "modified")[0], dh(rows, "standard")[0], 256 * EPS, scale=10.0 * len(rows))


@pytest.mark.parametrize(("name", "rows"), [("puma560", PUMA), ("stanford", STANFORD)])
def test_zoo(name, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        m = toml.read(zoo.path(name))
    screws, homes = dh(rows)
    assert close(screws, m.screws, 2 * EPS)
    assert close(homes, m.homes, 2 * EPS)
    assert set(homes[:, :3, :3].ravel()) <= {-1.0, 0.0, 1.0}  # quarter turns are exact
    q = np.linspace(-1.0, 1.3, 6)
    assert close(exponentials(screws, homes, q), product("standard", [full(row) for row in rows], q), ROUNDING)


def test_puma_by_craig():
    """Craig's table of the PUMA 560, modified convention: the same lines as Paul's, link frames on the joints."""
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15005, 0.4318
    craig = [(0, 0, 0, 0), (0, -RIGHT, 0, 0), (a2, 0, d3, 0), (a3, -RIGHT, d4, 0), (0, RIGHT, 0, 0), (0, -RIGHT, 0, 0)]
    screws, homes = dh(craig, "modified")
    q = np.linspace(-1.0, 1.3, 6)
    assert close(exponentials(screws, homes, q), product("modified", [full(row) for row in craig], q), ROUNDING)
    assert close(homes[-1][:3, 3], [a2 + a3, d3, -d4], ROUNDING)
    # at zero Craig's forearm points down and Paul's up: the axes from the second on are reversed
    assert close(screws[:, :3], dh(PUMA)[0][:, :3] * np.array([[1], [-1], [-1], [-1], [-1], [-1]]), 0.0)


def test_base():
    base = np.eye(4)
    base[:3, 3] = 1.0, 2.0, 3.0
    base[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    screws, homes = dh(PUMA, base=base)
    plain, at = dh(PUMA)
    assert close(homes, base @ at, ROUNDING)
    assert close(exponentials(screws, homes, [0.3] * 6), base @ exponentials(plain, at, [0.3] * 6), ROUNDING)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([(1, 2, 3)], {}, r"DH row 0: expected \(a, alpha, d, theta\) and perhaps a joint type, got \(1, 2, 3\)"),
        ([(1, 2, 3, 4), (0, 0, 0, math.nan)], {}, "DH row 1: theta is nan"),
        ([(1, 2, 3, "x")], {}, "DH row 0: .* must be real numbers"),
        ([(1, 2, 3, 4, "helical")], {}, "DH row 0: the joint type must be 'revolute' or 'prismatic', got 'helical'"),
        ([{"a": 1, "alfa": 2}], {}, "DH row 0: unknown key 'alfa'; the keys are a, alpha, d, theta and type"),
        ([(1, 2, 3, 4)], {"convention": "craig"}, "must be 'standard' or 'modified', got 'craig'"),
        ([(1, 2, 3, 4)], {"base": np.eye(3)}, r"DH base must have shape \(4, 4\), got \(3, 3\)"),
    ],
)
def test_refusals(rows, options, message):
    with pytest.raises(ModelError, match=message):
        dh(rows, **options)


def test_no_rows():
    assert [x.shape for x in dh([])] == [(0, 6), (0, 4, 4)]
