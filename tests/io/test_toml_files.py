"""Every URDF file of the wheel example-robot-data by way of a .toml file: the same robot to the last bit."""

import warnings

import pytest
from support.sweeps import sweep
from support.urdf_text import FEW, REFUSED, example_files

from chasles.errors import ModelError, ModelWarning
from chasles.io import toml, urdf
from chasles.model.checks import is_impossible
from chasles.model.variations import with_base

FILES = example_files()
IMPOSSIBLE = "romeo_description/urdf/romeo_laas_small.urdf"


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


@pytest.mark.parametrize("name", sweep([name for name in FILES if name not in REFUSED], FEW))
def test_there_and_back(name):
    """An equal key is the same tree, frames and names to the last bit, and so the same forces."""
    m = urdf.read(FILES[name])
    for given in (m, with_base(m, "free")):
        text = toml.write(given)
        again = toml.parse(text)
        assert again.key == given.key and again.visuals == given.visuals
        assert ("accept_impossible" in text) == any(map(is_impossible, (given.base, *given.links)))


def test_impossible_inertias_are_refused_unless_accepted():
    m = urdf.read(FILES[IMPOSSIBLE])
    text = toml.write(m)
    assert any("negative eigenvalue" in doubt for doubt in toml.parse(text).doubts)
    with pytest.raises(ModelError, match=r":\d+: link '.*': its inertia has a negative eigenvalue"):
        toml.parse(text.replace("accept_impossible = true\n", ""))
