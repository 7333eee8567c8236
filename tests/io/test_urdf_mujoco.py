"""MuJoCo agrees on every robot of example-robot-data that both can load: its mass matrix and its bias.

It is given the files as we write them, without meshes; all joints are free, mimics left out.
"""

from dataclasses import replace

import numpy as np
import pytest
from tolerances import close
from urdf_text import example_files, quietly

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.newton_euler import newton_euler
from chasles.io import urdf

mujoco = pytest.importorskip("mujoco")
FILES = example_files()
REFUSED = ("falcon_description/urdf/falcon.urdf", "ur_description/urdf/ur3.urdf")  # by Pinocchio too
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


def as_mujoco(text: str):
    head = text.index(">", text.index("<robot")) + 1
    return mujoco.MjModel.from_xml_string(text[:head] + OPTIONS + text[head:])


@pytest.mark.parametrize("name", [name for name in FILES if name not in REFUSED])
def test_mujoco_agrees(name: str) -> None:
    m = quietly(urdf.read, FILES[name])
    if not m.bodies:
        return  # nothing moves, nothing to compare
    text = quietly(urdf.write, replace(m, visuals=()))
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
