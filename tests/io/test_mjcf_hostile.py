"""Hostile MJCF: every file loads right or is refused by name, and MuJoCo never ends the process."""

import os
import re
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import mujoco
import numpy as np
import pytest
from support.mjcf_hostile import ALIKE, FOLDERS, REFUSED, SAMPLE, outcome
from support.sweeps import sweep

from chasles.errors import ModelError, ModelWarning
from chasles.io import mjcf


@pytest.fixture(scope="module")
def apart():
    """`outcome` in another process: if MuJoCo ended it, BrokenProcessPool would be raised here."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield lambda *given: pool.submit(outcome, *given).result(60.0)


def saved(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_there_are_enough():
    assert len(REFUSED) + len(FOLDERS) >= 150 and len(ALIKE) >= 10


LONG = ("deep nonsense", "a long tag", "a long type", "a long comment")  # megabytes; by default "huge", "very deep"


@pytest.mark.parametrize("name", sweep(REFUSED, REFUSED.keys() - LONG))
def test_refused(name, tmp_path, apart):
    data, line, pattern = REFUSED[name]
    data = data() if callable(data) else data
    where = rf"(?::{line or '[0-9]+'})?: " if line is None else f":{line}: "
    start = time.perf_counter()
    for given, file in ((data, "here.xml"), (None, str(saved(tmp_path / "hostile.xml", data)))):
        key, said = apart(given, file)
        assert re.match(rf"{re.escape(file)}{where}(?s:.*)({pattern})", said), (key, said)
        assert len(said) < 1000
    assert time.perf_counter() - start < 20.0


@pytest.mark.parametrize("name", sweep(ALIKE, ALIKE.keys() - LONG))
def test_loads_alike(name, tmp_path, apart):
    data = ALIKE[name]
    key, said = apart(None, str(saved(tmp_path / "alike.xml", data() if callable(data) else data)))
    assert said == "" and key == apart(SAMPLE)[0]


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name, tmp_path, apart):
    files, pattern = FOLDERS[name]
    for file, data in files.items():
        saved(tmp_path / file, data)
    _, said = apart(None, str(tmp_path / "main.xml"))
    assert re.match(f"{re.escape(str(tmp_path))}/.*{pattern}", said), said


@pytest.mark.parametrize("name", ["missing.xml", "", ".", "/dev/zero", "/dev/null", "a\0b.xml", "x" * 5000, "pipe"])
def test_no_such_file(name, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match=r"this is not a file|cannot be read"):
        mjcf.read(tmp_path / name)


def test_as_deep_as_allowed(apart):
    n = 490
    text = "<mujoco><worldbody>" + "<body><joint/><geom size='.1'/>" * n + "</body>" * n + "</worldbody></mujoco>"
    key, said = apart(text)
    assert key and not said


def test_small_numbers(apart):
    for number in ("1e-320", "-1e-320", "1e-999", "-0", "0.0000001"):
        key, said = apart(SAMPLE.replace('pos="0 0 1"', f'pos="0 {number} 1"').replace('"0.5"', '"1e-320"'))
        assert key and not said


def test_replicates_are_counted_as_they_are(apart):
    many = "<replicate count='50'><site/></replicate>"
    text = SAMPLE.replace("<site", many + "<site")
    assert apart(text)[0] and not apart(text)[1]


def test_large_numbers_that_are_none_of_ours():
    """Bounds are for what makes the mechanism; a limit or a user's number may be anything finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        m = mjcf.parse(SAMPLE.replace("-90 90", "-1e300 1e300").replace("<site", "<site user='1e300'"))
    assert m.limits["upper"][0] > 1e290 and np.isfinite(m.homes).all()


@pytest.mark.parametrize(
    "array, value, pattern",
    [
        ("body_mass", np.nan, "body 'a': its mass is nan"),
        ("body_pos", np.inf, "body 'a': its position is .inf"),
        ("body_inertia", 1e300, "body 'a': its inertia is"),
        ("body_quat", 0.0, "body 'a': its quaternion is"),
        ("jnt_axis", np.nan, "joint 'j': its axis is"),
        ("jnt_pos", 1e200, "joint 'j': its position"),
        ("site_quat", np.nan, "site 's': its quaternion"),
        ("dof_armature", np.nan, "joint 'j': its armature"),
        ("dof_damping", 1e300, "joint 'j': its damping is"),
        ("qpos0", np.nan, "joint 'j': its ref is nan"),
    ],
)
def test_models_changed_by_hand(array, value, pattern):
    model = mujoco.MjModel.from_xml_string(SAMPLE)
    getattr(model, array)[1 if array.startswith("body") else 0] = value
    with pytest.raises(ModelError, match=pattern):
        mjcf.from_mujoco(model)
    model = mujoco.MjModel.from_xml_string(SAMPLE)
    model.opt.gravity[0] = np.nan
    with pytest.raises(ModelError, match="gravity is"):
        mjcf.from_mujoco(model)
