"""Loops in whole numbers, so that every way to compute them gives the same bits."""

import numpy as np

import chasles as ch


def collatz(x, w):
    """Halve the even, 3 x + 1 of the odd, until 1: rows of most different lengths. Kept: x, and sums of slices of w."""

    def step(x, taken, w):
        half = np.floor(0.5 * x)
        new = ch.where(x > 2.0 * half, 3.0 * x + 1.0, half)
        kept = {"seen": new, "pairs": np.stack([w[0] + taken, w[1] * new])}
        return (new, taken + 1.0), {"until": new <= 1.0, "record": kept}

    (x, taken), extras = ch.loop(step, (x, 0.0), each={"w": w}, count=25)
    return {"x": x, "taken": taken, "until": extras["until"], **extras["record"]}


def endless(x):
    """No count: x counts down to 0, by halves of itself and ones."""

    def step(x, n):
        return (np.floor(0.5 * x), n + x), {"until": x < 2.0}

    (x, n), how = ch.loop(step, (x, 0.0))
    return {"x": x, "n": n, "until": how["until"]}
