"""Random mechanisms of every kind the library takes, and the same ones in Pinocchio."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest
from support.sweeps import sweep

from chasles.lie import Twist, Vec3, Wrench
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.poses import twist

SEEDS = 200
KINDS = ("screw", "planar", "spherical", "free")
CHUNKS = [range(k, k + 20) for k in range(0, SEEDS, 20)]


FEW = CHUNKS[1]  # of every kind, from one link to twelve


def chunk_name(seeds: range) -> str:
    return f"{seeds[0]}-{seeds[-1]}"


def by_chunks(chunks: list[range] = CHUNKS, few: range = FEW) -> pytest.MarkDecorator:
    """A parametrization by `seeds`, of which few run by default."""
    return pytest.mark.parametrize("seeds", sweep(chunks, [few]), ids=chunk_name)


def rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def quarter_turn(rng: np.random.Generator) -> np.ndarray:
    Q = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
    return Q * np.linalg.det(Q)


def random_pose(rng: np.random.Generator, aligned: bool = False) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = quarter_turn(rng) if aligned else rotation(rng)
    T[:3, 3] = rng.normal(size=3) * (rng.integers(0, 2, 3) if aligned else 1)
    return T


def random_screw(rng: np.random.Generator, aligned: bool = False) -> np.ndarray:
    """Revolute, prismatic or helical, in the space frame; one in four is not a unit screw (a gear)."""
    w = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0]) if aligned else rotation(rng)[0]
    point = rng.normal(size=3) * (rng.integers(0, 2, 3) if aligned else 1)
    kind = rng.choice(["revolute", "prismatic", "helical"], p=[0.5, 0.25, 0.25])
    pitch = rng.uniform(-0.5, 0.5) if kind == "helical" else 0.0
    S = np.r_[np.zeros(3), w] if kind == "prismatic" else np.r_[w, np.cross(point, w) + pitch * w]
    return S * rng.uniform(0.3, 3.0) if rng.random() < 0.25 else S


def random_link(rng: np.random.Generator, aligned: bool = False) -> Link:
    """A cloud of five points: its inertia is that of a real body."""
    points, masses = rng.normal(size=(5, 3)) * 0.4, rng.uniform(0.1, 0.6, 5)
    com = rng.normal(size=3) * (0.3 * rng.integers(0, 2, 3) if aligned else 0.3)
    points = points - masses @ points / masses.sum()
    S = (points * masses[:, None]).T @ points
    if aligned:
        S = np.diag(np.diag(S))
    return Link(float(masses.sum()), com, np.trace(S) * np.eye(3) - S)


def random_mechanism(seed: int, n: int | None = None) -> Mechanism:
    """1 to 12 links, or n: branches, several roots, gears; some fixed links, merged; one in four along the axes.

    It has a frame 'flange' on a random link, and a tool there.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13)) if n is None else n
    aligned = bool(rng.random() < 0.25)
    straight = rng.random() < 0.3
    parents = [-1] + [i - 1 if straight or rng.random() < 0.6 else int(rng.integers(-1, i)) for i in range(1, n)]
    screws = np.array([random_screw(rng, aligned) for _ in range(n)])
    if rng.random() < 0.4:
        screws[1:][rng.random(n - 1) < 0.25] = 0.0
    homes = [random_pose(rng, aligned) for _ in range(n)]
    links = [random_link(rng, aligned) for _ in range(n)]
    at, flange = int(rng.integers(n)), random_pose(rng, aligned)
    return mechanism(
        screws,
        homes,
        links,
        parents,
        name=f"random{seed}",
        frames={"flange": (at, flange)},
        tool=flange,
        tool_link=at,
        gravity=(0.0, 0.0, -9.81) if aligned else rng.normal(size=3) * 5.0,
    )


