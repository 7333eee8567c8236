"""The kernels on disk: found again, never trusted blindly, never in the way."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import chasles as ch
from chasles.backend import host
from chasles.backend.host import cache, jit
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.target import host as target
from chasles.errors import CompileError

pytestmark = pytest.mark.usefixtures("little_effort")


@pytest.fixture(autouse=True)
def warm():
    """The shell is compiled before, whatever test comes first."""
    host.shell()


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "kernels"
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setenv("CHASLES_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def compiled(monkeypatch):
    """The modules that were compiled, not loaded."""
    made = []
    compile_object = jit.compile_object

    def spy(ir, *rest):
        made.append(ir)
        return compile_object(ir, *rest)

    monkeypatch.setattr(jit, "compile_object", spy)
    return made


def compute(monkeypatch, factor=3.0):
    """Use a kernel as a new process would."""
    monkeypatch.setattr(host, "_alive", {})
    y = ch.compile(lambda x: np.sin(x) * factor, x=3)([0.1, 0.2, 0.3])
    np.testing.assert_allclose(y, factor * np.sin([0.1, 0.2, 0.3]), rtol=1e-14)


def kept(place):
    """The names of the kernels that are there."""
    return sorted(path.stem for path in place.glob("*.o"))


def only(place):
    (path,) = place.glob("*.o")
    return path


def test_a_kernel_is_compiled_once(place, compiled, monkeypatch):
    for _ in range(3):
        compute(monkeypatch)
    assert len(compiled) == 1
    compute(monkeypatch, 4.0)
    assert len(compiled) == 2 and len(kept(place)) == 2


def test_only_the_owner_may_look(place, monkeypatch):
    previous = os.umask(0)
    try:
        compute(monkeypatch)
    finally:
        os.umask(previous)
    assert place.stat().st_mode & 0o777 == 0o700 and only(place).stat().st_mode & 0o777 == 0o600


DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "header only": lambda data: data[:20],
    "foreign": lambda data: b"#!/bin/sh\n" * 100,
    "a byte changed": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "another hash": lambda data: data[:17] + bytes(32) + data[49:],
    "another version": lambda data: data.replace(b"chasles kernel 3", b"chasles kernel 2", 1),
    "appended": lambda data: data + b"x",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_replaced(place, compiled, monkeypatch, damage):
    compute(monkeypatch)
    path = only(place)
    whole = path.read_bytes()
    assert DAMAGE[damage](whole) != whole
    path.write_bytes(DAMAGE[damage](whole))
    compute(monkeypatch)
    assert len(compiled) == 2 and len(only(place).read_bytes()) == len(whole)
    compute(monkeypatch)
    assert len(compiled) == 2


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_used(place, compiled, monkeypatch, mode):
    compute(monkeypatch)
    place.chmod(mode)
    with pytest.warns(UserWarning, match=f"not kept in {place}: it may be written by others") as said:
        compute(monkeypatch)
    assert len(compiled) == 2 and len(said) == 1 and said[0].filename == __file__
    for path in place.iterdir():
        path.unlink()
    compute(monkeypatch)  # which says it no more
    assert not list(place.iterdir())


def test_a_link_is_no_folder(place, compiled, monkeypatch):
    """Who may change where it leads could have another's code loaded."""
    compute(monkeypatch)
    place.rename(place.parent / "elsewhere")
    place.symlink_to(place.parent / "elsewhere")
    with pytest.warns(UserWarning, match="it is a link"):
        compute(monkeypatch)
    assert len(compiled) == 2


def test_what_takes_the_place_of_the_folder_is_not_seen(place, monkeypatch):
    """Between a look at the folder and the reading of a file, others who may write above it put theirs there."""
    theirs, fstat = place.parent / "theirs", os.fstat
    for folder, code in ((theirs, b"theirs"), (place, b"ours")):
        monkeypatch.setenv("CHASLES_CACHE_DIR", str(folder))
        cache.store("kernel", code)

    def looked_at(handle):
        if theirs.exists():
            place.rename(place.parent / "ours")
            theirs.rename(place)
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", looked_at)
    assert cache.load("kernel") == b"ours" and not theirs.exists()


@pytest.mark.parametrize("where", ["code", "record", "meter"])
def test_nobody_is_waited_for(place, compiled, monkeypatch, where):
    """A FIFO, at which a reader waits for a writer and a writer for a reader."""
    compute(monkeypatch)
    patterns = {"code": "*.o", "record": "*.known", "meter": cache._METER}
    for path in [*place.glob(patterns[where])]:
        path.unlink()
        os.mkfifo(path, 0o600)
    compute(monkeypatch)
    compute(monkeypatch, 7.0)
    assert len(compiled) == 2 + (where == "code")


def test_a_link_is_no_file(place, compiled, monkeypatch):
    compute(monkeypatch)
    path = only(place)
    path.rename(place / "elsewhere")
    path.symlink_to(place / "elsewhere")
    compute(monkeypatch)
    assert len(compiled) == 2 and not path.is_symlink()


