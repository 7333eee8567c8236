"""Which calls of Pinocchio compute what our methods do, and how its results are ours: a table, and calls made of it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from dynamics import Pair

import chasles as ch

TOLERANCE = 1e-9
LINK = 4  # whose frame is asked for
REFERENCES = {"space": pin.WORLD, "mixed": pin.LOCAL_WORLD_ALIGNED}  # beside "body", which is understood
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]

Result = Callable[[Any, Any], Any]  # ours, of what Pinocchio's call returns and of its data
State = dict[str, np.ndarray]


def _same(x: Any, _: Any) -> Any:
    return np.array(x)


def _symmetric(x: Any, _: Any) -> Any:
    return np.triu(x) + np.triu(x, 1).T  # Pinocchio fills the upper triangle


def _motion(x: Any, _: Any) -> Any:
    return x.vector[ANGULAR_FIRST]


def _angular_first(x: Any, _: Any) -> Any:
    return np.array(x)[ANGULAR_FIRST]


def _of(*names: str) -> Result:
    return lambda _, data: tuple(getattr(data, name) for name in names)


# method: inputs, Pinocchio's functions of (model, data, *inputs) one after the other, the result if it is the same
PLAIN: dict[str, tuple[str, str, Result | None]] = {
    "inverse_dynamics": ("q v a", "rnea", _same),
    "forward_dynamics": ("q v a", "aba", _same),
    "joint_wrenches": ("q v a", "rnea", lambda _, data: np.array([x.vector[ANGULAR_FIRST] for x in list(data.f)[1:]])),
    "bias_forces": ("q v", "nonLinearEffects", _same),
    "gravity_forces": ("q", "computeGeneralizedGravity", _same),
    "mass_matrix": ("q", "crba", _symmetric),
    "mass_matrix_inverse": ("q", "computeMinverse", _symmetric),
    "coriolis_matrix": ("q v", "computeCoriolisMatrix", _same),
    "kinetic_energy": ("q v", "computeKineticEnergy", _same),
    "potential_energy": ("q", "computePotentialEnergy", _same),
    "inverse_dynamics_derivatives": ("q v a", "computeRNEADerivatives", _of("dtau_dq", "dtau_dv")),
    "forward_dynamics_derivatives": ("q v a", "computeABADerivatives", _of("ddq_dq", "ddq_dv")),
    "regressor": ("q v a", "computeJointTorqueRegressor", _same),
    "kinetic_energy_regressor": ("q v", "computeKineticEnergyRegressor", _same),
    "potential_energy_regressor": ("q", "computePotentialEnergyRegressor", _same),
    "centre_of_mass": ("q", "centerOfMass", _same),
    "centre_of_mass_jacobian": ("q", "jacobianCenterOfMass", _same),
    "centroidal_momentum_matrix": ("q", "computeCentroidalMap", _angular_first),
    "centroidal_momentum_matrix_derivative": ("q v", "dccrba", _angular_first),
    "link_poses": ("q", "forwardKinematics", lambda _, data: np.array([x.homogeneous for x in list(data.oMi)[1:]])),
    "frame_poses": ("q", "framesForwardKinematics", None),  # its frames are more than ours
}
# with external forces behind the inputs
FORCED = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")
# functions of the model alone
CONFIGURATIONS = {"integrate": "q v", "difference": "q v", "normalize": "q"}
# method: inputs, a function of (model, data, *inputs), one of (model, data, frame, reference)
IN_FRAMES: dict[str, tuple[str, str, str, Result]] = {
    "velocity": ("q v", "forwardKinematics", "getFrameVelocity", _motion),
    "acceleration": ("q v a", "forwardKinematics", "getFrameAcceleration", _motion),
    "classical_acceleration": ("q v a", "forwardKinematics", "getFrameClassicalAcceleration", _motion),
    "jacobian_derivative": (
        "q v",
        "computeJointJacobiansTimeVariation",
        "getFrameJacobianTimeVariation",
        _angular_first,
    ),
}
# ours is that of the frame's origin; mixed, the derivative of the mixed velocity, which is the classical acceleration
APART = {("classical_acceleration", pin.WORLD), ("acceleration", pin.LOCAL_WORLD_ALIGNED)}


class Side(NamedTuple):
    """A robot, and Pinocchio's with frames of ours."""

    robot: ch.Robot
    model: Any
    data: Any
    tool: int
    link: int

    @staticmethod
    def of(pair: Pair) -> "Side":
        model = pair.model.copy()
        at = {"chasles_tool": model.njoints - 1, "chasles_link": LINK}
        frames = [pin.Frame(name, joint, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME) for name, joint in at.items()]
        tool, link = (model.addFrame(frame) for frame in frames)
        return Side(pair.robot, model, model.createData(), tool, link)


