"""Base parameters: the count is the rank of the regressor, and what is left out is really unfelt. [REG-2]"""

from dataclasses import replace

import numpy as np
import pytest
from support.random_trees import quarter_turn, random_kinds, random_link, random_mechanism, random_pose, rotation
from support.sweeps import sweep
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles import arrays, zoo
from chasles.dynamics.newton_euler import newton_euler
from chasles.dynamics.regressor import torque_regressor
from chasles.identify.base_parameters import BaseParameters, base_parameters
from chasles.lie import SE3
from chasles.model.building import mechanism
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Tree
from chasles.robot.robot import joint_kind

pytestmark = pytest.mark.filterwarnings("ignore::chasles.errors.ModelWarning")  # published inertias, massless bases

COUNTS = {  # with gravity as they stand, and without
    "flywheel7": (41, 41),
    "iiwa14": (43, 39),
    "isometric6": (34, 34),
    "panda": (43, 39),
    "pendulum": (3, 1),
    "planar_2r": (6, 4),
    "planar_3r": (9, 7),
    "puma560": (36, 34),
    "scara": (9, 9),
    "spherical_pendulum": (8, 6),
    "stanford": (33, 31),
    "ur5": (36, 34),
}


def found(m: Mechanism, **options: float) -> BaseParameters:
    return base_parameters(m.tree, m.link_names, m.coupling, **options)


def stacked(m: Mechanism, seed: int = 0) -> np.ndarray:
    """Regressors at random states, twice as many rows as parameters."""
    rng, G = np.random.default_rng(seed), m.coupling
    rows: list[np.ndarray] = []
    while len(rows) * m.n < 20 * m.bodies + 20:
        q = [0.0] * G.nq
        for (k, _, _), x in zip(G.q, (x for b in m.tree.bodies for x in b.joint.random(rng)), strict=True):
            q[k] = x
        qd, qdd = rng.normal(size=(2, m.n)).tolist()
        x = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
        Y = torque_regressor(m.tree, *x, [SE3.identity()] * m.bodies)
        rows.append(np.array(G.forces([np.array(row) for row in Y])))
    return np.vstack(rows)


def rank(Y: np.ndarray) -> int:
    """The rank, with a gap that leaves no doubt."""
    s = np.linalg.svd(Y, compute_uv=False)
    r = int((s > 1e-10 * s[0]).sum())
    assert s[r - 1] > 1e-8 * s[0] and s[r:].max(initial=0.0) < 1e-13 * s[0], s / s[0]
    return r


def check(m: Mechanism) -> BaseParameters:
    """The count is the rank, and Y = Y[:, columns] map."""
    found_, Y = found(m), stacked(m)
    assert found_.count == rank(Y)
    assert close(found_.regressor(Y) @ found_.map, Y)
    assert close(found_.map[:, found_.columns], np.eye(found_.count), 1e-14)
    Z = found_.null_space
    assert Z.shape == (10 * m.bodies, 10 * m.bodies - found_.count)
    assert close(Z.T @ Z, np.eye(Z.shape[1]), 1e-12)
    assert close(found_.map @ Z, np.zeros((found_.count, Z.shape[1])), FLOAT64, np.abs(found_.map).max())
    return found_


