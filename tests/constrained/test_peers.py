"""Loop-closed robots beside Pinocchio's constrained dynamics, and beside MuJoCo's, whose equalities are soft.

Pinocchio's proximal solver takes redundant rows for any mu > 0, and gives nan for mu = 0; its iterations end where
ours are, to rounding. MuJoCo adds to A M^-1 A^T a diagonal of (1 - d) / d times its own, d the impedance, at most
0.9999: the accelerations differ by 1e-5 then, and by 1e-2 at its default of 0.95.
"""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support.loops import (
    BARS,
    GROUND,
    HALF_TURN,
    MASSES,
    cut_four_bar,
    four_bar,
    four_bar_angles,
    pinned,
    three_arms,
    three_arms_at,
    three_arms_tied,
    welded,
)
from support.random_trees import random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch

AGREED = 1e-9
SOFT = 1e-3  # with the stiffest impedance MuJoCo takes


class Peer:
    """A robot in Pinocchio with rigid constraints: (type, frame, pose) pairs of frames that coincide."""

    def __init__(self, robot, constraints):
        self.twin = robot.to_pinocchio()
        model = self.twin.model
        self.data = model.createData()
        self.models, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for kind, *ends in constraints:
            (i, P), (j, Q) = (self.end(*end) for end in ends)
            made = pin.RigidConstraintModel(kind, model, i, P, j, Q, pin.LOCAL)
            self.models.append(made)
            self.datas.append(made.createData())
        pin.initConstraintDynamics(model, self.data, self.models, self.datas)

    def end(self, frame, pose=None):
        """A joint of the model and a placement on it: of a frame of the robot, or of the world where it is None."""
        E = pin.SE3.Identity() if pose is None else pin.SE3(np.array(pose))
        if frame is None:
            return 0, E
        found = self.twin.model.frames[self.twin.model.getFrameId(frame)]
        return found.parentJoint, found.placement * E

    def acceleration(self, q, qd, tau, mu=1e-10):
        settings = pin.ProximalSettings(1e-14, mu, 100)
        state = self.twin.q(q), self.twin.v(qd), self.twin.tau(tau)
        a = pin.constraintDynamics(self.twin.model, self.data, *state, self.models, self.datas, settings)
        return self.twin.back_v(a)


POINT, WELD = pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D


def compared(cs, peer, q, qd, tau, mu=1e-10):
    ours = cs.forward_dynamics(q, qd, tau)
    assert close(ours.qdd, peer.acceleration(q, qd, tau, mu), AGREED)
    return ours.multipliers


def test_four_bar():
    """Accelerations, and the force in the pin."""
    robot = four_bar()
    cs, rng = ch.ConstrainedSystem(robot, pinned(robot)), np.random.default_rng(0)
    place = np.eye(4)
    place[0, 3] = GROUND
    peer = Peer(robot, [(POINT, ("tip0",), (None, place))])
    for crank in rng.uniform(-3.0, 3.0, 10):
        q, qd = cs.consistent(four_bar_angles(crank), rng.normal(size=3) * 3.0)
        force = compared(cs, peer, q, qd, rng.normal(size=3))
        R = robot.forward_kinematics(q, "tip0")[:3, :3]
        assert close(np.r_[force, 0.0], R @ peer.data.lambda_c, 1e-8)
    assert np.isnan(peer.acceleration(q, qd, np.zeros(3), mu=0.0)).all()  # the row out of the plane


def test_cut_four_bar():
    robot = cut_four_bar()
    cs, rng = ch.ConstrainedSystem(robot, welded(robot, pose=HALF_TURN)), np.random.default_rng(1)
    peer = Peer(robot, [(WELD, ("tip0",), ("tip1", HALF_TURN))])
    for crank in rng.uniform(-3.0, 3.0, 5):
        a, b, c = np.cumsum(four_bar_angles(crank))
        q, qd = cs.consistent([a, b - a, c + np.pi, b - c], rng.normal(size=4) * 3.0)
        compared(cs, peer, q, qd, rng.normal(size=4), mu=1e-8)


def test_three_arms():
    robot = three_arms()
    cs, rng = ch.ConstrainedSystem(robot, three_arms_tied(robot)), np.random.default_rng(2)
    peer = Peer(robot, [(POINT, ("tip0",), ("tip1",)), (POINT, ("tip0",), ("tip2",))])
    for place in rng.uniform((0.4, 0.25), (0.6, 0.4), (10, 2)):
        q, qd = cs.consistent(three_arms_at(place), rng.normal(size=6) * 3.0)
        compared(cs, peer, q, qd, rng.normal(size=6))


def branching(seed):
    """A random tree of ten links in two branches, and the frames at their ends."""
    mech = random_mechanism(seed, n=10)
    robot = ch.Robot(mech)
    ends = [i for i in range(mech.n) if i not in mech.parents]
    return robot, [mech.link_names[i] for i in ends]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_random_tree_with_a_loop(seed):
    """Two ends of a tree welded where they are, and another way where their points are tied."""
    robot, ends = branching(seed)
    rng = np.random.default_rng(seed)
    q = robot.random(rng)
    a, b = ends[0], ends[-1]
    pose = np.linalg.inv(robot.forward_kinematics(q, b)) @ robot.forward_kinematics(q, a)
    closed = welded(robot, a, b, pose)

    def h(q):
        T = robot.forward_kinematics(q, b)
        return T[:3, 3] + T[:3, :3] @ pose[:3, 3] - robot.forward_kinematics(q, a)[:3, 3]

    for kind, constraint in ((WELD, closed), (POINT, ch.Constraint.holonomic(h, "tie"))):
        try:
            cs = ch.ConstrainedSystem(robot, constraint, start=q)
        except ch.ModelError as error:  # ends that six equations hold fast
            assert "no motion at all" in str(error)
            continue
        peer = Peer(robot, [(kind, (a,), (b, pose))])
        for _ in range(3):
            qd = cs.projections(q).P_T @ rng.normal(size=cs.n)
            compared(cs, peer, q, qd, rng.normal(size=cs.n) * 5.0, mu=1e-8)


