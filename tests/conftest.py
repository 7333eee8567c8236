"""What holds for every test: kernels are kept in a folder of the session, Hypothesis has no deadline."""

import os
import shutil
import tempfile

import hypothesis
import pytest

from chasles.backend.host import jit

hypothesis.settings.register_profile("chasles", deadline=None)  # an example may compile
hypothesis.settings.load_profile("chasles")


@pytest.fixture(autouse=True)
def _quickly_compiled(request, monkeypatch):
    """Little effort at generating code, but in the tests of the back ends: compiling is most of the others' time."""
    if "backend" not in request.path.parts:
        monkeypatch.setattr(jit, "EFFORT", 0)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # workers inherit the environment
        config.kernels = os.environ["CHASLES_CACHE_DIR"] = tempfile.mkdtemp(prefix="chasles-tests-")


def pytest_unconfigure(config):
    if hasattr(config, "kernels"):
        shutil.rmtree(config.kernels, ignore_errors=True)
