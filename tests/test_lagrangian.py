"""Systems given by a Lagrangian: closed forms, robots by their energies, time, forces, and what is refused."""

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.system import System

g = 9.81
seeds = pytest.mark.parametrize("seed", range(3))


def states(seed, n, rows=3, batch=()):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (rows, *batch, n))


def pendulum(m=1.3, l=0.7):
    return ch.LagrangianSystem(1, lambda q, qd: m * l**2 * qd[0] ** 2 / 2 + m * g * l * np.cos(q[0]), name="pendulum")


def spherical_pendulum(m=1.3, l=0.7):
    def L(q, qd):
        return m * l**2 * (qd[0] ** 2 + np.sin(q[0]) ** 2 * qd[1] ** 2) / 2 + m * g * l * np.cos(q[0])

    return ch.LagrangianSystem(2, L, coordinate_names=("theta", "phi"))


def arm(m1=2.0, m2=1.5, L1=0.8, L2=0.6):
    """Two point masses at the ends of two links, gravity along -y."""

    def L(q, qd):
        a, b = q[0], q[0] + q[1]
        wa, wb = qd[0], qd[0] + qd[1]
        v1 = np.stack([-L1 * np.sin(a) * wa, L1 * np.cos(a) * wa])
        v2 = v1 + np.stack([-L2 * np.sin(b) * wb, L2 * np.cos(b) * wb])
        heights = m1 * L1 * np.sin(a) + m2 * (L1 * np.sin(a) + L2 * np.sin(b))
        return (m1 * (v1 @ v1) + m2 * (v2 @ v2)) / 2 - g * heights

    return ch.LagrangianSystem(2, L, name="arm")


@seeds
def test_pendulum(seed):
    """[EX-1]"""
    m, l = 1.3, 0.7
    q, qd, x = states(seed, 1)
    system = pendulum(m, l)
    assert close(system.mass_matrix(q), [[m * l**2]])
    assert close(system.inverse_dynamics(q, qd, x), m * l**2 * x + m * g * l * np.sin(q))
    assert close(system.forward_dynamics(q, qd, x), (x - m * g * l * np.sin(q)) / (m * l**2))
    assert close(system.kinetic_energy(q, qd), m * l**2 * qd[0] ** 2 / 2)
    assert close(system.potential_energy(q), -m * g * l * np.cos(q[0]))
    assert close(system.energy(q, qd), system.kinetic_energy(q, qd) + system.potential_energy(q))


@seeds
def test_spherical_pendulum(seed):
    """[EX-2]"""
    m, l = 1.3, 0.7
    q, (thd, phd), (thdd, phdd) = states(seed, 2)
    s, c = np.sin(q[0]), np.cos(q[0])
    tau = [
        m * l**2 * thdd - m * l**2 * s * c * phd**2 + m * g * l * s,
        m * l**2 * s**2 * phdd + 2 * m * l**2 * s * c * thd * phd,
    ]
    system = spherical_pendulum(m, l)
    assert close(system.inverse_dynamics(q, [thd, phd], [thdd, phdd]), tau)
    assert close(system.forward_dynamics(q, [thd, phd], tau), [thdd, phdd])


@seeds
def test_planar_two_links(seed):
    """[EX-3]: M, the Christoffel symbols and C."""
    m1, m2, l1, r1, r2, I1, I2 = 2.0, 1.5, 0.8, 0.3, 0.35, 0.11, 0.07

    def L(q, qd):
        a, b, wa, wb = q[0], q[0] + q[1], qd[0], qd[0] + qd[1]
        v = np.stack([-l1 * np.sin(a) * wa - r2 * np.sin(b) * wb, l1 * np.cos(a) * wa + r2 * np.cos(b) * wb])
        return ((I1 + m1 * r1**2) * wa**2 + I2 * wb**2 + m2 * (v @ v)) / 2

    system = ch.LagrangianSystem(2, L)
    q, (w1, w2), _ = states(seed, 2)
    al, be, de = I1 + I2 + m1 * r1**2 + m2 * (l1**2 + r2**2), m2 * l1 * r2, I2 + m2 * r2**2
    s2, c2 = np.sin(q[1]), np.cos(q[1])
    assert close(system.mass_matrix(q), [[al + 2 * be * c2, de + be * c2], [de + be * c2, de]])
    C = [[-be * s2 * w2, -be * s2 * (w1 + w2)], [be * s2 * w1, 0.0]]
    assert close(system.coriolis_matrix(q, [w1, w2]), C)
    G = np.zeros((2, 2, 2))
    G[0, 0, 1] = G[0, 1, 0] = G[0, 1, 1] = -be * s2
    G[1, 0, 0] = be * s2
    assert close(system.christoffel_symbols(q), G)
    assert close(system.bias_forces(q, [w1, w2]), np.array(C) @ [w1, w2])


