"""A mechanism and its model in Pinocchio, and the way between their coordinates.

With y Pinocchio's velocities, v ours, P a permutation and D a diagonal of rates,

    y = D P v,   tau_y = D^-1 P tau,   J_y = swap(J) P^T D^-1,   M_y = D^-1 P M P^T D^-1        (1)

Velocities of both are in the body's frame, so that accelerations go the way of velocities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from chasles.arguments import array, real, vector
from chasles.conventions import swap_halves, unit_quaternions
from chasles.errors import ModelError
from chasles.model.mechanism import Mechanism
from chasles.reprs import quoted

SIZES = {"number": (1, 1, 1), "circle": (1, 2, 1), "planar": (3, 4, 3), "spherical": (4, 4, 3), "free": (7, 7, 6)}


def pinocchio() -> Any:
    """The package."""
    try:
        return import_module("pinocchio")
    except ImportError:
        raise ModelError("this needs the package pinocchio: pip install pin") from None


@dataclass(frozen=True)
class TwinJoint:
    """A joint: where its coordinates and velocities begin, ours and Pinocchio's. theirs = rate * ours + offset.

    form: "number"; "circle", which is (cos, sin) in Pinocchio; "planar", "spherical", "free".
    """

    form: str
    q: int
    v: int
    pin_q: int
    pin_v: int
    rate: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class PinocchioTwin:
    """A robot and a pinocchio.Model of it. `q`, `v` and so on lead to Pinocchio, `back_q` and so on from it.

    All broadcast over leading axes. `mechanism` is the description behind `robot`.
    """

    mechanism: Mechanism
    model: Any
    parts: Sequence[TwinJoint]
    robot: Any = None

    def __repr__(self) -> str:
        sizes = f"nq {self.mechanism.coupling.nq} and {self.model.nq}, n {self.mechanism.n}"
        return f"<PinocchioTwin of {quoted(self.mechanism.name)}: {sizes}>"

    def q(self, q: Any) -> np.ndarray:
        """(..., model.nq) of our coordinates (..., nq)."""
        x = vector(q, "q", self.mechanism.coupling.nq)
        out = np.empty((*x.shape[:-1], self.model.nq))
        for part in self.parts:
            ours, theirs, _ = SIZES[part.form]
            own, into = x[..., part.q : part.q + ours], out[..., part.pin_q : part.pin_q + theirs]
            if part.form in ("circle", "planar"):
                into[..., :-2] = own[..., :-1]
                into[..., -2], into[..., -1] = np.cos(own[..., -1]), np.sin(own[..., -1])
            else:
                into[...] = own * part.rate + part.offset
            if part.form in ("spherical", "free"):  # Pinocchio takes its quaternions to be units
                into[..., -4:] = unit_quaternions(into[..., -4:])
        return out

    def back_q(self, q: Any) -> np.ndarray:
        """(..., nq) of Pinocchio's coordinates (..., model.nq); an angle from (cos, sin) is between -pi and pi."""
        y = vector(q, "q", self.model.nq)
        out = np.empty((*y.shape[:-1], self.mechanism.coupling.nq))
        for part in self.parts:
            ours, theirs, _ = SIZES[part.form]
            own, into = y[..., part.pin_q : part.pin_q + theirs], out[..., part.q : part.q + ours]
            if part.form in ("circle", "planar"):
                into[..., :-1] = own[..., :-2]
                into[..., -1] = np.arctan2(own[..., -1], own[..., -2])
            else:
                into[...] = (own - part.offset) / part.rate
        return out

    def v(self, v: Any) -> np.ndarray:
        """(..., model.nv) of our velocities or accelerations (..., n)."""
        return vector(v, "v", self.mechanism.n)[..., self._columns] * self._rates  # (1)

    def back_v(self, v: Any) -> np.ndarray:
        """(..., n) of Pinocchio's velocities or accelerations (..., model.nv)."""
        return self._back(vector(v, "v", self.model.nv) / self._rates)

    def tau(self, tau: Any) -> np.ndarray:
        """(..., model.nv) of our joint forces (..., n)."""
        return vector(tau, "tau", self.mechanism.n)[..., self._columns] / self._rates  # (1)

    def back_tau(self, tau: Any) -> np.ndarray:
        """(..., n) of Pinocchio's joint forces (..., model.nv)."""
        return self._back(vector(tau, "tau", self.model.nv) * self._rates)

    def jacobian(self, J: Any) -> np.ndarray:
        """(..., 6, model.nv), linear rows first, of ours (..., 6, n).

        "body" is Pinocchio's LOCAL, "space" its WORLD, "mixed" its LOCAL_WORLD_ALIGNED.
        """
        return swap_halves(self.tau(_rows(J, self.mechanism.n)), -2)  # (1)

    def back_jacobian(self, J: Any) -> np.ndarray:
        """(..., 6, n), angular rows first, of Pinocchio's (..., 6, model.nv)."""
        return swap_halves(self.back_tau(_rows(J, self.model.nv)), -2)

    def matrix(self, M: Any) -> np.ndarray:
        """(..., model.nv, model.nv) of ours (..., n, n): of mass and Coriolis matrices."""
        return _turned(self.tau(_turned(self.tau(array(M, "M", ("...", self.mechanism.n, self.mechanism.n))))))  # (1)

    def back_matrix(self, M: Any) -> np.ndarray:
        """(..., n, n) of Pinocchio's (..., model.nv, model.nv); of `crba` make it symmetric first."""
        return _turned(self.back_tau(_turned(self.back_tau(array(M, "M", ("...", self.model.nv, self.model.nv))))))

    @cached_property
    def _columns(self) -> np.ndarray:
        """For each of Pinocchio's velocities, ours."""
        out = np.empty(self.model.nv, dtype=int)
        for part in self.parts:
            own = np.arange(part.v, part.v + SIZES[part.form][2])
            out[part.pin_v : part.pin_v + len(own)] = np.roll(own, 3) if part.form == "free" else own
        return out

    @cached_property
    def _rates(self) -> np.ndarray:
        """D, in Pinocchio's order."""
        out = np.ones(self.model.nv)
        for part in self.parts:
            out[part.pin_v] = part.rate
        return out

    def _back(self, y: np.ndarray) -> np.ndarray:
        out = np.empty_like(y)
        out[..., self._columns] = y
        return out


def _turned(X: np.ndarray) -> np.ndarray:
    return np.swapaxes(X, -1, -2)


def _rows(J: Any, size: int) -> np.ndarray:
    out = real(J, "J")
    if out.shape == (6,) and size == 1:  # as Pinocchio gives it
        out = out[:, None]
    return array(out, "J", ("...", 6, size))
