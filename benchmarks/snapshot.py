"""Results as raw bits, before and after a change: `python benchmarks/snapshot.py write FILE`, `compare FILE [FILE2]`.

What is computed is in snapshot_parts.py: every catalogue function on every built-in robot, and more. Each part runs in
a process of its own, two at a time, with the chasles that this process imports. FILE (.npz) holds the arrays, and the
.json beside it counts of operations, names, messages of errors and what the examples print, times masked. `compare`
names each difference, bit for bit, nan included; of one FILE, with what is computed now. Exit code 1 on any.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import snapshot_parts

import chasles

SHOWN = 40  # differences printed
Snapshot = tuple[dict[str, np.ndarray], dict[str, str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["write", "compare", "part"])
    parser.add_argument("file", type=Path)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", help=f"parts, of {', '.join(snapshot_parts.names())}")
    options = parser.parse_args()
    if options.command == "part":
        store(options.file, snapshot_parts.compute(options.only[0]))
        return 0
    if options.command == "write":
        store(options.file, taken(options.only))
        return 0
    before = read(options.file)
    after = read(options.other) if options.other else taken(options.only)
    if options.only and not options.other:
        before = tuple({k: v for k, v in kept.items() if k.split("/")[0] in options.only} for kept in before)
    found = differences(before, after)
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    print(f"{len(found)} differences" if found else "no difference", f"in {len(before[0])} arrays,", end=" ")
    print(f"{len(before[1])} texts")
    return 1 if found else 0


def taken(only: list[str] | None) -> Snapshot:
    """What is computed now, all parts of it."""
    arrays: dict[str, np.ndarray] = {}
    texts: dict[str, str] = {}
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        wanted = only or snapshot_parts.names()
        for name, (part, seconds) in zip(wanted, pool.map(lambda n: _part(n, Path(folder)), wanted), strict=True):
            arrays |= {f"{name}/{key}": value for key, value in part[0].items()}
            texts |= {f"{name}/{key}": value for key, value in part[1].items()}
            skipped = sum(value.startswith("skipped") for value in part[1].values())
            failed = f", FAILED: {part[1]['failed'][-300:]}" if "failed" in part[1] else ""
            limit = f", {skipped} not run, above {snapshot_parts.LIMIT} operations" if skipped else ""
            print(f"{name}: {len(part[0])} arrays, {len(part[1])} texts, {seconds:.1f} s{limit}{failed}", flush=True)
    print(f"{len(arrays)} arrays, {len(texts)} texts in {time.perf_counter() - begin:.0f} s")
    return arrays, texts


def _part(name: str, folder: Path) -> tuple[Snapshot, float]:
    """A part, computed in a process of its own; that it failed is a result too."""
    begin, file = time.perf_counter(), folder / f"{name}.npz"
    path = os.pathsep.join(filter(None, [str(Path(chasles.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-X", "faulthandler", str(Path(__file__)), "part", str(file), "--only", name]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if not file.with_suffix(".json").exists():
        return ({}, {"failed": f"exit {done.returncode}: {done.stderr[-2000:]}"}), time.perf_counter() - begin
    if done.returncode:
        print(f"{name}: exit {done.returncode}, after its results were written: {done.stderr[-500:]}")
    return read(file), time.perf_counter() - begin


def store(file: Path, snapshot: Snapshot) -> None:
    arrays, texts = snapshot
    names = sorted(arrays)
    with open(file, "wb") as out:
        np.savez(out, **{f"a{k}": arrays[name] for k, name in enumerate(names)})
    file.with_suffix(".json").write_text(json.dumps({"arrays": names, "texts": texts}, indent=0, sort_keys=True))


def read(file: Path) -> Snapshot:
    kept = json.loads(file.with_suffix(".json").read_text())
    with np.load(file) as arrays:
        return {name: arrays[f"a{k}"] for k, name in enumerate(kept["arrays"])}, kept["texts"]


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    """One line for each name that is on one side only, or whose contents are not the same bits."""
    found = []
    for old, new in zip(before, after, strict=True):
        for name in sorted({*old, *new}):
            if name not in old or name not in new:
                found.append(f"{name}: only {'after' if name in new else 'before'}")
            elif isinstance(old[name], str):
                if old[name] != new[name]:
                    found.append(f"{name}:\n{_lines(old[name], new[name])}")
            elif (old[name].dtype, old[name].shape) != (new[name].dtype, new[name].shape):
                kinds = (f"{x.dtype}{x.shape}" for x in (old[name], new[name]))
                found.append(f"{name}: {' became '.join(kinds)}")
            elif old[name].tobytes() != new[name].tobytes():
                found.append(f"{name}: {_apart(old[name], new[name])}")
    return found


def _lines(old: str, new: str) -> str:
    """The lines of one that the other has not."""
    sides = [text.splitlines() for text in (old, new)]
    return "\n".join(
        f"    {sign} {line}"
        for sign, these, those in (("-", *sides), ("+", *reversed(sides)))
        for line in these
        if line not in those
    )


def _apart(old: np.ndarray, new: np.ndarray) -> str:
    if old.dtype.kind != "f":
        return f"{np.count_nonzero(old != new)} of {old.size} differ"
    bits = np.dtype(f"u{old.dtype.itemsize}")
    other = np.ascontiguousarray(old).view(bits) != np.ascontiguousarray(new).view(bits)
    with np.errstate(invalid="ignore"):
        off = np.abs(old - new)
    worst, scale = np.nanmax(off, initial=0.0), np.nanmax(np.abs(old), initial=0.0)
    nans = np.count_nonzero(np.isnan(old) != np.isnan(new))
    return f"{np.count_nonzero(other)} of {old.size} differ, by at most {worst:.1e} of {scale:.1e}, {nans} in being nan"


if __name__ == "__main__":
    sys.exit(main())