@seeds
def test_planar_2r_with_point_masses(seed):
    """[EX-4]"""
    m1, m2, L1, L2 = 2.0, 1.5, 0.8, 0.6
    q, (w1, w2), (a1, a2) = states(seed, 2)
    s2, c2, c1, c12 = np.sin(q[1]), np.cos(q[1]), np.cos(q[0]), np.cos(q[0] + q[1])
    tau1 = ((m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * c2 + L2**2)) * a1 + m2 * (L1 * L2 * c2 + L2**2) * a2
    tau1 += -m2 * L1 * L2 * s2 * (2 * w1 * w2 + w2**2) + (m1 + m2) * L1 * g * c1 + m2 * g * L2 * c12
    tau2 = m2 * (L1 * L2 * c2 + L2**2) * a1 + m2 * L2**2 * a2 + m2 * L1 * L2 * s2 * w1**2 + m2 * g * L2 * c12
    assert close(arm().inverse_dynamics(q, [w1, w2], [a1, a2]), [tau1, tau2])


@seeds
def test_three_link_arm(seed):
    """[EX-5]: entries of M and of the Christoffel symbols, from the velocities of the bodies."""
    l1, r1, r2, m2, m3 = 0.7, 0.3, 0.25, 2.0, 1.5
    (Iz1,), (Ix2, Iy2, Iz2), (Ix3, Iy3, Iz3) = (0.17,), (0.13, 0.09, 0.11), (0.08, 0.05, 0.07)

    def L(q, qd):
        b, c = q[1], q[1] + q[2]
        wb, wc = qd[1], qd[1] + qd[2]
        y3, y3d, z3d = (
            l1 * np.cos(b) + r2 * np.cos(c),
            -l1 * np.sin(b) * wb - r2 * np.sin(c) * wc,
            -l1 * np.cos(b) * wb - r2 * np.cos(c) * wc,
        )
        K = Iz1 * qd[0] ** 2 + m2 * r1**2 * (wb**2 + np.cos(b) ** 2 * qd[0] ** 2)
        K = K + m3 * (y3d**2 + z3d**2 + y3**2 * qd[0] ** 2)
        for angle, w, (Ix, Iy, Iz) in ((b, wb, (Ix2, Iy2, Iz2)), (c, wc, (Ix3, Iy3, Iz3))):
            K = K + Ix * w**2 + (Iy * np.sin(angle) ** 2 + Iz * np.cos(angle) ** 2) * qd[0] ** 2
        return K / 2

    system = ch.LagrangianSystem(3, L)
    q = states(seed, 3)[0]
    s2, c2, s23, c23 = np.sin(q[1]), np.cos(q[1]), np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
    M, G = system.mass_matrix(q), system.christoffel_symbols(q)
    m22 = Ix2 + Ix3 + m3 * l1**2 + m2 * r1**2 + m3 * r2**2 + 2 * m3 * l1 * r2 * np.cos(q[2])
    assert close(M[1, 1], m22)
    reach = l1 * c2 + r2 * c23
    g112 = (Iy2 - Iz2 - m2 * r1**2) * c2 * s2 + (Iy3 - Iz3) * c23 * s23 - m3 * reach * (l1 * s2 + r2 * s23)
    assert close(G[0, 0, 1], g112)
    assert close(G[1, 0, 0], -g112)


