"""Machine code on disk, and which code a function has.

A file per kernel, named by the hash of everything that made it: the IR and the machine. A file holds a header with the
hash of its name and contents: one that is truncated, foreign or another kernel's is ignored and replaced. Files are
written beside their place and renamed into it, so two writers cannot meet.

The folder is the owner's alone: code from a folder, or a file, that others own or may write is not loaded. Both are
opened, without following a link and without waiting for anybody, and what was opened is looked at and read: what others
put in their place meanwhile is not seen. A folder that is not used is said once. Where nothing can be written, kernels
are simply made anew in every process.

At most LIMIT bytes are kept: what was used longest ago goes first. To look through the folder takes long where it is
full, so it is done once for every STRIDE bytes that all processes together have stored, and leaves room for as many
more. A file beside the kernels, the meter, counts them by its length, a byte for each KiB: to append is atomic, so that
no process locks another out. While one looks through, or if it ends meanwhile, others may store up to STRIDE beyond
LIMIT before the next looks through. Where there can be no meter, each process counts for itself.

`CHASLES_CACHE_DIR` moves the folder; set to the empty string, it turns the cache off.
"""

import contextlib
import os
import stat
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

from chasles.errors import caller

try:
    from _blake2 import blake2b  # hashlib's own, but without OpenSSL, which takes longer to load than a kernel
except ImportError:
    from hashlib import blake2b

CODE = ".o"  # how the names of files end that hold machine code,
RECORD = ".known"  # and of those that say which code a function has
_MAGIC = b"chasles kernel 3\n"
_DIGEST = 32  # bytes
_NEW = ".new-"  # how the names of files begin that are being written
_METER = ".stored"
LIMIT = 512 << 20  # bytes kept
STRIDE = 16 << 20  # bytes stored between two looks through the folder
_RECENT = 3600.0  # s: a file used within that time is not marked as used again

_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFELY

_said: set[str] = set()  # folders that are not used
_counted = [STRIDE]  # bytes this process has stored since it looked through a folder without a meter


def _hash(name: str, contents: bytes) -> bytes:
    digest = blake2b(name.encode() + b"\0", digest_size=_DIGEST)
    digest.update(contents)
    return digest.digest()


def folder() -> Path | None:
    """Where kernels are kept, or None where they are not."""
    given = os.environ.get("CHASLES_CACHE_DIR")
    if given is not None:
        return Path(given).expanduser() if given else None
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "chasles"


def key(*parts: str) -> str:
    """The name of a kernel: a hash of what made it."""
    return digest(part.encode("utf-8", "surrogatepass") for part in parts)


def digest(parts: Iterable[bytes]) -> str:
    """A hash of texts, one behind the other."""
    found = blake2b(digest_size=_DIGEST)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def _fault(status: os.stat_result, is_kind: bool) -> str:
    """Why something that was opened is not trusted; empty where it is."""
    if not is_kind:
        return "is not what it should be"
    if status.st_uid != os.getuid():
        return "belongs to another user"
    return "may be written by others" if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _opened(make: bool) -> int | None:
    """A descriptor of the folder, or None where there is none to be used. make: the folder, where it is missing."""
    place = None
    try:
        place = folder()
        if place is None:
            return None
        if make:
            _make(place)
        return _trusted(place)
    except (OSError, RuntimeError, ValueError) as error:
        if make or not isinstance(error, FileNotFoundError):
            named = os.environ.get("CHASLES_CACHE_DIR") or "the home directory"
            _say(str(place or named), getattr(error, "strerror", None) or str(error))
        return None


def _trusted(place: Path) -> int:
    if os.open not in os.supports_dir_fd:
        raise OSError("this system opens no file by its folder")
    try:
        handle = os.open(place, _FOLDER)
    except OSError as error:
        raise OSError("it is a link") if place.is_symlink() else error from None
    status = os.fstat(handle)
    fault = _fault(status, stat.S_ISDIR(status.st_mode))
    if fault:
        os.close(handle)
        raise OSError(f"it {fault}")
    return handle


def _make(place: Path) -> None:
    """The folder, and the folders above it that are missing, for the owner alone."""
    missing = [path for path in (place, *place.parents) if not path.exists()]
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process has made it, or it is a link to nothing
            os.mkdir(path, 0o700)


def _say(where: str, why: str) -> None:
    if where not in _said:
        _said.add(where)
        warnings.warn(
            f"compiled kernels are not kept in {where}: {why}. Every process compiles its own until the folder is "
            "yours alone (chmod 700), or CHASLES_CACHE_DIR names another; set to the empty string, it is not said",
            stacklevel=caller(),
        )


def load(name: str, kind: str = CODE) -> bytes | None:
    """What is kept under that name, if it is there, whole, and ours."""
    place = _opened(make=False)
    if place is None:
        return None
    try:
        text = _read(place, name + kind)
    except OSError:
        return None
    finally:
        os.close(place)
    start = len(_MAGIC) + _DIGEST
    if text[: len(_MAGIC)] != _MAGIC or _hash(name + kind, text[start:]) != text[len(_MAGIC) : start]:
        return None
    return text[start:]


def _read(place: int, name: str) -> bytes:
    """The contents of a file of the folder; empty where it is not trusted."""
    handle = os.open(name, os.O_RDONLY | _SAFELY, dir_fd=place)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if _fault(status, stat.S_ISREG(status.st_mode)) or status.st_size > LIMIT:
            return b""
        if status.st_mtime < time.time() - _RECENT:
            with contextlib.suppress(OSError):  # a folder that is only to be read
                os.utime(handle)
        return file.read()


def store(name: str, contents: bytes, kind: str = CODE) -> None:
    """Keep something under that name, if the folder allows."""
    place = _opened(make=True)
    if place is None:
        return
    text = _MAGIC + _hash(name + kind, contents) + contents
    try:
        _write(place, name + kind, text)
        if _due(place, len(text)):
            _prune(place)
    except OSError:
        return
    finally:
        os.close(place)


def _write(place: int, name: str, text: bytes) -> None:
    """A file of the folder, whole or not at all."""
    new = f"{_NEW}{os.getpid()}-{threading.get_ident()}-{time.time_ns()}"
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY, 0o600, dir_fd=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.replace(new, name, src_dir_fd=place, dst_dir_fd=place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=place)
        raise


def _due(place: int, size: int) -> bool:
    """Count bytes that were stored; whether it is time to look through the folder. With a new meter it is: nothing is
    known of what is there already."""
    kib = -(-size // 1024)
    try:
        meter = os.open(_METER, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _SAFELY, 0o600, dir_fd=place)
        try:
            counted = os.fstat(meter).st_size
            due = counted == 0 or counted + kib > STRIDE // 1024
            if due:
                os.ftruncate(meter, 0)  # first, so that other processes go on
            os.write(meter, b"." * (1 if due else kib))
        finally:
            os.close(meter)
    except OSError:
        _counted[0] += 1024 * kib
        due = _counted[0] > STRIDE
        if due:
            _counted[0] = 0
    return due


def _prune(place: int) -> None:
    """Look through the folder: drop what was used longest ago, down to LIMIT - STRIDE, and what writers left behind."""
    files = []
    with os.scandir(place) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith((CODE, RECORD)):
                    files.append((status.st_mtime, status.st_size, entry.name))
                elif entry.name.startswith(_NEW) and status.st_mtime < time.time() - 3600:  # its writer is no more
                    os.unlink(entry.name, dir_fd=place)
    excess = sum(size for _, size, _ in files) - (LIMIT - STRIDE)
    for _, size, name in sorted(files):
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=place)
        excess -= size