def special(seed: int) -> Mechanism:
    """A small tree of all kinds of joints, most axes parallel or meeting, many along gravity or without any."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    screws, homes = [], []
    for _ in range(n):
        T = np.eye(4)
        T[:3, :3] = quarter_turn(rng) if rng.random() < 0.7 else np.eye(3)
        T[:3, 3] = rng.integers(-1, 2, 3) * (rng.random(3) < 0.3)
        w, point = np.eye(3)[rng.choice(3, p=[0.2, 0.2, 0.6])], rng.integers(-1, 2, 3) * (rng.random(3) < 0.3)
        pitch = rng.choice([0.0, 0.5, np.inf], p=[0.5, 0.15, 0.35])
        screws.append(np.r_[0, 0, 0, w] if pitch == np.inf else np.r_[w, np.cross(point, w) + pitch * w])
        homes.append(T)
    return mechanism(
        screws,
        homes,
        [random_link(rng) for _ in range(n)],
        [-1] + [i - 1 if rng.random() < 0.7 else int(rng.integers(-1, i)) for i in range(1, n)],
        kinds=[str(k) for k in rng.choice(["screw", "planar", "spherical", "free"], n, p=[0.7, 0.12, 0.12, 0.06])],
        gravity=[(0, 0, 0), (0, 0, -9.81), (0, -9.81, 0), (1, 2, 3)][rng.integers(4)],
    )


@pytest.mark.parametrize("name", zoo.names())
def test_built_in_robots(name):
    """Known counts: 43 of the 7R arms, 36 of the Puma and the UR5. On a free base, ten and what a joint tells alone."""
    robot = ch.load(name)
    assert check(robot.mechanism).count == COUNTS[name][0]
    assert check(robot.with_gravity([0.0, 0.0, 0.0]).mechanism).count == COUNTS[name][1]
    telling = {"P": 4, "R": 7, "H": 9}
    free = 10 + sum(telling[joint_kind(S)] for S in robot.screws)
    assert check(robot.with_base("free").mechanism).count == free


@pytest.mark.parametrize("make", [random_mechanism, random_kinds, special])
@pytest.mark.parametrize("seeds", sweep([range(8), range(8, 25)], 1), ids=["few", "more"])
def test_random_trees(make, seeds):
    for seed in seeds:
        assert check(make(seed)).structural


@pytest.mark.slow
def test_many_special_trees():
    for seed in range(25, 600):
        check(special(seed))


def test_general_chains():
    """[REG-2]: 19 of 30 for three general screws without gravity; 7 a link and 10 for a free one, of revolutes."""
    rng = np.random.default_rng(3)
    links, homes = [random_link(rng) for _ in range(3)], [random_pose(rng) for _ in range(3)]
    general, w = rng.normal(size=(3, 6)), [rotation(rng)[0] for _ in range(3)]
    revolute = [np.r_[a, np.cross(rng.normal(size=3), a)] for a in w]
    still, falling = (0.0, 0.0, 0.0), (1.0, 2.0, 3.0)
    for screws, gravity, count in (
        (general, still, 19),
        (general, falling, 22),
        (revolute, still, 15),
        (revolute, falling, 17),
    ):
        assert check(mechanism(screws, homes, links, gravity=gravity)).count == count
    kinds = ["free", "screw", "screw"]
    assert check(mechanism(revolute, homes, links, kinds=kinds, gravity=falling)).count == 10 + 7 + 7


def test_a_vertical_first_axis_feels_no_gravity():
    """Upright 2R arm: what the first joint would feel of gravity is gone, and comes back when the robot is tilted."""
    screws = [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.7, 0.0]]
    homes, links = [np.eye(4)] * 2, [random_link(np.random.default_rng(k)) for k in range(2)]
    upright = check(mechanism(screws, homes, links))
    tilted = check(mechanism(screws, homes, links, gravity=(3.0, 0.0, -9.0)))
    assert (upright.count, tilted.count) == (8, 10)
    assert set(tilted.names) - set(upright.names) == {"hx[link1]", "hy[link1]"}


def with_parameters(tree: Tree, pi: np.ndarray) -> Tree:
    G = [arrays.inertia(x) for x in pi.reshape(-1, 10).tolist()]
    return Tree(tuple(replace(b, G=g) for b, g in zip(tree.bodies, G, strict=True)), tree.gravity)


@pytest.mark.parametrize("make", [random_mechanism, random_kinds, special])
def test_the_null_space_is_unfelt_and_nothing_else_is(make):
    for seed in range(10):
        m, rng = make(seed), np.random.default_rng(seed)
        base = found(m)
        pi = np.concatenate([arrays.parameters(body.G) for body in m.tree.bodies])
        q = [x for body in m.tree.bodies for x in body.joint.random(rng)]
        x = q, *rng.normal(size=(2, m.n)).tolist()
        unfelt = base.null_space @ rng.normal(size=base.null_space.shape[1])
        tau = newton_euler(m.tree, *x).tau
        assert close(newton_euler(with_parameters(m.tree, pi + unfelt), *x).tau, tau, FLOAT64, 10.0)
        assert close(base.reduce(pi + unfelt), base.reduce(pi), FLOAT64, np.abs(base.map).max())
        felt = base.map.T @ rng.normal(size=base.count)
        change = np.subtract(newton_euler(with_parameters(m.tree, pi + felt), *x).tau, tau)
        assert np.abs(change).max() > 1e-6


def test_units_and_places_do_not_matter():
    """The Panda in other units of length, far away, and with link frames far from their axes."""
    m = ch.load("panda").mechanism
    here = found(m)
    for scale in (1e-3, 1e4):
        screws, homes = m.screws.copy(), m.homes.copy()
        screws[:, 3:] *= scale
        homes[:, :3, 3] *= scale
        other = found(mechanism(screws, homes, m.links, gravity=m.gravity))
        assert other.count == here.count and (other.columns == here.columns).all()
        assert close(other.condition, here.condition, 1e-6)
    far = np.eye(4)
    far[:3, 3] = (3e3, 2e3, -1e3)
    screws = m.screws + np.hstack([np.zeros((7, 3)), np.cross(far[:3, 3], m.screws[:, :3])])
    moved = mechanism(screws, far @ m.homes, m.links, gravity=m.gravity)
    assert found(moved).count == here.count
    assert close(found(moved).map, here.map, 1e-8)
    assert found(mechanism(m.screws, m.homes @ far, m.links, gravity=m.gravity)).count == here.count


def test_mimics_are_sampled():
    """Joints that follow others: fewer forces, fewer parameters."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 5
        screws = [np.r_[w, np.cross(rng.normal(size=3), w)] for w in (rotation(rng)[0] for _ in range(n))]
        homes, links = [random_pose(rng) for _ in range(n)], [random_link(rng) for _ in range(n)]
        mimics = {"joint2": ("joint4", -0.5, 0.2), "joint5": ("joint1", 2.0, 0.1)}
        coupled, free = mechanism(screws, homes, links, mimics=mimics), mechanism(screws, homes, links)
        assert not check(coupled).structural
        assert found(coupled).count <= check(free).count


