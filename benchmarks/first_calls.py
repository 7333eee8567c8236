"""First calls beside their bounds: all functions of two arms and of Talos, and long chains (`fresh_process.py`)."""

from chains import FIRST_CALLS
from figures import Figure, Target
from fresh_process import First, NoCall, Processes, processes
from robots import ARMS, HUMANOID, TITLES
from timing import QUICK, Effort

from chasles.catalogue import catalogue

LIMIT = 40  # s; what takes longer is ended, and is beyond every bound
FEW = ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives")  # when it is quick
COLD = {("arm", "first"): 1.0, ("arm", "second"): 4.0, (HUMANOID, "first"): 5.0, (HUMANOID, "second"): 30.0}
WARM = {"arm": 0.1, HUMANOID: 0.5}
ORDERS = {"first": "functions of first order", "second": "second derivatives, curvature, model derivatives"}
SECOND = {
    "inverse_dynamics_derivatives_along",
    "inverse_dynamics_second_derivatives",
    "forward_dynamics_second_derivatives",
    "mass_matrix_second_derivatives",
    "inverse_dynamics_model_derivatives",
    "forward_dynamics_model_derivatives",
    "forward_kinematics_model_derivatives",
    "jacobian_model_derivatives",
    "riemann_curvature",
    "ricci_curvature",
    "scalar_curvature",
    "sectional_curvature",
}


def order(title: str, name: str) -> str:
    """Whether a function is of first order. For a humanoid, tensors of n^3 numbers are not."""
    large = title == HUMANOID and catalogue()[name].large is not None
    return "second" if large or name in SECOND else "first"


def first_calls(effort: Effort) -> list[Figure]:
    """The slowest of each kind of function, cold and warm from the disk, and chains."""
    quick = effort is QUICK
    figures = []
    with processes() as fresh:
        for title in ARMS if quick else TITLES:
            found, late = _all(fresh, title, FEW if quick else tuple(catalogue()))
            figures += _slowest(title, found, late)
        for (n, name), most in {(7, "mass_matrix"): 1.0}.items() if quick else FIRST_CALLS.items():
            found, late = _all(fresh, f"chain of {n}", (name,))
            figures.append(_worst(f"chain of {n} links, {name}", _cold(found), most, late))
    return figures


def _all(fresh: Processes, title: str, names: tuple[str, ...]) -> tuple[dict[str, First], dict[str, str]]:
    """First calls by name, and why there is none of the others."""
    found, late = {}, {}
    for name in names:
        try:
            found[name] = fresh.first(title, name, LIMIT)
        except NoCall as why:
            late[name] = str(why)
    return found, late


def _cold(found: dict[str, First]) -> dict[str, float]:
    return {name: first.cold for name, first in found.items()}


def _slowest(title: str, found: dict[str, First], late: dict[str, str]) -> list[Figure]:
    kind = HUMANOID if title == HUMANOID else "arm"
    figures = []
    for key, words in ORDERS.items():
        cold = {name: seconds for name, seconds in _cold(found).items() if order(title, name) == key}
        beyond = {name: why for name, why in late.items() if order(title, name) == key}
        if cold or beyond:
            figures.append(_worst(f"{title}, {words}", cold, COLD[kind, key], beyond))
    return [*figures, _worst(f"{title}, warm", {name: first.warm for name, first in found.items()}, WARM[kind], {})]


def _worst(title: str, seconds: dict[str, float], most: float, beyond: dict[str, str]) -> Figure:
    """The longest of some times, and by name all that are longer than they may be, or that there are not."""
    longest = sorted(seconds, key=seconds.__getitem__, reverse=True)
    over = [f"{name} {seconds[name]:.2g} s" for name in longest if seconds[name] > most]
    over += [f"{name}: {why}" for name, why in beyond.items()]
    slowest = f"slowest of {len(seconds)}: {longest[0]}" if len(seconds) > 1 else ""
    note = f"over: {', '.join(over)}" if over else slowest
    value = LIMIT if beyond else seconds[longest[0]]
    return Figure(title, value, "s", target=Target("value", "at most", most), note=note)
