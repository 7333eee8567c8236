"""Balance: chains whose mass matrix is known to be constant, those known not to be, and counterweights."""

import numpy as np
import pytest
from support.random_trees import random_kinds, random_link, random_mechanism, random_pose
from support.screw_robots import at, prismatic, quiet, revolute
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles import arrays
from chasles.riemann.balance import balance, balanced, balancing_coms, counterweights
from chasles.riemann.flatness import flatness

X, Y, Z, O = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.zeros(3)


def planar_chain(seed: int, n: int = 4, **options) -> ch.Robot:
    """A random planar chain, its plane, link frames and bodies anyhow; the axes point to either side, one is geared."""
    rng = np.random.default_rng(seed)
    base = random_pose(rng)
    feet = np.concatenate([rng.normal(size=(n, 2)), rng.normal(size=(n, 1))], axis=1) @ base[:3, :3].T + base[:3, 3]
    signs = rng.choice([-1.0, 1.0], n) * np.r_[1.0, 2.5, np.ones(n - 2)]
    screws = [revolute(sign * base[:3, 2], foot) for sign, foot in zip(signs, feet, strict=True)]
    homes = [random_pose(rng) for _ in range(n)]
    return ch.Robot.from_screws(screws, homes, [random_link(rng) for _ in range(n)], **options)


def with_coms(robot: ch.Robot, coms) -> ch.Robot:
    """The robot with the centres of mass of some links elsewhere."""
    given = dict(coms)
    links = [
        ch.Link(link.mass, given.get(name, link.com), link.inertia)
        for name, link in zip(robot.link_names, robot.links, strict=True)
    ]
    return ch.Robot.from_screws(robot.screws, robot.homes, links)


def spread(robot: ch.Robot, samples: int = 50) -> np.ndarray:
    """(n, n) by how much entries of M differ between random configurations."""
    q = np.stack([robot.random(k) for k in range(samples)])
    return np.ptp(robot.mass_matrix(q), axis=0)


def axis(robot: ch.Robot) -> np.ndarray:
    return robot.screws[0, :3] / np.linalg.norm(robot.screws[0, :3])


# whether M is constant


@pytest.mark.parametrize("seed", sweep(range(6), 2))
def test_planar_chains_balanced_by_their_centres_of_mass(seed: int) -> None:
    """[BAL-1], sufficiency: M is constant, and so the chain is flat [CUR-3]."""
    robot = planar_chain(seed)
    coms = balancing_coms(robot)
    assert [link for link, _ in coms] == ["link4", "link3", "link2"]
    still = with_coms(robot, coms)
    found = balance(still)
    assert found.is_balanced and not found.breaks and found.worst < 1e-12
    assert close(spread(still), np.zeros((4, 4)), FLOAT64, float(still.mass_matrix(still.neutral()).max()))
    assert flatness(still).is_flat
    assert balancing_coms(still) == () and counterweights(still, 0.1) == ()


@pytest.mark.parametrize("seed", sweep(range(3), 1))
def test_planar_chains_out_of_balance(seed: int) -> None:
    """[BAL-1], necessity, link by link; across the axes only, and not on the first link. The joints named are those
    that turn the link's moment against a link before: its own, and those between."""
    robot = planar_chain(seed)
    still = with_coms(robot, balancing_coms(robot))
    for k, name in enumerate(still.link_names):
        along = still.homes[k][:3, :3].T @ axis(robot)
        aside = np.cross(along, np.random.default_rng(seed).normal(size=3))
        com = still.links[k].com
        assert balance(with_coms(still, [(name, com + 0.3 * along)])).is_balanced
        found = balance(with_coms(still, [(name, com + 1e-6 * aside)]))
        assert found.is_balanced == (k == 0)
        assert list(found.breaks) == [f"joint{j + 1}" for j in range(1, k + 1)]


