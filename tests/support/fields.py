"""Derivatives along the fields of a tree's columns, and the fields' brackets, for tests."""

from dataclasses import replace

import numpy as np
from support.leaves import array

from chasles.dynamics.second_derivatives import moved
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Tree


def configuration(tree: Tree, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    return [x for body in tree.bodies for x in body.joint.random(rng)]


def along_columns(tree: Tree, f, q: list[float]) -> np.ndarray:
    """The derivative of f(q) along every column, by dual numbers; that index last."""
    out = []
    for unit in np.eye(tree.n).tolist():
        values = np.asarray(array(f(moved(tree, q, unit))), dtype=object)
        out.append(np.reshape([getattr(x, "derivative", 0.0) for x in values.ravel().tolist()], values.shape))
    return np.stack(out, axis=-1)


def without_rotors(m: Mechanism) -> Tree:
    """Rotors on joints of several degrees are no part of the metric."""
    return Tree(tuple(replace(body, armature=()) for body in m.tree.bodies), m.tree.gravity)
