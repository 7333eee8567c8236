"""Invariances: what a description may change without changing the motion, frames, labels, groupings, signs."""

import numpy as np
from support.leaves import array
from support.random_trees import by_chunks, random_link, random_mechanism, random_pose, random_state
from support.tolerances import FLOAT64, close

from chasles.dynamics.articulated_body import mass_matrix_inverse
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.energy import kinetic_energy, potential_energy
from chasles.dynamics.kinematics import frame_pose
from chasles.dynamics.newton_euler import newton_euler
from chasles.formulations.closed_form import tree_factors
from chasles.lie import SE3
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.poses import pose, twist

chunks = by_chunks()


def rebuilt(mech, **changes):
    """The mechanism with some of its numbers replaced."""
    parts = {"screws": mech.screws, "homes": mech.homes, "links": mech.links, "parents": mech.parents} | changes
    gravity = parts.pop("gravity", mech.gravity)
    return mechanism(*parts.values(), gravity=gravity)


def moved(link, T):
    """A link, with its numbers in a frame where its old frame is at T."""
    R, p = T[:3, :3], T[:3, 3]
    return Link(link.mass, R @ link.com + p, R @ link.inertia @ R.T)


def same_motion(a, b, state, signs=None, order=None):
    """Torque, M, M^-1, C, gravity and K of b are those of a, for joints relabelled by `order` with `signs`."""
    n = a.n
    signs = np.ones(n) if signs is None else np.asarray(signs)
    order = np.arange(n) if order is None else np.asarray(order)

    def there(x):
        return (np.asarray(x) * signs)[order].tolist()

    def matrix_there(X):
        return (array(X) * np.outer(signs, signs))[np.ix_(order, order)]

    q, qd, qdd = state
    Q, Qd, Qdd = map(there, state)
    tau = newton_euler(a.tree, q, qd, qdd).tau
    M = array(mass_matrix(a.tree, q))
    assert close(newton_euler(b.tree, Q, Qd, Qdd).tau, there(tau))
    assert close(array(mass_matrix(b.tree, Q)), matrix_there(M))
    inverse = matrix_there(mass_matrix_inverse(a.tree, q))
    assert close(array(mass_matrix_inverse(b.tree, Q)), inverse)
    C = matrix_there(coriolis_matrix(a.tree, q, qd))
    assert close(array(coriolis_matrix(b.tree, Q, Qd)), C, FLOAT64, np.abs(M).max())
    gravity = there(tree_factors(a.tree, q).gravity_forces)
    assert close(tree_factors(b.tree, Q).gravity_forces, gravity, FLOAT64, np.abs(tau).max())
    return close(kinetic_energy(b.tree, Q, Qd), kinetic_energy(a.tree, q, qd))


@chunks
def test_base_change(seeds):
    """Another space frame: screws by Ad_T [SE3-2], homes by T, gravity turned. The potential shifts by a constant."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        T = random_pose(rng)
        screws = [array(pose(T).Ad(twist(S))) for S in mech.screws]
        other = rebuilt(mech, screws=screws, homes=T @ mech.homes, gravity=T[:3, :3] @ mech.gravity)
        q, qd, qdd = random_state(seed, mech.n)
        assert same_motion(mech, other, (q, qd, qdd))
        shift = [potential_energy(other.tree, x) - potential_energy(mech.tree, x) for x in (q, qd)]
        mass = sum(link.mass for link in mech.links)
        assert close(shift[0], shift[1], FLOAT64, 100.0 * mass)
        last = frame_pose(mech.tree, q, mech.n - 1, SE3.identity())
        assert close(array(frame_pose(other.tree, q, mech.n - 1, SE3.identity())), T @ array(last))


@chunks
def test_relabelling(seeds):
    """Another order of the links, parents still first."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        order = []
        while len(order) < mech.n:
            ready = [i for i in range(mech.n) if i not in order and mech.parents[i] in (*order, -1)]
            order.append(int(rng.choice(ready)))
        place = {-1: -1} | {old: new for new, old in enumerate(order)}
        other = rebuilt(
            mech,
            screws=mech.screws[order],
            homes=mech.homes[order],
            links=[mech.links[i] for i in order],
            parents=[place[mech.parents[i]] for i in order],
        )
        assert same_motion(mech, other, random_state(seed, mech.n), order=order)