def test_brackets_of_coincident_axes() -> None:
    """[BAL-1] asks for a link before that is not of length zero: without one a link's moment is not felt."""
    rng = np.random.default_rng(0)
    feet = [O, O, O, X]
    robot = ch.Robot.from_screws(
        [revolute(Z, p) for p in feet], [at(*p) for p in feet], [random_link(rng) for _ in feet], name="coaxial"
    )
    assert list(balance(robot).breaks) == ["joint4"]
    assert [weight.link for weight in counterweights(robot, 0.2)] == ["link4"]
    assert balance(balanced(robot, 0.2)).is_balanced
    drum = ch.Robot.from_screws(robot.screws[:3], robot.homes[:3], robot.links[:3])
    assert balance(drum).is_balanced and counterweights(drum, 0.2) == ()


def test_a_constant_diagonal_is_not_enough() -> None:
    """[BAL-2]: it is for planar revolute chains; not for a universal joint with Ixx = Iyy and Ixz, nor for P-R."""
    for seed in range(4):
        diagonal = np.diagonal(spread(planar_chain(seed)))
        assert diagonal[:-1].max() > 1e-3 and diagonal[-1] < 1e-12
    skew = ch.Link(1.0, O, [[1.0, 0.0, 0.3], [0.0, 1.0, 0.0], [0.3, 0.0, 1.2]])
    solid = ch.Link(1.0, O, (0.1, 0.1, 0.1))
    universal = ch.Robot.from_screws([revolute(X), revolute(Z)], [np.eye(4)] * 2, [solid, skew])
    sledge = ch.Robot.from_screws([prismatic(X), revolute(Z)], [np.eye(4)] * 2, [solid, ch.Link(1.0, 0.3 * X, [1] * 3)])
    for robot in (universal, sledge):
        change = spread(robot)
        assert close(np.diagonal(change), np.zeros(2), FLOAT64, 1.0) and change[0, 1] > 0.1
        found = balance(robot)
        assert not found.is_balanced and list(found.breaks) == ["joint2"]
        assert not constant_by_structure(robot)


@pytest.mark.parametrize("seed", range(3))
def test_diagonal_of_planar_chains(seed: int) -> None:
    """[BAL-3]: the sum of m_k |p_ik|^2 + I_k over the links k from i on, p_ik from axis i to the centre of mass."""
    robot = planar_chain(seed)
    q, w = robot.random(seed), axis(robot)
    across = np.eye(3) - np.outer(w, w)
    T = robot.link_poses(q)
    coms = np.array([X[:3, :3] @ link.com + X[:3, 3] for X, link in zip(T, robot.links, strict=True)])
    spins = [w @ X[:3, :3] @ link.inertia @ X[:3, :3].T @ w for X, link in zip(T, robot.links, strict=True)]
    space = np.stack(
        [robot.jacobian(q, frame=name, expressed="space")[:, k] for k, name in enumerate(robot.link_names)]
    )
    for i, S in enumerate(space):
        rate = S[:3] @ S[:3]  # a gear counts twice
        p = (coms - np.cross(S[:3], S[3:]) / rate) @ across
        expected = sum(robot.links[k].mass * p[k] @ p[k] + spins[k] for k in range(i, 4))
        assert close(robot.mass_matrix(q)[i, i], rate * expected)


def test_axisymmetric_last_link() -> None:
    """[BAL-4]: spatial 2R, the last link axisymmetric about its own axis, anyhow to the first; not if it is not."""
    rng = np.random.default_rng(0)
    first, second = random_pose(rng), random_pose(rng)
    screws = [revolute(first[:3, 2], first[:3, 3]), revolute(second[:3, 2], second[:3, 3])]
    link = random_link(rng)

    def robot(*last) -> ch.Robot:
        return ch.Robot.from_screws(screws, [first, second], [link, ch.Link(*last)])

    assert balance(robot(0.7, (0, 0, 0.4), (0.3, 0.3, 0.1))).is_balanced
    assert spread(robot(0.7, (0, 0, 0.4), (0.3, 0.3, 0.1))).max() < 1e-12
    assert constant_by_structure(robot(0.7, (0, 0, 0.4), (0.3, 0.3, 0.1)))
    assert not balance(robot(0.7, (0, 1e-6, 0.4), (0.3, 0.3, 0.1))).is_balanced
    assert not balance(robot(0.7, (0, 0, 0.4), (0.3, 0.300001, 0.1))).is_balanced