def by_energies(robot):
    """The system with L = K - U of a robot."""
    return ch.LagrangianSystem(robot.n, lambda q, qd: robot.kinetic_energy(q, qd) - robot.potential_energy(q))


@pytest.mark.slow
def test_lagrangian_of_the_panda():
    """K - U of the Panda gives its dynamics."""
    robot = ch.load("panda")
    system = by_energies(robot)
    q, qd, x = states(0, robot.n, batch=(4,))
    tau = robot.inverse_dynamics(q, qd, x)
    assert close(system.inverse_dynamics(q, qd, x), tau)
    assert close(system.forward_dynamics(q, qd, tau), x)


def test_lagrangian_of_a_robot():
    """The same for all that follows from it."""
    robot = ch.load("stanford")
    system = by_energies(robot.with_gravity((0.3, -0.2, -9.0)))
    robot = robot.with_gravity((0.3, -0.2, -9.0))
    q, qd, _ = states(0, robot.n, batch=(4,))
    for name in ("bias_forces", "coriolis_matrix", "kinetic_energy"):
        assert close(getattr(system, name)(q, qd), getattr(robot, name)(q, qd)), name
    for name in ("mass_matrix", "christoffel_symbols", "potential_energy"):
        assert close(getattr(system, name)(q), getattr(robot, name)(q)), name


def moving_pivot(m, l, place):
    """A pendulum whose pivot is at x = place(t); th from hanging down."""
    speed = ch.compile(lambda t: place(t), t=()).gradient("t")

    def L(q, qd, t):
        v = np.stack([speed(t) + l * np.cos(q[0]) * qd[0], l * np.sin(q[0]) * qd[0]])
        return m * (v @ v) / 2 + m * g * l * np.cos(q[0])

    return ch.LagrangianSystem(1, L, name="moving pivot")


def test_moving_pivot():
    """m l^2 thdd + m l cos(th) xdd + m g l sin(th) = tau, for a pivot that shakes and one that moves evenly."""
    m, l, a, w = 1.3, 0.7, 0.2, 3.0
    system = moving_pivot(m, l, lambda t: a * np.sin(w * t))
    assert system.depends_on_time and not pendulum().depends_on_time
    q, qd, x = states(1, 1, batch=(5,))
    t = np.linspace(0.0, 2.0, 5)
    xdd = -a * w**2 * np.sin(w * t)[:, None]
    tau = m * l**2 * x + m * l * np.cos(q) * xdd + m * g * l * np.sin(q)
    assert close(system.inverse_dynamics(q, qd, x, t), tau)
    assert close(system.forward_dynamics(q, qd, tau, t), x)
    assert close(system.forward_dynamics(q, qd, tau)[0], x[0])  # t = 0 unless told
    even = moving_pivot(m, l, lambda t: 4.0 * t)
    assert close(even.inverse_dynamics(q, qd, x, t), pendulum(m, l).inverse_dynamics(q, qd, x))


def test_dissipation():
    """Rayleigh's F takes 2 F of power away."""
    D = np.array([[0.7, 0.2], [0.2, 0.4]])
    free = arm()
    system = ch.LagrangianSystem(2, free._functions["lagrangian"][0], dissipation=lambda q, qd: qd @ D @ qd / 2)
    q, qd, _ = states(2, 2)
    assert close(system.bias_forces(q, qd) - free.bias_forces(q, qd), D @ qd)
    motion = ch.simulate(system, q, qd, duration=0.5, dt=1e-3)
    power = np.gradient(motion.energy, motion.t)[1:-1]
    lost = -np.einsum("ti,ij,tj->t", motion.qd, D, motion.qd)[1:-1]
    assert close(power, lost, 1e-4)