@pytest.mark.parametrize("seed", sweep([200, 201, 203], [200, 203]))
def test_every_kind_of_joint(seed):
    """A point of a robot with spherical, planar and free joints stays where it is."""
    robot = ch.Robot(random_kinds(seed))
    rng = np.random.default_rng(seed)
    q = robot.random(rng)
    T = robot.forward_kinematics(q, "tool")
    held = ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q, "tool")[:3, 3] - T[:3, 3], "held")
    cs = ch.ConstrainedSystem(robot, held, start=q)
    peer = Peer(robot, [(POINT, ("tool",), (None, T))])
    for _ in range(3):
        qd = cs.projections(q).P_T @ rng.normal(size=cs.n)
        compared(cs, peer, q, qd, rng.normal(size=cs.n) * 5.0)


# MuJoCo


MJCF = """<mujoco>
  <option gravity="0 -9.81 0" solver="Newton" tolerance="0" iterations="100"/>
  <worldbody>
    <body><joint axis="0 0 1"/>{0}
      <body pos="{3} 0 0"><joint axis="0 0 1"/>{1}
        <body pos="{4} 0 0"><joint axis="0 0 1"/>{2}<site name="tip" pos="{5} 0 0"/></body>
      </body>
    </body>
    <site name="pin" pos="{6} 0 0"/>
  </worldbody>
  <equality><{7} site1="tip" site2="pin" solref="{8}" solimp="{9} {9} 0.001"/></equality>
</mujoco>"""


def mujoco_four_bar(kind="connect", solref="0.02 1", impedance=0.9999):
    rods = [
        f'<inertial pos="{l / 2} 0 0" mass="{m}" diaginertia="1e-4 {m * l**2 / 12!r} {m * l**2 / 12!r}"/>'
        for m, l in zip(MASSES, BARS, strict=True)
    ]
    model = mujoco.MjModel.from_xml_string(MJCF.format(*rods, *BARS, GROUND, kind, solref, impedance))
    return model, mujoco.MjData(model)


def mujoco_errors(cs, model, data):
    """The largest difference of accelerations at some states, relative."""
    rng, worst = np.random.default_rng(0), 0.0
    for crank in rng.uniform(-3.0, 3.0, 6):
        q, qd = cs.consistent(four_bar_angles(crank), rng.normal(size=3) * 3.0)
        tau = rng.normal(size=3)
        mujoco.mj_resetData(model, data)
        data.qpos, data.qvel, data.qfrc_applied = q, qd, tau
        mujoco.mj_forward(model, data)
        expected = cs.forward_dynamics(q, qd, tau).qdd
        worst = max(worst, float(np.abs(data.qacc - expected).max() / np.abs(expected).max()))
    return worst


def test_mujoco():
    """The stiffest impedance agrees; the error is that of 1 - d, whatever the reference is; a greater one is cut."""
    robot = four_bar()
    cs = ch.ConstrainedSystem(robot, pinned(robot))
    for solref in ("0.02 1", "0.002 1", "-10000 -200"):
        assert mujoco_errors(cs, *mujoco_four_bar(solref=solref)) < SOFT
    stiff, softer, soft = (mujoco_errors(cs, *mujoco_four_bar(impedance=d)) for d in (0.9999, 0.999, 0.95))
    assert 5.0 < softer / stiff < 20.0 and soft > 1e-3
    assert mujoco_errors(cs, *mujoco_four_bar(impedance=1.0)) == pytest.approx(stiff, rel=1e-6)


def test_soft_constraint_of_mujoco():
    """Its equations: (A M^-1 A^T + R) f = aref - A qdd_free, with its own A, R and aref; with R = 0 they are ours."""
    robot = four_bar()
    cs = ch.ConstrainedSystem(robot, pinned(robot))
    model, data = mujoco_four_bar()
    q, qd = cs.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0])
    data.qpos, data.qvel = q, qd
    mujoco.mj_forward(model, data)
    J = np.array(data.efc_J).reshape(data.nefc, 3)[:2]
    M = cs.mass_matrix(q)
    free = np.linalg.solve(M, -cs.bias_forces(q, qd))
    S, right = J @ np.linalg.solve(M, J.T), (data.efc_aref[:2] - J @ free)
    soft = np.linalg.solve(S + np.diag(data.efc_R[:2]), right)
    assert close(free + np.linalg.solve(M, J.T @ soft), data.qacc, 1e-6)
    hard = np.linalg.solve(S, -cs.constraint_drift(q, qd) - J @ free)
    assert close(free + np.linalg.solve(M, J.T @ hard), cs.forward_dynamics(q, qd, np.zeros(3)).qdd, AGREED)