@pytest.mark.parametrize("seed", sweep(range(8), 4))
def test_random_robots(seed: int) -> None:
    """[BAL-5]: on any robot the verdict is that of M itself, joint by joint, moved one at a time."""
    robot = ch.Robot(random_mechanism(seed, 4))
    found = balance(robot)
    assert found.is_balanced == (not found.breaks) == (spread(robot).max() < 1e-9)
    q = np.stack([robot.random(k) for k in range(5)])
    for k, name in enumerate(robot.joint_names):
        turned = q + 0.5 * np.eye(robot.n)[k]
        change = np.abs(robot.mass_matrix(turned) - robot.mass_matrix(q)).max()
        assert (name in found.breaks) == (change > 1e-9)
        assert found.links[name] in robot.link_names


def constant_by_structure(robot: ch.Robot) -> bool:
    """Whether M is constant, without a sample: M_xz = <Gc_z S_z, J_x seen from z>, whose factors depend on different
    joints, those beyond z and those up to z. Each varies in an affine space, which the brackets of columns span; M is
    constant iff every direction of one is orthogonal to the other."""
    tree = robot.mechanism.tree
    neutral = [x for body in tree.bodies for x in body.joint.neutral()]

    def span(rows: list[np.ndarray], maps: list[np.ndarray]) -> np.ndarray:
        """The smallest space that has the rows and is invariant."""
        X = np.stack(rows) if rows else np.zeros((0, len(maps[0])))
        while True:
            _, s, V = np.linalg.svd(np.vstack([X, *(X @ A.T for A in maps)]), full_matrices=False)
            more = V[s > 1e-9 * s.max(initial=1.0)]
            if len(more) == len(X):
                return more
            X = more

    def matrix(f) -> np.ndarray:
        return np.stack([arrays.from_twist(f(arrays.twist(e))) for e in np.eye(6)], axis=1)

    one, back, ads, moves, G = np.eye(6), [], [], [], []
    for body, link in zip(tree.bodies, robot.links, strict=True):
        back.append(matrix(body.motion(neutral).T.Ad_inv))
        ads.append([matrix(S.ad) for S in body.columns])
        moves.append([-np.kron(a.T, one) - np.kron(one, a.T) for a in ads[-1]])
        momenta = [link.spatial() @ arrays.twist(e) for e in one]
        G.append(np.array([[*F.m, *F.f] for F in momenta], dtype=float))
    vary: list[list[np.ndarray]] = [[] for _ in G]  # directions of Gc_z
    for i in reversed(range(len(G))):
        p, B = tree.bodies[i].parent, back[i]
        if p >= 0:
            turned = span([L @ G[i].ravel() for L in moves[i]] + [D.ravel() for D in vary[i]], moves[i])
            G[p] = G[p] + B.T @ G[i] @ B
            vary[p] += [B.T @ D.reshape(6, 6) @ B for D in turned]
    seen: list[list[tuple[np.ndarray, list[np.ndarray]]]] = []  # of each body: columns on its path, their directions
    for i, body in enumerate(tree.bodies):
        above = []
        for J, dJ in seen[body.parent] if body.parent >= 0 else []:
            J = back[i] @ J
            above.append((J, list(span([a @ J for a in ads[i]] + [back[i] @ d for d in dJ], ads[i]))))
        own = [np.array(arrays.from_twist(S)) for S in body.columns]
        seen.append(above + [(S, []) for S in own])
        for S in own:
            for J, dJ in seen[i]:
                changes = [D @ S for D in vary[i]]
                parts = [G[i] @ S @ d for d in dJ] + [F @ J for F in changes] + [F @ d for F in changes for d in dJ]
                if np.abs(parts).max(initial=0.0) > 1e-7:
                    return False
    return True


@pytest.mark.parametrize("seed", sweep(range(20), 6))
def test_samples_tell_what_the_structure_does(seed: int) -> None:
    """On random chains of few joints, some of them balanced, and on planar ones with and without counterweights."""
    robot = ch.Robot(random_mechanism(seed, 1 + seed % 3))
    assert balance(robot, samples=8).is_balanced == constant_by_structure(robot)
    chain = planar_chain(seed, 3)
    assert not constant_by_structure(chain)
    assert constant_by_structure(balanced(chain, 0.3))


