"""The robot that a report is about, with the numbers that several sections share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from chasles.arguments import flag, instance
from chasles.arguments import folders as allowed_folders
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import home
from chasles.dynamics.regressor import PARAMETERS
from chasles.errors import ModelError
from chasles.lazy import lazy
from chasles.markup import number, numbers
from chasles.model.joint import ScrewJoint
from chasles.model.screws import joint_kind
from chasles.plot.joint_plane import Array, Axis, axes
from chasles.report.reach import reach
from chasles.report.typeset import in_words
from chasles.robot import Robot
from chasles.web_page import Page

SAMPLES = 4096
_NAMED = 12  # joints of a pose that are named
_NEGLIGIBLE = 1e-9  # of the largest singular value met; below it there is no motion that way


class Freedom(NamedTuple):
    """Directions that a tool moves in and axes that it turns about, each up to 3, and both together, up to 6."""

    sliding: int
    turning: int
    both: int


class Load(NamedTuple):
    """The largest gravity force met of a joint; share: of its limit of effort, None where it has none."""

    joint: str
    unit: str
    force: float
    effort: float | None
    share: float | None


class Subject:
    """A robot, the options of its report, and samples: joints uniform within limits, moving bases at home."""

    def __init__(self, robot: Robot, speed: bool, meshes: bool, folders: Sequence[str | PathLike[str]]) -> None:
        of = " (of a system under constraints, that of its robot: system.system.report())"
        form = "a chasles.Robot" + of * isinstance(robot, ConstrainedSystem)
        self.robot: Robot = instance(robot, "report: robot", Robot, form)
        if robot.symbols:
            given = ", ".join(f"{name}=..." for name in robot.symbols)
            raise ModelError(f"report: robot {robot.name!r} has symbols, give them numbers: robot.with_values({given})")
        self.speed = flag(speed, "speed")
        self.meshes = flag(meshes, "meshes")
        self.folders = allowed_folders(folders, "folders")

    @lazy
    def page(self) -> Page | None:
        """The live robot, in the pose `at`; None where nothing moves."""
        return self.robot.page(self.at, meshes=self.meshes, folders=self.folders) if self.robot.n else None

    @lazy
    def at(self) -> Array:
        """(nq,) home, or the middle of limits that leave it out."""
        return home(self.robot)

    @lazy
    def axes(self) -> list[Axis]:
        """The screw joints that move, of those that turn further than once one turn."""
        return [_one_turn(self.robot, axis) for axis in axes(self.robot)]

    @lazy
    def reach(self) -> dict[str, Any]:
        return reach(self.robot)

    @lazy
    def far(self) -> float | None:
        """m, the reach; None where it is not known, or the tool is on the first axis."""
        metres = self.reach["metres"]
        return metres if metres is not None and metres > _NEGLIGIBLE else None

    @lazy
    def pose(self) -> str:
        """Words for the joints of `at` that are not at home; empty where all are."""
        neutral, moved = self.robot.neutral(), []
        units = {axis.name: axis.unit for axis in self.axes}
        for own in self.robot.mechanism.own_joints:
            if (self.at[own.q] != neutral[own.q]).any():
                values = self.at[own.q].tolist()
                shown = number(values[0], units.get(own.name, "")) if len(values) == 1 else numbers(values)
                moved.append(f"{own.name} = {shown}")
        more = len(moved) - _NAMED
        return ", ".join(moved[:_NAMED]) + (f" and {in_words(more, 'joint')} more" if more > 0 else "")

    def configurations(self, rows: int) -> Array:
        """(rows, nq)."""
        rng = np.random.default_rng(0)
        q = np.tile(self.at, (rows, 1))
        for axis in self.axes:
            q[:, axis.coordinate] = rng.uniform(axis.lower, axis.upper, rows)
        return q

    @lazy
    def samples(self) -> Array:
        return self.configurations(SAMPLES)

    @lazy
    def has_tool(self) -> bool:
        tool = self.robot.mechanism.tool
        return tool is not None and tool.body >= 0

    @lazy
    def length(self) -> float:
        """m, a length of the robot's size: its reach, or how far its links at home are apart, or 1."""
        if self.far:
            return self.far
        places = self.robot.homes[:, :3, 3]
        return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0 if len(places) else 1.0

    @lazy
    def jacobians(self) -> Array:
        """(SAMPLES, 6, n) of the tool, in its own axes, lengths in units of `length`."""
        J = np.array(self.robot.jacobian(self.samples))
        J[:, 3:] /= self.length
        return J

    @lazy
    def freedom(self) -> Freedom:
        """Of the tool, at almost every configuration."""
        return Freedom(*(_rank(self.jacobians[:, rows]) for rows in (slice(3, 6), slice(0, 3), slice(0, 6))))

    @lazy
    def gravity(self) -> Array:
        """(SAMPLES, n) joint forces that hold the robot."""
        return np.asarray(self.robot.gravity_forces(self.samples))

    @lazy
    def loads(self) -> list[Load]:
        """Of each screw joint that moves."""
        if not self.axes:
            return []
        out, dust = [], _NEGLIGIBLE * float(np.abs(self.gravity).max(initial=0.0))
        for axis in self.axes:
            own = self.robot.mechanism.own_joints[axis.number - 1]
            force = float(np.abs(self.gravity[:, own.v.start]).max())
            force = force if force > dust else 0.0
            effort = float(self.robot.limits["effort"][own.v.start])
            known = np.isfinite(effort) and effort > 0.0
            unit = "N m" if axis.unit == "rad" else "N"
            out.append(Load(axis.name, unit, force, effort if known else None, force / effort if known else None))
        return out

    @lazy
    def worst_share(self) -> Load | None:
        """The joint that gravity loads most beside its limit of effort; None where it loads none that has one."""
        known = [load for load in self.loads if load.share]
        return max(known, key=lambda load: load.share or 0.0) if known else None

    @lazy
    def unlimited(self) -> list[Load]:
        """The joints that gravity loads and that have no limit of effort."""
        return [load for load in self.loads if load.force and load.share is None]

    @lazy
    def held(self) -> str:
        """Words for what stays at home in all samples; empty where nothing does."""
        m = self.robot.mechanism
        several = [own for own in m.own_joints if not isinstance(own.joint, ScrewJoint)]
        if len(several) == 1 and several[0].link == 0 and m.kinds[0] in ("free", "planar"):
            return "its base held as at home"
        return "its joints of several degrees of freedom held as at home" if several else ""

    @lazy
    def base_mass(self) -> float:
        """kg, of a base that stands still."""
        return float(self.robot.mechanism.base.mass)

    @lazy
    def base_parameters(self) -> Any:
        return self.robot.base_parameters()

    @lazy
    def inertial_parameter_count(self) -> int:
        return len(PARAMETERS) * len(self.robot.links)


def _one_turn(robot: Robot, axis: Axis) -> Axis:
    joint = robot.mechanism.own_joints[axis.number - 1].joint
    S = np.array([*joint.columns[0].w, *joint.columns[0].v], dtype=float)
    if joint_kind(S) != "R":
        return axis
    half = np.pi / float(np.linalg.norm(S[:3]))
    if axis.upper - axis.lower <= 2.0 * half:
        return axis
    lower = -half if axis.lower <= -half and axis.upper >= half else axis.lower
    return replace(axis, lower=lower, upper=lower + 2.0 * half)


def _rank(J: Array) -> int:
    values = np.linalg.svd(J, compute_uv=False)
    return int((values > _NEGLIGIBLE * max(float(values.max(initial=0.0)), 1e-300)).sum(axis=1).max(initial=0))
