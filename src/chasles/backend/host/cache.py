"""Machine code on disk.

A file per kernel, named by the hash of everything that made it: the IR and the machine. A file holds a header with the
hash of its contents; one that is truncated or foreign is ignored and replaced. Files are written beside their place and
renamed into it, so two writers cannot meet. The folder is the owner's alone: code from a folder that others own or may
write is not loaded. Where nothing can be written, kernels are simply made anew in every process.

At most LIMIT bytes are kept: what was used longest ago goes first. To look through the folder takes long where it is
full, so it is done once for every STRIDE bytes that all processes together have stored, and leaves room for as many
more. A file beside the kernels, the meter, counts them by its length, a byte for each KiB: to append is atomic, so that
no process locks another out. While one looks through, or if it ends meanwhile, others may store up to STRIDE beyond
LIMIT before the next looks through.

`CHASLES_CACHE_DIR` moves the folder; set to the empty string, it turns the cache off.
"""

import contextlib
import os
import stat
import sys
import threading
import time
from pathlib import Path

try:
    from _blake2 import blake2b  # hashlib's own, but without OpenSSL, which takes longer to load than a kernel
except ImportError:
    from hashlib import blake2b

_MAGIC = b"chasles kernel 2\n"
_DIGEST = 32  # bytes
_NEW = ".new-"  # how the names of files begin that are being written
_METER = ".stored"
LIMIT = 512 << 20  # bytes kept
STRIDE = 16 << 20  # bytes stored between two looks through the folder


def _hash(code: bytes) -> bytes:
    return blake2b(code, digest_size=_DIGEST).digest()


def folder() -> Path | None:
    """Where kernels are kept, or None where they are not."""
    given = os.environ.get("CHASLES_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "chasles"


def key(*parts: str) -> str:
    """The name of a kernel: a hash of what made it."""
    digest = blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _trusted(path: Path) -> bool:
    """Whether the path is ours and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def load(name: str) -> bytes | None:
    """The machine code of that name, if it is there, whole, and ours."""
    try:
        place = folder()
        if place is None or not _trusted(place):
            return None
        path = place / f"{name}.o"
        if not _trusted(path):
            return None
        text = path.read_bytes()
        with contextlib.suppress(OSError):  # a folder that is only to be read
            os.utime(path)
    except (OSError, RuntimeError):
        return None
    start = len(_MAGIC) + _DIGEST
    if text[: len(_MAGIC)] != _MAGIC or _hash(text[start:]) != text[len(_MAGIC) : start]:
        return None
    return text[start:]


def store(name: str, code: bytes) -> None:
    """Keep machine code under that name, if the folder allows."""
    temporary = None
    try:
        place = folder()
        if place is None:
            return
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _trusted(place):
            return
        new = place / f"{_NEW}{os.getpid()}-{threading.get_ident()}-{time.time_ns()}"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        temporary = new
        text = _MAGIC + _hash(code) + code
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.replace(temporary, place / f"{name}.o")
        temporary = None
        if _due(place, len(text)):
            _prune(place)
    except (OSError, RuntimeError):
        return
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _due(place: Path, size: int) -> bool:
    """Count bytes that were stored; whether it is time to look through the folder. With a new meter it is: nothing is
    known of what is there already."""
    kib = -(-size // 1024)
    try:
        meter = os.open(place / _METER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            counted = os.fstat(meter).st_size
            due = counted == 0 or counted + kib > STRIDE // 1024
            if due:
                os.ftruncate(meter, 0)  # first, so that other processes go on
            os.write(meter, b"." * (1 if due else kib))
        finally:
            os.close(meter)
    except OSError:
        return True  # the limit holds, at a price
    return due


def _prune(place: Path) -> None:
    """Look through the folder: drop what was used longest ago, down to LIMIT - STRIDE, and what writers left behind."""
    files = []
    for path in place.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            if path.suffix == ".o":
                files.append((status.st_mtime, status.st_size, path))
            elif path.name.startswith(_NEW) and status.st_mtime < time.time() - 3600:  # its writer is no more
                path.unlink()
    excess = sum(size for _, size, _ in files) - (LIMIT - STRIDE)
    for _, size, path in sorted(files, key=lambda f: f[0]):
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        excess -= size
