"""Robots whose numbers are symbols, and what they compute, for tests."""

import numpy as np
from support.tolerances import close

import chasles as ch
from chasles.catalogue import Options, catalogue, trace
from chasles.catalogue.entry import INPUTS
from chasles.graph.interpret import interpret
from chasles.graph.symbol import symbol
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.variations import _arguments, with_given_tree

TOLERANCE = 1e-12
PLACES = ("screws", "homes", "links", "gravity", "losses")
FUNCTIONS = [
    name for name in catalogue() if not name.startswith(("discrete_step", "forward_dynamics_second", "task_margin"))
]
SMALL = [name for name in FUNCTIONS if "second" not in name and "curvature" not in name]


class Symbols:
    """Symbols in place of numbers, remembered with the numbers they stand for."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def __call__(self, x: float) -> object:
        name = f"s{len(self.values)}"
        self.values[name] = float(x)
        return symbol(name)

    def array(self, x: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
        out = np.asarray(x, float).astype(object)
        for index in np.argwhere(np.ones(x.shape, bool) if chosen is None else chosen):
            out[tuple(index)] = self(out[tuple(index)])
        return out


def symbolised(m, places=PLACES, rows=None):
    """The mechanism with symbols for all numbers of some kinds, of some links, and the symbols' values."""
    made = Symbols()
    given = _arguments(m)
    rows = range(m.bodies) if rows is None else rows
    screws, homes, links = m.screws.astype(object), m.homes.astype(object), list(m.links)
    for i in rows:
        if "screws" in places and m.kinds[i] == "screw":
            turns = m.screws[i, :3].any()
            screws[i] = made.array(m.screws[i], np.arange(6) >= (0 if turns else 3))
        if "homes" in places:
            homes[i, :3] = made.array(m.homes[i, :3])
        if "links" in places:
            links[i] = Link(made(links[i].mass), made.array(links[i].com), made.array(links[i].inertia), links[i].name)
    given |= {"screws": screws, "homes": homes, "links": links}
    if "gravity" in places:
        given["gravity"] = made.array(m.gravity)
    if "losses" in places:
        given |= {key: made.array(given[key], given[key] != 0.0) for key in ("armature", "damping", "friction")}
    given["frames"] = {key: (owner, T) for key, (owner, T) in given["frames"].items()}
    return with_given_tree(mechanism(**given), m), made.values


def results(m, names, seed, values=None):
    """The results of catalogue functions at a random state, interpreted."""
    program = trace(m, names, Options())
    rng = np.random.default_rng(seed)
    state = {name: rng.normal(size=12) for name in INPUTS}
    given = []
    for operand in program.inputs:
        if operand.name in INPUTS:
            x = np.resize(state[operand.name], operand.size) * 0.7
            given.append(x.tolist())
        else:
            given.append(np.ravel((values or {})[operand.name]).tolist())
    return [np.array(row, float) for row in interpret(program, given)]


def agree(found, expected, tolerance=TOLERANCE):
    for x, y in zip(found, expected, strict=True):
        assert close(x, y, tolerance, scale=1.0)


def one_joint(mass, inertia=(0.0, 0.0, 0.0), home=None):
    home = np.eye(4) if home is None else home
    return ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [home], [ch.Link(mass, [1.0, 0, 0], inertia)])


def planar_arm():
    """Two rods in a vertical plane, all of whose numbers are symbols."""
    m1, m2, l1, l2, g = ch.symbols("m1 m2 l1 l2 g")
    H, tool = np.eye(4).astype(object), np.eye(4).astype(object)
    H[0, 3], tool[0, 3] = l1, l1 + l2
    return ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [l1, 0, 0])],
        [np.eye(4), H],
        [ch.Link(m, [l / 2, 0, 0], (0.0, m * l**2 / 12, m * l**2 / 12)) for m, l in ((m1, l1), (m2, l2))],
        tool=tool,
        gravity=[0, -g, 0],
        base=ch.Link(1.0, inertia=(1.0, 1.0, 1.0)),
        name="arm",
    )


VALUES = {"m1": 1.2, "m2": 0.7, "l1": 0.5, "l2": 0.4, "g": 9.81}
