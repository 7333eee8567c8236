"""The page of a system: one HTML file that shows it and computes with its own functions, without a network.

    text = page.html with its style, three.js, the system's functions in JavaScript, its data, and the scripts in order

Whatever comes from a robot's file is in the data, or escaped.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np

from chasles.arguments import flag
from chasles.arguments import folders as allowed_folders
from chasles.backend.javascript import expression
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError, printable
from chasles.function.kernel import Kernel
from chasles.recorded_motion import Trajectory
from chasles.view.constraints import constraints
from chasles.view.falling import fall
from chasles.view.functions import functions, search
from chasles.view.meshes import looks
from chasles.view.motion import motion, names
from chasles.view.scene import scene
from chasles.view.systems import start
from chasles.web_page import Page, filled

SCRIPTS = (  # of assets/, in this order
    *("base", "meshes", "picture", "overlays", "labels", "constraints", "plots", "fall", "player"),
    *("panel", "drag", "keys", "flat", "begin"),
)
FAR = 1e-3  # rad or m from q that a page begins without a word


def page_of(
    system: Any,
    q: Any = None,
    *,
    trajectory: Trajectory | None = None,
    meshes: bool = True,
    folders: Sequence[str | PathLike[str]] = (),
) -> Page:
    """The page of a robot, or of one under constraints, at q (nq,).

    q: by default home, or the middle of the limits where home is outside of them. trajectory: a motion of it to be
    played, without q: the page begins at its first state. meshes, folders: as `Robot.page` takes them.
    """
    robot = robot_of(system)
    if q is not None and trajectory is not None:
        raise ModelError("q is for a page without a trajectory, which begins at its own first state: leave out one")
    flag(meshes, "meshes")
    allowed = allowed_folders(folders, "folders")
    begun = start(system, q, trajectory)
    shapes = looks(robot.mechanism, allowed, meshes=meshes)
    data = scene(robot, shapes) | {"q": begun.tolist(), "labels": names(system), "fall": fall(robot)}
    if trajectory is not None:
        data["motion"] = motion(trajectory)
    if isinstance(system, ConstrainedSystem):
        data["constraints"] = constraints(system, robot)
    kernels: dict[str, Kernel] = functions(system, data["fall"]["method"])
    doubts = list(shapes.doubts)
    off = 0.0 if q is None else float(np.abs(robot.difference(np.asarray(q, dtype=float), begun)).max())
    if off > FAR:
        doubts.append(f"q is not on the constraints: the page begins {off:.3g} (rad or m) from it, where they hold")
        data["notes"] = [*data.get("notes", ()), doubts[-1]]
    found = search(system)
    if found is not None:
        kernel, given = found
        kernels["inverse_kinematics"] = kernel
        data["search"] = {"given": given}
    return Page(system.name, assembled(system.name, kernels, data), tuple(doubts))


def assembled(title: str, kernels: dict[str, Kernel], data: dict[str, Any]) -> str:
    """The text of the page."""
    parts = {
        "TITLE": html.escape(printable(title)),
        "STYLE": _asset("page.css") + _asset("motion.css"),
        "THREE": in_script(_asset("three.min.js")),
        "FUNCTIONS": in_script("\n".join(_constant(name, kernel) for name, kernel in kernels.items())),
        "DATA": literal(data),
        "SCRIPTS": in_script("\n".join(_asset(f"{name}.js") for name in SCRIPTS)),
    }
    return filled(_asset("page.html"), parts)


def literal(data: Any) -> str:
    """Data as a literal of JavaScript, which nothing in a script element ends; nan and infinities have names there."""
    return json.dumps(data).replace("<", "\\u003c")


def in_script(text: str) -> str:
    """Text that ends no script element before its time."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (files("chasles.view") / "assets" / name).read_text(encoding="utf-8")


def _constant(name: str, kernel: Kernel) -> str:
    """A kernel as the constant `name` of a script."""
    return f"const {name} = {expression(kernel.program, kernel.name, kernel.dtype)};"
