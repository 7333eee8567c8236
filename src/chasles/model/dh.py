"""Denavit-Hartenberg parameters, as screws and home poses.

A row is (a, alpha, d, theta), metres and radians; q = 0 is at the row's own theta (revolute) or d (prismatic).

    standard   T_{i-1,i}(q) = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i turns or slides on z of frame i-1     (1)
    modified   T_{i-1,i}(q) = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i turns or slides on z of frame i       (2)

with theta + q or d + q in place of theta or d. In (1) frame i lies at the far end of link i; in (2) [Craig1986] it lies
on joint i, and a, alpha belong to the *preceding* link. Either way T_{i-1,i}(q) = exp(Z q) T_{i-1,i}(0) with Z the
joint's axis seen from frame i-1, so that the space screw is A_i = Ad(T_{0,i-1}) Z (1) or Ad(T_{0,i}) z (2), and the
home pose of link i is T_{0,i}(0). Quarter turns are exact: alpha = +-pi/2 gives zeros and ones.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from chasles.arguments import one_of, sequence
from chasles.errors import ModelError
from chasles.model.leaves import is_number, leaf, numbers
from chasles.model.poses import pose, twist
from chasles.model.screws import turn

PARAMETERS = ("a", "alpha", "d", "theta")
_AXIS = {"revolute": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), "prismatic": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}


def dh(
    rows: Iterable[Any], convention: Literal["standard", "modified"] = "standard", *, base: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Space screws (n, 6) and absolute home poses (n, 4, 4) of the DH frames, as `mechanism` takes them.

    rows: one a joint, either (a, alpha, d, theta), with "revolute" (the default) or "prismatic" as an optional fifth
    entry, or a mapping with keys a, alpha, d, theta (0 where absent) and type. base: (4, 4) pose of frame 0 in the
    space frame, the identity by default.
    """
    one_of(convention, "DH convention", ("standard", "modified"))
    T = np.eye(4) if base is None else numbers(base, "DH base", (4, 4))
    screws, homes = [], []
    for i, row in enumerate(sequence(rows, "rows", "DH parameters, one a joint")):
        (a, alpha, d, theta), kind = _row(i, row)
        along_x, along_z = _motion(0, a, alpha), _motion(2, d, theta)
        before, T = T, T @ (along_z @ along_x if convention == "standard" else along_x @ along_z)  # (1), (2)
        Z = pose(before if convention == "standard" else T).Ad(twist(_AXIS[kind]))
        screws.append([*Z.w, *Z.v])
        homes.append(T)
    return np.array(screws).reshape(-1, 6) + 0.0, np.array(homes).reshape(-1, 4, 4) + 0.0


def _motion(axis: int, distance: Any, angle: Any) -> np.ndarray:
    T = np.eye(4) if is_number(distance, angle) else np.eye(4).astype(object)
    T[:3, :3] = turn(axis, angle)
    T[axis, 3] = distance
    return T


def _row(i: int, row: Any) -> tuple[tuple[Any, ...], str]:
    """The four numbers and the joint type of row i."""
    if isinstance(row, Mapping):
        unknown = [key for key in row if key not in (*PARAMETERS, "type")]
        if unknown:
            raise ModelError(f"DH row {i}: unknown key {unknown[0]!r}; the keys are {', '.join(PARAMETERS)} and type")
        given, kind = [row.get(key, 0.0) for key in PARAMETERS], row.get("type", "revolute")
    else:
        given, kind = sequence(row, f"DH row {i}", "(a, alpha, d, theta)"), "revolute"
        if len(given) == 5:
            kind = given.pop()
    one_of(kind, f"DH row {i}: the joint type", tuple(_AXIS))
    if len(given) != 4:
        raise ModelError(f"DH row {i}: expected (a, alpha, d, theta) and perhaps a joint type, got {row!r}")
    row = tuple(leaf(x) for x in numbers(given, f"DH row {i}: (a, alpha, d, theta)", (4,)))
    for key, x in zip(PARAMETERS, row, strict=True):
        if is_number(x) and not math.isfinite(x):
            raise ModelError(f"DH row {i}: {key} is {x}")
    return row, str(kind)
