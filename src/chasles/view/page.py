"""The page: one HTML file that shows a robot and computes with its own functions, without a network."""

from __future__ import annotations

import base64
import html
import json
from importlib.resources import files
from typing import Any

from chasles.robot import Robot
from chasles.view.functions import functions, search
from chasles.view.scene import scene


def page(robot: Robot, q: Any = None) -> str:
    """The text of the page."""
    data = scene(robot) | {"q": (robot.neutral() if q is None else q).tolist()}
    modules = {name: kernel.to("js") for name, kernel in functions(robot).items()}
    found = search(robot)
    if found is not None:
        kernel, given = found
        modules[kernel.name] = kernel.to("js")
        data["search"] = {"function": kernel.name, "given": given, "rows": 6 if robot.n >= 6 else 3}
    assets = files("chasles.view") / "assets"
    text = (assets / "page.html").read_text(encoding="utf-8")
    parts = {
        "TITLE": html.escape(robot.name),
        "STYLE": (assets / "page.css").read_text(encoding="utf-8"),
        "THREE": _script(assets / "three.min.js"),
        "FUNCTIONS": _closed("\n".join(f"const {name} = (() => {{\n{_inner(text, name)}}})();" for name, text in modules.items())),
        "DATA": _closed(json.dumps(data)),
        "APP": _closed((assets / "page.js").read_text(encoding="utf-8")),
    }
    for key, value in parts.items():
        text = text.replace("{{" + key + "}}", value)
    return text


def _inner(text: str, name: str) -> str:
    """A module as the body of a function that gives what it exports."""
    return text.replace("export function", "function") + f"return {name};\n"


def _script(path: Any) -> str:
    return _closed(path.read_text(encoding="utf-8"))


def _closed(text: str) -> str:
    """Text that ends no script element before its time."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


_ = base64
