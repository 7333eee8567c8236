"""Derivatives of the dynamics by the state, and of motions and forces by the robot's geometry.

Of forward dynamics, with tau(q, qd, qdd) inverse dynamics and M its derivative by qdd,

    dqdd/dx = -M^-1 dtau/dx,   dqdd/dtau = M^-1                                   (1)  [LIN-2]
    d2qdd/dx dy = -M^-1 (d2tau/dx dy + dM/dx dqdd/dy + dM/dy dqdd/dx)             (2)

where dM is zero but along q.
"""

from typing import Any

from chasles import arrays
from chasles.catalogue import dynamics
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import second_derivatives
from chasles.dynamics.articulated_body import articulate, inverse_factor, is_deep
from chasles.dynamics.derivatives import derivatives_apart
from chasles.dynamics.derivatives import inverse_dynamics_derivatives as by_state
from chasles.dynamics.inverse_factor import InverseFactor
from chasles.dynamics.jacobian import jacobian as body_jacobian
from chasles.dynamics.matrices import Matrix, minus, plus, product, slices, stacked, transposed
from chasles.dynamics.model_derivatives import inverse_dynamics_sensitivity, seen_by
from chasles.geometry import connection
from chasles.lie import SE3, Twist
from chasles.model.leaves import leaf
from chasles.scalar.leaf import Leaves

BY_STATE = {"dtau_dq": ("n", "n"), "dtau_dqd": ("n", "n"), "dtau_dqdd": ("n", "n")}
OF_STATE = {"dqdd_dq": ("n", "n"), "dqdd_dqd": ("n", "n"), "dqdd_dtau": ("n", "n")}


def _state(robot: Traceable, q: Leaves, qd: Leaves, qdd: Leaves) -> tuple[Any, Any, Any]:
    G = robot.coupling
    return G.coordinates(q), G.velocities(qd), G.velocities(qdd)


def _damped(robot: Traceable, by_qd: Matrix) -> Matrix:
    """With the slope of the damping, where the robot has it; dry friction's is zero."""
    m = robot.mechanism
    if m.has_friction:
        for i, body in enumerate(m.tree.bodies):
            for k in range(body.v, body.v + body.joint.nv):
                by_qd[k][k] = by_qd[k][k] + leaf(m.damping[i])
    return by_qd


def _state_derivatives(
    robot: Traceable, q: Leaves, qd: Leaves, qdd: Leaves, given: dict[str, Any]
) -> tuple[Matrix, Matrix, Matrix]:
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    d = by_state(robot.cheap, *_state(robot, q, qd, qdd), wrenches)
    G = robot.coupling
    return G.matrix(d.q), G.matrix(_damped(robot, d.qd)), G.matrix(d.qdd)


@declare("q qd qdd", BY_STATE, "tool_wrench link_wrenches")
def inverse_dynamics_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any
) -> Any:
    return _state_derivatives(robot, q, qd, qdd, given)


@declare("q qd tau", OF_STATE, "tool_wrench link_wrenches", needs="inverse")
def forward_dynamics_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any
) -> Any:
    qdd = dynamics.forward_dynamics(robot, options, q, qd, tau, **given)
    if not robot.coupling.is_trivial or is_deep(robot.cheap):
        by_q, by_qd, _ = _state_derivatives(robot, q, qd, qdd, given)
        inverse = dynamics.mass_matrix_inverse(robot, options, q)
        return minus(product(inverse, by_q)), minus(product(inverse, by_qd)), inverse  # (1)
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    apart = derivatives_apart(robot.cheap, q, qd, qdd, wrenches)
    factor = inverse_factor(robot.cheap, articulate(robot.cheap, q))
    by_q = _solved(factor, apart.forces.q, apart.q)
    return by_q, _solved(factor, _damped(robot, apart.forces.qd), apart.qd), factor.inverse()


def _solved(factor: InverseFactor, forces: Matrix, apart: list[dict[int, Any]]) -> Matrix:
    """-M^-1 dtau/dx, of dtau/dx in forces and what is apart from them, X by columns."""
    columns = []
    for b, own in zip(transposed(forces), apart, strict=True):
        x = factor.opposed(b)  # (1)
        for i, acceleration in own.items():
            x[i] = x[i] - acceleration  # (5) of dynamics/derivatives.py
        columns.append(x)
    return transposed(columns)


