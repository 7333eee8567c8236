"""Closed loops: forward dynamics under constraints, beside Pinocchio's constraintDynamics and MuJoCo's mj_forward.

A four-bar and the 3x2R arm, rods in a plane, the same numbers on all sides. Both peers are called from Python for each
state, as neither takes a batch. Pinocchio's proximal solver with mu = 1e-8, since the row out of the plane is redundant
and mu = 0 gives nan; MuJoCo's Newton solver with the stiffest impedance it takes. Of chasles it is the compiled kernel
that is timed, `ConstrainedSystem.dynamics.ufunc` with out=: without the checks of arguments and the memory for results
of `forward_dynamics`, as the peers write into their own data.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from dynamics import BATCH
from figures import Figure, Target
from timing import Effort, one_thread

import chasles as ch
from chasles.report.speed.pinocchio_peer import model as pinocchio_model

SPEEDUP = 20.0
AGREED = {"pinocchio": 1e-9, "mujoco": 1e-3}  # MuJoCo's equalities are soft


@dataclass(frozen=True)
class Chain:
    """Rods along x at q = 0, one after the other, from a root in the plane."""

    root: tuple[float, float]
    lengths: tuple[float, ...]
    masses: tuple[float, ...]


class Loops:
    """Planar chains whose tips are tied to the first one's, or to a place."""

    def __init__(self, title: str, chains: Sequence[Chain], place: tuple[float, float] | None, about: Any) -> None:
        self.title, self.chains, self.place = title, chains, place
        self.robot = self._robot()
        parts = [self._tie(k) for k in range(0 if place else 1, len(chains))]
        self.constrained = ch.ConstrainedSystem(self.robot, sum(parts[1:], parts[0]))
        rng = np.random.default_rng(0)
        near = np.asarray(about) + rng.uniform(-0.2, 0.2, (BATCH, self.robot.n))
        q, v = self.constrained.consistent(near, rng.normal(size=near.shape))
        self.state = [q, v, rng.normal(size=near.shape)]

    def _robot(self) -> ch.Robot:
        screws, homes, links, parents, frames = [], [], [], [], {}
        for b, chain in enumerate(self.chains):
            x, y = chain.root
            for k, (length, mass) in enumerate(zip(chain.lengths, chain.masses, strict=True)):
                parents.append(len(screws) - 1 if k else -1)
                screws.append([0.0, 0.0, 1.0, y, -x, 0.0])
                homes.append(_at(x, y))
                links.append(ch.Link(mass, (length / 2, 0.0, 0.0), (1e-4, *[mass * length**2 / 12] * 2)))
                x += length
            frames[f"tip{b}"] = (len(screws) - 1, _at(x, y))
        gravity = (0.0, -9.81, 0.0)
        return ch.Robot.from_screws(screws, homes, links, parents, name=self.title, frames=frames, gravity=gravity)

    def _tie(self, k: int) -> ch.Constraint:
        place: Any = None if self.place is None else np.array(self.place)

        def h(q: Any) -> Any:
            other = self.robot.forward_kinematics(q, "tip0")[:2, 3] if place is None else place
            return self.robot.forward_kinematics(q, f"tip{k}")[:2, 3] - other

        return ch.Constraint.holonomic(h, "tie")

    def ours(self) -> tuple[Callable[[], Any], np.ndarray]:
        """The call for the batch, and where its accelerations are."""
        out = self.constrained.dynamics.ufunc(*self.state)
        return partial(self.constrained.dynamics.ufunc, *self.state, out=out), out[0]

    def pinocchio(self) -> tuple[Callable[[], Any], np.ndarray]:
        model, _ = pinocchio_model(self.robot.mechanism)
        data = model.createData()
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        ends = np.cumsum([len(chain.lengths) for chain in self.chains])
        tips = [(int(j), pin.SE3(_at(chain.lengths[-1], 0.0))) for j, chain in zip(ends, self.chains, strict=True)]
        first = (0, pin.SE3(_at(*self.place))) if self.place else tips.pop(0)
        for tip in tips:
            made = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *tip, *first, pin.LOCAL)
            models.append(made)
            datas.append(made.createData())
        pin.initConstraintDynamics(model, data, models, datas)
        settings = pin.ProximalSettings(1e-12, 1e-8, 10)
        rows, out = _rows(self.state), np.empty_like(self.state[0])

        def loop() -> None:
            for k, row in enumerate(rows):
                out[k] = pin.constraintDynamics(model, data, *row, models, datas, settings)

        return loop, out

    def mujoco(self) -> tuple[Callable[[], Any], np.ndarray]:
        model: Any = mujoco.MjModel.from_xml_string(self._mjcf())
        data: Any = mujoco.MjData(model)
        rows, out, forward = _rows(self.state), np.empty_like(self.state[0]), mujoco.mj_forward
        qpos, qvel, applied, qacc = data.qpos, data.qvel, data.qfrc_applied, data.qacc

        def loop() -> None:
            for k, (q, v, tau) in enumerate(rows):
                qpos[:], qvel[:], applied[:] = q, v, tau
                forward(model, data)
                out[k] = qacc

        return loop, out

    def _mjcf(self) -> str:
        bodies, ties = "", ""
        for b, chain in enumerate(self.chains):
            x, y = chain.root
            for length, mass in zip(chain.lengths, chain.masses, strict=True):
                turn = mass * length**2 / 12
                bodies += f'<body pos="{x} {y} 0"><joint axis="0 0 1"/>'
                bodies += f'<inertial pos="{length / 2} 0 0" mass="{mass}" diaginertia="1e-4 {turn!r} {turn!r}"/>'
                x, y = length, 0.0
            bodies += f'<site name="tip{b}" pos="{x} 0 0"/>' + "</body>" * len(chain.lengths)
            if self.place or b:
                other = "place" if self.place else "tip0"
                ties += f'<connect site1="tip{b}" site2="{other}" solimp="0.9999 0.9999 0.001"/>'
        if self.place:
            bodies += f'<site name="place" pos="{self.place[0]} {self.place[1]} 0"/>'
        option = '<option gravity="0 -9.81 0"><flag contact="disable"/></option>'
        return f"<mujoco>{option}<worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"


