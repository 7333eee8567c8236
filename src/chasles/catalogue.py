"""Where mechanisms meet the compiler: the catalogue of a robot's functions, and how each is traced.

A catalogue entry names its inputs and the shape of its result, and computes it from leaves. Entries run on the
mechanism in cheap coordinates (model/coordinates.py): `robot.cheap` has inertias regrouped, for what only joint forces
and motion decide; `robot.true` has the true ones, for energies, link forces, moving bases.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chasles import arrays
from chasles.backend.kernel import Kernel
from chasles.dynamics import articulated_body, centroidal, composite_body, coriolis, energy, kinematics, linear_solve
from chasles.dynamics import jacobian as jacobians
from chasles.dynamics.newton_euler import NewtonEuler, newton_euler, tool_wrench_on_body
from chasles.errors import ModelError
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.lazy import lazy
from chasles.lie import SE3, Twist, Wrench
from chasles.model.coordinates import Aligned, align, regroup
from chasles.model.coupling import Coupling
from chasles.model.joint import Joint
from chasles.model.mechanism import Mechanism, pose
from chasles.model.tree import Tree
from chasles.scalar.ops import less, where

EXPRESSED = ("body", "space", "mixed")
INPUTS: dict[str, tuple[int | str, ...]] = {
    "q": ("nq",),
    "q0": ("nq",),
    "q1": ("nq",),
    "v": ("n",),
    "qd": ("n",),
    "qdd": ("n",),
    "tau": ("n",),
    "tool_wrench": (6,),
    "link_wrenches": ("links", 6),
    "base_velocity": (6,),
    "base_acceleration": (6,),
    "parameters": ("k", 10),
}


@dataclass(frozen=True)
class Traceable:
    """A mechanism in cheap coordinates; `parameters` are links whose inertia is an input, as leaves."""

    mechanism: Mechanism
    parameters: Mapping[int, Any]

    @lazy
    def aligned(self) -> Aligned:
        tree = self.mechanism.tree
        if self.parameters:
            bodies = list(tree.bodies)
            for i, leaves in self.parameters.items():
                bodies[i] = replace(bodies[i], G=arrays.inertia(leaves))
            tree = Tree(tuple(bodies), tree.gravity)
        links = {i: link for i, link in enumerate(self.mechanism.links) if i not in self.parameters}
        return align(tree, links)

    @property
    def true(self) -> Tree:
        return self.aligned.tree

    @lazy
    def cheap(self) -> Tree:
        return regroup(self.true)

    @property
    def coupling(self) -> Coupling:
        return self.mechanism.coupling

    @property
    def rest(self) -> list[float]:
        """Velocities, or accelerations, of nothing that moves."""
        return [0.0] * self.coupling.nv

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
    x = robot.coupling.coordinates(q)
    return arrays.from_motion(kinematics.frame_pose(robot.true, x, *robot.frame(options.frame)))


@entry("q", ("links", 4, 4))
def link_poses(robot: Traceable, options: Options, q: Any) -> Any:
    T = kinematics.poses(robot.true, robot.true.motions(robot.coupling.coordinates(q)))
    return [arrays.from_motion(T[i] @ F.inv()) for i, F in enumerate(robot.aligned.frames)]


@entry("q", ("frames", 4, 4))
def frame_poses(robot: Traceable, options: Options, q: Any) -> Any:
    T = kinematics.poses(robot.true, robot.true.motions(robot.coupling.coordinates(q)))
    places = [robot.frame(name) for name in robot.mechanism.frames]
    return [arrays.from_motion(T[body] @ X if body >= 0 else X) for body, X in places]


def _frame_motion(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any) -> tuple[SE3, Twist, Twist]:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    return kinematics.frame_motion(robot.true, *state, *robot.frame(options.frame))


@entry("q qd", (6,))
def velocity(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    T, V, _ = _frame_motion(robot, options, q, qd, robot.rest)
    return arrays.from_twist(kinematics.express_velocity(T, V, options.expressed))


@entry("q qd qdd", (6,))
def acceleration(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any) -> Any:
    T, V, A = _frame_motion(robot, options, q, qd, qdd)
    return arrays.from_twist(kinematics.express_acceleration(T, V, A, options.expressed))


@entry("q qd qdd", (6,))
def classical_acceleration(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any) -> Any:
    T, V, A = _frame_motion(robot, options, q, qd, qdd)
    A = kinematics.classical(V, A)
    return arrays.from_twist(A if options.expressed == "body" else kinematics.turned(T, A))


@entry("q", (6, "n"))
def jacobian(robot: Traceable, options: Options, q: Any) -> Any:
    x = robot.coupling.coordinates(q)
    columns = jacobians.jacobian(robot.true, x, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(robot.coupling.forces(columns), 6)


@entry("q qd", (6, "n"))
def jacobian_derivative(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    x, y = robot.coupling.coordinates(q), robot.coupling.velocities(qd)
    columns = jacobians.jacobian_derivative(robot.true, x, y, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(robot.coupling.forces(columns), 6)


def _newton_euler(robot: Traceable, q: Any, qd: Any, qdd: Any, tree: Tree | None = None, **given: Any) -> NewtonEuler:
    moving = given.get("base_velocity") is not None or given.get("base_acceleration") is not None
    tree = tree or (robot.true if moving else robot.cheap)
    G = robot.coupling
    return newton_euler(
        tree,
        G.coordinates(q),
        G.velocities(qd),
        G.velocities(qdd),
        robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches")),
        *(arrays.twist(given[k]) if given.get(k) is not None else None for k in ("base_velocity", "base_acceleration")),
    )


def _joint_forces(robot: Traceable, q: Any, qd: Any, qdd: Any, **given: Any) -> list[Any]:
    tau = robot.coupling.forces(_newton_euler(robot, q, qd, qdd, **given).tau)
    return [force + loss for force, loss in zip(tau, _friction(robot, qd), strict=True)]


def _friction(robot: Traceable, qd: Any) -> list[Any]:
    """What damping and dry friction take, where the robot has them: d v + f sign(v)."""
    m, G = robot.mechanism, robot.coupling
    if not m.has_friction:
        return [0.0] * G.nv
    rates = G.velocities(qd)
    losses = []
    for i, body in enumerate(m.tree.bodies):
        for v in rates[body.v : body.v + body.joint.nv]:
            sign = where(less(0.0, v), 1.0, where(less(v, 0.0), -1.0, 0.0))
            losses.append(v * float(m.damping[i]) + sign * float(m.friction[i]))
    return G.forces(losses)


@entry("q qd qdd", ("n",), "tool_wrench link_wrenches base_velocity base_acceleration")
def inverse_dynamics(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any, **given: Any) -> Any:
    return _joint_forces(robot, q, qd, qdd, **given)


@entry("q qd qdd", ("links", 6), "tool_wrench link_wrenches base_velocity base_acceleration")
def joint_wrenches(robot: Traceable, options: Options, q: Any, qd: Any, qdd: Any, **given: Any) -> Any:
    F = _newton_euler(robot, q, qd, qdd, robot.true, **given).F
    return [arrays.from_wrench(X.Ad_inv_star(F[i])) for i, X in enumerate(robot.aligned.frames)]


@entry("q qd", ("n",), "tool_wrench link_wrenches")
def bias_forces(robot: Traceable, options: Options, q: Any, qd: Any, **given: Any) -> Any:
    return _joint_forces(robot, q, qd, robot.rest, **given)


@entry("q", ("n",))
def gravity_forces(robot: Traceable, options: Options, q: Any) -> Any:
    return robot.coupling.forces(_newton_euler(robot, q, robot.rest, robot.rest).tau)


@entry("q", ("n", "n"))
def mass_matrix(robot: Traceable, options: Options, q: Any) -> Any:
    return robot.coupling.matrix(composite_body.mass_matrix(robot.cheap, robot.coupling.coordinates(q)))


@entry("q", ("n", "n"))
def mass_matrix_inverse(robot: Traceable, options: Options, q: Any) -> Any:
    if not robot.coupling.is_trivial:
        return linear_solve.inverse(mass_matrix(robot, options, q))
    return articulated_body.mass_matrix_inverse(robot.cheap, q)


@entry("q", ("n", "n"))
def mass_matrix_sqrt(robot: Traceable, options: Options, q: Any) -> Any:
    if not robot.coupling.is_trivial:
        return linear_solve.upper_sqrt(mass_matrix(robot, options, q))
    return articulated_body.mass_matrix_sqrt(robot.cheap, q)


@entry("q qd", ("n", "n"))
def coriolis_matrix(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    G = robot.coupling
    return G.matrix(coriolis.coriolis_matrix(robot.cheap, G.coordinates(q), G.velocities(qd)))


@entry("q qd tau", ("n",), "tool_wrench link_wrenches")
def forward_dynamics(robot: Traceable, options: Options, q: Any, qd: Any, tau: Any, **given: Any) -> Any:
    if not robot.coupling.is_trivial:  # a mimic joint closes a loop that the recursion does not see
        return forward_dynamics_by_solving(robot, options, q, qd, tau, **given)
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    left = [force - loss for force, loss in zip(tau, _friction(robot, qd), strict=True)]
    return articulated_body.forward_dynamics(robot.cheap, q, qd, left, wrenches)


@entry("q qd tau", ("n",), "tool_wrench link_wrenches")
def forward_dynamics_by_solving(robot: Traceable, options: Options, q: Any, qd: Any, tau: Any, **given: Any) -> Any:
    bias = bias_forces(robot, options, q, qd, **given)
    left = [force - part for force, part in zip(tau, bias, strict=True)]
    return linear_solve.solve(mass_matrix(robot, options, q), left)  # [FD-1]


@entry("q qd", ())
def kinetic_energy(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    return energy.kinetic_energy(robot.true, robot.coupling.coordinates(q), robot.coupling.velocities(qd))


@entry("q", ())
def potential_energy(robot: Traceable, options: Options, q: Any) -> Any:
    return energy.potential_energy(robot.true, robot.coupling.coordinates(q))


@entry("q", (3,))
def centre_of_mass(robot: Traceable, options: Options, q: Any) -> Any:
    return arrays.from_vector(centroidal.centre_of_mass(robot.true, robot.coupling.coordinates(q)))


@entry("q", (3, "n"))
def centre_of_mass_jacobian(robot: Traceable, options: Options, q: Any) -> Any:
    columns = centroidal.centre_of_mass_jacobian(robot.true, robot.coupling.coordinates(q))
    return arrays.from_columns(robot.coupling.forces(columns), 3)


@entry("q", (6, "n"))
def centroidal_momentum_matrix(robot: Traceable, options: Options, q: Any) -> Any:
    columns = centroidal.centroidal_momentum_matrix(robot.true, robot.coupling.coordinates(q))
    return arrays.from_columns(robot.coupling.forces(columns), 6)


@entry("q qd", (6, "n"))
def centroidal_momentum_matrix_derivative(robot: Traceable, options: Options, q: Any, qd: Any) -> Any:
    x, y = robot.coupling.coordinates(q), robot.coupling.velocities(qd)
    columns = centroidal.centroidal_momentum_matrix_derivative(robot.true, x, y)
    return arrays.from_columns(robot.coupling.forces(columns), 6)


def _joints(robot: Traceable) -> list[tuple[Joint, int, int]]:
    """The joints that follow no other, with the robot's own first coordinate and velocity of each."""
    m, q, v, out = robot.mechanism, 0, 0, []
    for body, mimic in zip(m.tree.bodies, m.mimics, strict=True):
        if mimic is None:
            out.append((body.joint, q, v))
            q, v = q + body.joint.nq, v + body.joint.nv
    return out


@entry("q v", ("nq",))
def integrate(robot: Traceable, options: Options, q: Any, v: Any) -> Any:
    moved = [j.integrate(q[a : a + j.nq], v[b : b + j.nv]) for j, a, b in _joints(robot)]
    return [x for part in moved for x in part]


@entry("q0 q1", ("n",))
def difference(robot: Traceable, options: Options, q0: Any, q1: Any) -> Any:
    steps = [j.difference(q0[a : a + j.nq], q1[a : a + j.nq]) for j, a, _ in _joints(robot)]
    return [x for part in steps for x in part]


@entry("q", ("nq",))
def normalize(robot: Traceable, options: Options, q: Any) -> Any:
    return [x for j, a, _ in _joints(robot) for x in j.normalize(q[a : a + j.nq])]


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
    sizes = {
        "n": mechanism.n,
        "nq": mechanism.coupling.nq,
        "links": mechanism.bodies,
        "frames": len(mechanism.frames),
        "k": len(parameters),
    }

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
