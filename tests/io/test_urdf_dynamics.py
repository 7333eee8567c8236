"""Every URDF file of the wheel example-robot-data against Pinocchio, fixed and floating, at twenty random states.

Functions run on twenty states at once, a batch in each leaf, in the cheap coordinates that kernels are traced in; a few
robots are compiled as well. Pinocchio's model has all joints free; mimics are compared by projecting it, and with its
`mimic=True` model where that can be made. The poses of all frames are compared; the Jacobians of twelve at most, spread
over the robot, as each costs a batch of its own.
"""

import warnings

import numpy as np
import pinocchio as pin
import pytest
from support.sweeps import sweep
from support.tolerances import close
from support.urdf_text import FEW, REFUSED, example_files

import chasles as ch
from chasles import arrays
from chasles.catalogue import Options, catalogue, compute
from chasles.io import urdf

FILES = example_files()
SINGULAR = {  # joints that move no inertia, so that M is singular everywhere: forward dynamics names one of them
    "bluevolta_description/urdf/bluevolta_bravo7_gripper.urdf": {"bravo_finger1_joint", "bravo_finger2_joint"},
    "bravo7_description/urdf/bravo7_gripper.urdf": {"bravo_finger1_joint", "bravo_finger2_joint"},
    "falcon_description/urdf/falcon_bravo7_gripper.urdf": {"bravo_finger1_joint", "bravo_finger2_joint"},
    "romeo_description/urdf/romeo.urdf": {"LHand", "RHand"},
    "romeo_description/urdf/romeo_laas_small.urdf": {"l_gripper_joint", "r_gripper_joint"},
}
NAMES = ("inverse_dynamics", "mass_matrix", "coriolis_matrix", "gravity_forces", "forward_dynamics")
COMPILED = (
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
    "pr2_description/urdf/pr2.urdf",
)
STATES = 20
LOADED = [name for name in FILES if name not in REFUSED]


def load(name: str, floating: bool) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        robot = ch.Robot(urdf.read(FILES[name]))
        return robot.with_base("free") if floating else robot


class Peer:
    """Pinocchio's model of a file, all joints free, and the maps from our coordinates."""

    def __init__(self, name: str, robot: ch.Robot, floating: bool) -> None:
        args = [str(FILES[name])] + ([pin.JointModelFreeFlyer()] if floating else [])
        self.model = pin.buildModelFromUrdf(*args)
        self.data, self.robot = self.model.createData(), robot
        names = list(self.model.names)[1:]
        bodies = robot.mechanism.tree.bodies
        ours = {n: b for n, b in zip(robot.mechanism.joint_names, bodies, strict=True)}
        self.columns: list[int] = []
        for n in names:
            own = list(range(ours[n].v, ours[n].v + ours[n].joint.nv))
            self.columns += own[3:] + own[:3] if len(own) == 6 else own
        self.places = [(ours[n].q, ours[n].joint.nq) for n in names]
        coupling = robot.mechanism.coupling
        self.G = np.zeros((len(coupling.v), coupling.nv))
        for row, (j, k) in enumerate(coupling.v):
            self.G[row, j] = k

    def q(self, q: np.ndarray) -> np.ndarray:
        x = np.array(self.robot.mechanism.coupling.coordinates(list(q)))
        parts = []
        for j, (start, count) in enumerate(self.places, 1):
            mine = x[start : start + count]
            wide = self.model.joints[j].nq == 2
            parts.append([np.cos(mine[0]), np.sin(mine[0])] if wide else mine)
        return np.concatenate(parts)

    def v(self, v: np.ndarray) -> np.ndarray:
        return (self.G @ v)[self.columns]

    def back(self, X: np.ndarray) -> np.ndarray:
        out = np.empty_like(X)
        out[..., self.columns] = X
        return out @ self.G

    def both(self, X: np.ndarray) -> np.ndarray:
        return self.back(self.back(X).T).T


def rank(M: np.ndarray) -> int:
    """Of a mass matrix in units in which its diagonal is 1: iCub's spans ten decades."""
    size = np.sqrt(np.abs(np.diag(M)))
    size[size <= 1e-12 * size.max()] = np.inf
    return int(np.linalg.matrix_rank(M / (size[:, None] * size), tol=1e-10, hermitian=True))


