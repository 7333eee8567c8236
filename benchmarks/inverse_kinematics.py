"""Inverse kinematics: from a pose to the first configuration that has it, beside four libraries, all on one thread.

Panda, UR5 and iiwa14 as they are built in, the same numbers on all sides: Pinocchio and pink read our URDF, MuJoCo
compiles it for mink, the Robotics Toolbox is given Pinocchio's joint placements as a chain of elementary transforms.
The poses are those of configurations drawn evenly within the limits. One is solved if Pinocchio's forward kinematics
says so: |(log R, p)| at most 1e-9 rad and m, every joint within its limits. Each side may begin 100 times, first at
the middle of the limits (the Toolbox wherever that is faster for it), then elsewhere within.

    pinocchio   the loop that its users write: damped Gauss-Newton on log6, clamped, one sweep over the joints a step
    pink, mink  solve_ik with a FrameTask and the joints' limits, whole steps (dt = 1, gains of 1), by quadprog, which
                is faster here than daqp
    rtb         the Robotics Toolbox's ik_LM, compiled; its E is |e|^2 / 2

Peers that are not installed are left out, and said to be; `pip install 'chasles[bench]'` has all of them.
The peers take a pose at a time, ours all of them; single calls of ours are timed too. The peers' settings were the best
of many for these robots, or within a tenth of it, and the loops give up early where the error rises.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from figures import Figure, Target
from timing import Effort, one_thread

import chasles as ch

POSES = 10_000
PEERS = {"pinocchio": 200, "pink": 100, "mink": 100, "rtb": 1000}  # the first so many of the poses
MODULES = {"pinocchio": ("pinocchio",), "pink": ("pink", "quadprog"), "mink": ("mink", "quadprog")}
MODULES["rtb"] = ("roboticstoolbox",)
PRESENT = [name for name in PEERS if all(map(find_spec, MODULES[name]))]
ABSENT = [name for name in PEERS if name not in PRESENT]
SPEEDUP = {"pinocchio": 20.0, "pink": 20.0, "mink": 20.0, "rtb": 1.0}
SOLVED = 1.0  # of all
SINGLE = 200  # calls of one pose
TOLERANCE, ROUNDING = 1e-9, 1e-12  # ROUNDING: by how much two forward kinematics may differ, generously
ATTEMPTS, RISES = 100, 3
STEPS = {"pinocchio": 14, "pink": 20, "mink": 20}  # of an attempt
DAMPING = 0.03  # times the square of the error
LEAST = 1e-8  # damping that keeps a redundant arm's quadratic program definite

Attempt = Callable[[Any, np.ndarray], tuple[np.ndarray, bool]]  # of a target and a start: where it ends, if it is there


@dataclass(frozen=True)
class Arm:
    """A robot on all sides."""

    title: str
    toolbox: dict[str, Any]  # settings of ik_LM
    anywhere: bool = False  # where its first search begins; else near the middle

    @cached_property
    def robot(self) -> ch.Robot:
        return ch.load(self.title.lower())

    @cached_property
    def urdf(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            self.robot.to_urdf(file)
            return file.read_text(encoding="utf-8")

    @cached_property
    def model(self) -> Any:
        return pin.buildModelFromXML(self.urdf)

    @cached_property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        return self.robot.limits["lower"], self.robot.limits["upper"]

    @cached_property
    def poses(self) -> np.ndarray:
        """(POSES, 4, 4)."""
        q = np.random.default_rng(0).uniform(*self.limits, (POSES, self.robot.n))
        return self.robot.forward_kinematics(q)

    def solved(self, q: np.ndarray) -> float:
        """The share of the configurations (b, n) that have the first b poses, by Pinocchio's forward kinematics."""
        model, data, (lower, upper) = self.model, self.model.createData(), self.limits
        tool, off = model.getFrameId("tool"), np.empty(len(q))
        for k, (row, T) in enumerate(zip(q, self.poses[: len(q)], strict=True)):
            pin.framesForwardKinematics(model, data, row)
            left = data.oMf[tool].actInv(pin.SE3(T))
            off[k] = np.hypot(np.linalg.norm(pin.log3(left.rotation)), np.linalg.norm(left.translation))
        within = ((lower <= q) & (q <= upper)).all(1)
        return float(np.mean((off <= TOLERANCE + ROUNDING) & within))

    def call(self, name: str, count: int) -> tuple[Callable[[], Any], np.ndarray]:
        """A peer's call for the first `count` poses, and where its configurations are."""
        out, poses = np.empty((count, self.robot.n)), self.poses[:count]
        if name == "rtb":
            return partial(_each, self.rtb(), list(poses), out), out
        attempt, targets = getattr(self, name)(poses)
        return partial(_restarted, attempt, targets, self.limits, out), out

    def pinocchio(self, poses: np.ndarray) -> tuple[Attempt, list[Any]]:
        model, data, (lower, upper) = self.model, self.model.createData(), self.limits
        tool, steps = model.getFrameId("tool"), STEPS["pinocchio"]

        def attempt(target: Any, q: np.ndarray) -> tuple[np.ndarray, bool]:
            least, rises = np.inf, 0
            for _ in range(steps):
                pin.computeJointJacobians(model, data, q)
                e = pin.log6(pin.updateFramePlacement(model, data, tool).actInv(target)).vector
                error = e @ e
                if error <= TOLERANCE**2:
                    return q, True
                rises += error >= least
                if rises == RISES:
                    break
                least = min(least, error)
                J = pin.getFrameJacobian(model, data, tool, pin.LOCAL)
                A = J @ J.T
                A.flat[::7] += DAMPING * error + 1e-12
                q = q + J.T @ np.linalg.solve(A, e)
                np.minimum(np.maximum(q, lower, out=q), upper, out=q)
            return q, False

        return attempt, [pin.SE3(T) for T in poses]

    def pink(self, poses: np.ndarray) -> tuple[Attempt, list[Any]]:
        import pink

        start = pink.Configuration(self.model, self.model.createData(), sum(self.limits) / 2.0)
        task = pink.FrameTask("tool", 1.0, 1.0, lm_damping=DAMPING)
        limits = [pink.limits.ConfigurationLimit(self.model, 1.0)]
        step = partial(pink.solve_ik, start, [task], 1.0, "quadprog", LEAST, limits, safety_break=False)
        failure = pink.exceptions.NoSolutionFound
        return _differential(start, task, step, self.limits, STEPS["pink"], failure), [pin.SE3(T) for T in poses]

    def mink(self, poses: np.ndarray) -> tuple[Attempt, list[Any]]:
        import mink

        keep = '<mujoco><compiler fusestatic="false"/></mujoco></robot>'  # the tool, which has no mass
        model = mujoco.MjModel.from_xml_string(self.urdf.replace("</robot>", keep))
        start = mink.Configuration(model, sum(self.limits) / 2.0)
        task = mink.FrameTask("tool", "body", 1.0, 1.0, lm_damping=DAMPING)
        limits = [mink.ConfigurationLimit(model, gain=1.0)]
        step = partial(mink.solve_ik, start, [task], 1.0, "quadprog", LEAST, limits=limits)
        attempt = _differential(start, task, step, self.limits, STEPS["mink"], mink.NoSolutionFound)
        return attempt, [mink.SE3.from_matrix(T) for T in poses]

    def rtb(self) -> Callable[[np.ndarray], np.ndarray]:
        """Of a pose the configuration; its own searches begin anew by themselves."""
        from roboticstoolbox import ET, ETS

        model, chain, (lower, upper) = self.model, [], self.limits
        for j in range(self.robot.n):
            turn = getattr(ET, "R" + model.joints[j + 1].shortname()[-1].lower())  # JointModelRX, RY or RZ
            chain += [ET.SE3(model.jointPlacements[j + 1].homogeneous), turn(jindex=j, qlim=[lower[j], upper[j]])]
        ets = ETS([*chain, ET.SE3(model.frames[model.getFrameId("tool")].placement.homogeneous)])
        near = None if self.anywhere else (lower + upper) / 2.0 + 1e-3  # the middle itself may be singular
        solve = partial(ets.ik_LM, q0=near, tol=TOLERANCE**2 / 2.0, slimit=ATTEMPTS, joint_limits=True, **self.toolbox)
        return lambda T: solve(T).q


