"""The equations of a system under constraints: M, bias, the rows A and those of them that are independent, compiled.

    M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]
    A qdd = -(dA/dt) qd - 2 a A qd - a^2 h                                        (2)

a, zero unless asked for, is the rate of Baumgarte's stabilization. `ConstrainedSystem` (system.py) is the public class;
what it does with the equations stands on this one: consistency.py, singular_configurations.py, reduced.py, gauge.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import markup
from chasles.arguments import array, instance, not_negative, together, vector
from chasles.constrained import kernels
from chasles.constrained.added_inertia import AddedInertia, sampled_inertia
from chasles.constrained.independent_rows import IndependentRows, independent_rows
from chasles.constrained.usual_rows import usual_rows
from chasles.constraint.constraint import Constraint
from chasles.constraint.rows import ConstraintRows
from chasles.errors import ModelError
from chasles.function.kernel import Kernel
from chasles.function.symbolic_kernel import without_values
from chasles.graph.array import TracedArray
from chasles.hints import Hinted
from chasles.lazy import lazy
from chasles.linear_algebra import least_norm
from chasles.reprs import quoted
from chasles.system import System, when

Array = NDArray[np.float64]


class ConstrainedEquations(Hinted):
    """A system, constraints on it, and the compiled terms of their equations. Made as a `ConstrainedSystem`.

    Arrays broadcast over leading axes. t: seconds, looked at where the system depends on time. The multipliers belong
    to the rows `row_names`; `redundancy` says which rows were dropped and why.
    """

    def __init__(self, system: System, constraint: Constraint, stabilization: float, start: ArrayLike | None) -> None:
        if isinstance(system, ConstrainedEquations):
            raise ModelError("system is under constraints already: add the new ones to them with +")
        if not isinstance(system, System):
            raise ModelError(f"system must be a Robot or a LagrangianSystem, got {type(system).__name__}")
        instance(constraint, "constraint", Constraint, "a Constraint")
        self.system, self.constraint = system, constraint
        self.stabilization = not_negative(stabilization, "stabilization")
        self.rows = ConstraintRows(system, constraint.parts)
        self._start = None if start is None else array(start, "start", (system.nq,), finite=True)
        if self.rows.symbols:  # what follows needs numbers
            return
        if not self.redundancy.rank:
            raise ModelError(f"the constraints {', '.join(constraint.names)} say nothing: all their rows are zero")
        if self.redundancy.rank >= system.n:
            raise ModelError(f"the constraints {', '.join(constraint.names)} leave {system.name!r} no motion at all")

    @lazy
    def redundancy(self) -> IndependentRows:
        """The rows that are kept, and why; where constraints have symbols, those kept at almost all values of them."""
        return (usual_rows if self.rows.is_symbolic else independent_rows)(self.rows, self._start)

    @lazy
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols (`chasles.symbols`) in the system and in its constraints that have no value."""
        own = getattr(self.system, "symbols", ())
        return tuple(dict.fromkeys((*own, *(x.name for x in self.rows.symbols))))

    def _refuse_symbols(self, function: str) -> None:
        """Raise ModelError where a function that needs numbers finds symbols."""
        if self.symbols:
            raise without_values(function, f"system {self.name!r}", self.symbols)

    # the system

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def n(self) -> int:
        """The number of velocities of the system."""
        return self.system.n

    @property
    def nq(self) -> int:
        return self.system.nq

    @property
    def degrees_of_freedom(self) -> int:
        """n less the rank of the constraints."""
        return self.n - self.redundancy.rank

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows that the multipliers belong to."""
        return self.redundancy.kept_names

    @property
    def row_units(self) -> tuple[str, ...]:
        """The units of the multipliers, empty where a constraint does not say."""
        return tuple(self.rows.units[k] for k in self.redundancy.kept)

    def neutral(self) -> Array:
        return self.system.neutral()

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return self.system.integrate(q, v)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        return self.system.difference(q0, q1)

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        return self.system.coordinate_rates(q, v)

    @property
    def depends_on_time(self) -> bool:
        """Whether the system's equations do; the functions here take t last, and look at it only then."""
        return bool(getattr(self.system, "depends_on_time", False))

    def mass_matrix(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.mass_matrix(q, *when(self.system, t))

    def bias_forces(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.bias_forces(q, qd, *when(self.system, t))

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.coriolis_matrix(q, qd, *when(self.system, t))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.kinetic_energy(q, qd, *when(self.system, t))

    def potential_energy(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.potential_energy(q, *when(self.system, t))

    # the constraints

    def constraint_matrix(self, q: ArrayLike) -> Array:
        """(..., k, n) A(q), the rows kept, of which more may be kept than are independent. q: (..., nq)."""
        return self.rows.A(q)[..., list(self.redundancy.kept), :]

    def constraint_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., k) (dA/dt) qd, the rows kept."""
        return self.rows.drift(q, qd)[..., list(self.redundancy.kept)]

    def least_multipliers(self, q: ArrayLike, multipliers: ArrayLike) -> Array:
        """(..., k) the multipliers of least sum of squares that exert the same force as those given, (..., k).

        Those given, where the rows kept are independent. q: (..., nq).
        """
        x = checked("least_multipliers", "q", q, self.nq)
        given = checked("least_multipliers", "multipliers", multipliers, len(self.redundancy.kept))
        together("least_multipliers", q=x, multipliers=given)
        return least_norm(self.constraint_matrix(x), given, self.redundancy.rank) if self.redundancy.varies else given

    def residual(self, q: ArrayLike) -> Array:
        """(..., rows) the values of all rows, dropped ones too; zero for Pfaffian ones."""
        return self.rows.h(q)

    def acceleration_bias(self, q: ArrayLike, qd: ArrayLike, A: Any = None) -> Array:
        """(..., rows) (dA/dt) qd and what stabilization adds to it, of all rows: -A qdd of every motion, (2)."""
        a, drift = self.stabilization, self.rows.drift(q, qd)
        if A is not None:
            array(A, "acceleration_bias: A", ("...", len(self.rows.names), self.n))
        if not a:
            return drift
        rates = np.einsum(
            "...ki,...i->...k", self.rows.A(q) if A is None else A, checked("acceleration_bias", "qd", qd, self.n)
        )
        return drift + 2.0 * a * rates + a * a * self.residual(q)

    # the compiled functions of both

    @lazy
    def _terms(self) -> kernels.Terms:
        self._refuse_symbols("dynamics")
        return kernels.Terms(self.rows, self.redundancy, *sampled_inertia(self.rows, self.redundancy))

    @property
    def _added(self) -> AddedInertia | None:
        """What is added to a mass matrix that is singular without the constraints; None where M is regular."""
        return self._terms.added

    @lazy
    def dynamics(self) -> Kernel:
        """The kernel (q, qd, tau) -> qdd, multipliers, and the smallest pivot of A M^-1 A^T, relative.

        It takes t last where the system depends on time.
        """
        return kernels.dynamics(self._terms, self.stabilization)

    @lazy
    def projector(self) -> Kernel:
        """The kernel q -> P_T, and the pivot as of `dynamics`."""
        return kernels.projection(self._terms)

    @lazy
    def correction(self) -> Kernel:
        """The kernel (q, qd) -> a step onto h = 0, what takes qd onto A qd = 0, and the pivot as of `dynamics`."""
        return kernels.correction(self._terms)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {quoted(self.name)}: {self.degrees_of_freedom} degrees of freedom of {self.n}>"

    def _repr_html_(self) -> str:
        kept = set(self.redundancy.kept)
        rows = [
            (name, "holonomic" if k in self.rows.holonomic else "pfaffian", "" if k in kept else "follows from others")
            for k, name in enumerate(self.rows.names)
        ]
        about = f"{type(self).__name__}, {self.degrees_of_freedom} degrees of freedom of {self.n}"
        return markup.block(self.name, markup.table(["row", "kind", ""], rows), about=about)


def checked(function: str, name: str, x: ArrayLike, size: int) -> Array:
    """x as an array (..., size); refused by the function's name."""
    return vector(x, f"{function}: {name}", size)


def where_positive(constrained: ConstrainedEquations, q: ArrayLike, *results: tuple[Any, int]) -> list[Any]:
    """Results with their own axes, nan where M is not positive definite, of which the robot then warns.

    Only a robot with an inertia that no body has can be so, and is asked; traced results are left as they are.
    """
    system: Any = constrained.system
    mechanism = getattr(system, "mechanism", None)
    if mechanism is None or not mechanism.impossible_links or isinstance(results[0][0], TracedArray):
        return [x for x, _ in results]
    known = np.isfinite(system.mass_matrix_inverse(q)[..., 0, 0])
    return [np.where(known.reshape(*known.shape, *(1,) * own), x, np.nan) for x, own in results]