def states(robot: ch.Robot) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    q = np.array([[x for own in robot.mechanism.own_joints for x in own.joint.random(rng)] for _ in range(STATES)])
    qd, qdd, tau = rng.uniform(-1.0, 1.0, (3, STATES, robot.n))
    return {"q": q.reshape(STATES, robot.nq), "qd": qd, "qdd": qdd, "tau": tau * 10.0}


def batched(
    robot: ch.Robot, names: tuple[str, ...], given: dict[str, np.ndarray], options: Options
) -> list[np.ndarray]:
    leaves = {key: [x[:, i].copy() for i in range(x.shape[1])] for key, x in given.items()}
    m = robot.mechanism
    sizes = {"n": m.n, "nq": m.coupling.nq, "links": m.bodies, "frames": len(m.frames)}
    results = []
    for name, result in zip(names, compute(m, names, leaves, options), strict=True):
        shape = tuple(sizes.get(s, s) for s in catalogue()[name].outputs[name])
        rows = np.zeros((STATES, int(np.prod(shape))))
        for k, x in enumerate(arrays.flat(result)):
            rows[:, k] = x
        results.append(rows.reshape(STATES, *shape))
    return results


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", sweep(LOADED, FEW))
def test_dynamics(name: str, floating: bool) -> None:
    robot = load(name, floating)
    if not robot.n:
        assert not floating and pin.buildModelFromUrdf(str(FILES[name])).nv == 0
        return
    given, peer = states(robot), Peer(name, robot, floating)
    model, data = peer.model, peer.data
    names = NAMES[:-1] if name in SINGULAR else NAMES
    tau, M, C, g, *solved = batched(robot, names, given, Options())
    frames = [f for f in robot.frame_names if f != "tool"]
    (poses,) = batched(robot, ("frame_poses",), {"q": given["q"]}, Options())
    chosen = frames if len(frames) <= 12 else [frames[k] for k in np.linspace(0, len(frames) - 1, 12, dtype=int)]
    looks = {f: batched(robot, ("forward_kinematics", "jacobian"), {"q": given["q"]}, Options(f)) for f in chosen}
    grounds = {robot.mechanism.base_name} if floating else set()
    index = {f: 0 if f in grounds else model.getFrameId(f, pin.FrameType.BODY) for f in frames}
    for s in range(STATES):
        q, v, a = peer.q(given["q"][s]), peer.v(given["qd"][s]), peer.v(given["qdd"][s])
        force = pin.rnea(model, data, q, v, a)
        size = float(np.abs(force).max())
        assert close(tau[s], peer.back(force), 1e-9, scale=size)
        assert close(g[s], peer.back(pin.computeGeneralizedGravity(model, data, q)), 1e-9, scale=size)
        full = pin.crba(model, data, q)
        theirs = peer.both(np.triu(full) + np.triu(full, 1).T)
        assert close(M[s], theirs, 1e-9)
        assert rank(theirs) == robot.n - len(SINGULAR.get(name, ()))
        coriolis = peer.both(pin.computeCoriolisMatrix(model, data, q, v))
        assert close(C[s], coriolis, 1e-9, scale=float(np.abs(theirs).max()))
        if solved:  # by the inverse of the forward, which Pinocchio's mimic models cannot do
            bias = peer.back(pin.rnea(model, data, q, v, 0.0 * a))
            terms = float((np.abs(theirs) @ np.abs(solved[0][s])).max())  # what cancels: iCub's M spans ten decades
            assert close(theirs @ solved[0][s], given["tau"][s] - bias, 1e-9, scale=terms)
        pin.computeJointJacobians(model, data, q)
        pin.framesForwardKinematics(model, data, q)
        ours = poses[s][[robot.frame_names.index(f) for f in frames]]
        assert close(ours, [data.oMf[index[f]].homogeneous for f in frames], 1e-9, scale=1.0)
        for f, (T, J) in looks.items():
            assert close(T[s], data.oMf[index[f]].homogeneous, 1e-9, scale=1.0)
            if f in grounds:
                continue
            expected = pin.getFrameJacobian(model, data, index[f], pin.LOCAL)
            assert close(J[s], peer.back(expected.reshape(6, -1)[[3, 4, 5, 0, 1, 2]]), 1e-9, scale=1.0)