def closed_loops(effort: Effort) -> list[Figure]:
    """Nanoseconds for one state of a batch, one thread; both peers by their Python calls."""
    figures = []
    for loops in (four_bar(), three_arms()):
        ours, found = loops.ours()
        calls, notes = [ours], []
        for name in AGREED:
            call, theirs = getattr(loops, name)()
            call()
            calls.append(call)
            off = float(np.abs(found - theirs).max() / np.abs(theirs).max())
            if not off <= AGREED[name]:
                raise SystemExit(f"{loops.title}: {off:.2g} off {name}, relative; nothing is timed")
            notes.append(f"differs from it by {off:.0e}")
        own, *peers = (t / BATCH * 1e9 for t in one_thread(calls, effort))
        operations = f"{loops.constrained.dynamics.operations.total} operations"
        target = Target("speedup", "at least", SPEEDUP)
        for name, peer, note in zip(AGREED, peers, notes, strict=True):
            title = f"{loops.title} forward dynamics, beside {name}"
            figures.append(Figure(title, own, "ns", peer, target=target, note=f"{operations}; {note}", of=name))
    return figures


def four_bar() -> Loops:
    about = (0.7, -0.16706742, -2.13458269)
    return Loops("four-bar", [Chain((0.0, 0.0), (0.3, 0.8, 0.6), (0.7, 1.6, 1.1))], (0.9, 0.0), about)


def three_arms() -> Loops:
    roots, masses = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.9)), ((1.0, 0.8), (1.2, 0.7), (0.9, 1.0))
    chains = [Chain(root, (0.5, 0.45), mass) for root, mass in zip(roots, masses, strict=True)]
    about = (-0.25, 1.67, -2.89, -1.67, -2.53, 1.86)
    return Loops("3x2R arm", chains, None, about)


def _at(x: float, y: float) -> np.ndarray:
    T = np.eye(4)
    T[:2, 3] = x, y
    return T


def _rows(state: Sequence[np.ndarray]) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*map(list, state), strict=True))
