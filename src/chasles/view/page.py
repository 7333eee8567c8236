"""The page of a system: one HTML file that shows it and computes with its own functions, without a network.

    text = page.html with its style, three.js, the system's functions in JavaScript, its data, and the scripts in order

Whatever comes from a robot's file is in the data, or escaped.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from chasles.function.kernel import Kernel
from chasles.view.functions import functions, search
from chasles.view.scene import scene

SCRIPTS = ("base", "picture", "overlays", "labels", "fall", "panel", "drag", "keys", "flat", "begin")  # of assets/


@dataclass(frozen=True, repr=False)
class Page:
    """A page that shows a robot, as text.

    name: of the robot. html: the whole file. doubts: what could not be shown as the robot's file says.
    """

    name: str
    html: str
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Page of {self.name!r}, {len(self.html) / 1e6:.2f} MB>"


def page(system: Any, q: Any = None) -> Page:
    """The page of a robot at q (nq,), by default its home."""
    data = scene(system) | {"q": (system.neutral() if q is None else q).tolist()}
    kernels: dict[str, Kernel] = functions(system)
    found = search(system)
    if found is not None:
        kernel, given = found
        kernels["inverse_kinematics"] = kernel
        data["search"] = {"given": given}
    return Page(system.name, assembled(system.name, kernels, data))


def assembled(title: str, kernels: dict[str, Kernel], data: dict[str, Any]) -> str:
    """The text of the page."""
    parts = {
        "TITLE": html.escape(title),
        "STYLE": _asset("page.css"),
        "THREE": in_script(_asset("three.min.js")),
        "FUNCTIONS": in_script("\n".join(_constant(name, kernel) for name, kernel in kernels.items())),
        "DATA": in_script(json.dumps(data)),
        "SCRIPTS": in_script("\n".join(_asset(f"{name}.js") for name in SCRIPTS)),
    }
    before, *rest = _asset("page.html").split("{{")  # once: what is put in may have braces itself
    found = [before]
    for piece in rest:
        key, _, after = piece.partition("}}")
        found += [parts[key], after]
    return "".join(found)


def in_script(text: str) -> str:
    """Text that ends no script element before its time."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (files("chasles.view") / "assets" / name).read_text(encoding="utf-8")


def _constant(name: str, kernel: Kernel) -> str:
    """A kernel's module as the constant `name`: the body of a function that returns what the module exports."""
    text = kernel.to("js").replace("export function", "function")
    return f"const {name} = (() => {{\n{text}return {kernel.name};\n}})();"