def test_code_is_bound_to_its_name(place, compiled, monkeypatch):
    """The code of another kernel, whole and ours, is not that of this one."""
    compute(monkeypatch, 3.0)
    path = only(place)
    compute(monkeypatch, 4.0)
    (other,) = {*place.glob("*.o")} - {path}
    path.write_bytes(other.read_bytes())
    compute(monkeypatch, 3.0)
    assert len(compiled) == 3


def test_folders_above_are_the_owners_alone(place, monkeypatch):
    deep = place / "a" / "b"
    monkeypatch.setenv("CHASLES_CACHE_DIR", str(deep))
    compute(monkeypatch)
    assert [path.stat().st_mode & 0o777 for path in (place, place / "a", deep)] == [0o700] * 3 and kept(deep)


def test_the_home_directory_has_a_short_name(place, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CHASLES_CACHE_DIR", "~/kernels")
    assert cache.folder() == place
    monkeypatch.delenv("CHASLES_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "~/caches")
    assert cache.folder() == tmp_path / "caches" / "chasles"


def test_a_file_that_others_may_write_is_not_used(place, compiled, monkeypatch):
    compute(monkeypatch)
    only(place).chmod(0o666)
    compute(monkeypatch)
    assert len(compiled) == 2 and only(place).stat().st_mode & 0o777 == 0o600


def test_a_folder_of_another_owner_is_not_used(place, compiled, monkeypatch):
    compute(monkeypatch)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.warns(UserWarning, match="it belongs to another user"):
        compute(monkeypatch)
    assert len(compiled) == 2


def test_a_folder_that_cannot_be_made(tmp_path, compiled, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("CHASLES_CACHE_DIR", str(folder))
        with pytest.warns(UserWarning, match=f"not kept in {folder}: "):
            compute(monkeypatch)
    assert len(compiled) == 2 and (tmp_path / "file").read_text() == "in the way"
    monkeypatch.setenv("CHASLES_CACHE_DIR", "~nosuchuser/kernels")
    with pytest.warns(UserWarning, match="not kept in ~nosuchuser/kernels: "):
        compute(monkeypatch)


def test_a_folder_that_is_only_to_be_read(place, compiled, monkeypatch):
    """What is there is used; what is not is made anew, and nothing is raised."""
    compute(monkeypatch)

    def refuse(*args, **options):
        raise PermissionError(13, "read-only")

    open_ = os.open

    def to_read(path, flags, *rest, **options):
        return refuse() if flags & (os.O_WRONLY | os.O_RDWR) else open_(path, flags, *rest, **options)

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(os, "open", to_read)
    monkeypatch.setattr(os, "supports_dir_fd", {to_read})
    os.chmod(only(place), 0o400)
    compute(monkeypatch)
    assert len(compiled) == 1
    compute(monkeypatch, 5.0)
    assert len(compiled) == 2 and len(kept(place)) == 1


def test_a_full_disk_leaves_nothing_behind(place, compiled, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    compute(monkeypatch)
    assert len(compiled) == 1 and not list(place.iterdir())


def test_an_interrupted_writer_leaves_nothing_behind(place, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.store("kernel", b"code")
    assert not list(place.iterdir())


def test_the_empty_string_turns_it_off(compiled, monkeypatch, tmp_path):
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    monkeypatch.chdir(tmp_path)
    assert cache.folder() is None
    compute(monkeypatch)
    compute(monkeypatch)
    assert len(compiled) == 2 and not list(tmp_path.iterdir())


def test_where_it_is_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("CHASLES_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "chasles"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "chasles"


def test_the_oldest_go_first(place, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 5000)
    monkeypatch.setattr(cache, "STRIDE", 0)  # the folder is looked through at each store
    for k in range(8):
        cache.store(f"kernel{k}", bytes(1000))
        os.utime(place / f"kernel{k}.o", (k, k))
    assert cache.load("kernel5") is not None  # and is now the one used last
    cache.store("kernel8", bytes(1000))
    assert kept(place) == ["kernel5", "kernel6", "kernel7", "kernel8"]


@pytest.fixture
def looks(monkeypatch):
    """How often the folder was looked through."""
    seen, prune = [], cache._prune

    def spy(place):
        seen.append(place)
        prune(place)

    monkeypatch.setattr(cache, "_prune", spy)
    return seen


LARGE = 10_000  # a kernel: with its header 10 KiB on the meter


def test_the_folder_is_looked_through_rarely(place, looks, monkeypatch):
    """Once at first, then once for so many bytes, whoever stores them; the limit holds at every moment."""
    monkeypatch.setattr(cache, "LIMIT", 500_000)
    monkeypatch.setattr(cache, "STRIDE", 100 << 10)
    for k in range(200):
        cache.store(f"kernel{k:03d}", bytes(LARGE))
        os.utime(place / f"kernel{k:03d}.o", (k, k))
        assert sum(path.stat().st_size for path in place.glob("*.o")) <= cache.LIMIT
    assert 18 <= len(looks) <= 23  # 2 MB stored, 0.1 MB at a time
    names = kept(place)
    assert names == [f"kernel{k:03d}" for k in range(200 - len(names), 200)] and len(names) > 35


def test_a_folder_that_is_full_already_is_looked_through_at_once(place, looks, monkeypatch):
    """As one left by a version without a meter."""
    place.mkdir(mode=0o700)
    for k in range(10):
        (place / f"old{k}.o").write_bytes(bytes(LARGE))
        os.utime(place / f"old{k}.o", (k, k))
    monkeypatch.setattr(cache, "LIMIT", 60_000)
    monkeypatch.setattr(cache, "STRIDE", 20_000)
    cache.store("new", bytes(1000))
    assert len(looks) == 1 and kept(place) == ["new", "old7", "old8", "old9"]


def test_a_meter_that_cannot_be_written_costs_time_alone(place, looks, monkeypatch):
    """Each process counts what it stores itself."""
    monkeypatch.setattr(cache, "LIMIT", 80_000)
    monkeypatch.setattr(cache, "STRIDE", 30 << 10)
    monkeypatch.setattr(cache, "_counted", [cache.STRIDE])
    (place / cache._METER).mkdir(parents=True, mode=0o700)
    place.chmod(0o700)
    for k in range(13):
        cache.store(f"kernel{k:02d}", bytes(LARGE))
        os.utime(place / f"kernel{k:02d}.o", (k, k))
        assert sum(path.stat().st_size for path in place.glob("*.o")) <= cache.LIMIT
    assert len(looks) == 4 and kept(place) == [f"kernel{k:02d}" for k in range(9, 13)]


def test_a_meter_of_any_length_is_started_again(place, looks):
    cache.store("one", b"code")
    (place / cache._METER).write_bytes(bytes(1 << 20))
    for k in range(5):
        cache.store(f"kernel{k}", b"code")
    assert len(looks) == 2 and len(kept(place)) == 6


MANY = """
import sys
from chasles.backend.host import cache
cache.LIMIT, cache.STRIDE = 2_000_000, 200 << 10
looks, prune = [], cache._prune
cache._prune = lambda place: looks.append(1) or prune(place)
for k in range(250):
    cache.store(f"{sys.argv[1]}-{k}", bytes(10_000))
print(len(looks))
"""


def test_processes_share_the_meter(place):
    """Four at once make 1,000 stores, 10 MB: the limit holds, and few of them look through the folder."""
    started = [
        subprocess.Popen([sys.executable, "-c", MANY, str(k)], stdout=subprocess.PIPE, text=True) for k in range(4)
    ]
    counts = [int(process.communicate(timeout=120)[0]) for process in started]
    assert all(process.returncode == 0 for process in started)
    assert 25 <= sum(counts) <= 220  # once for 0.2 MB; at worst all four find that it is time
    assert sum(path.stat().st_size for path in place.glob("*.o")) <= 2_000_000 + 4 * 10_100
    assert not list(place.glob(".new-*"))


def test_what_a_killed_writer_left_is_swept(place, monkeypatch):
    cache.store("one", b"code")
    for name, age in ((".new-old", 100_000), (".new-fresh", 10)):
        (place / name).write_bytes(b"half")
        os.utime(place / name, (time.time() - age,) * 2)
    monkeypatch.setattr(cache, "STRIDE", 0)
    cache.store("two", b"code")
    assert sorted(path.name for path in place.iterdir()) == [".new-fresh", cache._METER, "one.o", "two.o"]


def test_code_that_cannot_be_loaded_is_an_error(place, monkeypatch):
    with pytest.raises(CompileError):
        jit.Loaded(jit.compile_object("define void @f() {\n  ret void\n}\n", target()), ("range",), IMPORTS)


SCRIPT = """
import hashlib, sys
import numpy as np
import chasles as ch
from chasles.backend.host import jit
compiled, compile_object = [], jit.compile_object
jit.compile_object = lambda *x: compiled.append(1) or compile_object(*x)
digest = hashlib.sha256()
for name in ("ur5", "scara", "planar_3r"):
    robot = ch.load(name)
    x = np.linspace(-1.0, 1.0, 20 * robot.n).reshape(20, robot.n)
    single = robot.kernel("gravity_forces", dtype="float32")
    for y in (robot.inverse_dynamics(x, x, x), robot.mass_matrix(x), single(x)):
        digest.update(y.tobytes())
print(digest.hexdigest(), len(compiled))
"""


def processes(count, folder):
    environment = {**os.environ, "CHASLES_CACHE_DIR": str(folder)}
    started = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    outputs = [process.communicate(timeout=120)[0].split() for process in started]
    assert all(process.returncode == 0 for process in started)
    return [output[0] for output in outputs], [int(output[1]) for output in outputs]


@pytest.mark.slow
def test_processes(tmp_path):
    """Several write at once; the next one compiles nothing, and all have the same bits."""
    at_once, compiled = processes(4, tmp_path / "kernels")
    assert max(compiled) in (9, 10)  # all kernels, and the shell unless another had it
    after, none = processes(1, tmp_path / "kernels")
    assert none == [0] and len({*at_once, *after}) == 1
    assert len(kept(tmp_path / "kernels")) == 10  # nine kernels and the shell
    without, all_of_them = processes(1, "")
    assert all_of_them == [10] and without == after