class Call(NamedTuple):
    """A method with arguments, and Pinocchio's calls; `result` where both must be the same."""

    name: str
    method: Callable[..., Any]
    given: tuple[np.ndarray, ...]
    theirs: Callable[[], Any]
    result: Callable[[Any], Any] | None = None
    optional: dict[str, np.ndarray] | None = None
    options: dict[str, str] | None = None

    def ours(self, rows: bool = False) -> Callable[[], Any]:
        """On a single state, or on a batch of one row."""
        shaped = (lambda x: x[None]) if rows else (lambda x: x)
        optional = {key: shaped(x) for key, x in (self.optional or {}).items()}
        return partial(self.method, *map(shaped, self.given), **optional, **(self.options or {}))

    def check(self) -> None:
        """Raises where results differ."""
        if self.result is None:
            return
        found, expected = self.ours()(), self.result(self.theirs())
        for x, y in zip(found, expected, strict=False) if isinstance(expected, tuple) else [(found, expected)]:
            off = float(np.abs(x - y).max() / max(1e-3, np.abs(y).max()))
            if not off <= TOLERANCE:
                raise SystemExit(f"{self.name}: {off:.2g} off Pinocchio, relative; nothing is timed")


def calls(pair: Pair) -> list[Call]:
    """All of them, on one state."""
    rng, side = np.random.default_rng(0), Side.of(pair)
    state = dict(zip("qva", rng.normal(size=(3, pair.robot.n)), strict=True))
    return [call for made in (_plain, _configurations, _in_frames, _forced) for call in made(side, state)]


def _call(side: Side, name: str, given: tuple[np.ndarray, ...], theirs: Callable[[], Any], result: Result | None,
          said: str = "", **more: Any) -> Call:  # fmt: skip
    taken = None if result is None else lambda x: result(x, side.data)
    return Call(f"{name}{said}", getattr(side.robot, name), given, theirs, taken, **more)


def _plain(side: Side, state: State) -> Iterator[Call]:
    model, data = side.model, side.data
    for name, (inputs, function, result) in PLAIN.items():
        given = tuple(state[key] for key in inputs.split())
        yield _call(side, name, given, partial(getattr(pin, function), model, data, *given), result)
    q, v, tau = state.values()
    factored = _then(partial(pin.crba, model, data, q), partial(pin.cholesky.decompose, model, data))
    yield _call(side, "mass_matrix_sqrt", (q,), factored, None)  # another factor: U D U^T

    def solved() -> Any:
        factored()
        return pin.cholesky.solve(model, data, tau - pin.nonLinearEffects(model, data, q, v))

    yield _call(side, "forward_dynamics_by_solving", (q, v, tau), solved, _same)


def _configurations(side: Side, state: State) -> Iterator[Call]:
    for name, inputs in CONFIGURATIONS.items():
        given = tuple(state[key] for key in inputs.split())
        yield _call(side, name, given, partial(getattr(pin, name), side.model, *given), _same)


def _in_frames(side: Side, state: State) -> Iterator[Call]:
    """Of the tool in its own axes, in space and in the world's axes, and of a link in its own."""
    model, data, q = side.model, side.data, state["q"]
    asked = [("", side.tool, pin.LOCAL, {})]
    asked += [(f", {key}", side.tool, reference, {"expressed": key}) for key, reference in REFERENCES.items()]
    of_a_link = {"frame": side.robot.link_names[LINK - 1]}
    for said, frame, reference, options in (*asked, (" of a link", side.link, pin.LOCAL, of_a_link)):
        for name, (inputs, first, second, result) in IN_FRAMES.items():
            if (name, reference) in APART:
                continue
            given = tuple(state[key] for key in inputs.split())
            before = partial(getattr(pin, first), model, data, *given)
            theirs = _then(before, partial(getattr(pin, second), model, data, frame, reference))
            yield _call(side, name, given, theirs, result, said, options=options)
        theirs = partial(pin.computeFrameJacobian, model, data, q, frame, reference)
        for name in ("jacobian", "task_jacobian"):
            yield _call(side, name, (q,), theirs, _angular_first, said, options=options)
    for said, frame, options in (("", side.tool, {}), (" of a link", side.link, of_a_link)):
        placed = partial(pin.updateFramePlacement, model, data, frame)
        theirs = _then(partial(pin.forwardKinematics, model, data, q), placed)
        yield _call(side, "forward_kinematics", (q,), theirs, lambda x, _: x.homogeneous, said, options=options)


def _forced(side: Side, state: State) -> Iterator[Call]:
    """With wrenches: of the tool, what it exerts, of links, what acts on them, as Pinocchio's forces do."""
    n, rng, given = side.robot.n, np.random.default_rng(1), tuple(state.values())
    links, last = rng.normal(size=(n, 6)), np.zeros((n, 6))
    last[-1] = -links[-1]
    for what, optional, rows in (("tool_wrench", links[-1], last), ("link_wrenches", links, links)):
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero(), *(pin.Force(x[3:], x[:3]) for x in rows)])
        for name in FORCED:
            _, function, result = PLAIN[name]
            theirs = partial(getattr(pin, function), side.model, side.data, *given, forces)
            yield _call(side, name, given, theirs, result, f", {what}", optional={what: optional})
        theirs = partial(pin.rnea, side.model, side.data, *given[:2], np.zeros(n), forces)
        yield _call(side, "bias_forces", given[:2], theirs, _same, f", {what}", optional={what: optional})


def _then(first: Callable[[], Any], second: Callable[[], Any]) -> Callable[[], Any]:
    """Two calls; the result of the second."""

    def both() -> Any:
        first()
        return second()

    return both
