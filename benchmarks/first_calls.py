"""First calls beside their bounds: all functions of two arms and of Talos, and long chains (`fresh_process.py`)."""

from figures import Figure, Target
from fresh_process import First, NoCall, Processes, processes
from robots import ARMS, HUMANOID, TITLES
from timing import QUICK, Effort

from chasles.catalogue import catalogue

LIMIT = 60.0  # s
FEW = ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives")  # when it is quick
CHAINS = {  # s, at most
    (60, "mass_matrix"): 1.5,
    (60, "coriolis_matrix"): 4.0,
    (100, "mass_matrix"): 4.0,
    (1000, "inverse_dynamics"): 6.0,
    (1000, "forward_dynamics"): 15.0,
}
COLD = {("arm", "first"): 1.0, ("arm", "second"): 4.0, (HUMANOID, "first"): 5.0, (HUMANOID, "second"): 30.0}
WARM = {"arm": 0.1, HUMANOID: 0.5}
ORDERS = {"first": "functions of first order", "second": "second derivatives, curvature, model derivatives"}


def order(title: str, name: str) -> str:
    """Whether a function is of first order. For a humanoid, tensors of n^3 numbers are not."""
    entry = catalogue()[name]
    second = ("second_derivatives", "model_derivatives", "derivatives_along", "curvature", "second_kind")
    large = title == HUMANOID and entry.large is not None
    return "second" if large or name.endswith(second) else "first"


def first_calls(effort: Effort) -> list[Figure]:
    """The slowest of each kind of function, cold and warm from the disk, and chains."""
    quick = effort is QUICK
    figures = []
    with processes() as fresh:
        for title in ARMS if quick else TITLES:
            found, late = _all(fresh, title, FEW if quick else tuple(catalogue()))
            figures += _slowest(title, found, late)
        for (n, name), most in {(7, "mass_matrix"): 1.0}.items() if quick else CHAINS.items():
            first = fresh.first(f"chain of {n}", name, 10.0 * LIMIT)
            note, target = f"warm {first.warm:.2f} s", Target("value", "at most", most)
            figures.append(Figure(f"chain of {n} links, {name}", first.cold, "s", target=target, note=note))
    return figures


def _all(fresh: Processes, title: str, names: tuple[str, ...]) -> tuple[dict[str, First], list[str]]:
    """First calls by name, and the names of those that take too long."""
    found, late = {}, []
    for name in names:
        try:
            found[name] = fresh.first(title, name, LIMIT)
        except NoCall:
            late.append(name)
    return found, late


def _slowest(title: str, found: dict[str, First], late: list[str]) -> list[Figure]:
    kind = HUMANOID if title == HUMANOID else "arm"
    figures = []
    for key, words in ORDERS.items():
        chosen = {name: first for name, first in found.items() if order(title, name) == key}
        beyond = [name for name in late if order(title, name) == key]
        if not chosen and not beyond:
            continue
        name = max(chosen, key=lambda x: chosen[x].cold, default="")
        value = LIMIT if beyond else chosen[name].cold
        said = f"over {LIMIT:g} s: {', '.join(beyond)}" if beyond else f"slowest of {len(chosen)}: {name}"
        target = Target("value", "at most", COLD[kind, key])
        figures.append(Figure(f"{title}, {words}", value, "s", target=target, note=said))
    name = max(found, key=lambda x: found[x].warm)
    target = Target("value", "at most", WARM[kind])
    figures.append(Figure(f"{title}, warm", found[name].warm, "s", target=target, note=f"slowest: {name}"))
    return figures