def test_how_it_reads():
    m = ch.load("planar_2r").mechanism
    base = found(m)
    assert base.names == ("hx[link1]", "hy[link1]", "Izz[link1]", "hx[link2]", "hy[link2]", "Izz[link2]")
    assert base.describe()[:3] == ["hx[link1] + m[link2]", "hy[link1]", "Izz[link1] + m[link2]"]
    assert base.describe()[3:] == list(base.names[3:])
    pi = np.arange(40.0).reshape(2, 2, 10)
    assert close(base.reduce(pi), base.reduce(pi.reshape(2, 20)), 0.0)
    assert close(base.reduce(pi[0])[:3], [11.0, 2.0, 19.0], 1e-14)
    assert 1.0 <= base.condition < 2.0


def test_tolerance():
    """An axis a millionth off the vertical: more parameters, unless that is taken for nothing."""
    S, tilt = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), 1e-6
    m = mechanism([S], [np.eye(4)], [random_link(np.random.default_rng(0))], gravity=(9.81 * tilt, 0.0, -9.81))
    assert found(m).count == 3
    assert found(m, tolerance=1e-5).count == 1
    assert ch.Robot(m).base_parameters().count == 3 and ch.Robot(m).base_parameters(tolerance=1e-5).count == 1


def test_a_row_of_a_regressor_that_is_not_a_number():
    """Of a column that is dropped, too: its sample is no measurement."""
    arm = ch.load("planar_2r")
    base, Y = arm.base_parameters(), np.ones((3, 20))
    dropped = next(k for k in range(20) if k not in base.columns)
    Y[1, dropped] = np.nan
    assert np.isnan(base.regressor(Y)[1]).all() and np.isfinite(base.regressor(Y)[[0, 2]]).all()
