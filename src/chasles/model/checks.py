"""Checks of a mechanism's description: each names the link, joint or argument at fault.

Refused: what is not finite, has the wrong shape, is no rigid motion or no inertia. Doubted: what no real body has.
Noted: what was tidied.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from chasles.arguments import array as reals
from chasles.arguments import is_number as is_real
from chasles.arguments import is_whole, mapping, sequence, shown, text
from chasles.arguments import names as strings
from chasles.errors import CONTROL, ModelError
from chasles.hints import kind_hint
from chasles.model.joint import KINDS
from chasles.model.leaves import finite, is_number, is_symbolic, known, numbers
from chasles.model.link import Link, inertia_noise, negative_eigenvalue, not_a_body
from chasles.model.rounding import ROUNDING, SNAP_DISTANCE

LEAST_RATE = 1e-150  # of a screw; its inverse is the largest
_ORTHONORMAL = 1e-14  # of a rotation that is left as it was given
_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])
LIMITS = ("lower", "upper", "velocity", "effort")


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Robot.from_screws` that are names, or have them, as the rest of the checks takes them."""
    out = dict(given)
    text(given["name"], "name")
    for key in ("joint_names", "link_names", "kinds"):
        if given[key] is not None:
            out[key] = strings(given[key], key)
    if not isinstance(given["base"], Link | None):
        raise ModelError(f"base must be a chasles.Link(mass, com, inertia), got {type(given['base']).__name__}")
    link = given["tool_link"]
    if link is not None and not isinstance(link, str) and not is_whole(link):
        raise ModelError(f"tool_link must be the name or the index of a link, got {shown(link)}")
    if given["mimics"] is not None:
        mapping(given["mimics"], "mimics", "joint -> (joint it follows, factor, offset)")
    return out


def whole(parents: Any, n: int) -> list[int]:
    """The parents of n links, as indices."""
    given = sequence(parents, "parents", f"{n} indices of links, -1 for the base")
    if len(given) != n:
        raise ModelError(f"parents has {len(given)} entries for {n} links")
    for i, x in enumerate(given):
        if not is_whole(x):
            raise ModelError(f"parents[{i}] must be the index of a link, -1 for the base, got {shown(x)}")
    return [int(x) for x in given]


def pairs(frames: Any) -> Mapping[str, tuple[str | int, Any]]:
    """Frames as they are to be given: name -> (link, pose)."""
    if frames is None:
        return {}
    mapping(frames, "frames", "name -> (link, absolute pose)")
    for key, x in frames.items():
        if not isinstance(key, str) or not key:
            raise ModelError(f"frames: the name of a frame must be a string that is not empty, got {key!r}")
        link = x[0] if isinstance(x, (tuple, list)) and len(x) == 2 else None
        if not isinstance(link, str) and not is_whole(link):
            raise ModelError(f"frame {key!r} must be given as (link, absolute pose), the link by name or index")
    return frames


