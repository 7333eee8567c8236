"""Trajectories in files: npz (all of it, to the last bit), CSV and Parquet (one motion as a table of named columns).

A column is `t [s]`, `q elbow [rad]`, `qd elbow [rad/s]`, `tau elbow [N m]`, `multiplier pin.x`, `kinetic [J]`,
`potential [J]` or `signal name`; a signal of several numbers has one for each, `signal name[0]`. Numbers of a CSV file
are written with as many digits as tell them apart.
"""

from __future__ import annotations

import csv
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ModelError
from chasles.recorded_motion.events import Occurrence
from chasles.recorded_motion.labels import Labels

Array = NDArray[np.float64]
Parts = dict[str, Any]
ARRAYS = ("t", "q", "qd", "tau", "multipliers", "kinetic", "potential")
COLUMN = re.compile(
    r"(?P<part>t|q|qd|tau|multiplier|kinetic|potential|signal)(?: (?P<name>.*?))?(?: \[(?P<unit>[^]]*)\])?"
)
PLACE = re.compile(r"(?P<name>.*)\[(?P<place>\d+(?:, \d+)*)\]")
UNITS = {"rad/s": "rad", "m/s": "m"}
ALL_ARRAYS = (*ARRAYS, "finite_steps")
OF_EVENTS = ("t", "q", "qd", "row")
NOT_READ = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    RuntimeError,
    csv.Error,
    zlib.error,
    zipfile.BadZipFile,
)


def save(path: Path, parts: Parts, labels: Labels) -> None:
    """Write the arrays and signals of a trajectory as the ending of the path says."""
    write = of_ending(path)[0]
    if not path.parent.is_dir():
        raise ModelError(f"path: there is no folder {str(path.parent)!r}")
    try:
        write(path, parts, labels)
    except OSError as error:
        raise ModelError(f"path: {str(path)!r} cannot be written: {error.strerror or error}") from error


def load(path: Path) -> tuple[Parts, Labels]:
    """What `save` wrote."""
    read = of_ending(path)[1]
    if not path.is_file():
        raise ModelError(f"path: there is no file {str(path)!r}")
    try:
        parts, labels = read(path)
        _refuse_other(parts, labels)
    except ModelError:
        raise
    except NOT_READ as error:
        why = "it has Python objects, not numbers" if "allow_pickle" in str(error) else error
        raise ModelError(f"path: {str(path)!r} holds no trajectory: {why}") from error
    return parts, labels


def of_ending(path: Path, what: str = "path") -> tuple[Callable[..., None], Callable[..., tuple[Parts, Labels]]]:
    """How to write and to read what the ending of a path says; another one is refused. what: the argument's name."""
    known = {".npz": (_save_npz, _load_npz), ".csv": (_save_csv, _load_csv), ".parquet": (_save_parquet, _load_parquet)}
    if path.suffix not in known:
        raise ModelError(f"{what} must end in {', '.join(known)}, got {str(path)!r}")
    return known[path.suffix]


def _refuse_other(parts: Parts, labels: Labels) -> None:
    """Raise ValueError where arrays do not have the shapes of a trajectory."""
    lead, size = parts["q"].shape[:-2], len(parts["t"])
    for name, width in (("q", len(labels.q)), ("qd", len(labels.qd)), ("tau", len(labels.qd))):
        if parts[name].shape != (*lead, size, width):
            raise ValueError(f"{name} has shape {parts[name].shape}, expected {(*lead, size, width)}")
    for name in ("kinetic", "potential"):
        if parts.get(name) is not None and parts[name].shape != (*lead, size):
            raise ValueError(f"{name} has shape {parts[name].shape}, expected {(*lead, size)}")
    if parts.get("finite_steps") is not None and parts["finite_steps"].shape != lead:
        raise ValueError(f"finite_steps has shape {parts['finite_steps'].shape}, expected {lead}")
    for name, x in parts.get("values", {}).items():
        if x.shape[: len(lead) + 1] != (*lead, 1):
            raise ValueError(f"the values of {name!r} have shape {x.shape}, expected {(*lead, 1, '...')}")


