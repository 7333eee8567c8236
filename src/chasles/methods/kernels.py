"""How the methods of a robot become kernels: each is compiled when first called, and kept."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chasles.errors import ModelError, SingularMassMatrixError
from chasles.lazy import lazy
from chasles.methods.base import Methods
from chasles.methods.geometry import CURVED
from chasles.methods.task import tasked
from chasles.model.checks import strings
from chasles.model.leaves import is_zero
from chasles.model.link import Link
from chasles.model.task import TOOL, Task, task

if TYPE_CHECKING:  # the compiler is imported when something is compiled
    from chasles.backend.kernel import Kernel
    from chasles.model.tree import Tree

_NEEDS_INVERSE = {
    "forward_dynamics",
    "forward_dynamics_by_solving",
    "forward_dynamics_derivatives",
    "forward_dynamics_second_derivatives",
    "forward_dynamics_model_derivatives",
    "mass_matrix_inverse",
    "mass_matrix_sqrt",
    "christoffel_symbols_second_kind",
    "riemann_curvature",
    "ricci_curvature",
    "scalar_curvature",
    "sectional_curvature",
    "task_mobility",
    "task_scale",
    "task_margin",
    "task_inertia",
    "task_lift",
    "task_free_acceleration",
    "task_bias",
    "task_gravity",
    "consistent_inverse",
    "null_space_projector",
    "inertial_manipulability",
    "white_jacobian",
}
_NEEDS_MASS = {
    "centre_of_mass",
    "centre_of_mass_jacobian",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_derivative",
}


class KernelMethods(Methods):
    """The kernels of a robot, by name and options."""

    def kernel(
        self,
        names: str | Sequence[str],
        dtype: str = "float64",
        target: str = "cpu",
        *,
        frame: str | Sequence[str | None] | None = None,
        expressed: str = "body",
        rows: Any = None,
        inputs: str | Sequence[str] = (),
        parameters: str | Sequence[str] = (),
    ) -> Kernel:
        """The raw compiled function of one of the robot's functions, or of several fused into one.

        names: such as "inverse_dynamics", or a list, whose results come as a named tuple and share all common work.
        inputs: optional inputs to have, such as ["tool_wrench"]. parameters: links whose inertia is an input of the
        kernel, "parameters" (..., k, 10) in the order of `inertial_parameters`, so that it may change without
        recompilation. rows, and several frames: of functions of a task, as for `task_inertia`.
        """
        if target != "cpu":
            raise ModelError(f"target must be 'cpu', got {target!r}")
        chosen = (names,) if isinstance(names, str) else tuple(strings(names, "names"))
        if not chosen:
            raise ModelError("name at least one function to compile")
        wanted = (inputs,) if isinstance(inputs, str) else tuple(strings(inputs, "inputs"))
        links = (parameters,) if isinstance(parameters, str) else tuple(strings(parameters, "parameters"))
        for link in links:
            if links.count(link) > 1:
                raise ModelError(f"parameters names link {link!r} twice")
        bodies = tuple(self._link(link) for link in links)
        tasks = [tasked(name) for name in chosen]
        if rows is not None and not any(tasks):
            raise ModelError(f"rows: {', '.join(chosen)} is not a function of a task")
        rest: Any = None if all(tasks) else frame  # several frames are refused there
        which = task(frame, rows) if any(tasks) else TOOL
        return self._make(chosen, dtype, rest, expressed, wanted, bodies, which)

    def _make(
        self,
        names: tuple[str, ...],
        dtype: str = "float64",
        frame: str | None = None,
        expressed: str = "body",
        inputs: tuple[str, ...] = (),
        bodies: tuple[int, ...] = (),
        chosen: Task = TOOL,
        called: str | None = None,
    ) -> Kernel:
        if frame is not None and not isinstance(frame, str):
            self._mechanism.frame(frame)  # refuses it; a list would not even be a key
        if not isinstance(expressed, str):
            raise ModelError(f"expressed must be a name, got {expressed!r}")
        key = (names, str(dtype), frame, expressed, inputs, bodies, chosen)
        made = self._kernels.get(key)
        if made is None:
            from chasles.catalogue import Options, kernel

            if _NEEDS_INVERSE & set(names):
                self._refuse_singular((called,) if called else names, bodies)
            if CURVED & set(names):
                self._refuse_rotors(names)
            if _NEEDS_MASS & set(names) and not bodies and is_zero(self.total_mass):
                raise ModelError(f"{', '.join(names)}: nothing that moves has a mass in robot {self.name!r}")
            made = kernel(self._mechanism, names, dtype, Options(frame, expressed, chosen), inputs, bodies, called)
            self._kernels[key] = made
        return made

    def _call(
        self,
        name: str,
        arguments: tuple[Any, ...],
        frame: str | None = None,
        expressed: str = "body",
        optional: Mapping[str, Any] = MappingProxyType({}),
    ) -> Any:
        if not optional:
            try:
                quick = self._quick.get((name, frame, expressed))
                if quick is not None:
                    return quick(*arguments)
            except (ValueError, TypeError):
                pass  # explained below
        inputs = tuple(key for key, value in optional.items() if value is not None)
        given = (*arguments, *(optional[key] for key in inputs))
        made = self._make((name,), "float64", frame, expressed, inputs)
        function = made.fast if len(made.outputs) == 1 else made
        if not inputs:
            self._quick[name, frame, expressed] = function
        try:
            return function(*given)
        except (ValueError, TypeError) as error:
            return made.recover(given, error)

    def _fused(self, names: tuple[str, ...], arguments: tuple[Any, ...], chosen: Task, expressed: str) -> Any:
        made = self._make(names, expressed=expressed, chosen=chosen, called=names[0])
        try:
            return made.fast(*arguments)
        except (ValueError, TypeError) as error:
            return made.recover(arguments, error)

    def _link(self, link: str) -> int:
        if link not in self.link_names:
            raise ModelError(f"robot {self.name!r} has no moving link {link!r}; it has {', '.join(self.link_names)}")
        return self.link_names.index(link)

    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...] = ()) -> None:
        """`bodies`: links whose inertia is an input; they may have any."""
        m, joint = self._mechanism, self._singular
        if joint is not None and bodies:
            G = Link(1.0, inertia=(1.0, 1.0, 1.0)).spatial()
            given = (replace(body, G=G) if i in bodies else body for i, body in enumerate(m.tree.bodies))
            joint = self._singular_joint(replace(m.tree, bodies=tuple(given)))
        if joint is not None:
            followed = any(mimic is not None and mimic[0] == joint for mimic in m.mimics)
            raise SingularMassMatrixError(
                f"{', '.join(names)}: the mass matrix of robot {self.name!r} is singular at every configuration: "
                f"joint {m.joint_names[joint]!r}{', with those that mimic it,' * followed} moves no inertia of its "
                f"own. Give link {self.link_names[joint]!r}, or what it carries, a mass or inertia that the joint moves"
            )

    @lazy
    def _singular(self) -> int | None:
        return self._singular_joint(self._mechanism.tree)

    def _singular_joint(self, tree: Tree) -> int | None:
        """A joint that makes the mass matrix singular everywhere, were that the robot's tree."""
        from chasles.dynamics.singular_mass import singular_velocity

        m = self._mechanism
        velocity = singular_velocity(tree, m.coupling)
        own = [i for i, body in enumerate(tree.bodies) if m.mimics[i] is None for _ in body.columns]
        return None if velocity is None else own[velocity]
