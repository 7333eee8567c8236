"""Facts of the joints and links of a mechanism, as plain data: what is printed, shown in notebooks and reported."""

import math
from typing import Any

import numpy as np

from chasles.model.leaves import is_symbolic, leaf
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism
from chasles.model.screws import joint_kind

KINDS = {
    "R": "revolute",
    "P": "prismatic",
    "H": "helical",
    "S": "spherical",
    "planar": "planar",
    "free": "free",
}


def axis(S: np.ndarray, home: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Direction, a point, pitch (m/rad) and rate of a screw; the point of a prismatic one is its link's origin."""
    w, v = S[:3], S[3:]
    rate = float(np.linalg.norm(w))
    if rate == 0.0:
        rate = float(np.linalg.norm(v))
        return v / rate, home[:3, 3], 0.0, rate
    return w / rate, np.cross(w, v) / rate**2, float(w @ v) / rate**2, rate


def kind(m: Mechanism, i: int) -> str:
    """R, P, H, S, planar or free: a key of `KINDS`."""
    return {"screw": "", "spherical": "S"}.get(m.kinds[i], m.kinds[i]) or joint_kind(m.screws[i])


def joint(m: Mechanism, i: int) -> dict[str, Any]:
    """A joint; without axis, point and screw where it has several degrees of freedom or symbols."""
    which, mimic = kind(m, i), m.mimics[i]
    has_axis = m.kinds[i] == "screw" and not is_symbolic(m.screws[i])
    direction, point, pitch, rate = axis(m.screws[i], m.homes[i]) if has_axis else (None, None, 0.0, 1.0)
    return {
        "name": m.joint_names[i],
        "kind": which,
        "axis": None if direction is None else direction.tolist(),
        "point": None if which == "P" or point is None else point.tolist(),
        "pitch": pitch if which == "H" else 0.0,
        "rate": rate,
        "screw": None if direction is None else m.screws[i].tolist(),
        **{key: _finite(m.limits[key][i]) for key in ("lower", "upper", "velocity", "effort")},
        **{key: leaf(numbers[i]) for key, numbers in zip(LOSSES, (m.armature, m.damping, m.friction), strict=True)},
        "mimic": mimic and {"joint": m.joint_names[mimic[0]], "factor": mimic[1], "offset": mimic[2]},
        "parent": link_name(m, m.parents[i]),
        "link": m.link_names[i],
    }


def link(m: Mechanism, i: int) -> dict[str, Any]:
    return {"name": m.link_names[i], "parent": link_name(m, m.parents[i]), **body(m.links[i])}


def body(given: Link) -> dict[str, Any]:
    return {"mass": given.mass, "com": given.com.tolist(), "inertia": given.inertia.tolist()}


def link_name(m: Mechanism, body: int) -> str:
    return m.link_names[body] if body >= 0 else m.base_name


def _finite(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