@pytest.mark.parametrize("seed", [11, 14, 19])
def test_samples_tell_what_the_structure_does_on_groups(seed: int) -> None:
    """Trees with joints of several degrees of freedom; alone such a joint is balanced."""
    robot = ch.Robot(random_kinds(seed))
    assert not balance(robot, samples=8).is_balanced and not constant_by_structure(robot)
    for kind in ("planar", "spherical", "free"):
        alone = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [robot.links[0]], kinds=[kind])
        assert balance(alone, samples=8).is_balanced and constant_by_structure(alone)


def test_what_is_reported() -> None:
    """Names, the place and the size of the worst, by a central difference; the words."""
    robot = ch.load("panda")
    found = balance(robot)
    assert list(found.breaks) == [f"panda_joint{k}" for k in range(2, 8)]  # turning the first changes nothing
    assert found.breaks[found.joint] == found.worst == max(found.breaks.values())
    assert found.links["panda_joint3"] == "panda_link3"
    k, h = robot.joint_names.index(found.joint), 1e-5
    step = h * np.eye(7)[k]
    dM = (robot.mass_matrix(found.q + step) - robot.mass_matrix(found.q - step)) / (2.0 * h)
    rng = np.random.default_rng(0)
    M = robot.mass_matrix(np.stack([robot.random(rng) for _ in range(64)]))
    s = np.sqrt(np.diagonal(M, axis1=1, axis2=2).max(axis=0))
    assert close(np.abs(dM / np.outer(s, s)).max(), found.worst, FINITE_DIFFERENCE)
    text = str(found)
    assert text.startswith("not balanced: M changes") and "with joint 'panda_joint3', which moves link" in text
    assert str(balance(ch.load("pendulum"))).startswith("balanced: M changes by up to 0")


def test_joints_of_several_degrees_and_followers() -> None:
    """A free body has a constant M; one on it does not leave it so. A joint that follows is its leader's doing."""
    body = ch.Link(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    free = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [body], kinds=["free"])
    assert balance(free).is_balanced
    arm = ch.Robot.from_screws(
        [revolute(Z), np.zeros(6), revolute(X, Y)], [np.eye(4)] * 3, [body] * 3, kinds=["screw", "free", "screw"]
    )
    assert list(balance(arm).breaks) == ["joint2", "joint3"]
    follows = ch.Robot.from_screws(
        [revolute(Z), revolute(Z, X), revolute(Z, 2 * X)],
        [np.eye(4)] * 3,
        [body] * 3,
        mimics={"joint3": ("joint2", -1, 0)},
    )
    found = balance(follows)
    assert list(found.breaks) == ["joint2"] and list(found.links) == ["joint1", "joint2"]


