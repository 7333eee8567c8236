"""The robots of the tables by their titles, and arguments for any function of the catalogue."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import peers
from chains import chain

import chasles as ch
from chasles.catalogue import INPUTS, find
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.robot.methods.forward import FORWARDED

ARMS, HUMANOID = ("UR5", "Panda"), "Talos"
TITLES = (*ARMS, HUMANOID)
FRAMES = {HUMANOID: "gripper_left_base_link"}  # of robots without a tool


def talos() -> ch.Robot:
    """Talos with its reduced hands on a free base: 38 degrees of freedom."""
    return ch.load(talos_file()).with_base("free")


def talos_file() -> Any:
    return peers.folder() / "talos_data/robots/talos_reduced.urdf"


@cache
def robot(title: str) -> ch.Robot:
    """A robot of TITLES, or "chain of 60"."""
    if title.startswith("chain of "):
        return chain(int(title.rpartition(" ")[2]))
    made: dict[str, Callable[[], ch.Robot]] = {
        "UR5": lambda: peers.robot(peers.ur5()),
        "Panda": lambda: peers.robot(peers.panda()),
        HUMANOID: talos,
    }
    return made[title]()


def options(title: str, name: str) -> dict[str, Any]:
    """The frame of a function that reads one, of robots that have no tool."""
    return {"frame": FRAMES[title]} if title in FRAMES and find(name).uses & {"frame", "task"} else {}


def no_kernel(robot: ch.Robot, name: str) -> bool:
    """Whether a function is a tensor that is computed by recursions over kernels, as for many degrees of freedom."""
    return find(name).large is not None and robot.n > TENSOR_LIMIT


def inputs(robot: ch.Robot, name: str, batch: int | None = None, seed: int = 0) -> list[np.ndarray]:
    """Arguments of a function, one row or a batch: configurations of the robot, all else normal."""
    rng = np.random.default_rng(seed)
    sizes = {"n": robot.n, "nq": robot.nq, "links": robot.mechanism.bodies}
    rows = []
    for key in find(name).inputs:
        if INPUTS[key] == ("nq",):
            rows.append(np.array([robot.random(rng) for _ in range(batch or 1)]))
        else:
            shape = [sizes[k] if isinstance(k, str) else k for k in INPUTS[key]]
            rows.append(rng.normal(size=(batch or 1, *shape)))
    return rows if batch else [x[0].copy() for x in rows]


def method(name: str) -> tuple[str, dict[str, Any]]:
    """The method that computes a function of the catalogue, and what chooses the function; "" where there is none."""
    if hasattr(ch.Robot, name):
        return name, {}
    for called, forward in FORWARDED.items():
        option, functions = forward.choice or ("", {})
        for value, function in functions.items():
            if function == name:
                return called, {option: value}
    return "", {}