def _save_npz(path: Path, parts: Parts, labels: Labels) -> None:
    arrays = {name: parts[name] for name in ALL_ARRAYS if parts[name] is not None}
    arrays |= {f"signal {name}": x for name, x in parts["signals"].items()}
    arrays |= {f"value {name}": x for name, x in parts["values"].items()}
    events: tuple[Occurrence, ...] = parts["events"]
    said = {"labels": labels.as_data(), "events": [{"name": e.name, "terminal": e.terminal} for e in events]}
    for part in OF_EVENTS if events else ():
        arrays[f"event {part}"] = np.array([getattr(event, part) for event in events])
    arrays |= {name: np.array(json.dumps(data)) for name, data in said.items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _load_npz(path: Path) -> tuple[Parts, Labels]:
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no npz file")
    with np.load(path, allow_pickle=False) as held:
        parts: Parts = {name: held[name] for name in ALL_ARRAYS if name in held}
        parts["signals"] = {name[7:]: held[name] for name in held if name.startswith("signal ")}
        parts["values"] = {name[6:]: held[name] for name in held if name.startswith("value ")}
        labels = Labels.from_data(json.loads(str(held["labels"])))
        events = json.loads(str(held["events"])) if "events" in held else []
        t, q, qd, rows = (held[f"event {part}"] if events else () for part in OF_EVENTS)
    parts["events"] = tuple(
        Occurrence(e["name"], float(t[k]), q[k], qd[k], tuple(rows[k].astype(int).tolist()), e["terminal"])
        for k, e in enumerate(events)
    )
    return parts, labels


def columns(parts: Parts, labels: Labels) -> dict[str, Array]:
    """One motion as named columns (T,)."""
    if parts["q"].ndim != 2:
        raise ModelError("path: a table holds one motion, and this is a batch: save it as .npz, or its rows by row()")
    table: dict[str, Array] = {"t [s]": parts["t"]}
    named = (
        ("q", labels.q, labels.q_units),
        ("qd", labels.qd, labels.rates()),
        ("tau", labels.qd, labels.forces()),
        ("multiplier", labels.rows, ("",) * len(labels.rows)),
    )
    for part, names, units in named:
        rows = parts["multipliers" if part == "multiplier" else part]
        if rows is None:
            continue
        for k, (name, unit) in enumerate(zip(names, units, strict=True)):
            table[f"{part} {name}{f' [{unit}]' * bool(unit)}"] = rows[:, k]
    table |= {f"{part} [J]": parts[part] for part in ("kinetic", "potential") if parts[part] is not None}
    for name, values in parts["signals"].items():
        for place in np.ndindex(values.shape[1:]):
            at = f"[{', '.join(map(str, place))}]" if place else ""
            table[f"signal {name}{at}"] = values[:, *place]
    return table


def from_columns(table: Mapping[str, Array], known: Labels | None) -> tuple[Parts, Labels]:
    """The arrays that columns hold, and the labels that their names say, where none are known."""
    found: dict[str, list[tuple[str, str, Array]]] = {}
    for column, values in table.items():
        read = COLUMN.fullmatch(column)
        if read is None:
            raise ValueError(f"column {column!r} is none of a trajectory")
        found.setdefault(read["part"], []).append((read["name"] or "", read["unit"] or "", np.asarray(values, float)))
    parts: Parts = {part: found[part][0][2] for part in ("t", "kinetic", "potential") if part == "t" or part in found}
    for part, name in (("q", "q"), ("qd", "qd"), ("tau", "tau"), ("multiplier", "multipliers")):
        rows = [values for *_, values in found.get(part, ())]
        parts[name] = np.stack(rows, axis=-1) if rows else None
    parts["signals"] = _signals(found.get("signal", []))
    if known is None:
        q, qd = found["q"], found["qd"]
        q_names, q_units = tuple(name for name, *_ in q), tuple(unit for _, unit, _ in q)
        qd_names, qd_units = tuple(name for name, *_ in qd), tuple(UNITS.get(unit, "") for _, unit, _ in qd)
        known = Labels("", q_names, q_units, qd_names, qd_units, tuple(x[0] for x in found.get("multiplier", ())))
    return parts, known


def _signals(given: list[tuple[str, str, Array]]) -> dict[str, Array]:
    """Signals, each of its columns."""
    gathered: dict[str, dict[tuple[int, ...], Array]] = {}
    for name, unit, values in given:
        read = PLACE.fullmatch(name)
        if unit:  # a place in brackets, as a unit would be
            read = PLACE.fullmatch(f"{name} [{unit}]")
        place = tuple(int(k) for k in read["place"].split(", ")) if read else ()
        gathered.setdefault(read["name"] if read else name, {})[place] = values
    found = {}
    for name, places in gathered.items():
        shape = tuple(1 + max(place[k] for place in places) for k in range(len(next(iter(places)))))
        found[name] = np.empty((len(next(iter(places.values()))), *shape))
        for place, values in places.items():
            found[name][:, *place] = values
    return found


def _save_csv(path: Path, parts: Parts, labels: Labels) -> None:
    table = columns(parts, labels)
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(table)
        write.writerows(zip(*(x.tolist() for x in table.values()), strict=True))


def _load_csv(path: Path) -> tuple[Parts, Labels]:
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    values = np.array([[float(x) for x in row] for row in rows]).reshape(len(rows), len(head))
    return from_columns(dict(zip(head, values.T, strict=True)), None)


def _save_parquet(path: Path, parts: Parts, labels: Labels) -> None:
    arrow, parquet = _arrow()
    table = arrow.table(columns(parts, labels))
    parquet.write_table(table.replace_schema_metadata({"chasles": json.dumps(labels.as_data())}), path)


def _load_parquet(path: Path) -> tuple[Parts, Labels]:
    arrow, parquet = _arrow()
    try:
        table = parquet.read_table(path)
    except arrow.ArrowException as error:
        raise ValueError(str(error)) from error
    written = (table.schema.metadata or {}).get(b"chasles")
    known = Labels.from_data(json.loads(written)) if written else None
    return from_columns({name: table[name].to_numpy() for name in table.column_names}, known)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-not-found]
        from pyarrow import parquet  # type: ignore[import-not-found]
    except ImportError:
        raise ModelError('path: Parquet needs the package pyarrow: pip install "chasles[parquet]"') from None
    return pyarrow, parquet
