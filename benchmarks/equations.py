"""Equations that people read, and how long they take, beside SymPy's mechanics: `python benchmarks/equations.py`.

Ours: mass matrix, Coriolis matrix, gravity and equations of motion of arms with symbols for all inertias, traced and
simplified, of a robot that nothing is known of; and the first call in a new process, all but `import chasles`. SymPy's:
Kane's method on the first joints of the same Panda, with ten symbols a link: its mass matrix as it comes, and
simplified, each in a process of its own until one takes longer than the limit. Seconds of the processor, so that other
processes do not count.
"""

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time, thread_time
from typing import Any

import numpy as np
from figures import Figure, Target, save, show
from rich.console import Console
from timing import QUICK, Effort, machine

import chasles as ch
from chasles.formula.tree import Symbol
from chasles.graph.program import Program
from chasles.simplification import Names, simplified
from chasles.simplification.uses import symbol_names

RESULTS = Path(__file__).parent / "equations.json"
FUNCTIONS = {
    "M": "mass_matrix",
    "C": "coriolis_matrix",
    "g": "gravity_forces",
    "motion": "inverse_dynamics",
}
PANDA = [  # a, alpha, d of Craig's convention
    (0.0, 0.0, 0.333),
    (0.0, -0.5, 0.0),
    (0.0, 0.5, 0.316),
    (0.0825, 0.5, 0.0),
    (-0.0825, -0.5, 0.384),
    (0.0, 0.5, 0.0),
    (0.088, 0.5, 0.0),
]


def planar_2r() -> ch.Robot:
    """Two links in a vertical plane, with symbols for everything."""
    m1, m2, l1, r1, r2, I1, I2, g = ch.symbols("m1 m2 l1 r1 r2 I1 I2 g")
    elbow = np.eye(4, dtype=object)
    elbow[0, 3] = l1
    return ch.Robot.from_screws(
        screws=[ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[l1, 0, 0])],
        homes=[np.eye(4), elbow],
        links=[ch.Link(m1, [r1, 0, 0], (0.0, I1, I1)), ch.Link(m2, [r2, 0, 0], (0.0, I2, I2))],
        gravity=[0.0, -1.0 * g, 0.0],
    )


def symbolic(name: str) -> Callable[[], ch.Robot]:
    """A robot of the zoo with symbols for all inertias."""

    def make() -> ch.Robot:
        robot = ch.load(name)
        return robot.with_inertial_parameters(ch.symbols("p", shape=robot.inertial_parameters.shape))

    return make


ROBOTS = {"planar 2R": planar_2r, "SCARA": symbolic("scara"), "UR5": symbolic("ur5"), "Panda": symbolic("panda")}


def leaves(program: Program) -> list[list[Symbol]]:
    """Symbols for the elements of every input."""
    dots = {"qd": 1, "qdd": 2}
    rows = []
    for operand in program.inputs:
        names = [operand.name + (str(i + 1) if operand.shape else "") for i in range(operand.size)]
        rows.append([Symbol(name, name, dots=dots.get(operand.name, 0)) for name in names])
    return rows


def ours(rounds: int) -> list[Figure]:
    """Seconds of each function, the best of some rounds, and how much there is to read."""
    figures = []
    for title, make in ROBOTS.items():
        for letter, function in FUNCTIONS.items():
            spent, found = [], None
            for _ in range(rounds):
                robot = make()
                start = thread_time()
                program = robot.kernel(function).program
                assert isinstance(program, Program)
                found = simplified(program, leaves(program), names=Names())
                spent.append(thread_time() - start)
            assert found is not None
            words = sum(1 for row in (*found.results, found.where) for x in row for _ in symbol_names(x))
            target = Target("value", "at most", 1.0) if (title, letter) == ("Panda", "M") else None
            note = f"{len(found.where)} names, {words:,} symbols in all"
            figures.append(Figure(f"{title} {letter}", min(spent), "s", target=target, note=note))
    return figures


FIRST = """
import sys
from time import process_time
import chasles as ch
start = process_time()
ch.load(sys.argv[1]).equations(symbols="inertias").mass_matrix
print(process_time() - start)
"""


def first_calls(rounds: int) -> list[Figure]:
    """Seconds of M from the robot's file to formulas, in a process that has done nothing before."""
    figures = []
    for name in ("panda", "iiwa14"):
        command = [sys.executable, "-c", FIRST, name]
        spent = [float(subprocess.check_output(command, text=True)) for _ in range(rounds)]
        figures.append(Figure(f"{name} M, first call", min(spent), "s", target=Target("value", "at most", 1.0)))
    return figures


