"""Formulas of poses, twists, wrenches and inertias, with numbers for their symbols."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np
from scipy.linalg import expm

from chasles.formula.tree import (
    ZERO,
    Bracket,
    Formula,
    Inverse,
    Matrix,
    Number,
    Operator,
    Power,
    Product,
    Sum,
    Symbol,
    Transpose,
)

Values = dict[str, np.ndarray]


def evaluate(x: Formula, known: Values) -> np.ndarray:
    """A formula of matrices, columns and numbers; T_b_a is the inverse of T_a_b."""

    def of(y: Formula) -> np.ndarray:
        return evaluate(y, known)

    match x:
        case Number(value):
            return np.array(float(value))
        case Symbol(name):
            return known[name] if name in known else np.linalg.inv(known["{0}_{2}_{1}".format(*name.split("_"))])
        case Sum(terms):
            return reduce(np.add, map(of, terms))
        case Product(factors):
            return reduce(times, map(of, factors))
        case Power(Symbol("e"), y):
            return expm(of(y))
        case Power(base, Number(value)):
            return np.linalg.matrix_power(of(base), int(value))
        case Transpose(y):
            return of(y).T
        case Inverse(y):
            return np.linalg.inv(of(y))
        case Bracket(y):
            return bracket(of(y))
        case Operator(name, index, argument, star):
            X = Ad(of(index)) if name == "Ad" else ad(of(index))
            X = X.T if star else X
            return X if argument is None else X @ of(argument)
        case Matrix(rows):
            entries = [[of(y) for y in row] for row in rows]
            return np.block(entries) if entries[0][0].ndim else np.array(entries)
    raise TypeError(x)


def times(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of matrices; or of a matrix and a number, which may be a column of one."""
    return x @ y if x.ndim and y.ndim and x.shape[1] == y.shape[0] else x * y


def run(equations: Iterable[Any], known: Values) -> None:
    """Each left side becomes known; what is zero already is."""
    for equation in equations:
        if equation.right != ZERO:
            known[equation.left.name] = evaluate(equation.right, known)


def bracket(x: np.ndarray) -> np.ndarray:
    x = x.ravel()
    w = np.cross(np.eye(3), -x[:3]).T
    return w if x.size == 3 else np.block([[w, x[3:, None]], [np.zeros((1, 4))]])


def Ad(T: np.ndarray) -> np.ndarray:
    R = T[:3, :3]
    return np.block([[R, np.zeros((3, 3))], [bracket(T[:3, 3]) @ R, R]])


def ad(V: np.ndarray) -> np.ndarray:
    w = bracket(V.ravel()[:3])
    return np.block([[w, np.zeros((3, 3))], [bracket(V.ravel()[3:]), w]])


def as_column(x: Any) -> np.ndarray:
    return np.array(x, dtype=float).reshape(-1, 1)