def test_a_joint_that_moves_nothing() -> None:
    """Its row of M is zero everywhere: nothing of it changes."""
    body = ch.Link(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
    robot = quiet([revolute(Z), revolute(X)], [np.eye(4)] * 2, [body, ch.Link(0.0)])
    found = balance(robot)
    assert found.is_balanced and found.worst == 0.0


# counterweights


def test_two_bars() -> None:
    """By hand: two bars, m2 = 1.5 kg with its centre at 0.4 m; a weight of 3 kg at 0.2 m behind the elbow."""
    robot = ch.load("planar_2r")
    (weight,) = counterweights(robot, 0.2)
    m, c = robot.links[1].mass, robot.links[1].com
    assert weight.link == robot.link_names[1]
    assert close(weight.mass, m * np.linalg.norm(c) / 0.2)
    assert close(weight.position, -0.2 * c / np.linalg.norm(c))


@pytest.mark.parametrize("seed", sweep(range(6), 2))
def test_counterweights(seed: int) -> None:
    """[BAL-1]: M is constant with them, and not with one of them left out or a thousandth heavier; each is as far from
    its axis as told, level with its link's centre of mass."""
    robot = planar_chain(seed)
    radii = {"link2": 0.1, "link3": 0.2, "link4": 0.3}
    weights = counterweights(robot, radii)
    assert [weight.link for weight in weights] == ["link4", "link3", "link2"]
    still = balanced(robot, radii)
    assert balance(still).is_balanced and not balance(robot).is_balanced
    assert close(spread(still), np.zeros((4, 4)), FLOAT64, float(still.mass_matrix(still.neutral()).max()))
    assert close(still.total_mass, robot.total_mass + sum(weight.mass for weight in weights))
    for k, weight in enumerate(weights):
        home, S = robot.homes[3 - k], robot.screws[3 - k]
        place = home[:3, :3] @ weight.position + home[:3, 3]
        arm = place - np.cross(S[:3], S[3:]) / (S[:3] @ S[:3])
        assert close(np.linalg.norm(np.cross(axis(robot), arm)), radii[weight.link])
        com = home[:3, :3] @ robot.links[3 - k].com + home[:3, 3]
        assert close(axis(robot) @ place, axis(robot) @ com, FLOAT64, 1.0)
        for factor in (0.0, 1.001):
            other = robot
            for each in weights:
                mass = each.mass * (factor if each is weight else 1.0)
                other = other.with_payload(each.link, mass, each.position)
            assert not balance(other).is_balanced


def test_weights_carry_weights() -> None:
    """[BAL-1], tip to base: a tip's weight is in inverse proportion to its radius, and the moment of the weight before
    grows by what it has become heavier, at the length of the link between."""
    robot = planar_chain(1, 3)
    near, far = counterweights(robot, 0.1), counterweights(robot, 0.2)
    assert close(near[0].mass, 2.0 * far[0].mass)
    feet = np.cross(robot.screws[:, :3], robot.screws[:, 3:]) / (robot.screws[:, :3] ** 2).sum(axis=1)[:, None]
    across = np.eye(3) - np.outer(axis(robot), axis(robot))

    def moment(weight) -> np.ndarray:
        home = robot.homes[1]
        return weight.mass * across @ (home[:3, :3] @ weight.position + home[:3, 3] - feet[1])

    grown = (near[0].mass - far[0].mass) * across @ (feet[2] - feet[1])
    assert np.linalg.norm(grown) > 1e-2
    assert close(moment(near[1]) - moment(far[1]), -grown)


def test_rotors_do_not_matter() -> None:
    """Armature adds to the diagonal, whether balanced or not."""
    plain, geared = planar_chain(2), planar_chain(2, armature=[0.1, 0.2, 0.3, 0.4])
    for a, b in zip(counterweights(plain, 0.2), counterweights(geared, 0.2), strict=True):
        assert a.link == b.link and a.mass == b.mass
    assert balance(balanced(geared, 0.2)).is_balanced


def test_what_cannot_be_balanced_by_counterweights() -> None:
    """Each says which joint stands against it."""
    body = ch.Link(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    home, turn = np.eye(4), revolute(Z)

    def robot(*screws, **options) -> ch.Robot:
        return ch.Robot.from_screws(screws, [home] * len(screws), [body] * len(screws), **options)

    elbow = revolute(Z, X)
    cases = {
        "'joint2' slides": robot(turn, prismatic(X)),
        "'joint2' is a helix": robot(turn, elbow + np.r_[O, 0.1 * Z]),
        "'joint2' is planar": robot(turn, elbow, kinds=["screw", "planar"]),
        "branched at joint 'joint3'": robot(turn, elbow, elbow, parents=[-1, 0, 0]),
        "'joint2' is not parallel to that of 'joint1'": robot(turn, revolute(Y)),
        "'joint3' follows another": robot(turn, elbow, elbow, mimics={"joint3": ("joint2", -1.0, 0.0)}),
    }
    for why, refused in cases.items():
        for function in (lambda r: counterweights(r, 0.1), lambda r: balanced(r, 0.1), balancing_coms):
            with pytest.raises(ch.ModelError, match=f"{why}.*serial chains of revolute joints with parallel axes"):
                function(refused)
    chain = robot(turn, elbow)
    for radius in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ch.ModelError, match="radius on link 'link2' must be a positive number"):
            counterweights(chain, radius)
    with pytest.raises(ch.ModelError, match="link 'link2' needs one"):
        counterweights(chain, {"link1": 0.1})
    hollow = quiet([turn, elbow, revolute(Z, 2 * X)], [home] * 3, [body, ch.Link(0.0), body])
    with pytest.raises(ch.ModelError, match="link 'link2' has no mass to balance"):
        balancing_coms(hollow)