def theirs(limit: float, most: int) -> list[Figure]:
    """Seconds of SymPy for the first joints of the Panda, beside ours; each kind ends where it passed the limit."""
    figures = []
    kinds = ["formed", "simplified"]
    for joints in range(2, most + 1):
        own = min(_first_joints(joints) for _ in range(3))
        for kind in list(kinds):
            command = [sys.executable, __file__, "--sympy", str(joints), "--kind", kind, "--limit", str(limit)]
            name = f"Panda, {joints} joints, M {kind}"
            found: dict[str, Any] = {}
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode not in (0, -signal.SIGXCPU):
                raise RuntimeError(run.stderr)
            for line in run.stdout.splitlines():
                found |= json.loads(line)
            if "seconds" in found:
                note = f"{found['operations']:,} operations" if "operations" in found else "too long to be counted"
            else:
                note = "stopped at the limit"
                kinds.remove(kind)
            figures.append(Figure(name, own, "s", peer=found.get("seconds", limit), note=note, of="SymPy"))
    return figures


def _first_joints(joints: int) -> float:
    """Seconds of the mass matrix of a chain of the first joints."""
    robot = ch.load("panda")
    chain = ch.Robot.from_screws(robot.screws[:joints], robot.homes[:joints], robot.links[:joints])
    chain = chain.with_inertial_parameters(ch.symbols("p", shape=(joints, 10)))
    start = thread_time()
    program = chain.kernel("mass_matrix").program
    assert isinstance(program, Program)
    simplified(program, leaves(program))
    return thread_time() - start


def sympy_mass_matrix(joints: int, kind: str, limit: float) -> None:
    """Print the time that Kane's method takes to form the mass matrix, or to form and simplify it; its operations.

    The process ends, by SIGXCPU, where it has taken the limit.
    """
    import resource

    import sympy as sp
    from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time() + limit), resource.RLIM_INFINITY))
    start = process_time()
    q, u = dynamicsymbols(f"q1:{joints + 1}"), dynamicsymbols(f"u1:{joints + 1}")
    ground, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(ground, 0)
    frame, point, bodies, loads = ground, origin, [], []
    for i, (a, quarter, d) in enumerate(PANDA[:joints]):
        turned = frame.orientnew(f"B{i}", "Axis", (sp.pi * sp.Rational(quarter), frame.x))
        following = turned.orientnew(f"A{i}", "Axis", (q[i], turned.z))
        following.set_ang_vel(frame, u[i] * turned.z)
        place = point.locatenew(f"P{i}", a * frame.x + d * turned.z)
        place.v2pt_theory(point, ground, frame)
        m, x, y, z = sp.symbols(f"m{i} x{i} y{i} z{i}")
        centre = place.locatenew(f"C{i}", x * following.x + y * following.y + z * following.z)
        centre.v2pt_theory(place, ground, following)
        moments = inertia(following, *sp.symbols(f"Ixx{i} Iyy{i} Izz{i} Ixy{i} Iyz{i} Izx{i}"))
        bodies.append(RigidBody(f"L{i}", centre, following, m, (moments, centre)))
        loads.append((centre, -m * sp.Symbol("g") * ground.z))
        frame, point = following, place
    t = sp.Symbol("t")
    method = KanesMethod(ground, q, u, kd_eqs=[u[i] - q[i].diff(t) for i in range(joints)])
    method.kanes_equations(bodies, loads)
    M = method.mass_matrix
    if kind == "simplified":
        M = M.applyfunc(sp.simplify)
    spent = process_time() - start
    print(json.dumps({"seconds": spent}), flush=True)
    print(json.dumps({"operations": int(sp.count_ops(M))}), flush=True)


def beside_sympy(effort: Effort) -> list[Figure]:
    """Ours, and SymPy's mass matrix of seven joints; with little effort of two."""
    return [*ours(effort.rounds), *first_calls(effort.rounds), *theirs(60.0, 7 if effort.rounds > QUICK.rounds else 2)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=180.0, help="seconds that SymPy has for each count of joints")
    parser.add_argument("--joints", type=int, default=7, help="the most joints that SymPy is asked for; 1: it is not")
    parser.add_argument("--rounds", type=int, default=3, help="how often ours is timed; the best counts")
    parser.add_argument("--json", type=Path, default=RESULTS, help=f"where figures go (default {RESULTS.name} here)")
    parser.add_argument("--sympy", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sympy:
        sympy_mass_matrix(options.sympy, options.kind, options.limit)
        return 0
    screen = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    described = {"chasles": ch.__version__, **machine()}
    results = {"Equations, traced and simplified": [*ours(options.rounds), *first_calls(options.rounds)]}
    if options.joints > 1:
        results["Mass matrix beside SymPy's"] = theirs(options.limit, options.joints)
    for title, figures in results.items():
        show(screen, title, figures)
    save(options.json, described, {"limit": options.limit, "rounds": options.rounds}, results)
    screen.print(f"written to {options.json}", style="dim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