@declare("q qd qdd dq dqd dqdd", BY_STATE, "tool_wrench link_wrenches")
def inverse_dynamics_derivatives_along(
    robot: Traceable,
    options: Options,
    q: Leaves,
    qd: Leaves,
    qdd: Leaves,
    dq: Leaves,
    dqd: Leaves,
    dqdd: Leaves,
    **given: Any,
) -> Any:
    G = robot.coupling
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    direction = G.velocities(dq), G.velocities(dqd), G.velocities(dqdd)
    d = second_derivatives.derivatives_along(robot.cheap, _state(robot, q, qd, qdd), direction, wrenches)
    return G.matrix(d.q), G.matrix(d.qd), G.matrix(d.qdd)


TENSOR = ("n", "n", "n")


def _second_derivatives(
    robot: Traceable, q: Leaves, qd: Leaves, qdd: Leaves, given: dict[str, Any]
) -> tuple[list[Matrix], ...]:
    tree, state, G = robot.cheap, _state(robot, q, qd, qdd), robot.coupling
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    along = second_derivatives.derivatives_along_columns(tree, *state, wrenches)
    symbols = connection.christoffel_symbols(tree, state[0])
    by_rates = [plus(rows, transposed(rows)) for rows in symbols]
    mass = connection.mass_matrix_derivatives(tree, state[0])
    tensors = stacked([d.q for d in along]), stacked([d.qd for d in along]), by_rates, mass
    return tuple(G.tensor(T, 3) for T in tensors)


@declare(
    "q qd qdd",
    {"d2tau_dq_dq": TENSOR, "d2tau_dqd_dq": TENSOR, "d2tau_dqd_dqd": TENSOR, "d2tau_dqdd_dq": TENSOR},
    "tool_wrench link_wrenches",
    large="chasles.derivatives.second_derivatives:inverse_dynamics_tensors",
)
def inverse_dynamics_second_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any
) -> Any:
    return _second_derivatives(robot, q, qd, qdd, given)


@declare(
    "q qd tau",
    {"d2qdd_dq_dq": TENSOR, "d2qdd_dqd_dq": TENSOR, "d2qdd_dqd_dqd": TENSOR, "d2qdd_dtau_dq": TENSOR},
    "tool_wrench link_wrenches",
    needs="inverse",
    large="chasles.derivatives.second_derivatives:forward_dynamics_tensors",
)
def forward_dynamics_second_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any
) -> Any:
    qdd = dynamics.forward_dynamics(robot, options, q, qd, tau, **given)
    by_q, by_qd, by_tau = forward_dynamics_derivatives(robot, options, q, qd, tau, **given)
    qq, vq, vv, mass = _second_derivatives(robot, q, qd, qdd, given)
    moving = slices(mass)
    turned = [product(dM, by_q) for dM in moving]  # dM/dq_j dqdd/dq_k at [j][i][k]
    n = len(turned)
    swapped = [[[turned[j][i][k] for j in range(n)] for i in range(n)] for k in range(n)]

    def solved(terms: list[Matrix]) -> list[Matrix]:
        return stacked([minus(product(by_tau, term)) for term in terms])  # (2)

    return (
        solved([plus(plus(T, product(dM, by_q)), X) for T, dM, X in zip(slices(qq), moving, swapped, strict=True)]),
        solved([plus(T, product(dM, by_qd)) for T, dM in zip(slices(vq), moving, strict=True)]),
        solved(slices(vv)),
        solved([product(dM, by_tau) for dM in moving]),
    )


MODEL = {"homes": ("n", "links", 6), "screws": ("n", "links", 6)}


def _joint_sides(robot: Traceable, q: Leaves) -> list[tuple[SE3, SE3]]:
    """For every link the frames of the twists before and behind its joint, with the cheap link frame seen from them."""
    x, frames = robot.coupling.coordinates(q), robot.aligned.frames
    return [(body.motion(x).E @ frames[i], frames[i]) for i, body in enumerate(robot.mechanism.tree.bodies)]


