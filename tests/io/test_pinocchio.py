"""Robots to Pinocchio and from it: names, numbers and forces are the same, there and back."""

import sys

import numpy as np
import pinocchio as pin
import pytest
from support.eager import Eager
from support.random_trees import random_link, random_pose, random_screw
from support.sweeps import sweep
from support.tolerances import close
from support.urdf_text import example_files, quietly

from chasles import Robot
from chasles.conventions import swap_halves
from chasles.errors import ModelError, ModelWarning, ShapeError
from chasles.io import urdf
from chasles.io.pinocchio import from_pinocchio, to_pinocchio, twin
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.variations import with_base, with_locked

EXPRESSED = {"body": pin.LOCAL, "space": pin.WORLD, "mixed": pin.LOCAL_WORLD_ALIGNED}
FILES = example_files()


def mass(model, data, q):
    """Column by column where there are mimics: `crba` is wrong if the tree branches beyond one (Pinocchio 4.1)."""
    if len(model.mimicking_joints):
        still = np.zeros(model.nv)
        columns = [pin.rnea(model, data, q, still, a).copy() for a in (still, *np.eye(model.nv))]
        return np.array(columns[1:]).T - columns[0][:, None]
    M = pin.crba(model, data, q)
    return np.triu(M) + np.triu(M, 1).T


