"""Systems given by a Lagrangian: `chasles.LagrangianSystem`.

The user writes L(q, qd), or L(q, qd, t), on traced arrays; everything follows by differentiating its graph. With
generalised forces Q(q, qd, t), Rayleigh's dissipation F(q, qd, t) and joint forces tau, the equations of Euler-Lagrange

    d/dt dL/dqd - dL/dq = tau + Q - dF/dqd                                        (1)
    M = d2L/dqd2,   bias = (d2L/dqd dq) qd + d2L/dqd dt - dL/dq - Q + dF/dqd      (2)
    M qdd + bias = tau                                                            (3)
    E = qd . dL/dqd - L                                                           (4)
    Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2                         (5)  [CHR-1]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import markup
from chasles.arguments import count, generator, names, real, shown, text, together, vector
from chasles.dynamics import linear_solve
from chasles.errors import ModelError, SingularMassMatrixError, SymbolError
from chasles.function import symbolic_kernel as symbolic
from chasles.function.compile import asked, compile
from chasles.function.kernel import Kernel
from chasles.function.signatures import with_names, with_time
from chasles.graph.interpret import interpret
from chasles.graph.operand import Operand
from chasles.graph.program import Program
from chasles.hints import Hinted
from chasles.lazy import lazy
from chasles.reprs import listed, quoted
from chasles.robot.higher_rooms import SystemMethods
from chasles.system import when

Array = NDArray[np.float64]
Function = Callable[..., Any]


class LagrangianSystem(SystemMethods, Hinted):
    """A mechanical system with coordinates q (n,) and Lagrangian L(q, qd) or L(q, qd, t): its Euler-Lagrange equations.

    lagrangian, forces (n,) and dissipation (a scalar, Rayleigh's) take arrays q, qd (and t), as `chasles.compile` hands
    them over; one that can do without t, as a function of *args, is not given it. Compiled when first called; arrays
    broadcast over leading axes. Where nothing depends on t the argument t is not looked at.
    """

    def __init__(
        self,
        n: int,
        lagrangian: Function,
        *,
        forces: Function | None = None,
        dissipation: Function | None = None,
        name: str = "system",
        coordinate_names: Sequence[str] | None = None,
    ) -> None:
        self._n, self._name = count(n, "n, the number of coordinates,"), text(name, "name")
        default = [f"q{k + 1}" for k in range(self._n)] if coordinate_names is None else coordinate_names
        self.coordinate_names = tuple(names(default, "coordinate_names"))
        if len(set(self.coordinate_names)) != self._n or len(self.coordinate_names) != self._n:
            raise ModelError(f"coordinate_names must be {self._n} different names, got {self.coordinate_names}")
        given = {"lagrangian": lagrangian, "forces": forces, "dissipation": dissipation}
        self._functions = {key: with_time(f, key) for key, f in given.items() if f is not None}
        if "lagrangian" not in self._functions:
            raise ModelError("lagrangian must be a function of (q, qd) or (q, qd, t)")
        self.depends_on_time = any(timed for _, timed in self._functions.values())
        self._kernels: dict[str, Kernel] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return self._n

    nq = nv = n

    @property
    def is_driven(self) -> bool:
        """Whether it has generalised forces or dissipation."""
        return "forces" in self._functions or "dissipation" in self._functions

    @lazy
    def _symbols(self) -> tuple[Operand, ...]:
        shapes: dict[str, Any] = {"q": self._n, "qd": self._n, "t": ()}

        def kernel(key: str, function: Function, timed: bool) -> Any:
            def traced(q: Any, qd: Any, t: Any) -> Any:
                return asked(function, (q, qd, t) if timed else (q, qd), f"{key} of {self._name!r}")

            return symbolic.traced_kernel(traced, **shapes)

        return symbolic.symbols_of([kernel(key, *x) for key, x in self._functions.items()])

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols (`chasles.symbols`) in its functions: `equations()` prints them."""
        return tuple(x.name for x in self._symbols)

    def with_values(self, **values: Any) -> LagrangianSystem:
        """The system with numbers, or other expressions of symbols, in place of some of its symbols or of all."""
        symbolic.refuse_unknown(repr(self._name), self.symbols, values)
        given = symbolic.checked_values(values, {x.name: x.shape for x in self._symbols})
        shapes: dict[str, Any] = {"q": self._n, "qd": self._n, "t": ()}

        def valued(function: Function, timed: bool) -> Function:
            inputs = shapes if timed else {"q": self._n, "qd": self._n}
            return with_names(symbolic.valued(function, given, inputs), tuple(inputs))

        made = {key: valued(*x) for key, x in self._functions.items()}
        return LagrangianSystem(self._n, **made, name=self._name, coordinate_names=self.coordinate_names)

    # coordinates: a vector space

    def neutral(self) -> Array:
        """(n,) zeros."""
        return np.zeros(self._n)

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """(n,) normally distributed."""
        return generator(rng).normal(size=self._n)

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Any:
        """(..., n) q + v."""
        return np.add(*self._pair("integrate", q=q, v=v))

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Any:
        """(..., n) q1 - q0."""
        return np.subtract(*self._pair("difference", q1=q1, q0=q0))

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Any:
        """(..., n) dq/dt: v itself."""
        return self._pair("coordinate_rates", q=q, v=v)[1]

    def normalize(self, q: ArrayLike) -> Any:
        """(..., n) q itself."""
        return vector(q, "normalize: q", self._n, symbols=True)

    def _pair(self, function: str, **given: ArrayLike) -> list[Any]:
        """Two vectors (..., n) whose leading axes broadcast."""
        q, v = given.values()
        if all(type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (self._n,) for x in (q, v)):
            return [q, v]  # at once
        found = {name: vector(x, f"{function}: {name}", self._n, symbols=True) for name, x in given.items()}
        together(function, **found)
        return list(found.values())

    # equations of motion

    def mass_matrix(self, q: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n, n) M = d2L/dqd2. q: (..., n)."""
        return self._call("mass_matrix", q, t=t)

    def bias_forces(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n) what tau is where qdd is zero: inertial, potential, generalised and dissipative forces."""
        return self._call("bias_forces", q, qd, t=t)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n) tau = M qdd + bias. q, qd, qdd: (..., n)."""
        return self._call("inverse_dynamics", q, qd, qdd, t=t)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n) qdd = M^-1 (tau - bias). q, qd, tau: (..., n)."""
        return self._call("forward_dynamics", q, qd, tau, t=t)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(...) qd . M qd / 2: the part of L that is quadratic in qd."""
        return self._call("kinetic_energy", q, qd, t=t)

    def potential_energy(self, q: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(...) -L(q, 0)."""
        return self._call("potential_energy", q, t=t)

    def energy(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(...) qd . dL/dqd - L, which is constant where L does not depend on t and nothing drives or brakes."""
        return self._call("energy", q, qd, t=t)

    def christoffel_symbols(self, q: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n, n, n) Gamma[i, j, k] of the first kind, i the equation."""
        return self._call("christoffel_symbols", q, t=t)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Any:
        """(..., n, n) C_ij = sum over k of Gamma_ijk qd_k."""
        return self._call("coriolis_matrix", q, qd, t=t)

    # kernels

    def kernel(self, name: str) -> Kernel:
        """The compiled function of that name; it takes t last where the system depends on time."""
        if not isinstance(name, str) or name not in INPUTS:
            raise ModelError(f"no function {shown(name)} to compile; there are {', '.join(INPUTS)}")
        if name not in self._kernels:
            inputs = INPUTS[name]
            shapes: dict[str, Any] = dict.fromkeys(inputs, self._n)
            if self.depends_on_time:
                shapes["t"] = ()
            compute = getattr(self, f"_{name}")

            def function(**given: Any) -> Any:
                return compute(*(given[key] for key in inputs), given.get("t", 0.0))

            function.__name__ = name
            self._kernels[name] = compile(with_names(function, tuple(shapes)), **shapes)
        return self._kernels[name]

    def _call(self, name: str, *arguments: Any, t: Any) -> Any:
        if self.depends_on_time:
            return self.kernel(name)(*arguments, t)
        if type(t) is not float:
            real(t, f"{name}: t", symbols=True)
        return self.kernel(name)(*arguments)

    @lazy
    def _L(self) -> Kernel:
        """L(q, qd, t)."""
        function, timed = self._functions["lagrangian"]
        return self._scalar("lagrangian", function, timed)

    def _scalar(self, key: str, function: Function, timed: bool) -> Kernel:
        def scalar(q: Any, qd: Any, t: Any) -> Any:
            value = self._asked(key, function, (q, qd, t) if timed else (q, qd))
            if np.shape(value) not in ((), (1,)):
                raise ModelError(f"{key} must return one number, got an array of shape {np.shape(value)}")
            return np.reshape(value, ())[()] if np.shape(value) else value

        return compile(scalar, q=self._n, qd=self._n, t=())

    def _asked(self, key: str, function: Function, arguments: Sequence[Any]) -> Any:
        try:
            return asked(function, arguments, f"{key} of {self._name!r}")
        except SymbolError:
            raise symbolic.without_values(key, f"system {self._name!r}", self.symbols) from None

    @lazy
    def _p(self) -> Kernel:
        """dL/dqd."""
        return self._L.gradient("qd")

    @lazy
    def _mass(self) -> Kernel:
        kernel = self._p.jacobian("qd")
        if "qd" in _used(kernel):
            raise ModelError(
                f"the Lagrangian of {self._name!r} is not quadratic in qd: its mass matrix would depend on the "
                "velocity. A root that is squared again counts too: write the square of a length as v @ v"
            )
        return kernel

    def _mass_matrix(self, q: Any, t: Any) -> Any:
        return self._mass(q, _zeros(self._n), t)  # (2)

    def _bias_forces(self, q: Any, qd: Any, t: Any) -> Any:
        bias = self._unforced_bias(q, qd, t)
        Q, dF = self._outer_forces(q, qd, t)
        bias = bias if Q is None else bias - Q
        bias = bias if dF is None else bias + dF
        return bias  # (2)

    def _unforced_bias(self, q: Any, qd: Any, t: Any) -> Any:
        """Of the Lagrangian alone, without forces and dissipation."""
        drift = self._p.jacobian("q")(q, qd, t) @ qd + self._p.jacobian("t")(q, qd, t)
        return drift - self._L.gradient("q")(q, qd, t)

    def _outer_forces(self, q: Any, qd: Any, t: Any) -> tuple[Any, Any]:
        """Q and dF/dqd, None where there is none."""
        Q = dF = None
        if "forces" in self._functions:
            function, timed = self._functions["forces"]
            Q = self._asked("forces", function, (q, qd, t) if timed else (q, qd))
            if np.shape(Q) != (self._n,):
                raise ModelError(f"forces must return an array of shape ({self._n},), got {np.shape(Q)}")
        if "dissipation" in self._functions:
            dF = self._scalar("dissipation", *self._functions["dissipation"]).gradient("qd")(q, qd, t)
        return Q, dF

    def _driving_forces(self, q: Any, qd: Any, t: Any) -> Any:
        Q, dF = self._outer_forces(q, qd, t)
        total = _zeros(self._n) if Q is None else Q
        return total if dF is None else total - dF

    def _momenta(self, q: Any, qd: Any, t: Any) -> Any:
        return self._p(q, qd, t)

    def _configuration_forces(self, q: Any, qd: Any, t: Any) -> Any:
        return self._L.gradient("q")(q, qd, t)

    def _inverse_dynamics(self, q: Any, qd: Any, qdd: Any, t: Any) -> Any:
        return self._mass_matrix(q, t) @ qdd + self._bias_forces(q, qd, t)  # (3)

    def _forward_dynamics(self, q: Any, qd: Any, tau: Any, t: Any) -> Any:
        self._refuse_singular()
        M, left = self._mass_matrix(q, t), tau - self._bias_forces(q, qd, t)
        return np.array(linear_solve.solve([list(row) for row in M], list(left)))  # (3)

    def _refuse_singular(self) -> None:
        """Raise SingularMassMatrixError where M is singular at every configuration."""
        pivot = singular_pivot(sampled_mass(self, np.random.default_rng(0).normal(size=(SAMPLES, self._n))))
        if pivot is not None:
            refuse_singular(self._name, self.coordinate_names[pivot])

    def _kinetic_energy(self, q: Any, qd: Any, t: Any) -> Any:
        return self._energy(q, qd, t) - self._potential_energy(q, t)

    def _potential_energy(self, q: Any, t: Any) -> Any:
        return -self._L(q, _zeros(self._n), t)

    def _energy(self, q: Any, qd: Any, t: Any) -> Any:
        return qd @ self._p(q, qd, t) - self._L(q, qd, t)  # (4)

    def _christoffel_symbols(self, q: Any, t: Any) -> Any:
        dM = self._mass.jacobian("q")(q, _zeros(self._n), t)
        return (dM + np.swapaxes(dM, 1, 2) - np.transpose(dM, (2, 0, 1))) / 2  # (5)

    def _coriolis_matrix(self, q: Any, qd: Any, t: Any) -> Any:
        return self._christoffel_symbols(q, t) @ qd

    def __repr__(self) -> str:
        return f"<LagrangianSystem {quoted(self._name)}: {self._n} coordinates ({listed(self.coordinate_names)})>"

    def _repr_html_(self) -> str:
        given = [("coordinates", listed(self.coordinate_names, 400)), ("given", ", ".join(self._functions))]
        rows = [*given, ("depends on time", "yes" if self.depends_on_time else "no")]
        return markup.block(self._name, markup.table([], rows), about=f"LagrangianSystem of {self._n} coordinates")


INPUTS = {
    "mass_matrix": ("q",),
    "bias_forces": ("q", "qd"),
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "kinetic_energy": ("q", "qd"),
    "potential_energy": ("q",),
    "energy": ("q", "qd"),
    "christoffel_symbols": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "momenta": ("q", "qd"),  # dL/dqd
    "configuration_forces": ("q", "qd"),  # dL/dq
    "driving_forces": ("q", "qd"),  # Q - dF/dqd
}


SAMPLES = 12  # configurations at which a mass matrix is looked at
SMALLEST_PIVOT = 1e-12  # of a mass matrix, relative to its diagonal: one below it is rounding


@np.errstate(all="ignore")
def sampled_mass(system: Any, q: Array) -> Array:
    """(B, n, n) the mass matrix at configurations (B, nq), each at another time; by the interpreter."""
    time: dict[str, Any] = {"t": ()} if when(system, 0.0) else {}

    def mass_matrix(q: Any, t: Any = 0.0) -> Any:
        return system.mass_matrix(q, *when(system, t))

    body = compile(mass_matrix, q=system.nq, **time).program
    given = [list(q.T), *([[np.linspace(0.0, 1.0, len(q))]] if time else [])]
    leaves = interpret(body if isinstance(body, Program) else body.program, given)[0]
    M = np.stack([np.broadcast_to(np.asarray(x, dtype=float), len(q)) for x in leaves], axis=-1)
    return M.reshape(-1, system.n, system.n)


@np.errstate(all="ignore")
def singular_pivot(M: Array) -> int | None:
    """The first pivot of matrices (B, n, n) that is zero, but for rounding, in all that are finite; None if none is."""
    left = M[np.isfinite(M).all(axis=(-2, -1))]
    diagonal = np.abs(np.diagonal(left, axis1=-2, axis2=-1))
    for k in range(M.shape[-1] if len(left) else 0):
        there = np.abs(left[:, k, k]) > SMALLEST_PIVOT * diagonal[:, k]
        if not there.any():
            return k
        left, diagonal = left[there], diagonal[there]
        left = left - left[:, :, k, None] * (left[:, None, k, :] / left[:, k, k, None, None])
    return None


def refuse_singular(system: str, coordinate: str, constraints: Sequence[str] = ()) -> NoReturn:
    """Raise SingularMassMatrixError of a coordinate that has no inertia, under constraints too where some are named."""
    also = f", with the constraints {', '.join(constraints)} too" if constraints else ""
    raise SingularMassMatrixError(
        f"the mass matrix of {system!r} is singular at every configuration{also}: coordinate {coordinate!r} has no "
        "inertia of its own. Give it some, or the constraint by which it depends on the others (ConstrainedSystem)"
    )


def _zeros(n: int) -> Array:
    return np.zeros(n)


def _used(kernel: Kernel) -> set[str]:
    """The names of the inputs that a kernel really reads."""
    assert isinstance(kernel.program, Program)
    read = {args[0] for op, args in kernel.program.nodes if op == "input"}
    return {kernel.inputs[k].name for k in read}
