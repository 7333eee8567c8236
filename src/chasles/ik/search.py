"""Compiled searches of inverse kinematics, from a mechanism and a task: loops of ik/levenberg_marquardt.py."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from chasles import arrays
from chasles.catalogue import recipe
from chasles.catalogue.traceable import Traceable
from chasles.function.kernel import Kernel
from chasles.graph.deferred import Deferred
from chasles.graph.program import Loop, Operand, Restart
from chasles.graph.trace import trace
from chasles.ik import levenberg_marquardt
from chasles.ik.limits import Box
from chasles.ik.pose_error import Chain, PoseTarget
from chasles.lie import SE3, SO3, Mat3, Vec3
from chasles.model.mechanism import Mechanism
from chasles.model.task import Task


def inverse_kinematics(mechanism: Mechanism, task: Task) -> Kernel:
    """The search for q with given poses of the task's frames."""

    def step(chain: Chain, attempt: Any, memory: Any, q: Any, *given: Any) -> Any:
        return levenberg_marquardt.step(chain, attempt, memory, q, *given)

    return _searched(mechanism, task, step, 1, "inverse_kinematics")


def nearest(mechanism: Mechanism, task: Task) -> Kernel:
    """The descent to the nearest configuration; what it searches is q and the best q, (2 nq,)."""

    def step(chain: Chain, attempt: Any, memory: Any, q: Any, *given: Any) -> Any:
        return levenberg_marquardt.descend(chain, memory, q, *given)

    return _searched(mechanism, task, step, 2, "nearest")


class Searches(dict[tuple[str, Task], Kernel]):
    """The compiled searches of a mechanism, by the function above and the task; each is made when first asked for."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__()
        self.mechanism = mechanism

    def __missing__(self, key: tuple[str, Task]) -> Kernel:
        name, task = key
        made = self[key] = {"inverse_kinematics": inverse_kinematics, "nearest": nearest}[name](self.mechanism, task)
        return made


def _searched(mechanism: Mechanism, task: Task, step: Callable[..., Any], copies: int, name: str) -> Kernel:
    robot, n, nq = Traceable(mechanism), mechanism.n, mechanism.coupling.nq
    memory, x = Operand("memory", (levenberg_marquardt.MEMORY_SIZE,)), Operand("q", (copies * nq,))
    given = (
        Operand("T", (len(task), 4, 4)),
        Operand("lower", (nq,)),
        Operand("upper", (nq,)),
        Operand("centre", (nq,)),
        Operand("span", (n,)),
        Operand("tolerance", ()),
        Operand("iterations", ()),
    )
    outputs = (Operand("status", ()), Operand("residual", ()), memory, x)

    def compute(attempt: Any, state: Any, q: Any, T: Any, *rest: Any) -> Any:
        *box, (tolerance,), (iterations,) = rest
        frames = [(*robot.frame(frame), rows) for frame, rows in task]
        chain = Chain(robot.true, robot.coupling, mechanism.own_joints, frames, _length(robot, frames))
        targets = [PoseTarget(_motion(X[:3]), X[3]) for X in T]
        results = step(chain, attempt[0], state, q, targets, Box(*box), tolerance, iterations)
        return zip(outputs, map(arrays.flat, results), strict=True)

    inputs = (Operand("attempt", ()), memory, x, *given)
    program = Deferred(inputs, outputs, recipe(mechanism, name, task), lambda: trace(inputs, compute))
    restart = Restart(attempt="attempt", score="residual")
    names = tuple(o.name for o in given)
    return Kernel(Loop(program, ("memory", "q"), None, names, until="status", restart=restart), name)


def _motion(rows: Any) -> SE3:
    return SE3(SO3(Mat3(*(Vec3(*row[:3]) for row in rows))), Vec3(*(row[3] for row in rows)))


def _length(robot: Traceable, frames: Sequence[tuple[int, SE3, Sequence[int]]]) -> float:
    """How many metres count like a radian: a quarter of the longest way along the links, from the first joint on."""
    ways = []
    for body, X, _ in frames:
        steps = [X.p, *(robot.true.bodies[i].M.p for i in robot.true.path(body)[:-1])]
        ways.append(sum(math.sqrt(p.square()) for p in steps))
    return max(ways, default=0.0) / 4.0 or 1.0
