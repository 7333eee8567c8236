"""Joints of two screws, universal and cylindrical, taken apart: two joints with a massless link between them.

The joint NAME of link LINK becomes NAME and NAME2 (NAME2_2 where names are left to us and that is taken). What is
between is LINK_cross where the second turns and LINK_sleeve where it slides, with the frame of LINK.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.model.joint import KINDS
from chasles.model.leaves import is_zero
from chasles.model.link import Link
from chasles.model.names import free


def between(link: str, second: Any) -> str:
    """The name of the link that stands before `link`, whose own joint is the second screw."""
    return f"{link}_sleeve" if is_zero(*np.asarray(second)[:3]) else f"{link}_cross"


def taken_apart(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `mechanism`, with each row of `screws` that is a pair, (2, 6), made two links.

    Of such a link the limits, armature, damping and friction are pairs of numbers; indices count the links as given.
    """
    if not isinstance(given["screws"], Iterable) or not any(map(_is_pair, given["screws"])):
        return dict(given)
    rows = list(given["screws"])
    n, pairs = len(rows), [_is_pair(row) for row in rows]
    place = [i + sum(pairs[: i + 1]) for i in range(n)]  # where each link comes to stand

    def column(x: Any, what: str, two: Callable[[int, Any], Any]) -> list[Any]:
        """One entry a link, with two of those that become two."""
        if isinstance(x, str) or not isinstance(x, Iterable):
            raise ModelError(f"{what} must have an entry a link, got {x!r}")
        entries = list(x)
        if len(entries) != n:
            raise ModelError(f"{what} has {len(entries)} entries for {n} links")
        return [y for i, x in enumerate(entries) for y in (two(i, x) if pairs[i] else (x,))]

    def moved(link: Any) -> Any:
        return place[link] if isinstance(link, (int, np.integer)) and 0 <= link < n else link

    def numbers(x: Any, what: str) -> list[Any]:
        def two(i: int, x: Any) -> Any:
            if np.shape(x) != (2,):
                raise ModelError(f"{what}: joint {joints[i]!r} is of two screws: give two numbers, got {x!r}")
            return x

        return column(x, what, two)

    def same(i: int, kind: Any) -> Any:
        if kind in KINDS:
            raise ModelError(f"joint {joints[i]!r} is of two screws: its kind cannot be {kind!r}")
        return kind, kind

    links = column(given["links"], "links", lambda i, x: (Link(inserted=True), x))
    joints = given.get("joint_names") or [f"joint{i + 1}" for i in range(n)]
    taken = () if given.get("joint_names") else set(joints)  # those that are given must be their own
    names = given.get("link_names") or [getattr(links[place[i]], "name", "") or f"link{i + 1}" for i in range(n)]
    parents = range(-1, n - 1) if given.get("parents") is None else given["parents"]
    out = dict(given) | {
        "screws": column(rows, "screws", lambda i, x: x),
        "homes": column(given["homes"], "homes", lambda i, x: (x, x)),
        "links": links,
        "parents": [moved(p) for p in column(parents, "parents", lambda i, x: (x, -1))],  # of the second, below
        "joint_names": column(joints, "joint_names", lambda i, x: (x, free(f"{x}2", taken))),
        "link_names": column(names, "link_names", lambda i, x: (between(x, rows[i][1]), x)),
        "tool_link": moved(given.get("tool_link")),
    }
    for i in np.flatnonzero(pairs):
        out["parents"][place[i]] = place[i] - 1
    if given.get("kinds") is not None:
        out["kinds"] = column(given["kinds"], "kinds", same)
    for key in ("armature", "damping", "friction"):
        if given.get(key) is not None:
            out[key] = numbers(given[key], key)
    if isinstance(given.get("limits"), Mapping):
        out["limits"] = {key: numbers(x, f"limits[{key!r}]") for key, x in given["limits"].items()}
    if isinstance(given.get("frames"), Mapping):
        out["frames"] = {
            key: (moved(x[0]), x[1]) if isinstance(x, (tuple, list)) and len(x) == 2 else x
            for key, x in given["frames"].items()
        }
    return out


def _is_pair(row: Any) -> bool:
    try:
        return np.shape(row) == (2, 6)
    except ValueError:  # ragged: refused later
        return False
