"""Between the samples of a motion: cubic Hermite interpolation in the canonical coordinates of each step.

With x = difference(q_k, q_{k+1}) and dx/dt of the joints' groups (derivatives/canonical_coordinates.py), s in [0, 1],

    q(s) = integrate(q_k, x(s)),   x(s) = s^2 (3 - 2 s) x + s (1 - s)^2 h xd_0 - s^2 (1 - s) h xd_1      (1)

where xd_0 and xd_1 are the rates of x at both ends that make qd_k and qd_{k+1}, so that samples are met. q is of order
4 in h, qd of order 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError

Array = NDArray[np.float64]
MOST_CORRECTIONS = 10  # each wins a factor of half the turn between two samples


def interpolated(
    system: Any, t: Array, q: Array, qd: Array, at: Array, values: Mapping[str, Array]
) -> tuple[Array, Array]:
    """q (..., *at, nq) and qd (..., *at, n) at times `at`, from samples q (..., T, nq), qd (..., T, n) at t (T,).

    values: of the system's symbols by name, (..., 1, *shape).
    """
    if len(t) < 2:
        raise ModelError("the trajectory has one sample: there is nothing to interpolate")
    slack = 1e-9 * (t[-1] - t[0])  # a time that is outside by rounding
    outside = ~((at >= t[0] - slack) & (at <= t[-1] + slack))
    if outside.any():
        raise ModelError(f"t must be between {t[0]:g} and {t[-1]:g} s, got {at[outside][0]:g}")
    times = np.clip(at, t[0], t[-1])
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[..., None]
    s = (times - t[k])[..., None] / h
    lead = q.ndim - 2
    of_symbols = {name: x.reshape(x.shape[:lead] + (1,) * at.ndim + x.shape[lead + 1 :]) for name, x in values.items()}
    ends = q[..., k, :], qd[..., k, :], q[..., k + 1, :], qd[..., k + 1, :]
    return between(system, *ends, h, s, **of_symbols)


def between(system: Any, q0: Any, v0: Any, q1: Any, v1: Any, h: Any, s: Any, **values: Any) -> tuple[Any, Any]:
    """q and qd of (1) at s in [0, 1] of a step of h seconds from (q0, v0) to (q1, v1), numbers or traced."""
    inner = getattr(system, "system", system)
    canonical = CanonicalRates(inner) if hasattr(inner, "mechanism") else None
    x = system.difference(q0, q1, **values)
    slow, fast = h * v0, h * (v1 if canonical is None else _rate(canonical, x, v1))
    here = s**2 * (3.0 - 2.0 * s) * x + s * (1.0 - s) ** 2 * slow - s**2 * (1.0 - s) * fast  # (1)
    rate = (6.0 * s * (1.0 - s) * x + (1.0 - s) * (1.0 - 3.0 * s) * slow - s * (2.0 - 3.0 * s) * fast) / h
    speed = rate if canonical is None else canonical.velocity(here, rate, np.zeros_like(rate))[0]
    return system.integrate(q0, here, **values), speed


def _rate(canonical: CanonicalRates, x: Array, v: Array) -> Array:
    """dx/dt with the velocity v at x, both by the same series."""
    rate = canonical.rate(x, v)
    for _ in range(MOST_CORRECTIONS):
        rate = rate + v - canonical.velocity(x, rate, np.zeros_like(rate))[0]
    return rate
