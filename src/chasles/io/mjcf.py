"""A robot as a MuJoCo model: an MJCF file, compiled by the package mujoco.

The space frame is the world, the base is called "world", bodies and joints keep MuJoCo's order, and q is MuJoCo's qpos
but for the order in a quaternion, v its qvel but for free joints (`conventions` has the maps):

    hinge, slide   a screw; home is at q = 0, also where the file has a `ref`
    ball           a spherical joint. If its `pos` is not the body's origin the moving link is BODY_ball, in its centre
    free           a free joint whose home is the origin of the world; where the file puts the body is a note
    several        a chain, with massless links BODY_after_JOINT between
    none           the body is merged into its parent and stays addressable as a frame

Carried: bodies and their inertia as MuJoCo computes it (from geoms too), ranges, armature, damping, frictionloss, a
symmetric actuatorfrcrange as the effort limit, sites as frames, geoms as shapes (io/mjcf_shapes.py), gravity. Nothing
else is carried, nor dropped without a word: what would change the motion (contacts, equality constraints, tendons, ...)
is named in a doubt, the rest in a note; io/mjcf_losses.py has the list.

Free joints with an armature are the one place where forces differ: MuJoCo's armature resists the acceleration in the
world's axes, ours that in the body's. MuJoCo opens what an MJCF file includes or attaches, and the meshes whose inertia
it computes. They must be in its folder, below it, or in folders that are allowed (`roots`); other meshes, textures,
height fields and skins are not opened (io/mjcf_assets.py). io/mjcf_checks.py has what is refused before that.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from chasles.errors import ModelError
from chasles.io import files
from chasles.io.mjcf_assets import without_needless
from chasles.io.mjcf_checks import Checked
from chasles.io.mjcf_reader import from_mujoco
from chasles.io.mjcf_shapes import mesh_files
from chasles.model.mechanism import Mechanism

__all__ = ["from_mujoco", "parse", "read"]


def read(path: str | PathLike[str] | Any, roots: Iterable[Path] = ()) -> Mechanism:
    """The mechanism of an MJCF file: a path, or anything with `read_bytes` (a resource of a package).

    roots: folders besides its own that it may take files from.
    """
    data = files.read(path)
    if not isinstance(path, (str, PathLike)):
        return parse(data, str(path), roots)
    checked = Checked(data, str(path), Path(path).parent, roots)
    return _made(checked, lambda spec: spec.from_file(fspath(path)))


def parse(text: str | bytes, file: str = "<text>", roots: Iterable[Path] = ()) -> Mechanism:
    """The mechanism of MJCF text; `file` names it in errors. Files that it names are looked for where we are."""
    checked = Checked(text, file, Path(), roots)
    return _made(checked, lambda spec: spec.from_string(checked.text))


def _made(checked: Checked, parsed: Callable[[Any], Any]) -> Mechanism:
    file = checked.file
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError:
        raise ModelError(f"{file}: an MJCF file needs the package mujoco: pip install mujoco") from None
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # or it writes a log file where we are
    try:
        spec = parsed(mujoco.MjSpec)
        meshes = mesh_files(spec)
        without_needless(mujoco, spec, checked)
        model = spec.compile()
    except ModelError:
        raise
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        checked.fail(" ".join(str(error).split()).removeprefix("XML ").removeprefix("Error: "))
    finally:
        mujoco.set_mju_user_warning(before)
    try:
        said = [f"MuJoCo: {' '.join(x.split())}" for x in said]
        return from_mujoco(model, name=Path(file).stem, doubts=said, meshes=meshes)
    except ModelError as error:
        raise ModelError(f"{checked.where(str(error))}: {error}") from None
