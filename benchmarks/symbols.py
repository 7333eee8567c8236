"""Operations of inverse dynamics with symbols for numbers of a robot: `python benchmarks/symbols.py`."""

import numpy as np

import chasles as ch
from chasles.robot import Robot

KINDS = ("numbers", "last link's inertia", "all inertias", "last home", "all homes", "last screw", "all screws")


def with_symbols(robot: Robot, kind: str) -> Robot:
    """The robot with symbols in place of its numbers of a kind."""
    rows = [robot.n - 1] if kind.startswith("last") else list(range(robot.n))
    if kind == "numbers":
        return robot
    if "inertia" in kind:
        p = robot.inertial_parameters.astype(object)
        p[rows] = ch.symbols("p", shape=(len(rows), 10))
        return robot.with_inertial_parameters(p)
    screws, homes = robot.screws.astype(object), robot.homes.astype(object)
    if "screw" in kind:
        screws[rows] = ch.symbols("s", shape=(len(rows), 6))
    else:
        homes[rows, :3] = ch.symbols("h", shape=(len(rows), 3, 4))
    return Robot.from_screws(screws, homes, robot.links, name=robot.name)


def counts(name: str) -> dict[str, int]:
    """Operations by kind of symbols, and those of the derivatives by homes and screws for comparison."""
    robot = ch.load(name)
    out = {kind: int(with_symbols(robot, kind).kernel("inverse_dynamics").operations) for kind in KINDS}
    beside = int(robot.kernel("inverse_dynamics_model_derivatives").operations)
    return out | {"`inverse_dynamics_model_derivatives`, of numbers": beside}


if __name__ == "__main__":
    found = {name: counts(name) for name in ("ur5", "panda")}
    print("| symbols | UR5 | Panda |\n| --- | --- | --- |")
    for kind in found["ur5"]:
        print(f"| {kind} | {found['ur5'][kind]:,} | {found['panda'][kind]:,} |")
    assert np.all([row["all inertias"] <= limit for row, limit in zip(found.values(), (696, 789), strict=True)])
