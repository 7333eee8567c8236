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
from numpy.typing import NDArray

from chasles.arguments import array, flag, real, shown
from chasles.arguments import folders as allowed_folders
from chasles.errors import ModelError, ShapeError, printable
from chasles.function.kernel import Kernel
from chasles.robot import Robot
from chasles.view.functions import functions, search
from chasles.view.meshes import put as put_shapes
from chasles.view.scene import scene
from chasles.web_page import Page

Array = NDArray[np.float64]
UNIT = 1e-6  # how far from unit a quaternion may be: it is made so up to there
SCRIPTS = ("base", "meshes", "picture", "overlays", "fall", "panel", "drag", "begin")  # of assets/, in this order


def page(system: Any, q: Any = None, *, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()) -> Page:
    """The page of a robot at q (nq,), by default its home. meshes, folders: as `Robot.page` takes them."""
    robot = drawn(system)
    flag(meshes, "meshes")
    data = scene(robot) | {"q": configuration(system, q).tolist()}
    kernels: dict[str, Kernel] = functions(robot)
    allowed = allowed_folders(folders, "folders")
    doubts = put_shapes(data, robot.mechanism, allowed) if meshes else []
    found = search(robot)
    if found is not None:
        kernel, given = found
        kernels["inverse_kinematics"] = kernel
        data["search"] = {"given": given}
    return Page(system.name, assembled(system.name, kernels, data), tuple(doubts))


def drawn(system: Any) -> Robot:
    """The robot that the page of a system shows."""
    if not isinstance(system, Robot):
        raise ModelError(
            f"{shown(getattr(system, 'name', system))} is no robot, and has no links to show: plot its motion, "
            "system.simulate(...).plot()"
        )
    if not system.n:
        raise ModelError(f"robot {system.name!r} has no joints: there is no motion to show")
    return system


def configuration(system: Any, q: Any) -> Array:
    """(nq,) where a page begins: one configuration of finite numbers and unit quaternions, home by default."""
    if q is None:
        return system.neutral()
    given = real(q, "q", f"real numbers of shape ({system.nq},)")
    if given.ndim > 1 and given.shape[-1] == system.nq:
        raise ShapeError(
            f"q has shape {given.shape}, and a page shows one configuration: give one row, such as q[0], or make a "
            "motion of them and show that: trajectory.show()"
        )
    given = array(given, "q", (system.nq,), finite=True)
    with np.errstate(all="ignore"):  # a quaternion of zeros
        unit = system.normalize(given)
    if not np.abs(unit - given).max(initial=0.0) <= UNIT:
        raise ModelError("q has a quaternion that is not of unit length: use robot.normalize(q)")
    return unit


def assembled(title: str, kernels: dict[str, Kernel], data: dict[str, Any]) -> str:
    """The text of the page."""
    parts = {
        "TITLE": html.escape(printable(title)),
        "STYLE": _asset("page.css"),
        "THREE": in_script(_asset("three.min.js")),
        "FUNCTIONS": in_script("\n".join(_constant(name, kernel) for name, kernel in kernels.items())),
        "DATA": literal(data),
        "SCRIPTS": in_script("\n".join(_asset(f"{name}.js") for name in SCRIPTS)),
    }
    before, *rest = _asset("page.html").split("{{")  # once: what is put in may have braces itself
    found = [before]
    for piece in rest:
        key, _, after = piece.partition("}}")
        found += [parts[key], after]
    return "".join(found)


def literal(data: Any) -> str:
    """Data as a literal of JavaScript, which nothing in a script element ends; nan and infinities have names there."""
    return json.dumps(data).replace("<", "\\u003c")


def in_script(text: str) -> str:
    """Text that ends no script element before its time."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (files("chasles.view") / "assets" / name).read_text(encoding="utf-8")


def _constant(name: str, kernel: Kernel) -> str:
    """A kernel's module as the constant `name`: the body of a function that returns what the module exports."""
    text = kernel.to("js").replace("export function", "function")
    return f"const {name} = (() => {{\n{text}return {kernel.name};\n}})();"
