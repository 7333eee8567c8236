"""Functions as files: made of what leaves (functions.py), tested by calls (references.py), written (folder.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from chasles.arguments import flag, one_of, shown
from chasles.errors import ModelError
from chasles.export import folder as folders
from chasles.export import targets
from chasles.export.exported import Exported
from chasles.export.functions import DTYPES, Options, Subject, own, refuse_large, subject
from chasles.export.references import references
from chasles.function.kernel import Kernel
from chasles.literals import Expressed
from chasles.model.task import Frames, Rows


def export_kernel(
    kernel: Kernel,
    to: str,
    folder: str | PathLike[str],
    *,
    name: str | None = None,
    overwrite: bool = False,
) -> list[Path]:
    """A kernel as files of another language; see `Kernel.export`."""
    return written(lambda: exported(own(kernel), name, kernel.dtype), to, folder, overwrite)


def export_system(
    system: Any,
    function: str | Sequence[str] | Callable[..., Any],
    *,
    to: str,
    folder: str | PathLike[str],
    name: str | None = None,
    dtype: str = "float64",
    overwrite: bool = False,
    derivative: str | None = None,
    frame: Frames = None,
    expressed: Expressed | None = None,
    rows: Rows = None,
    inputs: str | Sequence[str] = (),
    parameters: str | Sequence[str] | Mapping[str, int | tuple[int, ...]] = (),
    method: str | None = None,
    dt: float | None = None,
    steps: int | None = None,
) -> list[Path]:
    """A function of a system as files of another language; see `Robot.export`."""
    options = Options(frame, expressed, rows, inputs, parameters, derivative, method, dt, steps)
    return written(lambda: exported(subject(system, function, options, dtype), name, dtype), to, folder, overwrite)


def exported(found: Subject, name: str | None, dtype: str) -> Exported:
    """What the files of a function are made of. name: that it has there, by default its own."""
    one_of(dtype, "dtype", DTYPES)
    if name is not None and not (isinstance(name, str) and name.isascii() and name.isidentifier()):
        raise ModelError(f"name must be a word of letters, digits and _ that begins with no digit, got {shown(name)}")
    for operand in (*found.body.inputs, *found.body.outputs):
        if not operand.size:
            raise ModelError(f"export: {operand.name!r} of {found.name} has no elements, shape {operand.shape}")
        refuse_large(operand.name, operand.shape)
    calls, tolerance = references(found.body, dtype, found.draw)
    if dtype == "float32" and not calls and references(found.body, "float64", found.draw)[0]:
        raise ModelError(f"dtype: {found.name} has no finite or no exact results in float32: export it in float64")
    tolerance = max(tolerance, found.least_tolerance)
    called, origin = name or found.name, f"{found.name} of {found.system}" if found.system else found.name
    return Exported(found.body, called, dtype, found.about, found.operands, calls, tolerance, origin)


def written(make: Callable[[], Exported], to: Any, folder: Any, overwrite: bool, options: str = "{}=") -> list[Path]:
    """The files of a function in a folder; where they cannot be, or there is no such target, nothing is computed.

    options: how arguments are spelled where this was asked for, for messages.
    """
    target, place = targets.find(to), folders.place(folder)
    flag(overwrite, "overwrite")
    made = make()
    targets.refuse_dtype(to, made.dtype)
    origin = made.origin or made.name
    return folders.write(place, target.files(made), to, origin, made.name, overwrite=overwrite, options=options)