def random_kinds(seed: int) -> Mechanism:
    """A tree with every kind of joint, and armatures."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    kinds = [str(rng.choice(KINDS, p=[0.4, 0.2, 0.2, 0.2])) for _ in range(n)]
    kinds[int(rng.integers(n))] = str(rng.choice(KINDS[1:]))
    screws = [random_screw(rng) for _ in range(n)]
    screws = [S / np.linalg.norm(S[:3] if S[:3].any() else S[3:]) for S in screws]
    return mechanism(
        screws,
        [random_pose(rng) for _ in range(n)],
        [random_link(rng) for _ in range(n)],
        [-1] + [int(rng.integers(-1, i)) if rng.random() < 0.4 else i - 1 for i in range(1, n)],
        kinds=kinds,
        armature=rng.uniform(0.0, 0.5, n),
        damping=rng.uniform(0.0, 1.0, n),
        friction=rng.uniform(0.0, 1.0, n),
        tool=random_pose(rng),
        tool_link=n - 1,
        gravity=rng.normal(size=3) * 5.0,
    )


def random_state(seed: int, n: int, rows: int = 3) -> list[list[float]]:
    """q, qd, qdd (and more rows), as lists of floats."""
    return np.random.default_rng(seed + 1_000_000).uniform(-2.0, 2.0, (rows, n)).tolist()


def random_wrench(rng: np.random.Generator) -> Wrench:
    x = rng.normal(size=6) * 5.0
    return Wrench(Vec3(*map(float, x[:3])), Vec3(*map(float, x[3:])))


def random_twist(rng: np.random.Generator) -> Twist:
    return twist(rng.normal(size=6))


@dataclass(frozen=True)
class Twin:
    """A mechanism in Pinocchio. Its velocity vector is `scale * qd` put in `order`; a floating base comes before."""

    model: pin.Model
    data: pin.Data
    scale: np.ndarray
    order: np.ndarray
    joints: list[int]
    base: int

    def into(self, x: list[float]) -> np.ndarray:
        """Coordinates, rates or accelerations, in Pinocchio's order and units."""
        return (np.asarray(x) * self.scale)[self.order]

    def columns(self, X: np.ndarray) -> np.ndarray:
        """A matrix (or vector) whose last index is Pinocchio's velocity, in ours."""
        out = np.empty_like(X[..., self.base :])
        out[..., self.order] = X[..., self.base :]
        return out * self.scale

    def spatial(self, X: np.ndarray) -> np.ndarray:
        """A 6 x nv matrix of Pinocchio's, linear first (or a plain vector where nv is 1), in ours."""
        return self.columns(X.reshape(6, -1)[[3, 4, 5, 0, 1, 2]])

    def both(self, X: np.ndarray) -> np.ndarray:
        """A matrix whose two indices are Pinocchio's velocities, in ours."""
        return self.columns(self.columns(X).T).T


def pinocchio_model(mech: Mechanism, floating: bool = False) -> Twin:
    """The same mechanism with unit screws: each joint frame lies on its axis, parallel to the space frame at home.

    Pinocchio wants subtrees numbered without gaps, so joints are added depth first. `floating` puts a free joint,
    without mass, between the world and the base.
    """
    model = pin.Model()
    model.gravity = pin.Motion(mech.gravity, np.zeros(3))
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base") if floating else 0
    n, order, scale = mech.n, [], np.ones(mech.n)
    joints, places = [0] * n, [np.zeros(3)] * n

    def grow(parent: int) -> None:
        for i in [k for k in range(n) if mech.parents[k] == parent]:
            w, v = mech.screws[i, :3], mech.screws[i, 3:]
            rate = float(np.linalg.norm(w))
            if rate == 0.0:
                scale[i], places[i] = np.linalg.norm(v), mech.homes[i][:3, 3]
                joint = pin.JointModelPrismaticUnaligned(v / scale[i])
            else:
                scale[i], places[i], pitch = rate, np.cross(w, v) / rate**2, float(w @ v) / rate**2
                joint = pin.JointModelRevoluteUnaligned(w / rate)
                if abs(pitch) > 1e-14:
                    joint = pin.JointModelHelicalUnaligned(w / rate, pitch)
            above = places[parent] if parent >= 0 else np.zeros(3)
            at = pin.SE3(np.eye(3), places[i] - above)
            joints[i] = model.addJoint(joints[parent] if parent >= 0 else root, joint, at, f"joint{i}")
            order.append(i)
            link, H = mech.links[i], mech.homes[i]
            placement = pin.SE3(H[:3, :3], H[:3, 3] - places[i])
            model.appendBodyToJoint(joints[i], pin.Inertia(link.mass, link.com, link.inertia), placement)
            model.addFrame(pin.Frame(mech.link_names[i], joints[i], 0, placement, pin.FrameType.OP_FRAME))
            grow(i)

    grow(-1)
    for name, frame in mech.frames.items():
        if frame.body >= 0 and name not in mech.link_names and name != "tool":
            P = mech.homes[frame.body] @ frame.pose
            placement = pin.SE3(P[:3, :3], P[:3, 3] - places[frame.body])
            model.addFrame(pin.Frame(name, joints[frame.body], 0, placement, pin.FrameType.OP_FRAME))
    return Twin(model, model.createData(), scale, np.array(order, dtype=int), joints, 6 if floating else 0)