def test_generalised_forces():
    """Forces of q, qd and t stand beside tau."""
    free = arm()

    def forces(q, qd, t):
        return np.stack([np.sin(t) - qd[1], q[0] * qd[0]])

    system = ch.LagrangianSystem(2, free._functions["lagrangian"][0], forces=forces)
    q, qd, tau = states(3, 2)
    for t in (0.0, 1.3):
        Q = np.array([np.sin(t) - qd[1], q[0] * qd[0]])
        assert close(system.forward_dynamics(q, qd, tau, t), free.forward_dynamics(q, qd, tau + Q))


def test_gyroscopic_terms():
    """A charge in a magnetic field: L has a part linear in qd, which is no energy."""
    m, b = 0.8, 2.5
    system = ch.LagrangianSystem(
        2, lambda q, qd: m * (qd @ qd) / 2 + b * (q[0] * qd[1] - q[1] * qd[0]) / 2 - q @ q, name="charge"
    )
    q, qd, tau = states(4, 2)
    assert close(system.forward_dynamics(q, qd, tau), (tau + b * np.array([qd[1], -qd[0]]) - 2 * q) / m)
    assert close(system.kinetic_energy(q, qd), m * (qd @ qd) / 2)
    assert close(system.energy(q, qd), m * (qd @ qd) / 2 + q @ q)
    motion = ch.simulate(system, q, qd, duration=2.0)
    assert close(motion.energy, np.full_like(motion.energy, motion.energy[0]))


@pytest.mark.parametrize("make", [pendulum, spherical_pendulum, arm])
def test_energy_is_kept(make):
    system = make()
    q, qd, _ = states(5, system.n)
    motion = ch.simulate(system, q, qd, duration=1.0)
    assert close(motion.energy, np.full_like(motion.energy, motion.energy[0]), 1e-7)
    assert close(motion.energy, system.energy(motion.q, motion.qd))


@seeds
def test_derivatives_by_differences(seed):
    """The equations are those of Lagrange: d/dt dL/dqd along a motion, by central differences."""
    system = spherical_pendulum()
    q, qd, qdd = states(seed, 2)

    def L(x, v):
        return float(system.kinetic_energy(x, v) - system.potential_energy(x))

    def by(f, x):
        steps = 1e-5 * np.eye(len(x))
        return np.array([(f(x + e) - f(x - e)) / 2e-5 for e in steps])

    def p(h):
        return by(lambda v: L(q + h * qd + h * h * qdd / 2, v), qd + h * qdd)

    h = 1e-4
    tau = (p(h) - p(-h)) / (2 * h) - by(lambda x: L(x, qd), q)
    assert close(system.inverse_dynamics(q, qd, qdd), tau, FINITE_DIFFERENCE, scale=10.0)


def test_coordinates_are_a_vector_space():
    q0, q1 = states(3, 2, rows=2)
    assert close(arm().difference(q0, q1), q1 - q0)
    assert close(arm().integrate(q0, arm().difference(q0, q1)), q1)


def test_broadcasting():
    system = arm()
    q, qd, x = states(6, 2, batch=(3, 4))
    whole = system.inverse_dynamics(q, qd[0], x)
    assert whole.shape == (3, 4, 2)
    assert close(whole[2, 1], system.inverse_dynamics(q[2, 1].tolist(), qd[0, 1].tolist(), x[2, 1].tolist()))
    assert system.mass_matrix(q).shape == (3, 4, 2, 2) and system.kinetic_energy(q, qd).shape == (3, 4)
    assert system.christoffel_symbols(q).shape == (3, 4, 2, 2, 2)
    shaken = moving_pivot(1.0, 0.5, lambda t: np.sin(t))
    assert shaken.forward_dynamics(np.zeros((3, 1)), [0.0], [0.0], np.zeros((2, 1))).shape == (2, 3, 1)
    assert close(system.forward_dynamics(q, qd, system.inverse_dynamics(q, qd, x)), x)


