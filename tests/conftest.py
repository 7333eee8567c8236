"""Ground of every test: its own random numbers, kernels in a folder of the session, the profiles of Hypothesis."""

import gc
import os
import shutil
import signal
import sys
import tempfile
import zlib
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of small matrices; workers inherit it, and share the processors
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every worker, and every process of a test, compiles all files
os.environ["CHASLES_NO_BROWSER"] = "1"  # examples and pages of docs show robots
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

import hypothesis
import numpy as np
import pytest
from support.browser import browser  # noqa: F401  # a fixture

from chasles import catalogue
from chasles.backend.host import jit, records

sys.dont_write_bytecode = False

# No deadlines: an example may compile. By default the same few examples every time; `random` draws many new ones.
hypothesis.settings.register_profile("chasles", deadline=None, derandomize=True, max_examples=20)
hypothesis.settings.register_profile("random", deadline=None, max_examples=200, print_blob=True)
hypothesis.settings.load_profile("chasles")


@pytest.fixture
def rng(request):
    """A generator of random numbers seeded by the test's name: no test depends on those that ran before it."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


_make = catalogue.kernel
_made = {}  # kernels of this process, the latest used last


def _shared(mechanism, *options):
    """The kernel of catalogue functions, the same for equal robots: tracing them again is half of a kernel's time."""
    key = (mechanism.key, *options)
    try:
        hash(key)
    except TypeError:  # some option is wrong: it is refused
        return _make(mechanism, *options)
    made = _made.pop(key, None) or _make(mechanism, *options)
    _made[key] = made
    if len(_made) > 400:  # or they fill the memory
        del _made[next(iter(_made))]
    return made


_settings = [(jit, "EFFORT", jit.EFFORT), (records, "_unchanged", records._unchanged), (catalogue, "kernel", _make)]
jit.EFFORT = 0  # little effort at kernels: making them is most of the tests' time
records._unchanged = lambda: True  # nobody writes sources meanwhile: 400 files not asked
catalogue.kernel = _shared


@pytest.fixture(autouse=True)
def _carefully_compiled(request):
    """In the tests of the back ends kernels are made as users have them."""
    if "backend" in request.path.parts:
        monkeypatch = request.getfixturevalue("monkeypatch")
        for place, name, value in _settings:
            monkeypatch.setattr(place, name, value)


@pytest.fixture
def little_effort(monkeypatch):
    """In tests of the back ends that are not of the code LLVM generates, but of its life and its places."""
    monkeypatch.setattr(jit, "EFFORT", 0)


@pytest.fixture
def own_kernels(monkeypatch):
    """Kernels shared with no test before: what is compiled, and when, can be told."""
    monkeypatch.setattr(catalogue, "kernel", _make)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # workers inherit the environment
        config.kernels = os.environ["CHASLES_CACHE_DIR"] = tempfile.mkdtemp(prefix="chasles-tests-")


def pytest_collection(session):
    """Every other worker reads the files of all tests from the last to the first: they meet in the middle, and what
    one of them has compiled, which takes longer than anything else here, the other loads."""
    worker, tests = os.environ.get("PYTEST_XDIST_WORKER", "gw0"), Path(__file__).parent
    if int(worker.removeprefix("gw")) % 2 and [Path(given).absolute() for given in session.config.args] == [tests]:
        parts = [path for path in tests.iterdir() if path.match("test_*.py") or any(path.rglob("test_*.py"))]
        session.config.args = [str(path) for path in sorted(parts, reverse=True)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path)  # the same for all workers


def pytest_collection_finish():
    """What is there when tests begin stays to the end: the collector of garbage does not look through it again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure(config):
    if hasattr(config, "kernels"):
        shutil.rmtree(config.kernels, ignore_errors=True)
