"""MuJoCo agrees on every robot of example-robot-data that both can load: its mass matrix and its bias.

It is given the files as we write them, without meshes; all joints are free, mimics left out. What is fixed weighs
where it was merged into: there are links whose own inertia MuJoCo does not take, and that of the body it does.
"""

from dataclasses import replace
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from support.eager import Eager
from support.sweeps import sweep
from support.tolerances import close
from support.urdf_text import FEW, REFUSED, example_files, quietly

from chasles.conventions import from_coordinates, to_coordinates, velocity_drift, velocity_map
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.newton_euler import newton_euler
from chasles.io import urdf
from chasles.model.merged_links import with_frames
from chasles.model.variations import with_base

FILES = example_files()
NOT_MUJOCOS = {  # what MuJoCo says of files it does not take
    "bluevolta_description/urdf/bluevolta_bravo7_gripper.urdf": "mass and inertia of moving bodies",
    "bravo7_description/urdf/bravo7_gripper.urdf": "mass and inertia of moving bodies",
    "falcon_description/urdf/falcon_bravo7_gripper.urdf": "mass and inertia of moving bodies",
    "human_description/robots/human.urdf": "mass and inertia of moving bodies",
    "icub_description/robots/icub.urdf": "positive eigenvalues",
    "icub_description/robots/icub_reduced.urdf": "positive eigenvalues",
    "romeo_description/urdf/romeo.urdf": "mass and inertia of moving bodies",
    "romeo_description/urdf/romeo_laas_small.urdf": "positive eigenvalues",
    "romeo_description/urdf/romeo_small.urdf": "A \\+ B >= C",
}
OPTIONS = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'


def written(m) -> str:
    return quietly(urdf.write, with_frames(replace(m, visuals=()), lambda frame: replace(frame, load=None)))


def as_mujoco(text: str):
    head = text.index(">", text.index("<robot")) + 1
    return mujoco.MjModel.from_xml_string(text[:head] + OPTIONS + text[head:])


@pytest.mark.parametrize("name", sweep([name for name in FILES if name not in REFUSED], list(FILES)[::4]))
def test_mujoco_agrees(name: str) -> None:
    m = quietly(urdf.read, FILES[name])
    if not m.bodies:
        return  # nothing moves, nothing to compare
    text = written(m)
    if name in NOT_MUJOCOS:
        with pytest.raises(ValueError, match=NOT_MUJOCOS[name]):
            as_mujoco(text)
        return
    model = as_mujoco(text)
    data, n = mujoco.MjData(model), model.nv
    assert n == m.tree.n
    place = [model.joint(joint).dofadr[0] for joint in m.joint_names]
    x, v = np.random.default_rng(0).uniform(-1.0, 1.0, (2, n))
    data.qpos[place], data.qvel[place] = x, v
    model.opt.gravity[:] = m.gravity
    mujoco.mj_forward(model, data)
    M = np.zeros((n, n))
    for k, unit in enumerate(np.eye(n)):
        mujoco.mj_mulM(model, data, M[k], unit)
    assert close(mass_matrix(m.tree, x.tolist()), M[np.ix_(place, place)], 1e-9)
    assert close(newton_euler(m.tree, x.tolist(), v.tolist(), [0.0] * n).tau, data.qfrc_bias[place], 1e-9)


def ordered_by_its_maker(name: str, m):
    """MuJoCo's model of a robot, whose joints stand in the order of the file, not in ours; and their names."""
    order = [joint.get("name") for joint in ElementTree.parse(FILES[name]).iterfind("joint")]
    root = ElementTree.fromstring(written(m))
    place = {joint: k for k, joint in enumerate(order)}
    root[:] = sorted(root, key=lambda x: place.get(x.get("name"), -1) if x.tag == "joint" else -1)
    model = as_mujoco(ElementTree.tostring(root, encoding="unicode"))
    return model, [model.joint(j).name for j in range(model.njnt)]


def test_orders_differ() -> None:
    """Else the next test would show nothing."""
    for name, mimics in (("a1_description/urdf/a1.urdf", 0), ("talos_data/robots/talos_full_v2.urdf", 12)):
        m = quietly(urdf.read, FILES[name])
        names = ordered_by_its_maker(name, m)[1]
        assert sorted(names) == sorted(m.joint_names) and names != list(m.joint_names)
        assert m.bodies - m.n == mimics


@pytest.mark.parametrize("base", [None, "free"])
@pytest.mark.parametrize("name", sweep([name for name in FILES if name not in (*REFUSED, *NOT_MUJOCOS)], FEW))
def test_maps_lead_to_mujoco(name: str, base: str | None) -> None:
    """They take q and v there, where joints stand in another order and mimics have coordinates, and forces back."""
    m = quietly(urdf.read, FILES[name])
    if not m.bodies or (base and "world" in m.frames):
        return  # nothing moves, or a link has the name of MuJoCo's world, which cannot
    m = quietly(with_base, m, base) if base else m
    model, joint_names = ordered_by_its_maker(name, m)
    data, ours, rng = mujoco.MjData(model), Eager(m), np.random.default_rng(0)
    names = {"joint_names": joint_names}
    q, v = ours.random(rng), rng.uniform(-1.0, 1.0, m.n)
    X, drift = velocity_map(m, q, "mujoco", **names), velocity_drift(m, q, v, "mujoco", **names)
    data.qpos[:], data.qvel[:] = to_coordinates(m, q, "mujoco", **names), X @ v
    assert close(from_coordinates(m, data.qpos, "mujoco", **names), q, 1e-14)
    model.opt.gravity[:] = m.gravity
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], unit)
    assert close(X.T @ M @ X, ours.M(q), 1e-9)
    assert close(X.T @ (data.qfrc_bias + M @ drift), ours.bias(q, v), 1e-9)