def inverse_kinematics(effort: Effort) -> list[Figure]:
    """Microseconds each pose, of a batch and of single calls, and the share that is solved."""
    figures, singles = [], []
    for arm in arms():
        method, poses = arm.robot.inverse_kinematics, arm.poses
        found = method(poses)
        share = arm.solved(found.q)
        if share < found.found.mean():
            raise SystemExit(f"{arm.title}: says it solved {found.found.mean():.2%}, and did {share:.2%}")
        peers = {name: arm.call(name, PEERS[name]) for name in PRESENT}
        own, *theirs = one_thread([partial(method, poses), *(call for call, _ in peers.values())], effort)
        for (name, (_, out)), seconds in zip(peers.items(), theirs, strict=True):
            target = Target("speedup", "at least", SPEEDUP[name])
            note = f"solves {arm.solved(out):.1%} of the first {len(out):,}, we {share:.2%} of all"
            title, times = f"{arm.title}, beside {name}", (own / POSES * 1e6, seconds / len(out) * 1e6)
            figures.append(Figure(title, times[0], "us", times[1], target=target, note=note, of=name))
        most = Target("value", "at least", SOLVED * POSES)
        figures.append(Figure(f"{arm.title}, solved", share * POSES, f"of {POSES:,}", target=most, of=""))
        singles.append(_single(arm, effort))
    return figures + singles


