"""Results as a large robot and a large batch give them, filled by their annotations, with names that try to be HTML."""

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

import numpy as np
from support.result_types import members

import chasles as ch
from chasles.model.frame import Frame
from chasles.model.shape import Shape
from chasles.model.tree import Body, Tree
from chasles.recorded_motion.labels import Labels

JOINTS, ROWS = 40, 10_000
HOSTILE = "<script>alert(1)</script>&\"'"
NAMES = tuple(f"{HOSTILE}_{k}" for k in range(JOINTS))
# Results that are more than fields, with tests of their own.
OTHERS = {
    ch.Constraint,
    ch.Equation,
    ch.Link,
    ch.Loop,
    ch.Program,
    ch.results.BaseParameters,
    ch.results.Gauge,
    ch.results.Isometry,
    ch.results.Mat3,
    ch.results.Method,
    ch.results.Operand,
    ch.results.Operations,
    ch.results.PinocchioTwin,
    ch.results.Reduced,
    ch.results.Statement,
    ch.results.Sym3,
    ch.Trajectory,
}


def record_classes() -> list[type]:
    """Classes with fields that people are given, public ones and those that a mechanism is made of."""
    public = [value for _, value in members() if inspect.isclass(value)]
    named = [*dict.fromkeys([*public, Frame, Shape, Body, Tree, Labels])]
    return [x for x in named if _has_fields(x) and x not in OTHERS]


def _has_fields(cls: type) -> bool:
    return dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")


def large(cls: Any) -> Any:
    """One of a class, made without its checks: arrays of ten thousand rows, names of forty joints."""
    if hasattr(cls, "_fields"):
        return cls(**{name: _filled(name, _written(hint)) for name, hint in cls.__annotations__.items()})
    made = cls.__new__(cls)
    made.__dict__.update({x.name: _filled(x.name, _written(x.type)) for x in dataclasses.fields(cls)})
    return made


def _written(hint: Any) -> str:
    return hint if isinstance(hint, str) else getattr(hint, "__forward_arg__", None) or _plain(hint)


def _plain(hint: Any) -> str:
    return hint.__name__ if inspect.isclass(hint) and not typing.get_args(hint) else str(hint)


def _filled(name: str, hint: str) -> Any:
    simple = {"bool": True, "float": 0.125, "int": 7, "str": HOSTILE}
    if hint in simple:
        return simple[hint]
    if "bool" in hint or "Flags" in hint:
        return np.arange(ROWS) % 3 > 0
    if "Mapping" in hint:
        return dict.fromkeys(NAMES, 0.125 if "float" in hint else HOSTILE)
    if "str" in hint:
        return NAMES
    if "tuple" in hint or "Sequence" in hint:
        return (0.125,) * JOINTS
    if "Callable" in hint:
        return large
    if name in ("t", "length", "energy", "residual", "error") or hint == "Any":
        return np.linspace(0.0, 1.0, ROWS)
    return np.linspace(0.0, 1.0, ROWS * JOINTS).reshape(ROWS, JOINTS)


def hostile_robot(joints: int = JOINTS) -> ch.Robot:
    """A robot of many joints, some of which follow others, whose names would run in a page."""
    screws = np.tile(ch.screw([0, 0, 1]), (joints, 1))
    homes = np.tile(np.eye(4), (joints, 1, 1))
    homes[:, 0, 3] = np.arange(joints)
    screws[:, 4] = -np.arange(joints)
    links = [ch.Link(0.5 + k, [0.1, 0.0, 0.0], [0.1, 0.2, 0.3]) for k in range(joints)]
    return ch.Robot.from_screws(
        screws,
        homes,
        links,
        name=HOSTILE,
        joint_names=NAMES[:joints],
        link_names=[f"link {x}" for x in NAMES[:joints]],
        limits={"lower": np.full(joints, -1.5), "upper": np.full(joints, 2.25), "effort": np.full(joints, 87.0)},
        mimics={NAMES[2]: (NAMES[0], 2.0, 0.0)} if joints > 2 else None,
    )


def leaves(shape: tuple[int, ...]) -> Iterator[Any]:
    """Rigid motions and all that is made of them, of numbers or of a batch."""
    x = np.linspace(0.1, 1.0, 3 * max(1, int(np.prod(shape)))).reshape(3, *shape)
    a, b = ch.Vec3(*x), ch.Vec3(*(1.0 / 3.0 - x))
    T = ch.SE3.exp(ch.Twist(a, b))
    yield from (a, T, T.R, T.R.matrix, T.log(), ch.Wrench(a, b))
    yield ch.SpatialInertia.at(x[0], a, T.R.matrix.symmetric())
    yield T.R.matrix.symmetric()
