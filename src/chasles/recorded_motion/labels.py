"""Names and units of what a motion records, which stay with it where the system does not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from chasles.reprs import record

RATES = {"rad": "rad/s", "m": "m/s", "1": "rad/s"}
FORCES = {"rad": "N m", "m": "N", "1": "N m"}
QUATERNION = ("qx", "qy", "qz", "qw")
SEVERAL: dict[tuple[int, int], tuple[tuple[str, ...], str, str]] = {  # by nq and nv: coordinates, their units, rates'
    (3, 3): (("x", "y", "theta"), "m m rad", "m m rad"),
    (4, 3): (QUATERNION, "1 1 1 1", "rad rad rad"),
    (7, 6): (("x", "y", "z", *QUATERNION), "m m m 1 1 1 1", "rad rad rad m m m"),
}


@record()
@dataclass(frozen=True, repr=False)
class Labels:
    """name: of the system. q, qd: of coordinates and velocities, with a unit for each, empty where none is known.
    units of qd are those of what moves, rad or m. rows, row_units: of multipliers. method and dt: what made the motion.
    """

    name: str
    q: tuple[str, ...]
    q_units: tuple[str, ...]
    qd: tuple[str, ...]
    qd_units: tuple[str, ...]
    rows: tuple[str, ...] = ()
    method: str = ""
    dt: float = 0.0
    row_units: tuple[str, ...] = ()

    def rates(self) -> tuple[str, ...]:
        """Units of qd."""
        return tuple(RATES.get(unit, "") for unit in self.qd_units)

    def forces(self) -> tuple[str, ...]:
        """Units of tau."""
        return tuple(FORCES.get(unit, "") for unit in self.qd_units)

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: Any) -> Labels:
        if not isinstance(data, dict):
            raise ValueError("its labels are no table")
        read: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in data.items()}
        return cls(**read)


def unnamed(nq: int, n: int) -> Labels:
    """The labels of a motion of no known system."""
    q = tuple(f"q{k + 1}" for k in range(nq))
    qd = q if n == nq else tuple(f"v{k + 1}" for k in range(n))
    return Labels("", q, ("",) * nq, qd, ("",) * n)


def labels_of(system: Any, method: str, dt: float) -> Labels:
    """The labels of a robot's motion, or that of another system, under constraints or not."""
    rows, row_units = tuple(getattr(system, "row_names", ())), tuple(getattr(system, "row_units", ()))
    inner = getattr(system, "system", system)
    mechanism = getattr(inner, "mechanism", None)
    if mechanism is None:
        q = tuple(getattr(inner, "coordinate_names", ())) or tuple(f"q{k + 1}" for k in range(inner.nq))
        qd = q if inner.n == inner.nq else tuple(f"v{k + 1}" for k in range(inner.n))
        return Labels(inner.name, q, ("",) * len(q), qd, ("",) * len(qd), rows, method, dt, row_units)
    names: list[str] = []
    units: list[str] = []
    velocities: list[str] = []
    moved: list[str] = []
    for own in mechanism.own_joints:
        if own.joint.nq == 1:
            unit = "m" if mechanism.kinds[own.link] == "screw" and not any(mechanism.screws[own.link][:3]) else "rad"
            coordinates, of_q, of_v = (own.name,), (unit,), (unit,)
        else:
            parts, of_q, of_v = SEVERAL[own.joint.nq, own.joint.nv]
            coordinates, of_q, of_v = tuple(f"{own.name}.{x}" for x in parts), of_q.split(), of_v.split()
        names += coordinates
        units += of_q
        moved += of_v
        velocities += [own.name] if own.joint.nv == 1 else [f"{own.name}[{k}]" for k in range(own.joint.nv)]
    return Labels(inner.name, tuple(names), tuple(units), tuple(velocities), tuple(moved), rows, method, dt, row_units)
