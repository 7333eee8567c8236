"""A robot live in a browser, by a server of viser on this machine alone: the same shapes as in its page."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, flag
from chasles.arguments import folders as allowed_folders
from chasles.drawn_systems import configuration, robot_of
from chasles.errors import ModelError, printable
from chasles.figures.style import COLOURS as CURVES
from chasles.lie import SO3, Mat3, Vec3
from chasles.live_view import LiveView, quiet
from chasles.model import drawn_shapes
from chasles.robot import Robot
from chasles.view.meshes import Drawn, Looks, looks
from chasles.view.scene import scene
from chasles.view.systems import start
from chasles.view.triangles import Mesh, creased, welded
from chasles.web_page import address_opened

Array = NDArray[np.float64]
HOST = "127.0.0.1"
LAST_PORT = 65_535
COLOURS = {"link": "#c9ced6", "joint": CURVES[0], "tool": CURVES[1]}
ROUND = 48  # segments of a circle


def view(
    system: Any,
    q: ArrayLike | None = None,
    *,
    port: int = 8080,
    open: bool | None = None,
    meshes: bool = True,
    folders: Sequence[str | PathLike[str]] = (),
) -> LiveView:
    """A robot at q, live in a browser: see `Robot.view`."""
    robot = robot_of(system)
    begin = start(system, q, None)
    if count(port, "port", 0) > LAST_PORT:
        raise ModelError(f"port must be at most {LAST_PORT}, got {port}")
    flag(meshes, "meshes")
    if open is not None:
        flag(open, "open")
    allowed = allowed_folders(folders, "folders")
    shapes = looks(robot.mechanism, allowed, meshes=meshes)
    server = _server(robot, port)
    try:
        made = _made(robot, server, begin, shapes)
    except BaseException:
        with quiet():
            server.stop()
        raise
    for doubt in shapes.doubts:
        print(printable(f"{robot.name}: {doubt}"), flush=True)
    if port not in (0, server.get_port()):
        print(f"port {port} is taken: {printable(robot.name)} is at {made.address}", flush=True)
    if open is False or not address_opened(made.address, open is True):
        print(made.address, flush=True)
    return made


def _server(robot: Robot, port: int) -> Any:
    """A server of viser on this machine alone, at the first free port from `port` on."""
    try:
        import viser  # type: ignore[import-not-found]
    except ImportError:
        raise ModelError('a live view needs the package viser: pip install "chasles[live]"') from None
    with quiet():
        server: Any = viser.ViserServer(host=HOST, port=port, label=printable(robot.name), verbose=False)
    server.request_share_url = lambda *_, **__: None  # a window must not be able to show this machine to the world
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    return server


def _made(robot: Robot, server: Any, q: Array, shapes: Looks) -> LiveView:
    size = drawn_shapes.size(robot.mechanism)
    server.initial_camera.position = (1.15 * size, -1.3 * size, 0.95 * size)
    server.initial_camera.look_at = (0.0, 0.0, 0.3 * size)
    server.initial_camera.fov = np.deg2rad(40.0)
    cell = 10.0 ** np.floor(np.log10(size / 2.0))  # 0.1 m, 1 m
    lines = {"cell_color": (228, 231, 235), "section_color": (200, 205, 212)}
    server.scene.add_grid("/floor", 100.0 * cell, 100.0 * cell, cell_size=cell, section_size=5.0 * cell, **lines)
    frames = [server.scene.add_frame(f"/robot/{i}", show_axes=False) for i in range(robot.mechanism.bodies)]
    for i, parts in enumerate((*shapes.links, shapes.base)):
        holder = f"/robot/{i}" if i < len(frames) else "/robot/base"
        for k, part in enumerate(parts):
            _add(server.scene, f"{holder}/{k}", part, shapes.meshes)
    sliders, numbers = _sliders(robot, server, q)

    def place(q: Array) -> None:
        T = robot.link_poses(q)
        turns = quaternions(T[:, :3, :3])
        with server.atomic():
            for frame, turn, pose in zip(frames, turns, T, strict=True):
                frame.wxyz, frame.position = turn, pose[:3, 3]

    def follow(q: Array) -> None:
        for slider, k in numbers:
            value = float(np.clip(q[k], slider.min, slider.max))
            if abs(slider.value - value) > 1e-9:
                slider.value = value

    return LiveView(robot.name, server, q, lambda q: configuration(robot, q), place, follow, sliders, numbers)


def _sliders(robot: Robot, server: Any, q: Array) -> tuple[dict[str, Any], list[tuple[Any, int]]]:
    """One for each joint of one coordinate: by name, and with the number of that."""
    ranges = {x["name"]: x for x in scene(robot)["joints"]}
    sliders: dict[str, Any] = {}
    numbers = []
    for own in robot.mechanism.own_joints:
        if own.name not in ranges or own.q.stop - own.q.start != 1:
            continue
        k, low, high = own.q.start, ranges[own.name]["lower"], ranges[own.name]["upper"]
        if high > low:
            value, step = float(np.clip(q[k], low, high)), (high - low) / 1000.0
            sliders[own.name] = server.gui.add_slider(printable(own.name), low, high, step, value)
            numbers.append((sliders[own.name], k))
    return sliders, numbers


def quaternions(R: Array) -> Array:
    """(..., 4) unit quaternions (w, x, y, z) of rotations (..., 3, 3)."""
    rows = [Vec3(*(R[..., i, j] for j in range(3))) for i in range(3)]
    x, y, z, w = SO3(Mat3(*rows)).quaternion()
    return np.stack([w, x, y, z], axis=-1)


def _add(place: Any, name: str, one: Drawn, meshes: list[Mesh]) -> None:
    """Add a part to a scene of viser, below the node of its link."""
    kind, size, pose = one.part.kind, one.part.size, one.part.pose
    rgb = tuple(bytes.fromhex(COLOURS[one.part.look][1:]))
    if one.colour is not None:
        rgb = tuple(round(255 * x) for x in one.colour[:3])
    given: dict[str, Any] = {"color": rgb, "position": pose[:3, 3], "wxyz": quaternions(pose[:3, :3])}
    if one.colour is not None and one.colour[3] < 1.0:
        given["opacity"] = one.colour[3]
    if one.mesh is not None:
        place.add_mesh_simple(name, *meshes[one.mesh], **given)
    elif kind == "box":
        place.add_box(name, dimensions=size, **given)
    else:
        place.add_mesh_simple(name, *creased(revolved(*_profile(kind, size))), **given)


def _profile(kind: str, size: Sequence[float]) -> tuple[Array, Array]:
    """Radii and heights along a surface of revolution about z, from below."""
    radius = size[0]
    if kind == "cylinder":
        return np.array([0.0, radius, radius, 0.0]), size[1] / 2.0 * np.array([-1.0, -1.0, 1.0, 1.0])
    half = size[1] / 2.0 if kind == "capsule" else 0.0
    angle = np.linspace(-np.pi / 2.0, np.pi / 2.0, ROUND // 2)
    return radius * np.cos(angle), radius * np.sin(angle) + np.where(angle < 0.0, -half, half)


def revolved(radii: Array, heights: Array) -> Mesh:
    """The surface that a profile makes as it turns about z."""
    angle = np.arange(ROUND) * (2.0 * np.pi / ROUND)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    corners = [np.column_stack([r * circle, np.full(ROUND, z)]) for r, z in zip(radii, heights, strict=True)]
    i, j = np.divmod(np.arange((len(radii) - 1) * ROUND), ROUND)
    p, q, r, s = (x * ROUND + y % ROUND for x, y in ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)))
    faces = np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)])
    return welded((np.concatenate(corners), faces))
