"""Robots with planar, spherical and free joints, mimics, armature and friction: Pinocchio and the identities agree."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from support.random_trees import random_kinds, random_link, random_pose, random_screw
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.model.building import mechanism
from chasles.model.mechanism import Mechanism

MODELS = {"planar": pin.JointModelPlanar, "spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}
SEEDS = sweep(range(24), [6, 14])


class Twin:
    """The same mechanism in Pinocchio, and the way between the coordinates."""

    def __init__(self, m: Mechanism) -> None:
        self.m, self.model = m, pin.Model()
        self.model.gravity = pin.Motion(m.gravity, np.zeros(3))
        ids, frames, self.order = {-1: 0}, {-1: np.eye(4)}, []

        def grow(parent: int) -> None:
            for i in [k for k in range(m.bodies) if m.parents[k] == parent]:
                at = m.homes[i].copy()
                if m.kinds[i] == "screw":
                    w, v = m.screws[i, :3], m.screws[i, 3:]
                    at = np.eye(4)
                    if w.any():
                        at[:3, 3] = np.cross(w, v)
                        pitch = float(w @ v)
                        joint = pin.JointModelRevoluteUnaligned(w)
                        if abs(pitch) > 1e-14:
                            joint = pin.JointModelHelicalUnaligned(w, pitch)
                    else:
                        joint = pin.JointModelPrismaticUnaligned(v)
                else:
                    joint = MODELS[m.kinds[i]]()
                frames[i] = at
                placement = pin.SE3(np.linalg.inv(frames[parent]) @ at)
                ids[i] = self.model.addJoint(ids[parent], joint, placement, f"joint{i}")
                link = m.links[i]
                body = pin.SE3(np.linalg.inv(at) @ m.homes[i])
                self.model.appendBodyToJoint(ids[i], pin.Inertia(link.mass, link.com, link.inertia), body)
                self.order.append(i)
                grow(i)

        grow(-1)
        nv = {"screw": 1, "planar": 3, "spherical": 3, "free": 6}
        self.columns, arm = [], []
        starts = np.cumsum([0, *(nv[k] for k in m.kinds)])
        for i in self.order:
            own = list(range(starts[i], starts[i + 1]))
            self.columns += own[3:] + own[:3] if m.kinds[i] == "free" else own  # Pinocchio has linear first
            arm += [m.armature[i]] * nv[m.kinds[i]]
        self.model.armature = np.array(arm)
        self.data = self.model.createData()
        T = np.linalg.inv(frames[m.tool.body]) @ m.homes[m.tool.body] @ m.tool.pose  # type: ignore[union-attr]
        self.tool = self.model.addFrame(
            pin.Frame("tool", ids[m.tool.body], 0, pin.SE3(T), pin.FrameType.OP_FRAME)  # type: ignore[union-attr]
        )
        self.data = self.model.createData()

    def q(self, q: np.ndarray) -> np.ndarray:
        nq = {"screw": 1, "planar": 3, "spherical": 4, "free": 7}
        starts = np.cumsum([0, *(nq[k] for k in self.m.kinds)])
        parts = []
        for i in self.order:
            x = q[starts[i] : starts[i + 1]]
            parts.append([x[0], x[1], np.cos(x[2]), np.sin(x[2])] if self.m.kinds[i] == "planar" else x)
        return np.concatenate(parts)

    def v(self, v: np.ndarray) -> np.ndarray:
        return v[self.columns]

    def back(self, X: np.ndarray) -> np.ndarray:
        out = np.empty_like(X)
        out[..., self.columns] = X
        return out

    def both(self, X: np.ndarray) -> np.ndarray:
        return self.back(self.back(X).T).T


@pytest.mark.parametrize("seed", SEEDS)
def test_pinocchio_agrees(seed: int) -> None:
    m = random_kinds(seed)
    twin, robot = Twin(m), ch.Robot(m)
    rng = np.random.default_rng(seed)
    kernel = robot.kernel(["inverse_dynamics", "mass_matrix", "coriolis_matrix", "jacobian", "forward_kinematics"])
    for _ in range(3):
        q, (qd, qdd) = robot.random(rng), rng.normal(size=(2, robot.n))
        out = kernel(q, qd, qdd)
        x, v, a = twin.q(q), twin.v(qd), twin.v(qdd)
        assert close(out.inverse_dynamics, twin.back(pin.rnea(twin.model, twin.data, x, v, a)))
        M = pin.crba(twin.model, twin.data, x)
        assert close(out.mass_matrix, twin.both(np.triu(M) + np.triu(M, 1).T))
        C = twin.both(pin.computeCoriolisMatrix(twin.model, twin.data, x, v))
        assert close(out.coriolis_matrix, C, scale=float(np.abs(M).max()))
        J = pin.computeFrameJacobian(twin.model, twin.data, x, twin.tool, pin.LOCAL)
        assert close(out.jacobian, twin.back(J.reshape(6, -1)[[3, 4, 5, 0, 1, 2]]))
        pin.framesForwardKinematics(twin.model, twin.data, x)
        assert close(out.forward_kinematics, twin.data.oMf[twin.tool].homogeneous)
        assert close(robot.forward_dynamics(q, qd, out.inverse_dynamics), qdd, 1e-9)
        step = robot.integrate(q, qd)
        moved = pin.integrate(twin.model, x, v)
        pin.framesForwardKinematics(twin.model, twin.data, moved)
        assert close(robot.forward_kinematics(step), twin.data.oMf[twin.tool].homogeneous)


@pytest.mark.parametrize("seed", sweep(range(24), [14]))
def test_identities(seed: int) -> None:
    m = random_kinds(seed)
    robot = ch.Robot(m)
    rng = np.random.default_rng(seed)
    q, (qd, qdd) = robot.random(rng), rng.normal(size=(2, robot.n))
    M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity_forces(q)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert close(M @ qdd + C @ qd + g, tau)
    W = robot.mass_matrix_sqrt(q)
    assert close(W @ W.T, M)
    assert np.array_equal(W, np.triu(W))
    assert close(robot.mass_matrix_inverse(q) @ M, np.eye(robot.n), 1e-9)
    assert close(qd @ M @ qd / 2, robot.kinetic_energy(q, qd))
    assert close(robot.factors(q).mass_matrix, M)
    assert close(robot.forward_dynamics_by_solving(q, qd, tau), qdd, 1e-9)
    h = 1e-6
    ahead, behind = robot.integrate(q, h * qd), robot.integrate(q, -h * qd)
    Md = (robot.mass_matrix(ahead) - robot.mass_matrix(behind)) / (2 * h)
    assert close(Md - C - C.T, np.zeros_like(M), 1e-6, scale=float(np.abs(Md).max()) + 1.0)
    for expressed in ("body", "space", "mixed"):
        Jd = (robot.jacobian(ahead, expressed=expressed) - robot.jacobian(behind, expressed=expressed)) / (2 * h)
        assert close(robot.jacobian_derivative(q, qd, expressed=expressed), Jd, 1e-6, scale=1.0)
        J = robot.jacobian(q, expressed=expressed)
        assert close(robot.velocity(q, qd, expressed=expressed), J @ qd)
        rate = robot.jacobian_derivative(q, qd, expressed=expressed)
        assert close(robot.acceleration(q, qd, qdd, expressed=expressed), J @ qdd + rate @ qd)
    energy = [robot.potential_energy(x) for x in (ahead, behind)]
    assert close(g @ qd, (energy[0] - energy[1]) / (2 * h), 1e-6, scale=float(np.abs(g).max()))
    Ad = [robot.centroidal_momentum_matrix(x) for x in (ahead, behind)]
    assert close(robot.centroidal_momentum_matrix_derivative(q, qd), (Ad[0] - Ad[1]) / (2 * h), 1e-6, scale=1.0)


@pytest.mark.parametrize("seed", sweep(range(6), [3]))
def test_friction_enters_on_request(seed: int) -> None:
    m = random_kinds(seed)
    robot, rough = ch.Robot(m), ch.Robot(m).with_friction()
    rng = np.random.default_rng(seed)
    q, (qd, qdd) = robot.random(rng), rng.normal(size=(2, robot.n))
    nv = [body.joint.nv for body in m.tree.bodies]
    loss = np.repeat(m.damping, nv) * qd + np.repeat(m.friction, nv) * np.sign(qd)
    tau = rough.inverse_dynamics(q, qd, qdd)
    assert close(tau - robot.inverse_dynamics(q, qd, qdd), loss)
    assert close(rough.forward_dynamics(q, qd, tau), qdd, 1e-9)
    assert rough != robot
    assert close(rough.gravity_forces(q), robot.gravity_forces(q), 0.0)


@pytest.mark.parametrize("seed", sweep(range(8), [3]))
def test_mimic_is_a_projection(seed: int) -> None:
    """M = G^T M G, tau = G^T tau and so on, of the robot whose joints are all free. Chains of mimics are resolved."""
    rng = np.random.default_rng(seed)
    n = 6
    parts = dict(
        screws=[random_screw(rng) for _ in range(n)],
        homes=[random_pose(rng) for _ in range(n)],
        links=[random_link(rng) for _ in range(n)],
        parents=[-1, 0, 1, 1, 3, 2],
        tool=random_pose(rng),
        tool_link=5,
        armature=rng.uniform(0, 1, n),
        damping=rng.uniform(0, 1, n),
        friction=rng.uniform(0, 1, n),
    )
    mimics = {"joint2": ("joint5", -0.5, 0.2), "joint6": ("joint2", 2.0, 0.1)}
    whole, robot = ch.Robot(mechanism(**parts)), ch.Robot(mechanism(**parts, mimics=mimics))  # type: ignore[arg-type]
    assert robot.n == 4 and robot.nq == 4 and robot.mimic_names == ("joint2", "joint6")
    G, c = np.zeros((n, 4)), np.zeros(n)
    G[[0, 2, 3, 4], [0, 1, 2, 3]] = 1.0
    G[1, 3], c[1] = -0.5, 0.2
    G[5, 3], c[5] = -1.0, 0.5
    q, qd, qdd = rng.normal(size=(3, 4))
    x, y, z = G @ q + c, G @ qd, G @ qdd
    assert close(robot.mass_matrix(q), G.T @ whole.mass_matrix(x) @ G)
    assert close(robot.coriolis_matrix(q, qd), G.T @ whole.coriolis_matrix(x, y) @ G)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert close(tau, G.T @ whole.inverse_dynamics(x, y, z))
    assert close(robot.forward_dynamics(q, qd, tau), qdd, 1e-9)
    assert close(robot.jacobian(q), whole.jacobian(x) @ G)
    assert close(robot.jacobian_derivative(q, qd), whole.jacobian_derivative(x, y) @ G)
    assert close(robot.forward_kinematics(q), whole.forward_kinematics(x))
    assert close(robot.velocity(q, qd), whole.velocity(x, y))
    assert close(robot.kinetic_energy(q, qd), whole.kinetic_energy(x, y))
    assert close(robot.centroidal_momentum_matrix(q), whole.centroidal_momentum_matrix(x) @ G)
    W = robot.mass_matrix_sqrt(q)
    assert close(W @ W.T, robot.mass_matrix(q))
    assert close(robot.mass_matrix_inverse(q) @ robot.mass_matrix(q), np.eye(4))
    rough, rough_whole = robot.with_friction(), whole.with_friction()
    assert close(rough.inverse_dynamics(q, qd, qdd), G.T @ rough_whole.inverse_dynamics(x, y, z))
    locked = robot.with_locked({"joint5": 0.3})
    assert locked.n == 3 and not locked.mimic_names
    assert close(locked.mass_matrix(q[:3]), robot.mass_matrix([*q[:3], 0.3])[:3, :3])


def test_free_base_and_subtree() -> None:
    """A free robot's dynamics in its own frame: the fixed one's where the base does not move."""
    panda = ch.load("panda")
    with pytest.warns(ch.ModelWarning, match="link 'base': its mass is zero"):
        massless = panda.with_base("free")
    with pytest.raises(ch.SingularMassMatrixError):  # the first joint and the base turn about the same axis
        massless.kernel("forward_dynamics")
    heavy = ch.Link(3.0, [0.0, 0.0, 0.05], [0.1, 0.1, 0.1], "base")
    loose = ch.Robot(replace(panda.mechanism, base=heavy)).with_base("free")
    assert (loose.n, loose.nq) == (13, 14)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 7))
    home = np.array([0, 0, 0, 0, 0, 0, 1.0])
    assert close(loose.neutral(), [*home, *np.zeros(7)])
    tau = loose.inverse_dynamics([*home, *q], [*np.zeros(6), *qd], [*np.zeros(6), *qdd])
    assert close(tau[6:], panda.inverse_dynamics(q, qd, qdd))
    fall = loose.forward_dynamics([*home, *q], np.zeros(13), np.zeros(13))
    assert close(fall, [0, 0, 0, 0, 0, -9.81, *np.zeros(7)], 1e-9)  # let go, it falls without turning
    arm = panda.subtree("panda_link3")
    assert arm.n == 4
    T = panda.forward_kinematics([0, 0, 0, *q[3:]])
    base = panda.forward_kinematics(np.zeros(7), "panda_link3")
    assert close(base @ arm.forward_kinematics(q[3:]), T)
    assert close(arm.mass_matrix(q[3:]), panda.mass_matrix([0, 0, 0, *q[3:]])[3:, 3:])
    assert close(arm.gravity_forces(q[3:]), panda.gravity_forces([0, 0, 0, *q[3:]])[3:])
    moving = panda.velocity(np.zeros(7), qd, "panda_link3")
    assert moving.shape == (6,)


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_quaternions_too_long_for_their_squares() -> None:
    robot = ch.load("scara").with_base("free").with_payload("base", 3.0, inertia=[1.0, 1.0, 1.0])
    q, v = robot.random(0), np.ones(robot.n)
    for length, dtype in ((5e199, "float64"), (5e29, "float32")):
        long = np.array([q, [*q[:3], *(length * q[3:7]), *q[7:]]])
        for name in ("forward_kinematics", "inverse_dynamics", "forward_dynamics", "gravity_forces"):
            kernel = robot.kernel(name, dtype)
            with np.errstate(all="ignore"):
                out = kernel(long.astype(dtype), *[v.astype(dtype)] * (len(kernel.inputs) - 1))
            assert np.isfinite(out[0]).all() and not np.isfinite(out[1]).all(), name
    assert close(robot.normalize(long[1]), q)
    for library in ("pinocchio", "drake", "mujoco"):
        assert close(*(ch.conventions.to_coordinates(robot, x, library) for x in (long[1], q)))
    assert close(*(robot.to_pinocchio().q([*q[:3], *(x * q[3:7]), *q[7:]]) for x in (5e199, 1.0)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kinds": ["ball"] * 2}, "screw, fixed, planar, spherical, free"),
        ({"mimics": {"joint1": ("joint2", 1.0, 0.0), "joint2": ("joint1", 1.0, 0.0)}}, "circle"),
        ({"mimics": {"joint1": ("elbow", 1.0, 0.0)}}, "no joint 'elbow'"),
        ({"mimics": {"joint1": ("joint1", 1.0, 0.0)}}, "circle|on its own"),
        ({"mimics": {"joint1": ("joint2", np.nan, 0.0)}}, "finite"),
        ({"kinds": ["free", "screw"], "mimics": {"joint2": ("joint1", 1.0, 0.0)}}, "several degrees"),
        ({"armature": [-1.0, 0.0]}, "joint 'joint1': its armature is negative"),
        ({"damping": [1.0]}, r"damping must have shape \(2,\)"),
    ],
)
def test_mistakes(change: dict, message: str) -> None:
    link = ch.Link(1.0, [0.1, 0, 0], [1, 1, 1])
    with pytest.raises(ch.ModelError, match=message):
        mechanism([ch.screw([0, 0, 1])] * 2, [np.eye(4)] * 2, [link] * 2, **change)
