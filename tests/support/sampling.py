"""Systems that sampling control swings up, and motions under it."""

from typing import Any

import numpy as np

import chasles as ch
from chasles.control import MPPI

PENDULUM = ch.load("pendulum")


def _cart_and_pole(q: Any, qd: Any) -> Any:
    """A cart of 1 kg, and 0.2 kg at 0.5 m below it."""
    pole = 0.1 * qd[0] * qd[1] * np.cos(q[1]) + 0.025 * qd[1] ** 2
    return 0.6 * qd[0] ** 2 + pole + 0.2 * 9.81 * 0.5 * np.cos(q[1])


CART_POLE = ch.LagrangianSystem(2, _cart_and_pole, name="cart-pole")


def upright(t: Any, q: Any, qd: Any, tau: Any) -> Any:
    """How far a pendulum is from standing still upright."""
    return 10.0 * (1.0 + np.cos(q[0])) + 0.1 * qd[0] ** 2


def upright_cart(t: Any, q: Any, qd: Any, tau: Any) -> Any:
    return 5.0 * (1.0 + np.cos(q[1])) + 0.5 * q[0] ** 2 + 0.05 * (qd @ qd) + 1e-3 * tau[0] ** 2


def made(kind: Any, system: Any, cost: Any, *, temperature: float = 0.3, **options: Any) -> Any:
    """A law of that class; of MPPI with a temperature."""
    return kind(system, cost, **options, **({"temperature": temperature} if kind is MPPI else {}))


def driven(law: Any, q: np.ndarray, qd: np.ndarray, steps: int) -> list[np.ndarray]:
    """q, qd and tau of a motion under the law, a call for each semi-implicit step of its dt."""
    kept = []
    for k in range(steps):
        tau = law(k * law.dt, q, qd)
        kept.append((q, qd, tau))
        qd = qd + law.dt * law.system.forward_dynamics(q, qd, tau)
        q = law.system.integrate(q, law.dt * qd)
    return [np.array(x) for x in zip(*kept, strict=True)]