@pytest.mark.parametrize("name", sweep(sorted(SINGULAR), ["bravo7_description/urdf/bravo7_gripper.urdf"]))
def test_singular_robots_are_refused_by_name(name: str) -> None:
    robot = load(name, False)
    moved = np.diag(robot.mass_matrix(robot.neutral()))
    assert {joint for joint, m in zip(robot.joint_names, moved, strict=True) if abs(m) < 1e-12} == SINGULAR[name]
    with pytest.raises(ch.SingularMassMatrixError) as raised:
        robot.forward_dynamics(robot.neutral(), np.zeros(robot.n), np.zeros(robot.n))
    assert any(f"joint {joint!r}" in str(raised.value) for joint in SINGULAR[name])


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", sweep(COMPILED, 2))
def test_compiled(name: str, floating: bool) -> None:
    robot = load(name, floating)
    given = states(robot)
    kernel = robot.kernel(NAMES[:2])
    out = kernel(*(given[o.name] for o in kernel.inputs))
    for result, expected in zip(out, batched(robot, NAMES[:2], given, Options()), strict=True):
        assert close(result, expected)


@pytest.mark.parametrize(
    "name",
    [
        "baxter_description/urdf/baxter.urdf",
        "panda_description/urdf/panda.urdf",
        "panda_description/urdf/panda_collision.urdf",
        "pr2_description/urdf/pr2.urdf",
        "tiago_pro_description/robots/tiago_pro.urdf",
    ],
)
def test_mimics_are_pinocchios(name: str) -> None:
    """Where Pinocchio makes a mimic model (not of Alex, Romeo, Talos with hands), its inverse dynamics is ours."""
    robot, model = load(name, False), pin.buildModelFromUrdf(str(FILES[name]), mimic=True)
    assert model.nv == robot.n and robot.mimic_names
    data, given = model.createData(), states(robot)
    (tau,) = batched(robot, ("inverse_dynamics",), {k: given[k] for k in ("q", "qd", "qdd")}, Options())
    for s in range(STATES):
        q = []
        for joint in list(model.joints)[1:]:
            if joint.nq:
                x = given["q"][s][joint.idx_v]
                q += [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
        force = pin.rnea(model, data, np.array(q), given["qd"][s], given["qdd"][s])
        assert close(tau[s], force, 1e-9)


def test_variations_of_a_file() -> None:
    """Merged links carry payloads and tools; a subtree keeps the inertia it stands on."""
    panda = load("panda_description/urdf/panda.urdf", False)
    q = np.zeros(panda.n)
    hand = panda.forward_kinematics(q, "panda_hand")
    loaded = panda.with_payload("panda_hand", 2.0, [0.0, 0.0, 0.1])
    gain = loaded.potential_energy(q) - panda.potential_energy(q)
    assert close(gain, 2.0 * 9.81 * (hand @ [0.0, 0.0, 0.1, 1.0])[2])
    assert close(panda.with_tool(np.eye(4), "panda_hand").forward_kinematics(q), hand)
    poses = panda.frame_poses(q)
    assert poses.shape == (len(panda.frame_names), 4, 4)
    assert close(poses[panda.frame_names.index("panda_hand")], hand)
    assert panda.subtree("panda_hand").joint_names == ("panda_finger_joint1",)
    with pytest.raises(ch.ModelError, match="nothing moves beyond 'panda_leftfinger'"):
        panda.subtree("panda_leftfinger")
    talos = load("talos_data/robots/talos_reduced.urdf", True)
    whole = talos.subtree("base_link")
    assert whole.n == 32 and close(whole.with_base("free").total_mass, talos.total_mass)
    arm = talos.subtree("torso_2_link")
    assert "imu_link" in arm.frame_names or "imu_link" not in talos.frame_names
    assert 0 < len(arm.mechanism.visuals) < len(talos.mechanism.visuals)
    with pytest.raises(ch.ModelError, match="not symmetric"):
        panda.with_payload("panda_hand", 1.0, inertia=[[1, 0, 0], [0.5, 1, 0], [0, 0, 1]])


def test_twins_take_any_quaternion() -> None:
    robot = load("panda_description/urdf/panda.urdf", True).with_locked({"panda_finger_joint1": 0.01})
    twin, rng = robot.to_pinocchio(), np.random.default_rng(0)
    q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.n))
    q[3:7] *= -3.0
    force = pin.rnea(twin.model, twin.model.createData(), twin.q(q), twin.v(v), twin.v(a))
    assert close(twin.back_tau(force), robot.inverse_dynamics(q, v, a), 1e-9)
