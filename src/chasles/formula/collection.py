"""Collections of statements: the equations of a system, each computed when it is asked for.

eq = robot.equations()
print(eq)                    the main ones, what they name defined once; a notebook shows them typeset
eq.mass_matrix               a `Statement` of its own; eq["centre_of_mass"] for what has no name here
eq.latex()   eq.sympy()      all that print(eq) shows
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from chasles.errors import ModelError
from chasles.formula.plain import in_text
from chasles.formula.statement import Statement
from chasles.formula.statements import Statements
from chasles.formula.words import Words
from chasles.hints import ATTRIBUTES, Hinted, MissingAttributeError
from chasles.lazy import lazy


class Equations(Hinted):
    """The equations of a system, made by `system.equations()`; its members are statements, computed when asked for.

    title: the system's name. members: those that this system has, in the order in which people read them; main: those
    of them that print(eq) shows.
    """

    title: str
    members: tuple[str, ...]
    main: tuple[str, ...]

    # of all systems

    @property
    def mass_matrix(self) -> Statement:
        """M(q), (n, n)."""
        return self["mass_matrix"]

    @property
    def coriolis_matrix(self) -> Statement:
        """C(q, qd), (n, n), of the Christoffel symbols: C_ij = sum over k of Gamma_ijk qd_k."""
        return self["coriolis_matrix"]

    @property
    def christoffel_symbols(self) -> Statement:
        """Gamma_ijk of the first kind, i the equation: those that are not zero, once where Gamma_ijk = Gamma_ikj."""
        return self["christoffel_symbols"]

    @property
    def motion(self) -> Statement:
        """The equations of motion, one a row: M qdd + C qd + g, and friction, = tau, and A^T lambda."""
        return self["motion"]

    @property
    def kinetic_energy(self) -> Statement:
        """K(q, qd)."""
        return self["kinetic_energy"]

    @property
    def potential_energy(self) -> Statement:
        """U(q)."""
        return self["potential_energy"]

    # of robots

    @property
    def gravity_forces(self) -> Statement:
        """g(q), (n,), the joint forces that hold the robot."""
        return self["gravity_forces"]

    @property
    def friction_forces(self) -> Statement:
        """f(qd), (n,), damping and dry friction, of robots made `with_friction`."""
        return self["friction_forces"]

    @property
    def forward_kinematics(self) -> Statement:
        """T(q), (4, 4), the pose of the tool, or of the `frame` that was asked for, in space."""
        return self["forward_kinematics"]

    @property
    def jacobian(self) -> Statement:
        """J(q), (6, n), angular velocity above linear, of the tool or the `frame`, in its axes or as `expressed`."""
        return self["jacobian"]

    @property
    def regressor(self) -> Statement:
        """Y(q, qd, qdd) with tau = Y pi, pi the inertial parameters; columns that are zero are left out."""
        return self["regressor"]

    def recursion(
        self, name: str = "inverse_dynamics", *, inputs: str | Sequence[str] = (), links: Sequence[str] | None = None
    ) -> Statements:
        """The recursion of a function over the links, in twists and wrenches: in general, then link by link.

        name: "inverse_dynamics", "forward_dynamics" or "mass_matrix". inputs: those that are to be in it:
        "tool_wrench", "link_wrenches", and of inverse dynamics "base_velocity" and "base_acceleration". links: the
        names of those that are printed, all unless given. Quantities of link i are in its own frame, 0 is the base, and
        T_12 the pose of link 2 in link 1.
        """
        raise ModelError(f"recursions are those of robots, and {self.title!r} is none: its equations are eq.motion")

    # of Lagrangian systems

    @property
    def lagrangian(self) -> Statement:
        """L(q, qd), and of t where it depends on time."""
        return self["lagrangian"]

    @property
    def momenta(self) -> Statement:
        """p = dL/dqd, (n,)."""
        return self["momenta"]

    @property
    def driving_forces(self) -> Statement:
        """Q - dF/dqd, (n,): the generalised forces, and what Rayleigh's dissipation takes."""
        return self["driving_forces"]

    # of systems under constraints

    @property
    def constraints(self) -> Statement:
        """h(q) = 0 where they are holonomic, and their rates A(q) qd = 0, one a row."""
        return self["constraints"]

    @property
    def constraint_matrix(self) -> Statement:
        """A(q), (k, n), with A qd = 0."""
        return self["constraint_matrix"]

    @property
    def constraint_forces(self) -> Statement:
        """The multipliers lambda, (k,), of a state and joint forces; A^T lambda is the constraints' force."""
        return self["constraint_forces"]

    def legend(self) -> str:
        """What symbols stand for: "q₁: shoulder; q₂: elbow"; empty where the names say so."""
        return in_text(self._legend())

    # what subclasses say

    @abstractmethod
    def _made(self, name: str) -> Statement:
        """The statement of that name, or an error that says what there is."""

    @abstractmethod
    def _overview(self) -> Statement:
        """The main equations in order."""

    def _legend(self) -> Words:
        """What symbols stand for."""
        return ()

    # all of them

    @lazy
    def overview(self) -> Statement:
        """What print(eq) shows, as one statement."""
        return self._overview()

    @lazy
    def _kept(self) -> dict[str, Statement]:
        return {}

    if not TYPE_CHECKING:  # a checker would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # asked for by copy, pickle, notebooks
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise MissingAttributeError(name, type(self), "{!r} object", ATTRIBUTES)

    def __getitem__(self, name: str) -> Statement:
        if not isinstance(name, str) or name not in self._kept:
            made = self._made(name)
            self._kept[name] = made
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, name: object) -> bool:
        return name in self.members

    def text(self, *, compact: bool = True, digits: int = 5, width: int | None = None) -> str:
        """What print(eq) shows, Unicode; options as for `Statement.text`."""
        return self.overview.text(compact=compact, digits=digits, width=width)

    def latex(
        self,
        *,
        compact: bool = True,
        digits: int = 5,
        width: int = 68,
        environment: Literal["aligned", "align*"] = "aligned",
    ) -> str:
        """LaTeX of the main equations, for amsmath; options as for `Statement.latex`."""
        return self.overview.latex(compact=compact, digits=digits, width=width, environment=environment)

    def mathml(self, *, compact: bool = True, digits: int = 5, width: int = 100) -> str:
        """MathML of the main equations; options as for `Statement.mathml`."""
        return self.overview.mathml(compact=compact, digits=digits, width=width)

    def html(self, *, compact: bool = True, digits: int = 5, width: int = 100) -> str:
        """HTML of the main equations, and what their symbols stand for; options as for `Statement.html`."""
        return self.overview.html(compact=compact, digits=digits, width=width)

    def sympy(self) -> dict[str, Any]:
        """SymPy's forms of the main equations, by the names of members. Needs sympy, "chasles[sympy]"."""
        return {name: self[name].sympy() for name in self.main}

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.title!r}: {', '.join(self.members)}>"

    def _repr_latex_(self) -> str:
        return self.overview._repr_latex_()
