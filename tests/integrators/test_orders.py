"""The order of every method on joints of every kind: errors against a much finer motion, the step halved twice."""

import numpy as np
import pytest
from support import orders
from support.sweeps import sweep
from support.tolerances import close

from chasles import integrators
from chasles.integrators.equations import equations

METHODS = integrators.names()
CASES = [(name, method) for name in orders.SYSTEMS for method in METHODS]
IMPLICIT = ("sdirk3", "radau")  # slow to compile: by default on the smallest robot
FEW = [(name, method) for name, method in CASES if name == ("prismatic" if method in IMPLICIT else "spherical")]
each = pytest.mark.parametrize("case", sweep(CASES, FEW), ids="-".join)
BELOW, ABOVE = 0.35, 1.0  # of the order: one less is refused, one more at steps that are not yet short is not


@each
def test_order(case: tuple[str, str]) -> None:
    name, method = case
    expected, found = integrators.find(method).order, orders.order(name, method)
    assert (found > expected - BELOW).all() and (found < expected + ABOVE).all(), found


def test_velocities_keep_their_signs_where_there_is_dry_friction() -> None:
    """Or the order would be that of a motion with corners."""
    q, qd = orders.case("friction").q, orders.case("friction").qd
    kernel, least = orders.step_kernel("friction", "rk4"), np.inf
    for k in range(40):
        q, qd = kernel(q, qd, 0.01 * k, 0.01)
        least = min(least, qd.min())
    assert least > 0.2


@each
def test_arrays_are_stepped_as_kernels_are(case: tuple[str, str]) -> None:
    """One text for NumPy's batches and for kernels."""
    name, method = case
    system, q, qd, law = orders.case(name)
    here, scheme = equations(system, law), integrators.find(method)
    state = scheme.step(here, 0.3, scheme.begin(here, 0.3, q, qd), 0.02)
    for found, expected in zip(
        scheme.end(here, 0.32, state), orders.step_kernel(name, method)(q, qd, 0.3, 0.02), strict=True
    ):
        assert close(found, expected, 1e-11)


@pytest.mark.parametrize("method", ["euler", "semi_implicit"])
def test_euler(method: str) -> None:
    """[FD-2]: th += h thd, thd += h thdd from th[0], N times; halving h halves the error. Ours, written out."""
    system, q, qd, law = orders.case("revolute")
    h, late = 0.01, method == "semi_implicit"
    x, v = q, qd
    for k in range(5):
        faster = v + h * system.forward_dynamics(x, v, law(k * h, x, v))
        x, v = x + h * (faster if late else v), faster
        q, qd = orders.step_kernel("revolute", method)(q, qd, k * h, h)
    assert close(q, x, 1e-13) and close(qd, v, 1e-13)
    assert close(orders.order("revolute", method), [1.0, 1.0], 0.02)
