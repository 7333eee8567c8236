"""Where mechanisms meet the compiler: the catalogue of a robot's functions, and how each is traced.

A catalogue entry names its inputs and the shape of its result, and computes it from leaves. Entries run on the
mechanism in cheap coordinates (model/coordinates.py): `robot.cheap` has inertias regrouped, for what only joint forces
and motion decide; `robot.true` has the true ones, for energies, link forces, moving bases.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from chasles import arrays
from chasles.backend.kernel import Kernel
from chasles.dynamics import articulated_body, centroidal, composite_body, coriolis, energy, kinematics, linear_solve
from chasles.dynamics import jacobian as jacobians
from chasles.dynamics.newton_euler import NewtonEuler, newton_euler, tool_wrench_on_body
from chasles.errors import ModelError
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.lie import SE3, Wrench
from chasles.model.coordinates import Aligned, align, regroup
from chasles.model.mechanism import Mechanism, pose
from chasles.model.tree import Tree

EXPRESSED = ("body", "space", "mixed")
INPUTS: dict[str, tuple[int | str, ...]] = {
    "q": ("n",),
    "qd": ("n",),
    "qdd": ("n",),
    "tau": ("n",),
    "tool_wrench": (6,),
    "link_wrenches": ("n", 6),
    "base_velocity": (6,),
    "base_acceleration": (6,),
    "parameters": ("k", 10),
}


@dataclass(frozen=True)
class Traceable:
    """A mechanism in cheap coordinates; `parameters` are links whose inertia is an input, as leaves."""

    mechanism: Mechanism
    parameters: Mapping[int, Any]

    @cached_property
    def aligned(self) -> Aligned:
        tree = self.mechanism.tree
        if self.parameters:
            bodies = list(tree.bodies)
            for i, leaves in self.parameters.items():
                bodies[i] = replace(bodies[i], G=arrays.inertia(leaves))
            tree = Tree(tuple(bodies), tree.gravity)
        return align(tree)

    @property
    def true(self) -> Tree:
        return self.aligned.tree

    @cached_property
    def cheap(self) -> Tree:
        return regroup(self.true)

    @property
    def n(self) -> int:
        return self.mechanism.n

    def frame(self, name: str | None) -> tuple[int, SE3]:
        """The body a frame is on and its pose there, in the cheap link frame."""
        frame = self.mechanism.frame(name)
        return frame.body, self.aligned.pose(frame.body, pose(frame.pose))

    def wrenches(self, tool: Any, links: Any) -> dict[int, Wrench]:
        """What acts on each body, in the cheap link frames."""
        total: dict[int, Wrench] = {}
        if links is not None:
            for i, x in enumerate(links):
                total[i] = self.aligned.frames[i].Ad_star(arrays.wrench(x))
        if tool is not None:
            body, T = self.frame(None)
            on_body = tool_wrench_on_body(T, arrays.wrench(tool))
            if body >= 0:
                total[body] = total[body] + on_body if body in total else on_body
        return total


@dataclass(frozen=True)
class Entry:
    """A function of a robot: its inputs, those it may also have, the shape of its result, and how it is computed."""

    compute: Callable[..., Any]
    inputs: tuple[str, ...]
    optional: tuple[str, ...]
    shape: tuple[int | str, ...]


CATALOGUE: dict[str, Entry] = {}


def entry(inputs: str, shape: tuple[int | str, ...], optional: str = "") -> Callable[..., Any]:
    """Put a function into the catalogue."""

    def keep(compute: Callable[..., Any]) -> Callable[..., Any]:
        CATALOGUE[compute.__name__] = Entry(compute, tuple(inputs.split()), tuple(optional.split()), shape)
        return compute

    return keep


@dataclass(frozen=True)
class Options:
    """What is fixed when a kernel is made: the frame and how it is expressed."""

    frame: str | None = None
    expressed: str = "body"


@entry("q", (4, 4))
def forward_kinematics(robot: Traceable, options: Options, q: Any) -> Any:
    return arrays.from_motion(kinematics.frame_pose(robot.true, q, *robot.frame(options.frame)))


@entry("q", ("n", 4, 4))
def link_poses(robot: Traceable, options: Options, q: Any) -> Any:
    T = kinematics.poses(robot.true, robot.true.motions(q))
    return [arrays.from_motion(T[i] @ F.inv()) for i, F in enumerate(robot.aligned.frames)]


@entry("q qd", (6,))
def velocity(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    T, V, _ = kinematics.frame_motion(robot.true, q, qd, [0.0] * robot.n, *robot.frame(options.frame))
    return arrays.from_twist(kinematics.express_velocity(T, V, options.expressed))


@entry("q qd qdd", (6,))
def acceleration(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any) -> Any:
    T, V, A = kinematics.frame_motion(robot.true, q, qd, qdd, *robot.frame(options.frame))
    return arrays.from_twist(kinematics.express_acceleration(T, V, A, options.expressed))


@entry("q qd qdd", (6,))
def classical_acceleration(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any) -> Any:
    T, V, A = kinematics.frame_motion(robot.true, q, qd, qdd, *robot.frame(options.frame))
    A = kinematics.classical(V, A)
    return arrays.from_twist(A if options.expressed == "body" else kinematics.turned(T, A))


@entry("q", (6, "n"))
def jacobian(robot: Traceable, options: Options, q: Any) -> Any:
    columns = jacobians.jacobian(robot.true, q, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(columns, 6)


@entry("q qd", (6, "n"))
def jacobian_derivative(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    columns = jacobians.jacobian_derivative(robot.true, q, qd, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(columns, 6)


def _newton_euler(robot: Traceable, q: Any, qd: Any, qdd: Any, tree: Tree | None = None, **given: Any) -> NewtonEuler:
    moving = given.get("base_velocity") is not None or given.get("base_acceleration") is not None
    tree = tree or (robot.true if moving else robot.cheap)
    return newton_euler(
        tree,
        q,
        qd,
        qdd,
        robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches")),
        *(arrays.twist(given[k]) if given.get(k) is not None else None for k in ("base_velocity", "base_acceleration")),
    )


@entry("q qd qdd", ("n",), "tool_wrench link_wrenches base_velocity base_acceleration")
def inverse_dynamics(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any, **given: Any) -> Any:
    return _newton_euler(robot, q, qd, qdd, **given).tau


@entry("q qd qdd", ("n", 6), "tool_wrench link_wrenches base_velocity base_acceleration")
def joint_wrenches(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any, **given: Any) -> Any:
    F = _newton_euler(robot, q, qd, qdd, robot.true, **given).F
    return [arrays.from_wrench(X.Ad_inv_star(F[i])) for i, X in enumerate(robot.aligned.frames)]


@entry("q qd", ("n",), "tool_wrench link_wrenches")
def bias_forces(robot: Traceable, options: Options, q: Any, qd: Any, **given: Any) -> Any:
    return _newton_euler(robot, q, qd, [0.0] * robot.n, **given).tau


@entry("q", ("n",))
def gravity_forces(robot: Traceable, options: Options, q: Any) -> Any:
    return _newton_euler(robot, q, [0.0] * robot.n, [0.0] * robot.n).tau


@entry("q", ("n", "n"))
def mass_matrix(robot: Traceable, options: Options, q: Any) -> Any:
    return composite_body.mass_matrix(robot.cheap, q)


@entry("q", ("n", "n"))
def mass_matrix_inverse(robot: Traceable, options: Options, q: Any) -> Any:
    return articulated_body.mass_matrix_inverse(robot.cheap, q)


@entry("q", ("n", "n"))
def mass_matrix_sqrt(robot: Traceable, options: Options, q: Any) -> Any:
    return articulated_body.mass_matrix_sqrt(robot.cheap, q)


@entry("q qd", ("n", "n"))
def coriolis_matrix(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    return coriolis.coriolis_matrix(robot.cheap, q, qd)


@entry("q qd tau", ("n",), "tool_wrench link_wrenches")
def forward_dynamics(robot: Traceable, options: Options, q: Any, qd: Any, tau: Any, **given: Any) -> Any:
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    return articulated_body.forward_dynamics(robot.cheap, q, qd, tau, wrenches)


@entry("q qd tau", ("n",), "tool_wrench link_wrenches")
def forward_dynamics_by_solving(robot: Traceable, options: Options, q: Any, qd: Any, tau: Any, **given: Any) -> Any:
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    return linear_solve.forward_dynamics_by_solving(robot.cheap, q, qd, tau, wrenches)


@entry("q qd", ())
def kinetic_energy(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    return energy.kinetic_energy(robot.true, q, qd)


@entry("q", ())
def potential_energy(robot: Traceable, options: Options, q: Any) -> Any:
    return energy.potential_energy(robot.true, q)


@entry("q", (3,))
def centre_of_mass(robot: Traceable, options: Options, q: Any) -> Any:
    return arrays.from_vector(centroidal.centre_of_mass(robot.true, q))


@entry("q", (3, "n"))
def centre_of_mass_jacobian(robot: Traceable, options: Options, q: Any) -> Any:
    return arrays.from_columns(centroidal.centre_of_mass_jacobian(robot.true, q), 3)


@entry("q", (6, "n"))
def centroidal_momentum_matrix(robot: Traceable, options: Options, q: Any) -> Any:
    return arrays.from_columns(centroidal.centroidal_momentum_matrix(robot.true, q), 6)


@entry("q qd", (6, "n"))
def centroidal_momentum_matrix_derivative(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    return arrays.from_columns(centroidal.centroidal_momentum_matrix_derivative(robot.true, q, qd), 6)


def nested(leaves: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
    """A flat list as nested lists of that shape."""
    if len(shape) <= 1:
        return list(leaves)
    step = len(leaves) // shape[0] if shape[0] else 0
    return [nested(leaves[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def compute(
    mechanism: Mechanism,
    names: Sequence[str],
    given: Mapping[str, Any],
    options: Options,
    parameters: Sequence[int] = (),
) -> list[Any]:
    """The results of catalogue functions on leaves of any kind: nested lists, one per name."""
    rows = given.get("parameters")
    robot = Traceable(mechanism, {i: rows[k] for k, i in enumerate(parameters)} if rows is not None else {})
    results = []
    for name in names:
        item = CATALOGUE[name]
        arguments = {key: given[key] for key in (*item.inputs, *item.optional) if key in given}
        results.append(item.compute(robot, options, **arguments))
    return results


def trace(
    mechanism: Mechanism,
    names: Sequence[str],
    options: Options,
    optional: Sequence[str] = (),
    parameters: Sequence[int] = (),
) -> Program:
    """The program of one or several catalogue functions, sharing all common work."""
    for name in names:
        if name not in CATALOGUE:
            raise ModelError(f"no function {name!r} to compile; there are {', '.join(sorted(CATALOGUE))}")
    if options.expressed not in EXPRESSED:
        raise ModelError(f"expressed must be one of {', '.join(EXPRESSED)}, got {options.expressed!r}")
    wanted = {key for name in names for key in CATALOGUE[name].inputs} | set(optional)
    allowed = {key for name in names for key in (*CATALOGUE[name].inputs, *CATALOGUE[name].optional)}
    if wanted - allowed:
        raise ModelError(f"{', '.join(names)} takes no input {sorted(wanted - allowed)[0]!r}")
    if parameters:
        wanted.add("parameters")
    sizes = {"n": mechanism.n, "k": len(parameters)}

    def shape(symbols: tuple[int | str, ...]) -> tuple[int, ...]:
        return tuple(sizes[s] if isinstance(s, str) else s for s in symbols)

    inputs = tuple(Operand(key, shape(symbols)) for key, symbols in INPUTS.items() if key in wanted)
    graph = Graph()
    leaves = {
        operand.name: nested([graph.input(k, i) for i in range(operand.size)], operand.shape)
        for k, operand in enumerate(inputs)
    }
    results = compute(mechanism, names, leaves, options, parameters)
    outputs = tuple(Operand(name, shape(CATALOGUE[name].shape)) for name in names)
    return flatten(inputs, outputs, [arrays.flat(result) for result in results])


def kernel(
    mechanism: Mechanism,
    names: Sequence[str],
    dtype: str = "float64",
    options: Options | None = None,
    optional: Sequence[str] = (),
    parameters: Sequence[int] = (),
) -> Kernel:
    """The compiled kernel of catalogue functions."""
    program = trace(mechanism, names, options or Options(), optional, parameters)
    return Kernel(program, "+".join(names), dtype)