def random_mechanism(seed, mimics=None, pitch=True, **changes):
    """A tree of every kind of joint, with gears, losses, limits, a heavy base, frames and a tool."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    kinds = ["screw"] * n if mimics else [str(rng.choice(["screw", "planar", "spherical", "free"])) for _ in range(n)]
    lower = np.where([kind == "screw" for kind in kinds], -rng.uniform(1, 2, n), -np.inf)
    arguments = {
        "parents": [-1] + [int(rng.integers(-1, i)) if rng.random() < 0.4 else i - 1 for i in range(1, n)],
        "kinds": kinds,
        "mimics": mimics,
        "limits": {
            "lower": lower,
            "upper": -lower + 0.5,
            "velocity": rng.uniform(1, 3, n),
            "effort": rng.uniform(1, 3, n),
        },
        "base": Link(2.0, [0.1, 0.2, 0.3], [0.3, 0.4, 0.5], "ground"),
        "frames": {"flange": (n - 1, random_pose(rng)), "mount": ("ground", random_pose(rng))},
        "gravity": rng.normal(size=3) * 5.0,
        "tool": random_pose(rng),
        "tool_link": n // 2,
        "name": "random",
        **{key: rng.uniform(0.0, 0.5, n) for key in ("armature", "damping", "friction")},
    }
    screws, homes = [random_screw(rng) for _ in range(n)], [random_pose(rng) for _ in range(n)]
    for S in screws:
        if S[:3].any() and not pitch:
            S[3:] -= S[:3] * (S[:3] @ S[3:]) / (S[:3] @ S[:3])
    return mechanism(screws, homes, [random_link(rng) for _ in range(n)], **(arguments | changes))


def agree(pair, rng, tol=1e-9, states=2, coriolis=False):
    """Forces, mass matrix, poses and Jacobians of all frames that both have."""
    m, model = pair.mechanism, pair.model
    ours, data = Eager(m), model.createData()
    for _ in range(states):
        q, (qd, qdd) = ours.random(rng), rng.normal(size=(2, m.n))
        x, v, a = pair.q(q), pair.v(qd), pair.v(qdd)
        assert close(pair.q(pair.back_q(x)), x, 1e-13) and close(pair.back_v(v), qd, 1e-13)
        tau = ours.tau(q, qd, qdd)
        assert close(pair.back_tau(pin.rnea(model, data, x, v, a)), tau, tol)
        assert close(pair.tau(tau), pin.rnea(model, data, x, v, a), tol)
        M = mass(model, data, x)
        assert close(pair.back_matrix(M), ours.M(q), tol)
        assert close(pair.matrix(ours.M(q)), M, tol)
        if coriolis:
            C = pair.back_matrix(pin.computeCoriolisMatrix(model, data, x, v))
            assert close(C @ qd + ours.tau(q, 0 * qd, 0 * qd), ours.bias(q, qd), tol, scale=np.abs(tau).max())
        pin.framesForwardKinematics(model, data, x)
        pin.computeJointJacobians(model, data, x)
        names = [name for name in m.frames if sum(frame.name == name for frame in model.frames) == 1]
        assert names
        for k, name in enumerate(names):
            at = model.getFrameId(name)
            assert close(ours.pose(q, name), data.oMf[at].homogeneous, tol)
            if k < 3 or k >= len(names) - 3:
                for expressed, theirs in EXPRESSED.items():
                    J = np.array(pin.getFrameJacobian(model, data, at, theirs)).reshape(6, -1)
                    scale = max(1.0, float(np.abs(J).max()))
                    assert close(pair.back_jacobian(J), ours.J(q, name, expressed), tol, scale)
                    assert close(pair.jacobian(ours.J(q, name, expressed)), J, tol, scale)


def same(again, m):
    """Nothing is lost but what the frames of moved joints add."""
    for what in ("name", "joint_names", "kinds", "mimics", "parents", "link_names", "base_name"):
        assert getattr(again, what) == getattr(m, what)
    assert list(again.frames) == list(m.frames) or set(again.frames) - set(m.frames) <= set(m.joint_names)
    assert close(again.homes, m.homes, 1e-12, 1.0) and close(again.gravity, m.gravity)
    for name, frame in m.frames.items():
        assert again.frames[name].body == frame.body and close(again.frames[name].pose, frame.pose, 1e-12, 1.0)
    for link, expected in zip((*again.links, again.base), (*m.links, m.base), strict=True):
        assert close(link.mass, expected.mass, 1e-14) and close(link.com, expected.com, 1e-12, 1.0)
        assert close(link.inertia, expected.inertia, 1e-12, expected.mass)


@pytest.mark.parametrize("seed", range(16))
def test_random(seed):
    m, rng = random_mechanism(seed), np.random.default_rng(seed)
    pair = to_pinocchio(m)
    assert sorted(list(pair.model.names)[1:]) == sorted(m.joint_names)
    agree(pair, rng, coriolis=True)
    back = twin(pair.model)
    agree(back, rng, states=1)
    assert close(back.model.inertias[0].mass, m.base.mass)
    assert set(m.frames) <= set(back.mechanism.frames)
    first, second = Eager(m), Eager(back.mechanism)
    q, (qd, qdd) = first.random(rng), rng.normal(size=(2, m.n))
    x, v, a = back.back_q(pair.q(q)), back.back_v(pair.v(qd)), back.back_v(pair.v(qdd))
    assert close(pair.back_tau(back.tau(second.tau(x, v, a))), first.tau(q, qd, qdd))
    for name in m.frames:
        assert close(second.pose(x, name), first.pose(q, name))


def test_limits_and_losses_of_gears():
    """Pinocchio's number is the length of the screw times ours."""
    screws = [[0, 0, 3.0, 0, 0, 0], [0, 0, 0, 0, 0.5, 0]]
    numbers = {"lower": [-1, -2], "upper": [3, 4], "velocity": [5, 6], "effort": [7, 8]}
    losses = {"armature": [9.0, 1.0], "damping": [9.0, 1.0], "friction": [3.0, 1.0]}
    m = mechanism(screws, [np.eye(4)] * 2, [Link(1.0, [1, 0, 0], [1, 1, 1])] * 2, limits=numbers, **losses)
    pair = to_pinocchio(m)
    model = pair.model
    assert close(model.lowerPositionLimit, [-3, -1]) and close(model.upperPositionLimit, [9, 2])
    assert close(model.velocityLimit, [15, 3]) and close(model.effortLimit, [7 / 3, 16])
    assert close(model.armature, [1, 4]) and close(model.damping, [1, 4]) and close(model.friction, [1, 2])
    assert close(model.lowerEffortLimit, [-7 / 3, -16])
    batch = np.random.default_rng(0).normal(size=(4, 5, 2))
    assert close(pair.q(batch), batch * [3, 0.5]) and close(pair.back_tau(batch), batch * [3, 0.5])
    assert pair.jacobian(np.zeros((4, 5, 6, 2))).shape == (4, 5, 6, 2)
    agree(pair, np.random.default_rng(0))
    with pytest.raises(ShapeError, match=r"q must have shape \(..., 2\)"):
        pair.q([1.0])