@declare("q qd qdd", MODEL, "tool_wrench link_wrenches")
def inverse_dynamics_model_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any
) -> Any:
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    found = inverse_dynamics_sensitivity(robot.true, *_state(robot, q, qd, qdd), wrenches)
    homes, screws = [], []
    for j, (before, behind) in enumerate(_joint_sides(robot, q)):
        home = [seen_by(before, row[j]) for row in found.before]
        homes.append(home)
        moved = [seen_by(behind, row[j]) for row in found.behind]
        screws.append([[a - b for a, b in zip(*rows, strict=True)] for rows in zip(home, moved, strict=True)])
    return tuple(_by_velocity(robot, columns) for columns in (homes, screws))


def _by_velocity(robot: Traceable, columns: list[Matrix]) -> list[Any]:
    """[i][j] of lists [j][i], by the robot's own velocities i."""
    G = robot.coupling
    by_link = [transposed([G.forces(column) for column in transposed(rows)]) for rows in columns]
    return [[rows[i] for rows in by_link] for i in range(G.nv)]


@declare("q qd tau", MODEL, "tool_wrench link_wrenches", needs="inverse")
def forward_dynamics_model_derivatives(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any
) -> Any:
    qdd = dynamics.forward_dynamics(robot, options, q, qd, tau, **given)
    inverse = dynamics.mass_matrix_inverse(robot, options, q)
    by_model = inverse_dynamics_model_derivatives(robot, options, q, qd, qdd, **given)
    links = range(robot.mechanism.bodies)
    solved = []
    for rows in by_model:
        by_link = [minus(product(inverse, [row[j] for row in rows])) for j in links]  # (1)
        solved.append([[X[i] for X in by_link] for i in range(robot.coupling.nv)])
    return tuple(solved)


def _unit_twists(robot: Traceable, frame: str | None, q: Leaves) -> list[tuple[int, list[Twist], list[Twist]]]:
    """For the links on the path to a frame, six unit twists before their joints and six behind, seen from the frame."""
    body, X = robot.frame(frame)
    tree, x, ends = robot.true, robot.coupling.coordinates(q), _joint_sides(robot, q)
    out = []
    for j in tree.path(body):
        sets = [[X.Ad_inv(end.Ad_inv(unit)) for unit in _UNITS] for end in ends[j]]
        out.append((j, *sets))
        motion = tree.bodies[j].motion(x)
        X = motion.M @ (motion.E @ X)
    return out


_UNITS = [arrays.twist([1.0 if i == k else 0.0 for i in range(6)]) for k in range(6)]


@declare("q", {"homes": (6, "links", 6), "screws": (6, "links", 6)}, uses="frame")
def forward_kinematics_model_derivatives(robot: Traceable, options: Options, q: Leaves) -> Any:
    zero = [[0.0] * 6 for _ in range(6)]
    homes, screws = ([zero] * robot.mechanism.bodies for _ in range(2))
    for j, before, behind in _unit_twists(robot, options.frame, q):
        homes[j] = arrays.from_columns(before, 6)
        screws[j] = arrays.from_columns([X - Y for X, Y in zip(before, behind, strict=True)], 6)
    return tuple([[rows[r] for rows in blocks] for r in range(6)] for blocks in (homes, screws))


@declare("q", {"homes": (6, "n", "links", 6), "screws": (6, "n", "links", 6)}, uses="frame")
def jacobian_model_derivatives(robot: Traceable, options: Options, q: Leaves) -> Any:
    tree, links = robot.true, robot.mechanism.bodies
    J = body_jacobian(tree, robot.coupling.coordinates(q), *robot.frame(options.frame), "body")
    none = [[Twist.zero()] * 6 for _ in range(links)]
    homes, screws = ([list(none) for _ in J] for _ in range(2))
    for j, before, behind in _unit_twists(robot, options.frame, q):
        first = tree.bodies[j].v
        for k, column in enumerate(J[: first + tree.bodies[j].joint.nv]):
            moved = [column.ad(X) if k < first else Twist.zero() for X in before]  # (3) of model_derivatives.py
            homes[k][j] = moved
            screws[k][j] = [X - column.ad(Y) for X, Y in zip(moved, behind, strict=True)]
    return tuple(_jacobians(robot, columns) for columns in (homes, screws))


def _jacobians(robot: Traceable, columns: list[list[list[Twist]]]) -> list[Any]:
    """[r][i][j][c] of the twists [i][j][c], by the robot's own velocities i."""
    own = robot.coupling.tensor([[[arrays.from_twist(X) for X in row] for row in rows] for rows in columns], 1)
    return [[[[x[r] for x in row] for row in rows] for rows in own] for r in range(6)]