def test_kernels_and_names():
    system = spherical_pendulum()
    assert system.kernel("mass_matrix").outputs[0].shape == (2, 2)
    assert [x.name for x in moving_pivot(1.0, 1.0, lambda t: t).kernel("bias_forces").inputs] == ["q", "qd", "t"]
    assert "theta, phi" in repr(system) and system.n == system.nq == 2
    assert isinstance(system, System)
    with pytest.raises(ch.ModelError, match="no function 'gravity'"):
        system.kernel("gravity")
    traced = ch.compile(lambda q: system.mass_matrix(q), q=2)  # inside a function of the user's
    assert close(traced([0.3, 0.1]), system.mass_matrix([0.3, 0.1]), FLOAT64)


def ones(q, qd):
    return qd @ qd / 2


REFUSED = {
    "n, the number of coordinates, must be a positive integer, got 0": lambda: ch.LagrangianSystem(0, ones),
    "n, the number of coordinates, must be a positive integer, got 1.5": lambda: ch.LagrangianSystem(1.5, ones),
    "n, the number of coordinates, must be a positive integer, got True": lambda: ch.LagrangianSystem(True, ones),
    "it takes 1 arguments": lambda: ch.LagrangianSystem(1, lambda q: q[0]),
    "it takes 4 arguments": lambda: ch.LagrangianSystem(1, lambda q, qd, t, u: q[0]),
    "dissipation must be a function of .* it takes 1": lambda: ch.LagrangianSystem(1, ones, dissipation=lambda q: 1.0),
    r"it takes 1 arguments: \(\*x, k\)": lambda: ch.LagrangianSystem(1, lambda *x, k: x[1] @ x[1]),
    "lagrangian of 'swing' raises IndexError": lambda: ch.LagrangianSystem(
        1, lambda q, qd: qd[3], name="swing"
    ).mass_matrix([0.0]),
    "lagrangian of 'swing' returns nothing": lambda: ch.LagrangianSystem(
        1, lambda q, qd: None, name="swing"
    ).mass_matrix([0.0]),
    "lagrangian must be a function": lambda: ch.LagrangianSystem(1, 3.0),
    "forces must be a function": lambda: ch.LagrangianSystem(1, ones, forces=3.0),
    "coordinate_names must be 2 different names": lambda: ch.LagrangianSystem(2, ones, coordinate_names=("a", "a")),
    r"lagrangian must return one number, got an array of shape \(2,\)": lambda: ch.LagrangianSystem(
        2, lambda q, qd: qd * qd
    ).mass_matrix([0.0, 0.0]),
    r"dissipation must return one number, got an array of shape \(2,\)": lambda: ch.LagrangianSystem(
        2, ones, dissipation=lambda q, qd: qd
    ).bias_forces([0.0, 0.0], [0.0, 0.0]),
    "the Lagrangian of 'quartic' is not quadratic in qd": lambda: ch.LagrangianSystem(
        1, lambda q, qd: qd[0] ** 4, name="quartic"
    ).forward_dynamics([0.0], [1.0], [0.0]),
    r"forces must return an array of shape \(2,\), got \(3,\)": lambda: ch.LagrangianSystem(
        2, ones, forces=lambda q, qd: np.zeros(3)
    ).forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]),
}


def test_any_arguments_are_q_and_qd():
    assert ch.LagrangianSystem(1, lambda *given: given[1] @ given[1]).mass_matrix([0.0]) == [[2.0]]
    assert not ch.LagrangianSystem(1, lambda q, qd, t=0.0: qd @ qd).depends_on_time
    assert ch.LagrangianSystem(1, lambda q, *others: others[0] @ others[0]).mass_matrix([0.0]) == [[2.0]]


@pytest.mark.parametrize("key", ["lagrangian", "forces", "dissipation"])
def test_what_cannot_be_traced_is_said_of_its_function(key):
    given = {"lagrangian": ones, key: lambda q, qd: qd @ qd if q[0] > 0 else 0.0}
    with pytest.raises(ch.TraceError, match=rf"^{key} of 'swing', at line \d+ of test_lagrangian.*where"):
        ch.LagrangianSystem(1, given.pop("lagrangian"), name="swing", **given).bias_forces([0.0], [0.0])


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(ch.ModelError, match=message):
        REFUSED[message]()


