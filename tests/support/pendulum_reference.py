"""Chains of n pendulums, point masses of 1 kg on massless rods of 1 m in gravity of 9.81 m/s^2, to thirty digits.

With absolute angles a from the vertical and c_ij = cos(a_i - a_j), s_ij = sin(a_i - a_j), m_ij = n - max(i, j):

    sum over j of m_ij (c_ij a_j'' + s_ij a_j'^2) = -(n - i) g sin a_i            (1)

integrated by Gragg's midpoint rule, extrapolated (Bulirsch and Stoer), in mpmath. END is what this file prints when it
is run, with the difference of two choices of steps.
"""

from typing import Any

import mpmath as mp
import numpy as np

import chasles as ch

START = {2: ("1.2", "0.7"), 3: ("1.0", "0.6", "-0.4")}  # angles, at rest
DURATION = 5
END = {  # angles and their rates after DURATION; two choices of steps differ by 2e-34 and 2e-32
    2: (
        "0.247168629896361574061941793203",
        "0.3732500693333593992816387777189",
        "-0.05023896729912763376353818658765",
        "5.254538012699284466982648628854",
    ),
    3: (
        "-0.3987358854434967660647285926683",
        "-0.5976026100396207301701419469384",
        "-0.5031222726344939280990932265599",
        "-0.9722609457440795115640867651411",
        "5.424737847133226044228056122681",
        "-3.926318066961489915796010150426",
    ),
}


def accelerations(a: list[Any], rates: list[Any]) -> list[Any]:
    n = len(a)
    M, right = mp.matrix(n, n), mp.matrix(n, 1)
    for i in range(n):
        right[i] = -(n - i) * mp.mpf("9.81") * mp.sin(a[i])
        for j in range(n):
            m = n - max(i, j)
            M[i, j] = m * mp.cos(a[i] - a[j])
            right[i] -= m * mp.sin(a[i] - a[j]) * rates[j] ** 2
    return list(mp.lu_solve(M, right))  # (1)


def slope(y: list[Any]) -> list[Any]:
    n = len(y) // 2
    return [*y[n:], *accelerations(y[:n], y[n:])]


def midpoint(y: list[Any], H: Any, parts: int) -> list[Any]:
    """Gragg's rule: y after H, whose error is a series in (H / parts)^2."""
    h = H / parts
    before, now = y, [a + h * b for a, b in zip(y, slope(y), strict=True)]
    for _ in range(parts - 1):
        before, now = now, [a + 2 * h * b for a, b in zip(before, slope(now), strict=True)]
    return [(a + b + h * c) / 2 for a, b, c in zip(now, before, slope(now), strict=True)]


def extrapolated(y: list[Any], H: Any, columns: int) -> list[Any]:
    parts = [2 * (k + 1) for k in range(columns)]
    table = [midpoint(y, H, p) for p in parts]
    for k in range(1, columns):
        for i in range(columns - 1, k - 1, -1):
            ratio = mp.mpf(parts[i]) ** 2 / mp.mpf(parts[i - k]) ** 2 - 1
            table[i] = [a + (a - b) / ratio for a, b in zip(table[i], table[i - 1], strict=True)]
    return table[-1]


def end(n: int, steps: int, columns: int) -> list[Any]:
    with mp.workdps(45):
        y = [mp.mpf(a) for a in START[n]] + [mp.mpf(0)] * n
        for _ in range(steps):
            y = extrapolated(y, mp.mpf(DURATION) / steps, columns)
        return y


def pendulum(n: int) -> ch.Robot:
    """The chain, hanging at q = 0; its coordinates are differences of the angles."""
    screws = [ch.screw([0.0, 0.0, 1.0], [0.0, -float(k), 0.0]) for k in range(n)]
    homes = [np.eye(4) for _ in range(n)]
    for k, home in enumerate(homes):
        home[1, 3] = -k - 1.0
    links = [ch.Link(1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for _ in range(n)]
    return ch.Robot.from_screws(screws, homes, links, gravity=[0.0, -9.81, 0.0], name=f"pendulum{n}")


def relative(angles: Any) -> np.ndarray:
    """(n,) coordinates of the robot."""
    return np.diff(np.array(angles, dtype=float), prepend=0.0)


if __name__ == "__main__":
    for n in START:
        y, other = (end(n, steps, 14) for steps in {2: (200, 240), 3: (400, 480)}[n])
        print(n, "to", mp.nstr(max(abs(a - b) for a, b in zip(y, other, strict=True)), 3))
        for x in y:
            print(f'        "{mp.nstr(x, 31)}",')
