"""Newton inside a time loop: the implicit midpoint rule of a pendulum, state (q, qd, length, damping)."""

import math

import numpy as np

from chasles.graph.trace_loop import loop

STATE = np.array([0.7, 0.3, 1.2, 0.1])
DT = 0.02


def pendulum(state, steps=40, rule="fixed_point"):
    """The energy-like number q qd + qd^2 after so many steps."""
    q, qd, length, damping = state

    def step(q, qd):
        def newton(a):
            def force(a):
                return -9.81 / length * np.sin(q + 0.5 * DT * (qd + 0.5 * DT * a)) - damping * (qd + 0.5 * DT * a)

            middle = q + 0.5 * DT * (qd + 0.5 * DT * a)
            slope = 1.0 + 0.25 * DT * DT * 9.81 / length * np.cos(middle) + 0.5 * DT * damping
            new = a - (a - force(a)) / slope
            return new, {"until": abs(new - a) < 1e-13}

        a, _ = loop(newton, 0.0, count=20, rule=rule)
        return q + DT * (qd + 0.5 * DT * a), qd + DT * a

    q, qd = loop(step, (q, qd), count=steps)
    return q * qd + qd * qd


def pendulum_by_bisection(state, steps=40):
    """The same, with nothing in common: each implicit equation by bisection."""
    q, qd, length, damping = (float(x) for x in state)

    def residual(a):
        middle = q + 0.5 * DT * (qd + 0.5 * DT * a)
        return a + 9.81 / length * math.sin(middle) + damping * (qd + 0.5 * DT * a)

    for _ in range(steps):
        low, high = -100.0, 100.0
        for _ in range(80):
            half = 0.5 * (low + high)
            low, high = (low, half) if residual(half) > 0.0 else (half, high)
        q, qd = q + DT * (qd + 0.5 * DT * low), qd + DT * low
    return q * qd + qd * qd


def differences(function, x, h):
    return np.array([(function(x + h * e) - function(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])
