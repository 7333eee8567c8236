"""Flash and stack of exported C on a microcontroller, a Cortex-M4 with its unit for float: measured where its compiler,
arm-none-eabi-gcc, is on PATH.

Flash is the code and the constants of the file. The stack is that of the deepest chain of calls, as the compiler counts
it, without what functions of the C library take of it: of those only flash can be counted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chasles.export.targets.c import CORTEX

COMPILER = "arm-none-eabi-gcc"
PROCESSOR = "Cortex-M4"
LONGEST = 60.0  # seconds


@dataclass(frozen=True)
class Footprint:
    """Bytes of a function on a processor. library: what it takes of the C library besides; None: it was not linked."""

    flash: int
    stack: int
    library: int | None = None

    def __str__(self) -> str:
        known = f" ({_kilobytes(self.library)} flash)" if self.library else ""
        besides = f", both besides the C library's{known}" if self.library != 0 else ""
        return f"{PROCESSOR}: {_kilobytes(self.flash)} flash, {_kilobytes(self.stack)} stack{besides}"


def measured(files: Mapping[str, str | bytes]) -> Footprint | None:
    """The footprint of files that export wrote to C; None where there is no compiler, or nothing for it."""
    texts = {
        name: x.decode() if isinstance(x, bytes) else x for name, x in files.items() if name.endswith((".c", ".h"))
    }
    names = [name[:-2] for name in texts if name.endswith(".h") and f"{name[:-2]}.c" in texts]
    if len(names) != 1 or not shutil.which(COMPILER):
        return None
    with tempfile.TemporaryDirectory(prefix="chasles-") as place:
        folder = Path(place)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
        try:
            return _measured(folder, names[0], texts[f"{names[0]}.h"])
        except (subprocess.SubprocessError, OSError, LookupError):  # another version, another libc
            return None


def _measured(folder: Path, name: str, header: str) -> Footprint:
    _run(folder, COMPILER, *CORTEX.split(), "-std=c99", "-O2", "-fcallgraph-info=su", "-c", f"{name}.c", "-o", "x.o")
    flash = _size(folder, "x.o")
    stack = _deepest((folder / "x.ci").read_text("utf-8", "replace"), name)
    return Footprint(flash, stack, _library(folder, name, header, flash))


def _library(folder: Path, name: str, header: str, flash: int) -> int | None:
    """How much more a program is that calls the function, but for the function itself."""
    arguments = re.search(rf"void {name}\((.*?)\);", header, re.DOTALL)
    if arguments is None:
        return None
    passed = ", ".join("buffer" if "[" in x else "buffer[0]" for x in arguments[1].split(","))
    number = "float" if "float " in arguments[1] else "double"
    bare = "int main(void) { return 0; }\n"
    calls = f'#include "{name}.h"\nstatic {number} buffer[8];\nint main(void) {{ {name}({passed}); return 0; }}\n'
    sizes = []
    for text in (bare, calls):
        (folder / "main.c").write_text(text, "ascii")
        options = [*CORTEX.split(), "-O2", "-w", "--specs=nosys.specs", "-Wl,--gc-sections", "-Wl,--no-warnings"]
        try:
            _run(folder, COMPILER, *options, "main.c", "x.o", "-lm", "-o", "x.elf")
        except subprocess.SubprocessError:
            return None
        sizes.append(_size(folder, "x.elf"))
    return max(0, sizes[1] - sizes[0] - flash)


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=True)
    return done.stdout


def _size(folder: Path, file: str) -> int:
    """Bytes of code, constants and initial values."""
    text, data = _run(folder, COMPILER.replace("gcc", "size"), file).splitlines()[1].split()[:2]
    return int(text) + int(data)


def _deepest(graph: str, function: str) -> int:
    """Bytes of stack of the deepest chain of calls from a function, of a graph as `-fcallgraph-info=su` writes it."""
    frames = {
        title: int(size) for title, size in re.findall(r'node: \{ title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes', graph)
    }
    calls: dict[str, list[str]] = {}
    for caller, called in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', graph):
        calls.setdefault(caller, []).append(called)

    def depth(title: str) -> int:
        return frames.get(title, 0) + max((depth(inner) for inner in calls.get(title, ())), default=0)

    (start,) = [title for title in frames if title.rpartition(":")[2] == function]
    return depth(start)


def _kilobytes(size: int) -> str:
    return f"{size} B" if size < 1000 else f"{size / 1000.0:.1f} kB"