def array(x: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    if 0 in shape and np.size(x) == 0:
        return np.zeros(shape)
    out = numbers(x, what, shape)
    if not finite(out):
        row = f" (entry {[finite(x) for x in out].index(False)})" if out.ndim > 1 else ""
        raise ModelError(f"{what} has a nan or an infinity{row}")
    return out


def distinct(names: Sequence[str], n: int, what: str, ground: str = "") -> list[str]:
    out = strings(names, what)
    if len(out) != n:
        raise ModelError(f"{what} has {len(out)} entries for {n} links")
    seen = {ground} if ground else set()
    for i, x in enumerate(out):
        if not x:
            raise ModelError(f"{what}[{i}] is empty: every link and every joint needs a name")
        if x in seen:
            base = f", and not {ground!r}, the base's" if ground else ""
            raise ModelError(f"{what}: the name {x!r} is taken; every name must be its own{base}")
        seen.add(x)
    return out


def refuse_control(names: Iterable[str], what: str) -> None:
    """Names are printed and looked for: what a terminal would obey, or an end of a line, is not in them."""
    for name in names:
        if found := CONTROL.search(name):
            raise ModelError(f"{what} {shown(name)}: its name has the control character {found[0]!r}")


def joint_kinds(kinds: Sequence[str] | None, n: int, joints: list[str], raw: np.ndarray) -> list[str]:
    out = ["screw"] * n if kinds is None else [str(kind) for kind in kinds]
    if len(out) != n:
        raise ModelError(f"kinds has {len(out)} entries for {n} links")
    for i, kind in enumerate(out):
        if kind in ("universal", "cylindrical"):
            raise ModelError(
                f"joint {joints[i]!r}: a {kind} joint is a pair of screws: give chasles.{kind}(...) for its screw"
            )
        if kind not in ("screw", "fixed", *KINDS):
            hint = kind_hint(kind, ("screw", "fixed", *KINDS))
            given = f"screw, fixed, {', '.join(KINDS)}"
            raise ModelError(f"joint {joints[i]!r}: its kind must be {given}, got {shown(kind)}{hint}")
        if kind != "screw":
            raw[i] = 0.0
    return ["screw" if kind == "fixed" else kind for kind in out]


def refuse_zero_screws(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Robot.from_screws`, where a joint that does not move is said to be: its kind is "fixed"."""
    screws, kinds, joints = given["screws"], given["kinds"] or [], given["joint_names"] or []
    for i, row in enumerate(screws if isinstance(screws, Iterable) else ()):
        entries = np.asarray(row, object).reshape(-1).tolist()
        zero = len(entries) == 6 and all(is_real(x) and x == 0.0 for x in entries)
        if zero and kinds[i : i + 1] in ([], ["screw"]):
            name = [*joints[i : i + 1], f"joint{i + 1}"][0]
            why = 'moves nothing; a link that is fixed to its parent has the kind "fixed": give kinds'
            raise ModelError(f"joint {name!r}: its screw is zero, and {why}")
    return dict(given)


def losses(x: Any, n: int, what: str, joints: list[str]) -> np.ndarray:
    """Armature, damping or friction: one number a joint, not negative."""
    out = np.zeros(n) if x is None else array(x, (n,), what)
    if (known(out) < 0.0).any():
        i = next(i for i, x in enumerate(out) if is_number(x) and x < 0.0)
        raise ModelError(f"joint {joints[i]!r}: its {what} is negative ({out[i]})")
    return out


def resolve_mimics(
    given: Mapping[str, tuple[str, float, float]], moving: list[str], kinds: list[str], joints: list[str]
) -> tuple[tuple[int, float, float] | None, ...]:
    """For each moving joint the one it follows in the end, by what factor and offset."""
    for joint, x in given.items():
        entry = tuple(x) if isinstance(x, (tuple, list)) else ()
        if len(entry) != 3 or not isinstance(entry[0], str) or not all(map(is_real, entry[1:])):
            raise ModelError(f"joint {joint!r}: a mimic is given as (joint it follows, factor, offset), got {shown(x)}")
        master, factor, offset = entry
        for name in (joint, master):
            if name not in joints:
                raise ModelError(f"joint {joint!r} mimics {master!r}: there is no joint {name!r}")
            if name in moving and kinds[moving.index(name)] != "screw":
                raise ModelError(f"joint {joint!r} mimics {master!r}: {name!r} has several degrees of freedom")
        if not (np.isfinite(factor) and np.isfinite(offset)):
            raise ModelError(f"joint {joint!r} mimics {master!r}: its factor and offset must be finite")
    out: list[tuple[int, float, float] | None] = []
    for joint in moving:
        if joint not in given:
            out.append(None)
            continue
        master, factor, offset = given[joint]
        seen = [joint]
        while master in given:  # a mimic of a mimic
            if master in seen:
                raise ModelError(f"joints mimic each other in a circle: {' -> '.join([*seen, master])}")
            seen.append(master)
            above, k, c = given[master]
            master, factor, offset = above, factor * k, factor * c + offset
        if master not in moving or master == joint:
            raise ModelError(f"joint {joint!r} mimics {master!r}, which does not move on its own")
        out.append((moving.index(master), float(factor), float(offset)))
    return tuple(out)


def link_index(link: str | int, names: list[str]) -> int:
    if isinstance(link, str):
        if link not in names:
            raise ModelError(f"no link {link!r}; the links are {', '.join(names)}")
        return names.index(link)
    if not is_whole(link):
        raise ModelError(f"a link is given by its name or index, got {shown(link)}")
    if not 0 <= link < len(names):
        raise ModelError(f"no link {shown(link)}; there are {len(names)}")
    return link


def check_link(link: Link, name: str, doubts: list[str], refuse: bool = True) -> None:
    """A link that is a body. `refuse`: whether a negative eigenvalue of the inertia is refused, or only doubted.

    What is a symbol is checked when its value arrives (model/arrival.py).
    """
    if wrong := not_a_body(link, refuse):
        raise ModelError(f"link {name!r}: {wrong}")
    if link.is_symbolic:
        return
    low, middle, high = np.linalg.eigvalsh(link.inertia)
    noise = inertia_noise(link)
    if low < -noise:
        doubts.append(f"link {name!r}: {negative_eigenvalue(low, high)}: no distribution of mass has it")
    elif low + middle < high * (1.0 - 1e-9) - noise:
        doubts.append(
            f"link {name!r}: its principal inertias ({low:.6g}, {middle:.6g}, {high:.6g}) break the triangle "
            "inequality: no distribution of mass has them"
        )


def is_impossible(link: Link) -> bool:
    """Whether a link's inertia has a negative eigenvalue, for which `check_link` refuses it."""
    return bool(np.linalg.eigvalsh(link.inertia)[0] < -inertia_noise(link))


def _note_zeros(count: int, what: str, notes: list[str]) -> None:
    notes.append(f"{what}: {count} numbers within {SNAP_DISTANCE:g} of zero were set to it")


def placement(T: Any, what: str) -> np.ndarray:
    """(4, 4) a pose, as `rigid` has it."""
    return rigid(array(T, (4, 4), what), what, [])


def rigid(T: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """T with a rotation orthonormal to rounding, quarter turns exact. It leaves its own result alone."""
    T = numbers(T)
    if is_symbolic(T):
        return _rigid_symbolic(T, what, notes)
    R = T[:3, :3]
    defect = _defect(R)
    if defect <= 1e-6 and np.linalg.det(R) < 0.0:
        raise ModelError(f"{what} is not a rigid motion: it is a reflection (its determinant is -1)")
    if not (np.abs(T[3] - _LAST_ROW) <= 1e-8 + 1e-5 * _LAST_ROW).all() or defect > 1e-6:
        raise ModelError(f"{what} is not a rigid motion: rotation off by {defect:.2g}, last row {T[3].tolist()}")
    if defect > SNAP_DISTANCE:
        notes.append(f"{what}: its rotation was off by {defect:.2g} and was made orthonormal")
    if defect > _ORTHONORMAL:
        U, _, Vt = np.linalg.svd(R)
        R, notes = U @ Vt, []
    R = _zeroed(R, what, notes)
    alone = (np.count_nonzero(R, axis=1) == 1)[:, None]
    T[:3, :3] = np.where(alone, np.sign(R), R) + 0.0  # no negative zeros
    T[3] = _LAST_ROW
    return T


def _rigid_symbolic(T: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """T with symbols: its rotation as `rigid` makes it where that is all numbers, its last row as it must be."""
    bottom = [0.0, 0.0, 0.0, 1.0]
    if not is_number(*T[3]):
        raise ModelError(f"{what}: its last row is 0, 0, 0, 1, and has no symbols, got {T[3].tolist()}")
    if not np.allclose(T[3].astype(float), bottom):
        raise ModelError(f"{what} is not a rigid motion: its last row is {T[3].tolist()}")
    if is_number(*T[:3, :3].reshape(-1)):
        turned = np.eye(4)
        turned[:3, :3] = T[:3, :3]
        T[:3, :3] = rigid(turned, what, notes)[:3, :3]
    T[3] = bottom
    return numbers(T)


def _defect(R: np.ndarray) -> float:
    """How far R is from orthonormal."""
    return float(np.abs(R.T @ R - np.eye(3)).max())


def _zeroed(R: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """The rotation R with zeros for what is close to them, as long as it stays one (model/rounding.py)."""
    bound = _defect(R) + ROUNDING
    for least in (SNAP_DISTANCE, ROUNDING):
        small = (np.abs(R) <= least) & (R != 0.0)
        if not small.any():
            break
        new = np.where(small, 0.0, R)
        if _defect(new) <= bound:
            _note_zeros(int(small.sum()), what, notes)
            return new
    return R


def axis(S: np.ndarray, near: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """The screw S with zeros for components of its axis that are nothing beside its length.

    Where the line passes the point `near` (3,) it stays.
    """
    S = numbers(S)
    if not is_number(*S[:3]):
        return S
    w = S[:3].astype(float)
    if not w.any():
        if is_number(*S[3:]):
            S[3:] = _straight(S[3:].astype(float), what, notes)
        return S
    S[:3] = _straight(w, what, notes)
    change = S[:3].astype(float) - w
    if change.any() and not is_symbolic(S) and is_number(*near):
        s, v = w / math.hypot(*w), S[3:] / math.hypot(*w)
        S[3:] += np.cross(np.cross(s, v) + s * (near @ s), change) + change * (s @ v)
    return S


def _straight(s: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """A direction of any length, as long as before; a unit vector along a coordinate axis is exact."""
    length = math.hypot(*s)
    if length and not LEAST_RATE <= length <= 1.0 / LEAST_RATE:
        least, most = f"{LEAST_RATE:g}", f"{1.0 / LEAST_RATE:g}"
        raise ModelError(f"{what}: its length, {length:.3g}, must be between {least} and {most}: its square is lost")
    small = (np.abs(s) <= SNAP_DISTANCE * length) & (s != 0.0)
    if small.any():
        _note_zeros(int(small.sum()), what, notes)
        s = np.where(small, 0.0, s)
    return (np.sign(s) if np.count_nonzero(s) == 1 and is_unit(s) else s) + 0.0  # no negative zeros


def is_unit(axis: Any) -> bool:
    """Whether a vector is as long as 1 to rounding."""
    return abs(math.hypot(*axis) - 1.0) <= 8.0 * np.finfo(float).eps


def pitch(w: np.ndarray, v: np.ndarray, away: float = 1.0) -> float:
    """The pitch of a screw that turns, m/rad; zero where it is the rounding of a v this far from its axis."""
    square = float(w @ w)
    h = float(w @ v) / square
    return 0.0 if abs(h) <= SNAP_DISTANCE * max(1.0, away, math.sqrt(float(v @ v) / square)) else h


def bounds(given: Mapping[str, Any], n: int, joints: list[str]) -> dict[str, np.ndarray]:
    defaults = {"lower": -np.inf, "upper": np.inf, "velocity": np.inf, "effort": np.inf}
    mapping(given, "limits", f"with keys of {', '.join(defaults)}")
    unknown = [key for key in given if key not in defaults]
    if unknown:
        raise ModelError(f"limits: unknown key {shown(unknown[0])}; the keys are {', '.join(defaults)}")
    out = {}
    for key, default in defaults.items():
        what = f"limits[{key!r}]"
        x = np.full(n, default) if given.get(key) is None else np.array(reals(given[key], what, (n,), error=ModelError))
        if np.isnan(x).any():
            raise ModelError(f"joint {joints[int(np.argmax(np.isnan(x)))]!r}: its {key} limit is nan")
        out[key] = x
    for key in ("velocity", "effort"):
        if (out[key] < 0.0).any():
            i = int(np.argmax(out[key] < 0.0))
            raise ModelError(f"joint {joints[i]!r}: its {key} limit is negative ({out[key][i]})")
    wrong = np.nonzero(out["lower"] > out["upper"])[0]
    if wrong.size:
        i = int(wrong[0])
        raise ModelError(
            f"joint {joints[i]!r}: its lower limit {out['lower'][i]} is above its upper limit {out['upper'][i]}"
        )
    return out