@chunks
def test_merging_a_fixed_joint(seeds):
    """A fixed link is what a joint that never moves makes of it: torques of the other joints are the same."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        parents = [-1, *(int(rng.integers(-1, i)) for i in range(1, n))]
        base = random_mechanism(seed, n=n)
        screws = rng.normal(size=(n, 6))
        homes, links = [random_pose(rng) for _ in range(n)], [random_link(rng) for _ in range(n)]
        fixed = sorted(rng.choice(np.arange(1, n), 2, replace=False).tolist())
        free = [i for i in range(n) if i not in fixed]
        locked = mechanism(screws, homes, links, parents, gravity=base.gravity)
        screws[fixed] = 0.0
        merged = mechanism(screws, homes, links, parents, gravity=base.gravity)
        assert merged.n == n - 2
        q, qd, qdd = np.array(random_state(seed, n))
        for x in (q, qd, qdd):
            x[fixed] = 0.0
        whole = newton_euler(locked.tree, q.tolist(), qd.tolist(), qdd.tolist()).tau
        part = newton_euler(merged.tree, q[free].tolist(), qd[free].tolist(), qdd[free].tolist()).tau
        assert close(part, np.array(whole)[free])
        M = array(mass_matrix(locked.tree, q.tolist()))
        assert close(array(mass_matrix(merged.tree, q[free].tolist())), M[np.ix_(free, free)])
        for i, name in enumerate(locked.link_names):  # every link stays addressable where it was
            frame = merged.frames[name]
            X = frame_pose(merged.tree, q[free].tolist(), frame.body, pose(frame.pose))
            assert close(array(X), array(frame_pose(locked.tree, q.tolist(), i, SE3.identity())))


@chunks
def test_splitting_a_link(seeds):
    """One link as two that a fixed joint holds together; what hung on it hangs on either."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        i, T = int(rng.integers(mech.n)), random_pose(rng)
        piece = Link(mech.links[i].mass * 0.3, mech.links[i].com, mech.links[i].inertia * 0.3)
        rest = Link(mech.links[i].mass * 0.7, mech.links[i].com, mech.links[i].inertia * 0.7)
        at = mech.n
        shifted = [p if p != i or rng.random() < 0.5 else at for p in mech.parents]
        # the new link comes right after i, so that children may hang on it
        order = [*range(i + 1), at, *range(i + 1, mech.n)]
        place = {-1: -1} | {old: new for new, old in enumerate(order)}
        screws = np.vstack([mech.screws, np.zeros(6)])[order]
        homes = np.concatenate([mech.homes, [mech.homes[i] @ T]])[order]
        links = [*mech.links[:i], rest, *mech.links[i + 1 :], moved(piece, np.linalg.inv(T))]
        parents = [*shifted, i]
        other = rebuilt(
            mech,
            screws=screws,
            homes=homes,
            links=[Link(x.mass, x.com, x.inertia) for x in (links[k] for k in order)],
            parents=[place[parents[k]] for k in order],
        )
        assert same_motion(mech, other, random_state(seed, mech.n))


@chunks
def test_moving_a_body_frame(seeds):
    """[SE3-8]: the link frame is a choice; its mass, com and inertia follow it."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        frames = [random_pose(rng) for _ in range(mech.n)]
        homes = [H @ T for H, T in zip(mech.homes, frames, strict=True)]
        links = [moved(link, np.linalg.inv(T)) for link, T in zip(mech.links, frames, strict=True)]
        other = rebuilt(mech, homes=homes, links=links)
        q, qd, qdd = random_state(seed, mech.n)
        assert same_motion(mech, other, (q, qd, qdd))
        mass = sum(link.mass for link in mech.links)
        assert close(potential_energy(other.tree, q), potential_energy(mech.tree, q), FLOAT64, 10.0 * mass)


@chunks
def test_reversing_axes(seeds):
    """S -> -S with q -> -q: the joint's torque changes sign, nothing else does."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], mech.n)
        other = rebuilt(mech, screws=mech.screws * signs[:, None])
        assert same_motion(mech, other, random_state(seed, mech.n), signs=signs)


@chunks
def test_gears(seeds):
    """S -> k S with q -> q / k: tau_i -> k_i tau_i, by power."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        k = rng.uniform(0.2, 5.0, mech.n)
        other = rebuilt(mech, screws=mech.screws * k[:, None])
        q, qd, qdd = random_state(seed, mech.n)
        tau = newton_euler(mech.tree, q, qd, qdd).tau
        geared = newton_euler(other.tree, *(np.divide(x, k).tolist() for x in (q, qd, qdd))).tau
        assert close(np.divide(geared, k), tau)
