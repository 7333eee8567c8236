"""Every URDF file of the wheel example-robot-data: names, order, poses and forces are Pinocchio's, there and back."""

import re
import warnings

import numpy as np
import pinocchio as pin
import pytest
from support.sweeps import sweep
from support.tolerances import close
from support.urdf_text import FEW, REFUSED, example_files, pinocchio_q

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.kinematics import poses
from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError, ModelWarning
from chasles.io import urdf
from chasles.model.poses import matrix

FILES = example_files()

MIMICS = {  # file: how many joints follow another
    "baxter_description/urdf/baxter.urdf": 2,
    "panda_description/urdf/panda.urdf": 1,
    "panda_description/urdf/panda_collision.urdf": 1,
    "pr2_description/urdf/pr2.urdf": 10,
    "romeo_description/urdf/romeo.urdf": 22,
    "talos_data/robots/talos_full_v2.urdf": 12,
    "talos_data/robots/talos_full_v2_box.urdf": 12,
    "talos_data/robots/talos_left_arm.urdf": 0,  # here and below the mimics are fixed joints
    "talos_data/robots/talos_reduced.urdf": 0,
    "talos_data/robots/talos_reduced_box.urdf": 0,
    "talos_data/robots/talos_reduced_corrected.urdf": 0,
    "tiago_pro_description/robots/tiago_pro.urdf": 10,
}
NO_FREEDOM = {
    "bluevolta_description/urdf/bluevolta.urdf",
    "hector_description/robots/quadrotor_base.urdf",
    "iris_description/robots/iris_simple.urdf",
}
REORDERED = {  # joints on merged links come before others of their new parent
    "centauro_description/urdf/centauro.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
}
LOADED = [name for name in FILES if name not in REFUSED]


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return urdf.read(FILES[name])


def test_there_are_77():
    assert len(FILES) == 77 and set(FILES) >= {*REFUSED, *MIMICS, *NO_FREEDOM}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(ModelError, match=REFUSED[name]):
        urdf.read(FILES[name])
    with pytest.raises(ValueError):
        pin.buildModelFromUrdf(str(FILES[name]), mimic=True)


@pytest.mark.parametrize("name", sweep(LOADED, LOADED[::3]))
def test_agrees_with_pinocchio(name):
    """Mimics are left out of this: the tree has all joints, as Pinocchio's model has without mimic=True."""
    m, model = load(name), pin.buildModelFromUrdf(str(FILES[name]))
    assert list(m.joint_names) == list(model.names)[1:]
    assert sum(x is not None for x in m.mimics) == MIMICS.get(name, 0)
    assert (m.bodies == 0) == (name in NO_FREEDOM)
    links = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY} - {"universe"}
    assert set(m.frames) - {"tool"} == links
    assert m.frames[m.base_name].body == -1
    data, rng = model.createData(), np.random.default_rng(0)
    x, v, a = rng.uniform(-1.5, 1.5, (3, model.nv))
    q = pinocchio_q(model, x)
    pin.framesForwardKinematics(model, data, q)
    T = poses(m.tree, m.tree.motions(x.tolist()))
    reach = max(float(np.abs(frame.translation).max()) for frame in data.oMf)
    for frame in m.frames.values():
        if frame.name in links:
            body = matrix(T[frame.body]) if frame.body >= 0 else np.eye(4)
            expected = data.oMf[model.getFrameId(frame.name, pin.FrameType.BODY)].homogeneous
            assert close(body @ frame.pose, expected, 1e-11, reach)
    if m.bodies:
        tau = newton_euler(m.tree, x.tolist(), v.tolist(), a.tolist()).tau
        assert close(tau, pin.rnea(model, data, q, v, a), 1e-10)
        M = pin.crba(model, data, q)
        assert close(mass_matrix(m.tree, x.tolist()), np.triu(M) + np.triu(M, 1).T, 1e-10)
        assert close(m.damping, model.damping) and close(m.friction, model.friction)
        bounded = np.isfinite(m.limits["lower"])
        for key, theirs in (("lower", model.lowerPositionLimit), ("upper", model.upperPositionLimit)):
            ours = [theirs[joint.idx_q] for joint in list(model.joints)[1:]]
            assert np.array_equal(m.limits[key][bounded], np.array(ours)[bounded])
        assert np.array_equal(m.limits["effort"], model.effortLimit)
        assert np.array_equal(m.limits["velocity"], model.velocityLimit)


@pytest.mark.parametrize("name", sweep(LOADED, (*FEW, "centauro_description/urdf/centauro.urdf")))
def test_there_and_back(name):
    m = load(name)
    text = urdf.write(m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        again = urdf.parse(text)
    for what in ("name", "joint_names", "link_names", "base_name", "kinds", "mimics", "parents"):
        assert getattr(again, what) == getattr(m, what)
    mounts = set(again.frames) - set(m.frames)
    assert set(m.frames) <= set(again.frames) and (not mounts or name in REORDERED)
    assert all(re.search(r"_mount\d+$", frame) for frame in mounts)
    assert close(again.homes, m.homes, 1e-12, 1.0) and close(again.screws, m.screws, 1e-12, 1.0)
    for link, expected in zip((*again.links, again.base), (*m.links, m.base), strict=True):
        assert close(link.mass, expected.mass, 1e-14) and close(link.com, expected.com, 1e-12, 1.0)
        assert close(link.inertia, expected.inertia, 1e-12, expected.mass * (1e-3 + float(expected.com @ expected.com)))
    for key in m.limits:
        assert np.array_equal(again.limits[key], m.limits[key])
    assert np.array_equal(again.damping, m.damping) and np.array_equal(again.friction, m.friction)
    assert {(x.frame, x.role, x.kind, x.size, x.file, x.colour) for x in again.visuals} == {
        (x.frame, x.role, x.kind, x.size, x.file, x.colour) for x in m.visuals
    }

    model, written = pin.buildModelFromUrdf(str(FILES[name])), pin.buildModelFromXML(text)
    assert list(model.names) == list(written.names)
    if model.nv:
        x, v, a = np.random.default_rng(1).uniform(-1.5, 1.5, (3, model.nv))
        q = pinocchio_q(model, x)
        q_written = pinocchio_q(written, x)
        expected = pin.rnea(model, model.createData(), q, v, a)
        assert close(pin.rnea(written, written.createData(), q_written, v, a), expected, 2e-12)