@pytest.mark.parametrize("seed", range(6))
def test_mimics(seed):
    """Also of other kinds and lengths, mimics of mimics, and before the joint they follow."""
    follow = {"joint1": ("joint3", -0.7, 0.2), "joint2": ("joint1", 1.5, -0.1)}
    m = random_mechanism(seed, follow, limits={"lower": None}, pitch=False)
    pair = to_pinocchio(m)
    assert pair.model.nv == m.n == m.bodies - 2
    agree(pair, np.random.default_rng(seed))
    back = twin(pair.model)
    agree(back, np.random.default_rng(seed))
    assert sum(x is not None for x in back.mechanism.mimics) == 2
    total = sum(m.armature[i] * f**2 for i, f in ((0, -0.7), (1, -1.05), (2, 1.0)))
    part = pair.parts[0]
    assert close(pair.model.armature[part.pin_v] * part.rate**2, total)


ROBOTS = {  # file: floating, mimic
    "ur_description/urdf/ur5_robot.urdf": (False, False),
    "panda_description/urdf/panda.urdf": (False, True),
    "kinova_description/robots/kinova.urdf": (False, False),
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": (False, False),
    "anymal_b_simple_description/robots/anymal.urdf": (True, False),
    "talos_data/robots/talos_reduced.urdf": (True, False),
    "baxter_description/urdf/baxter.urdf": (False, True),
    "icub_description/robots/icub_reduced.urdf": (False, False),
    "hector_description/robots/quadrotor_base.urdf": (True, False),
}


@pytest.mark.parametrize("name", sweep(ROBOTS, 4))
def test_examples(name):
    floating, mimic = ROBOTS[name]
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(FILES[name]), *root, mimic=mimic)
    rng = np.random.default_rng(0)
    pair = quietly(twin, model)
    agree(pair, rng, states=1)
    read = quietly(urdf.read, FILES[name])
    read = quietly(with_base, read, "free") if floating else read
    assert pair.mechanism.joint_names == read.joint_names and pair.mechanism.link_names == read.link_names
    assert {frame.name for frame in model.frames} - {"universe"} - set(model.names) <= set(pair.mechanism.frames)
    ours, theirs = Eager(read), Eager(pair.mechanism)
    q, (qd, qdd) = ours.random(rng), rng.normal(size=(2, read.n))
    assert close(theirs.tau(q, qd, qdd), ours.tau(q, qd, qdd), 1e-10)
    if not floating:
        for key in read.limits:
            own = [x is None for x in read.mimics]
            assert np.array_equal(pair.mechanism.limits[key][own], read.limits[key][own])

    written = to_pinocchio(read)
    agree(written, rng, states=1)
    if not mimic:
        same(quietly(from_pinocchio, written.model), read)
    for j in range(1, model.njoints):  # the joints stand where Pinocchio's own reader puts them
        k = written.model.getJointId(model.names[j])
        assert close(written.model.jointPlacements[k].homogeneous, model.jointPlacements[j].homogeneous, 1e-12)