def _single(arm: Arm, effort: Effort) -> Figure:
    """Microseconds of a call for one pose, the mean over SINGLE of them."""
    rows, out = list(arm.poses[:SINGLE]), np.empty((SINGLE, arm.robot.n))
    ours = partial(_each, lambda T: arm.robot.inverse_kinematics(T).q, rows, out)
    if "rtb" in ABSENT:
        (own,) = (t / SINGLE * 1e6 for t in one_thread([ours], effort))
        return Figure(f"{arm.title}, a call for one pose", own, "us", of="")
    theirs, found = arm.call("rtb", SINGLE)
    own, peer = (t / SINGLE * 1e6 for t in one_thread([ours, theirs], effort))
    note = f"of {SINGLE} poses it solves {arm.solved(found):.1%}, we {arm.solved(out):.1%}"
    target = Target("speedup", "at least", SPEEDUP["rtb"])
    return Figure(f"{arm.title}, a call for one pose", own, "us", peer, target=target, note=note, of="rtb")


def arms() -> list[Arm]:
    return [
        Arm("Panda", {"method": "sugihara", "k": 1e-7, "ilimit": 30}),
        Arm("UR5", {"method": "chan", "k": 0.1, "ilimit": 20}, anywhere=True),
        Arm("iiwa14", {"method": "chan", "k": 0.3, "ilimit": 20}),
    ]


def _each(solve: Callable[[np.ndarray], np.ndarray], poses: Sequence[np.ndarray], out: np.ndarray) -> None:
    for k, T in enumerate(poses):
        out[k] = solve(T)


def _restarted(
    attempt: Attempt, targets: Sequence[Any], limits: tuple[np.ndarray, np.ndarray], out: np.ndarray
) -> None:
    """Attempts at each target until one succeeds."""
    lower, span = limits[0], limits[1] - limits[0]
    middle = lower + span / 2.0
    rng = np.random.default_rng(12345)  # not that of the poses, whose numbers are the solutions
    for k, target in enumerate(targets):
        q, found = attempt(target, middle)
        for _ in range(ATTEMPTS - 1):
            if found:
                break
            q, found = attempt(target, lower + span * rng.random(len(span)))
        out[k] = q


def _differential(
    configuration: Any,
    task: Any,
    step: Callable[[], np.ndarray],
    limits: tuple[np.ndarray, np.ndarray],
    steps: int,
    failure: type[Exception],
) -> Attempt:
    """An attempt of pink's or mink's: what they are called with has the same names. failure: what they raise."""
    from qpsolvers import ProblemError

    lower, upper = limits

    def attempt(target: Any, q: np.ndarray) -> tuple[np.ndarray, bool]:
        task.set_target(target)
        configuration.update(q)
        least, rises = np.inf, 0
        for _ in range(steps):
            e = task.compute_error(configuration)
            error = e @ e
            if error <= TOLERANCE**2:
                return configuration.q, True
            rises += error >= least
            if rises == RISES:
                break
            least = min(least, error)
            try:
                q = configuration.integrate(step(), 1.0)
            except (failure, ProblemError):
                break
            configuration.update(np.minimum(np.maximum(q, lower), upper))  # quadprog keeps them but for rounding
        return configuration.q, False

    return attempt
