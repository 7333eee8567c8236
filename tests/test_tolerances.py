"""The comparison every test stands on, and the variety of the random trees."""

import numpy as np
import pytest
from support.random_trees import FEW, SEEDS, random_mechanism
from support.sweeps import sweep
from support.tolerances import close, small


def test_close_is_relative_to_the_largest_entry():
    assert close([1e6, 1e-6], [1e6, 0.0], 1e-10)
    with pytest.raises(AssertionError, match=r"off by 1 > 0.0001 at \(1,\)"):
        close([1e6, 1.0], [1e6, 0.0], 1e-10)
    assert close([1e-12], [0.0], 1e-10, scale=1.0)
    with pytest.raises(AssertionError, match="off by"):
        close([1e-12], [0.0], 1e-10)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_fail(bad):
    with pytest.raises(AssertionError, match="off by"):
        close([bad, 1.0], [1.0, 1.0], 1.0)
    with pytest.raises(AssertionError, match="not finite"):
        close([1.0], [bad], 1.0)


def test_small():
    assert small([1e-12, -1e-12], 1e-11) and small(np.ones(0), 0.0)
    for x in ([0.0, -1e-10], [np.nan], np.inf):
        with pytest.raises(AssertionError, match="off by"):
            small(x, 1e-11)


def test_shapes_must_be_equal():
    with pytest.raises(AssertionError, match="shape"):
        close(np.ones(3), np.ones((3, 1)))


@pytest.mark.parametrize("seeds", sweep([range(SEEDS), FEW], [FEW]), ids=["all", "few"])
def test_random_trees_are_of_every_kind(seeds):
    trees = [random_mechanism(seed) for seed in seeds]
    assert {tree.n for tree in trees} >= (set(range(1, 13)) if len(seeds) == SEEDS else {1, 2, 3, 12})
    screws = np.concatenate([tree.screws for tree in trees])
    w, v = screws[:, :3], screws[:, 3:]
    sliding, pitch = ~w.any(axis=1), np.abs(np.sum(w * v, axis=1)) > 1e-9
    gears = np.abs(np.linalg.norm(np.where(sliding[:, None], v, w), axis=1) - 1.0) > 1e-9
    for some in (sliding, pitch, ~sliding & ~pitch, gears):
        assert some.mean() > 0.1
    branched = [len(set(tree.parents)) < tree.n for tree in trees]
    merged = [any("is fixed" in note for note in tree.notes) for tree in trees]
    along_axes = [bool(np.isin(tree.homes[:, :3, :3], (-1.0, 0.0, 1.0)).all()) for tree in trees]
    for some in (branched, merged, along_axes):
        assert np.mean(some) > 0.1