def every_joint():
    """A chain of all joints that are known, each with a body and a BODY frame, or not."""
    rng = np.random.default_rng(0)
    model = pin.Model()
    inside = pin.JointModelComposite()
    inside.addJoint(pin.JointModelRX(), pin.SE3(random_pose(rng)))
    inside.addJoint(pin.JointModelTranslation(), pin.SE3(random_pose(rng)))
    inside.addJoint(pin.JointModelRUBY(), pin.SE3(random_pose(rng)))
    axis = np.array([0.6, 0.0, 0.8])
    kinds = [pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ(), pin.JointModelRevoluteUnaligned(axis)]
    kinds += [pin.JointModelRUBX(), pin.JointModelRUBY(), pin.JointModelRUBZ()]
    kinds += [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelPZ(), pin.JointModelPrismaticUnaligned(axis)]
    kinds += [pin.JointModelHX(0.1), pin.JointModelHY(0.2), pin.JointModelHZ(-0.3)]
    kinds += [pin.JointModelHelicalUnaligned(axis, 0.4), pin.JointModelPlanar(), pin.JointModelSpherical()]
    kinds += [pin.JointModelFreeFlyer(), pin.JointModelTranslation(), pin.JointModelSphericalZYX(), inside]
    kinds += [pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))]
    for k, joint in enumerate(kinds):
        at = model.addJoint(k, joint, pin.SE3(random_pose(rng)), f"j{k}")
        link = random_link(rng)
        model.appendBodyToJoint(at, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3(random_pose(rng)))
        model.addJointFrame(at, 0)
        if k % 2:
            model.addBodyFrame(f"body{k}", at, pin.SE3(random_pose(rng)), 0)
    model.armature = np.full(model.nv, 0.3)
    model.gravity = pin.Motion(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    return model


def test_every_joint():
    model = every_joint()
    pair = twin(model)
    m = pair.mechanism
    assert m.doubts == () and sum(link.inserted for link in m.links) == 9  # what is between the joints of a chain
    assert with_locked(m, {"j18_y": 0.1, "j20_1": 0.2}).doubts == ()
    assert (m.n, len(m.frames)) == (model.nv, len(set(m.frames)))
    agree(pair, np.random.default_rng(0))
    assert {"j21_1", "j21_2", "j19_z", "j18_x", "j20_2_y", "j20_3"} <= set(m.joint_names)
    assert m.limits["lower"][4] == -np.inf


def test_frames_with_one_name():
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "a")
    model.appendBodyToJoint(joint, pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    model.addJointFrame(joint, 0)
    for kind in (pin.FrameType.OP_FRAME, pin.FrameType.SENSOR):
        model.addFrame(pin.Frame("a", joint, 0, pin.SE3.Random(), kind))
    m = from_pinocchio(model)
    assert set(m.frames) == {"universe", "a", "a_2", "a_3", "tool"} and m.link_names == ("a",)
    assert any("'a_2'" in note for note in m.notes)
    again = to_pinocchio(m).model
    assert again.frames[again.getFrameId("a", pin.FrameType.JOINT)].parentJoint == 1


def test_limits_of_a_floating_base():
    model = pin.Model()
    limits = [
        np.full(6, 4.0),
        np.full(6, 5.0),
        np.r_[-np.ones(3), np.full(4, -1.01)],
        np.r_[np.ones(3), np.full(4, 1.01)],
    ]
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root", *limits)
    model.appendBodyToJoint(joint, pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    m = from_pinocchio(model)
    assert (m.limits["effort"], m.limits["velocity"], m.limits["lower"]) == (4.0, 5.0, -np.inf)
    assert any("'root'" in note and "lower" in note for note in m.notes)
    model.armature = np.arange(6.0)
    with pytest.raises(ModelError, match="joint 'root': its armature must be one number"):
        from_pinocchio(model)


@pytest.mark.parametrize("key", ["damping", "friction"])
def test_unequal_losses_are_doubted(key):
    model = pin.buildSampleModelHumanoid()
    setattr(model, key, np.full(model.nv, 0.5))
    assert close(getattr(from_pinocchio(model), key), np.full(model.njoints - 1, 0.5))
    setattr(model, key, np.r_[1.0, np.full(model.nv - 1, 0.5)])
    with pytest.warns(ModelWarning, match=rf"joint 'root_joint': its {key} \[1, 0.5, .* is not one number: not read"):
        m = from_pinocchio(model)
    assert close(getattr(m, key), np.r_[0.0, np.full(model.njoints - 2, 0.5)]) and len(m.doubts) == 1


@pytest.mark.parametrize("name", ["HumanoidRandom", "Manipulator", "Humanoid"])
def test_samples(name):
    """Pinocchio's own; the random one has friction that differs within its floating base."""
    model = getattr(pin, f"buildSampleModel{name}")()
    pair = quietly(Robot.pinocchio_twin, model)
    assert (pair.mechanism.n, pair.mechanism.bodies) == (model.nv, model.njoints - 1)
    assert sum("its friction" in doubt for doubt in pair.robot.doubts) == (name == "HumanoidRandom")
    agree(pair, np.random.default_rng(0), coriolis=True)


def test_twins_of_a_robot_and_of_a_model():
    """Both ways a twin has the robot, the model and the maps, and the robot is that of from_pinocchio."""
    model = pin.buildModelFromUrdf(str(FILES["kinova_description/robots/kinova.urdf"]))
    given = quietly(Robot.pinocchio_twin, model)
    assert given.model is model and given.robot.mechanism is given.mechanism
    assert given.robot == quietly(Robot.from_pinocchio, model) and (given.robot.nq, model.nq) == (6, 9)
    written = given.robot.to_pinocchio()
    assert written.robot is given.robot and written.model is not model
    q, v = np.full(6, 0.3), np.arange(6.0)
    tau = given.robot.inverse_dynamics(q, v, v)
    for twins in (given, written):
        theirs = pin.rnea(twins.model, twins.model.createData(), twins.q(q), twins.v(v), twins.v(v))
        assert close(twins.back_tau(theirs), tau, 1e-9) and close(twins.back_q(twins.q(q)), q)
    assert repr(given) == "<PinocchioTwin of 'kinova': nq 6 and 9, n 6>"


def test_refused(monkeypatch):
    with pytest.raises(ModelError, match=r"pinocchio.Model is needed, got int"):
        from_pinocchio(3)
    model = pin.Model()
    model.addJoint(0, pin.JointModelEllipsoid(0.1, 0.2, 0.3), pin.SE3.Identity(), "egg")
    with pytest.raises(ModelError, match="joint 'egg' is a JointModelEllipsoid"):
        from_pinocchio(model)
    model = pin.Model()
    model.gravity = pin.Motion(np.zeros(3), np.ones(3))
    with pytest.raises(ModelError, match="angular"):
        from_pinocchio(model)
    with pytest.raises(ModelError, match="joint 'joint2' mimics 'joint1' by a factor of zero"):
        to_pinocchio(random_mechanism(0, {"joint2": ("joint1", 0.0, 0.2)}))
    screws, links = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0.1]], [Link(1.0, [1, 0, 0], [1, 1, 1])] * 2
    helical = mechanism(screws, [np.eye(4)] * 2, links, mimics={"joint2": ("joint1", 2.0, 0.0)})
    with pytest.raises(ModelError, match="joint 'joint2' is helical and moves with 'joint1'"):
        to_pinocchio(helical)
    model = pin.Model()
    model.addJoint(0, pin.JointModelHZ(0.1), pin.SE3.Identity(), "a")
    model.addJoint(1, pin.JointModelMimic(model.joints[1], 2.0, 0.0), pin.SE3.Identity(), "b")
    with pytest.raises(ModelError, match="joint 'b' is helical and mimics 'a'"):
        from_pinocchio(model)
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(ModelError, match="pip install pin"):
        to_pinocchio(random_mechanism(0))


def test_order_of_a_twist():
    """Their momentum is ours with its halves swapped."""
    model = every_joint()
    pair = twin(model)
    rng = np.random.default_rng(0)
    q, v = Eager(pair.mechanism).random(rng), rng.normal(size=pair.mechanism.n)
    data, name = model.createData(), pair.mechanism.link_names[-1]
    pin.forwardKinematics(model, data, pair.q(q), pair.v(v))
    V = pin.getFrameVelocity(model, data, model.getFrameId(name), pin.LOCAL).vector
    assert close(swap_halves(V), Eager(pair.mechanism).J(q, name) @ v)
