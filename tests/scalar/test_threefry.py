"""Threefry-2x64 in 13 rounds: its published vectors, and numbers between 0 and 1 of floats and arrays."""

import math

import numpy as np
import pytest

from chasles.scalar import ops
from chasles.scalar.dual import Dual
from chasles.scalar.threefry import random, random_float, words

ONES = 2**64 - 1
PUBLISHED = [  # key, counter, first word: known answers of Random123
    ((0, 0), (0, 0), 0xF167B032C3B480BD),
    ((ONES, ONES), (ONES, ONES), 0xCCDEC5C917A874B1),
    ((0xA4093822299F31D0, 0x082EFA98EC4E6C89), (0x243F6A8885A308D3, 0x13198A2E03707344), 0xC3AAC71561042993),
]


@pytest.mark.parametrize(("key", "counter", "word"), PUBLISHED)
def test_published_vectors(key, counter, word):
    given = [[np.array([w], np.uint64) for w in pair] for pair in (key, counter)]
    assert int(words(*given)[0]) == word


def test_numbers_are_the_first_bits_of_the_word():
    assert random_float(0.0, 0.0) == ((0xF167B032C3B480BD >> 12) + 0.5) / 2.0**52
    assert random(np.float32(0.0), np.float32(0.0)) == np.float32(((0xF167B032C3B480BD >> 41) + 0.5) / 2.0**23)


def test_neither_end_is_reached():
    """Of the smallest and the largest word, by (2)."""
    for bits, dtype in ((52, np.float64), (23, np.float32)):
        least, most = dtype(0.5 * 2.0**-bits), dtype((2.0**bits - 0.5) * 2.0**-bits)
        assert least > 0.0 and most < 1.0 and float(most) == 1.0 - float(least)


def test_floats_arrays_and_duals_agree(rng):
    x, y = rng.normal(size=(2, 5)), rng.integers(0, 100, size=(3, 1, 5)).astype(float)
    found = random(x, y)
    assert found.shape == (3, 2, 5) and found.dtype == np.float64
    assert found[1, 0, 2] == random_float(x[0, 2], y[1, 0, 2]) == ops.random(x[0, 2], y[1, 0, 2])
    dual = ops.random(Dual(x[0, 2], 1.0), y[1, 0, 2])
    assert dual.value == found[1, 0, 2] and dual.derivative == 0.0
    assert random(np.float32(x), np.float32(3.0)).dtype == np.float32


def test_zeros_are_one_and_nans_stay():
    assert random_float(-0.0, 3.0) == random_float(0.0, 3.0) and random_float(3.0, -0.0) == random_float(3.0, 0.0)
    assert math.isnan(random_float(math.nan, 1.0)) and math.isnan(random_float(1.0, math.nan))
    assert 0.0 < random_float(math.inf, -math.inf) < 1.0


def test_seed_and_counter_are_not_interchangeable():
    assert random_float(1.0, 2.0) != random_float(2.0, 1.0)