@pytest.mark.parametrize(
    ("L", "which", "held"),
    [
        (lambda q, qd: q[0] - q[1], "q1", False),
        (lambda q, qd: qd[0] ** 2 + q[1], "q2", False),
        (lambda q, qd: (qd[0] + qd[1]) ** 2, "q2", True),
    ],
)
def test_without_inertia(L, which, held):
    """Refused by name; not under a constraint that leaves only what has inertia."""
    system = ch.LagrangianSystem(2, L, name="light")
    with pytest.raises(ch.SingularMassMatrixError, match=f"'light' is singular .* coordinate '{which}' has no inertia"):
        system.forward_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
    assert system.mass_matrix([0.1, 0.2]).shape == (2, 2)
    cs = ch.ConstrainedSystem(system, ch.Constraint.holonomic(lambda q: q[0], "wall"))
    if held:
        assert close(cs.forward_dynamics([0.0, 0.2], [0.0, 0.0], [0.3, 0.4]).qdd, [0.0, 0.2])
        return
    with pytest.raises(ch.SingularMassMatrixError, match="with the constraints wall too: coordinate 'q2'"):
        cs.forward_dynamics([0.0, 0.2], [0.0, 0.0], [0.0, 0.0])


def test_length_squared_is_refused_with_advice():
    with pytest.raises(ch.ModelError, match="write the square of a length as v @ v"):
        ch.LagrangianSystem(2, lambda q, qd: np.linalg.norm(qd) ** 2).mass_matrix([0.0, 0.0])


def test_quadratic_in_disguise():
    """Powers, products and quotients of velocities that come to a square are one."""
    for square in (
        lambda v: v[0] ** 2.0,
        lambda v: np.square(v[0]),
        lambda v: v[0] * (v[0] * 3.0) / 3.0,
        lambda v: (v[0] + v[1]) ** 2 - v[1] * (2 * v[0] + v[1]),
        lambda v: np.sum(np.power(v, 2)) - v[1] ** 2,
    ):
        system = ch.LagrangianSystem(2, lambda q, qd, square=square: square(qd) / 2 + qd[1] ** 2 / 2)
        assert close(system.mass_matrix([0.0, 0.0]), np.eye(2))


def test_wrong_sizes():
    with pytest.raises(ch.ShapeError, match=r"qd must have shape \(..., 2\)"):
        arm().bias_forces([0.0, 0.0], [0.0])


def test_values_of_symbols():
    m, l, c = ch.symbols("m l c")
    given = {"forces": lambda q, qd, t: np.stack([c * np.sin(t)]), "dissipation": lambda q, qd: c * qd[0] ** 2 / 2}
    symbolic = ch.LagrangianSystem(1, lambda q, qd: m * l**2 * qd[0] ** 2 / 2 + m * g * l * np.cos(q[0]), **given)
    assert set(symbolic.symbols) == {"m", "l", "c"} and pendulum().symbols == ()
    found = symbolic.with_values(m=1.3, c=0.2).with_values(l=0.7)
    assert found.symbols == () and found.depends_on_time and close(found.mass_matrix([0.3]), [[1.3 * 0.7**2]])
    expected = 1.3 * g * 0.7 * np.sin(0.3) - 0.2 * np.sin(1.5) + 0.2 * 0.4
    assert close(found.bias_forces([0.3], [0.4], 1.5), [expected])


@pytest.mark.parametrize("call", [lambda s: s.mass_matrix([0.0]), lambda s: s.kernel("energy")])
def test_symbols_without_values_are_named(call):
    m, l = ch.symbols("m l")
    symbolic = ch.LagrangianSystem(1, lambda q, qd: m * l**2 * qd[0] ** 2 / 2, name="swing")
    with pytest.raises(ch.ModelError, match=r"system 'swing' has the symbols .*system.with_values\((m|l)=..., "):
        call(symbolic)
    with pytest.raises(ch.ModelError, match="with_values: 'swing' has no symbol 'k'"):
        symbolic.with_values(k=1.0)
