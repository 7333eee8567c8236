"""The table of docs: orders of convergence of all methods, measured on joints of every kind.

    python benchmarks/orders.py

Systems and errors are those of tests/support/orders.py: the slope of the error where steps are halved. A dash: the
method does not take the system.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chasles import integrators
from chasles.errors import ChaslesError

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.orders import SYSTEMS, order


def cell(name: str, method: str) -> str:
    try:
        return f"{order(name, method)[-1]:.2f}"
    except ChaslesError:
        return "-"


def main() -> None:
    methods = sorted(integrators.names(), key=lambda name: (integrators.find(name).order, name))
    print("| | " + " | ".join(f"`{name}`" for name in methods) + " |")
    print("| --- " * (len(methods) + 1) + "|")
    print("| order | " + " | ".join(str(integrators.find(name).order) for name in methods) + " |")
    for name in SYSTEMS:
        print(f"| {name} | " + " | ".join(cell(name, method) for method in methods) + " |", flush=True)


if __name__ == "__main__":
    main()
