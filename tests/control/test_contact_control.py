"""Laws in contact coordinates, EX-9 and EX-10: as printed, in closed loop, and on a free body that knows of none."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from support.sweeps import sweep
from support.tolerances import FLOAT64, close, small

import chasles as ch
from chasles.control import HybridControl, HybridVelocityControl, RollingContactControl, SlidingContactControl
from chasles.surface import contact_coordinates

BALL, EGG = ch.Surface.sphere(0.2), ch.Surface.ellipsoid(1.0, 2.0, 0.6)
BODY = ch.Link(1.3, (0.03, -0.02, 0.05), (0.04, 0.06, 0.05))
GRAVITY = np.array([1.0, -2.0, -9.0])
ETA, RATE = np.array([0.3, 0.5, -0.4, 0.9, 1.2]), np.array([0.2, -0.1, 0.3, 0.1, -0.3])
K_P, K_V, K_I, T = 30.0, 8.0, 6.0, 0.3
PRESS, GRIP = [5.0], [6.0, 0.4, -0.3, 0.02]


def gliding(t: float) -> tuple[Any, Any, Any]:
    a = np.array([0.2, 0.1, -0.1, 0.2, 0.3])
    return ETA + 0.05 + a * np.sin(t), a * np.cos(t), -a * np.sin(t)


def wandering(t: float) -> tuple[Any, Any]:
    return np.array([0.3 * np.cos(t), 0.2]), np.array([-0.3 * np.sin(t), 0.0])


@pytest.fixture(scope="module")
def slides() -> SlidingContactControl:
    return SlidingContactControl(BODY, BALL, EGG, gliding, K_p=K_P, K_v=K_V, force=PRESS, K_I=K_I, gravity=GRAVITY)


@pytest.fixture(scope="module")
def rolls() -> RollingContactControl:
    return RollingContactControl(BODY, BALL, EGG, wandering, K_p=4.0, force=GRIP, K_I=K_I, gravity=GRAVITY)


def state(law: Any) -> tuple[np.ndarray, np.ndarray]:
    """q and qd of six coordinates, the gap zero."""
    rate = (
        RATE if isinstance(law, SlidingContactControl) else contact_coordinates.rolling_rates(BALL, EGG)(ETA, RATE[:2])
    )
    return np.r_[ETA, 0.0], np.r_[rate, 0.0]


# as printed


def cross(x: Any) -> np.ndarray:
    return np.cross(np.eye(3), x)


def inertia(link: ch.Link) -> np.ndarray:
    c = cross(link.com)
    return np.block([[link.inertia - link.mass * c @ c, link.mass * c], [-link.mass * c, link.mass * np.eye(3)]])


def printed(link: ch.Link, f: Any, V: np.ndarray, V_rate: np.ndarray, A: np.ndarray, force: Any) -> np.ndarray:
    """F_m = M Vd - ad_V^T M V + A^T f - G, Vd of the acceleration asked for."""
    M, (w, v) = inertia(link), (V[:3], V[3:])
    ad = np.block([[cross(w), np.zeros((3, 3))], [cross(v), cross(w)]])
    weight = link.mass * contact_coordinates.contact_pose(f, EGG)(ETA)[:3, :3].T @ GRAVITY
    G = np.r_[np.cross(link.com, weight), weight]
    return M @ V_rate - ad.T @ M @ V + A.T @ force - G


def into_contact(f: Any) -> np.ndarray:
    """Ad(g_f_lf^-1)."""
    g = f.frame(ETA[:2])
    R, p = g[:3, :3], g[:3, 3]
    return np.linalg.inv(np.block([[R, np.zeros((3, 3))], [cross(p) @ R, R]]))


@pytest.mark.parametrize("name", ["ball", pytest.param("ellipsoid", marks=pytest.mark.slow)])
def test_sliding_as_printed(name: str, slides: SlidingContactControl) -> None:
    """EX-9: the wrench, with the row of f's normal and its multiplier, which is negative where the bodies press."""
    f, law = BALL, slides
    if name == "ellipsoid":
        f = ch.Surface.ellipsoid(0.4, 0.5, 0.3)
        law = SlidingContactControl(BODY, f, EGG, gliding, K_p=K_P, K_v=K_V, force=PRESS, K_I=K_I, gravity=GRAVITY)
    law.reset([0.2])
    q, qd = state(law)
    J = contact_coordinates.body_jacobian(f, EGG)
    eta_d, etad_d, etadd_d = gliding(T)
    asked = etadd_d - K_V * (RATE - etad_d) - K_P * (ETA - eta_d)
    V, V_rate = J(ETA) @ RATE, J(ETA) @ asked + np.einsum("ijk,j,k->i", J.jacobian("eta")(ETA), RATE, RATE)
    A = contact_coordinates.normal_row(f)(ETA[:2])[None]
    close(A, into_contact(f)[5:], FLOAT64)
    lam_d, z = -PRESS[0], -0.2
    close(law.wrench(T, q, qd), printed(BODY, f, V, V_rate, A, [-lam_d + K_I * z]), 1e-9)


def test_rolling_as_printed(rolls: RollingContactControl) -> None:
    """EX-10: J_f of alpha_f alone, and four rows."""
    rolls.reset([0.2, 0.1, -0.3, 0.05])
    q, qd = state(rolls)
    J_f = contact_coordinates.rolling_jacobian(BALL, EGG)
    u_d, ud_d = wandering(T)
    asked = ud_d - 4.0 * (RATE[:2] - u_d)
    V = J_f(ETA) @ RATE[:2]
    V_rate = J_f(ETA) @ asked + np.einsum("ijk,j,k->i", J_f.jacobian("eta")(ETA), RATE[:2], qd[:5])
    A = into_contact(BALL)[[5, 3, 4, 2]] * np.array([[-1.0], [1.0], [1.0], [1.0]])
    close(A @ V, np.zeros(4), scale=1.0)
    f = K_I * np.array([0.2, 0.1, -0.3, 0.05]) - GRIP
    close(rolls.wrench(T, q, qd), printed(BODY, BALL, V, V_rate, A, f), 1e-9)


# in closed loop


def response(t: Any, e: Any, ed: Any) -> np.ndarray:
    """(T, m) e of edd + K_V ed + K_P e = 0."""
    step = scipy.linalg.expm(np.array([[0.0, 1.0], [-K_P, -K_V]]) * t[1])
    found = [np.stack([e, ed])]
    for _ in t[1:]:
        found.append(step @ found[-1])
    return np.stack(found)[:, 0]


def errors(law: Any, motion: Any) -> np.ndarray:
    return np.array([law.error(t, q, qd) for t, q, qd in zip(motion.t, motion.q, motion.qd, strict=True)])


@pytest.mark.slow
def test_sliding_in_closed_loop(slides: SlidingContactControl) -> None:
    """Each contact coordinate follows edd + K_v ed + K_p e = 0, and the normal force its integral."""
    slides.reset([0.4])
    q, qd = state(slides)
    motion = ch.simulate(slides.constrained, q, qd, slides, duration=1.0, dt=4e-3)
    e = errors(slides, motion)
    assert np.abs(e[0, 0]).min() > 0.04
    close(e[:, 0], response(motion.t, *e[0]), 1e-7, scale=1.0)
    assert motion.multipliers is not None
    close(motion.multipliers[:, 0] - PRESS[0], -K_I * 0.4 * np.exp(-K_I * motion.t), 2e-4)
    assert small(motion.q[:, 5], 1e-12)


def test_rolling_in_closed_loop(rolls: RollingContactControl) -> None:
    """The rates of alpha_f come to those desired at the rate K_p, and normal force, friction and moment at K_I."""
    z = np.array([0.4, -0.2, 0.1, 0.05])
    rolls.reset(z)
    q, qd = state(rolls)
    motion = ch.simulate(rolls.constrained, q, qd, rolls, duration=0.4, dt=4e-3)
    e = errors(rolls, motion)
    assert np.abs(e[0]).max() > 0.1
    close(e, np.exp(-4.0 * motion.t)[:, None] * e[0], 1e-7)
    assert motion.multipliers is not None
    close(motion.multipliers - GRIP, -K_I * np.exp(-K_I * motion.t)[:, None] * z, 2e-4)
    close(motion.qd[:, :5], contact_coordinates.rolling_rates(BALL, EGG)(motion.q[:, :5], motion.qd[:, :2]), 1e-9)


@pytest.mark.parametrize("kind", sweep(["slides", "rolls"], ["rolls"]))
def test_on_a_free_body(kind: str, request: Any) -> None:
    """F_m on a free body that touches, in six velocities of its own: what was asked for happens, and the force."""
    law = request.getfixturevalue(kind)
    z = 0.1 * np.arange(1, law.k + 1)
    law.reset(z)
    q, qd = state(law)
    body = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [BODY], kinds=["free"], tool=np.eye(4), gravity=GRAVITY)
    if kind == "slides":
        touch = ch.Constraint.point_contact("tool", 0.2, EGG)
        asked = law.acceleration(T, q, qd)
    else:
        touch = ch.Constraint.rolling("tool", 0.2, EGG, spin=False)
        asked = wandering(T)[1] - 4.0 * law.error(T, q, qd)
    pose = contact_coordinates.contact_pose(BALL, EGG)(ETA)
    J = contact_coordinates.body_jacobian(BALL, EGG)
    x = np.r_[pose[:3, 3], Rotation.from_matrix(pose[:3, :3]).as_quat()]
    cs = ch.ConstrainedSystem(body, touch)
    found = cs.forward_dynamics(x, J(ETA) @ qd[:5], law.wrench(T, q, qd))
    if kind == "rolls":  # of alpha_f's acceleration, that of all
        rates = contact_coordinates.rolling_rates(BALL, EGG)
        asked = rates(ETA, asked) + rates.jacobian("eta")(ETA, qd[:2]) @ qd[:5]
    close(found.qdd, J(ETA) @ asked + np.einsum("ijk,j,k->i", J.jacobian("eta")(ETA), qd[:5], qd[:5]), 1e-9)
    wanted = law.force(T) - K_I * z
    close(found.multipliers[0], wanted[0], 1e-9)  # the normal force
    if kind == "rolls":  # and the friction's size, along whatever tangents
        close(np.linalg.norm(found.multipliers[1:3]), np.linalg.norm(wanted[1:3]), 1e-9)


@pytest.mark.slow
def test_the_force_converges_with_a_wrong_model(rolls: RollingContactControl) -> None:
    """5% too heavy a body in the model: the forces come to those desired all the same, the rates stay near."""
    plant = rolls.constrained
    heavy = ch.Link(1.05 * BODY.mass, BODY.com, 1.05 * BODY.inertia)

    def still(t: float) -> tuple[Any, Any]:
        return np.zeros(2), np.zeros(2)

    law = RollingContactControl(
        heavy,
        BALL,
        EGG,
        still,
        K_p=4.0,
        force=GRIP,
        K_I=K_I,
        measure=lambda t, q, qd, tau: plant.forward_dynamics(q, qd, tau).multipliers,
        gravity=GRAVITY,
    )
    q, _ = state(law)
    motion = ch.simulate(plant, q, np.zeros(6), law, duration=2.0, dt=5e-3)
    assert motion.multipliers is not None
    off = np.abs(motion.multipliers - GRIP)
    assert off[0].max() > 0.3 and off[-1].max() < 2e-2
    # from rest, J^T M J ud = 0.05 J^T bias
    bias = plant.bias_forces(q, np.zeros(6))
    g = rolls.reduced.forward_dynamics(q, np.zeros(2), 1.05 * bias)
    close(motion.qd[1, :2] / motion.t[1], g, 3e-2)


# an arm of six joints


@pytest.mark.parametrize("kind", sweep(["polishes", "rolls"], 1))
def test_an_arm(kind: str) -> None:
    """A UR5 that polishes a sphere in five of its joints, HYB-1, or rolls on it in two velocities, HYB-2."""
    arm, place = ch.load("ur5"), np.eye(4)
    place[:3, 3] = 0.5, 0.1, 0.3
    ball = ch.Surface.sphere(0.2).at(place)
    start = [0.3, -1.2, 1.5, -0.4, 0.6, 0.2]
    law: Any
    if kind == "polishes":
        cs = ch.ConstrainedSystem(arm, ch.Constraint.point_contact("tool", 0.05, ball))
        q, qd = cs.consistent(start, np.zeros(6))
        aim, still = q[1:] + np.array([0.02, -0.03, 0.05, 0.04, 0.1]), np.zeros(5)
        law = HybridControl(
            cs, lambda t: (aim, still, still), K_p=K_P, K_v=K_V, independent=[1, 2, 3, 4, 5], force=[9.0], K_I=K_I
        )
    else:
        cs = ch.ConstrainedSystem(arm, ch.Constraint.rolling("tool", 0.05, ball, spin=False))
        q, qd = cs.consistent(start, np.zeros(6))
        rates = np.array([0.1, -0.2]), np.zeros(2)
        law = HybridVelocityControl(cs, lambda t: rates, K_p=4.0, at=q, force=[9.0, 1.0, -2.0, 0.1], K_I=K_I)
    z = 0.1 * np.arange(1, law.k + 1)
    law.reset(z)
    motion = ch.simulate(cs, q, qd, law, duration=0.2, dt=4e-3)
    e = errors(law, motion)
    if kind == "polishes":
        close(e[:, 0], response(motion.t, *e[0]), 1e-6)
    else:
        close(e, np.exp(-4.0 * motion.t)[:, None] * e[0], 1e-6)
    assert motion.multipliers is not None
    close(motion.multipliers - law.force(0.0), -K_I * np.exp(-K_I * motion.t)[:, None] * z, 1e-3)
    assert small(cs.residual(motion.q), 1e-10)


# A bowl that is too narrow for the ball towards its middle, at (u_o, v_o) = 0, and wide enough around u_o = 0.9.
DISH = ch.Surface.of(lambda u, v: np.stack([u, v, np.sqrt(0.01 + u * u) + v * v]), name="dish")


@pytest.mark.parametrize("law", sweep(["slides", "rolls"], 1))
def test_bodies_that_do_not_touch_in_one_point(law: str) -> None:
    wide, narrow = np.array([0.3, 0.5, 0.9, 0.0, 0.4, 0.0]), np.array([0.3, 0.5, 0.0, 0.0, 0.4, 0.0])

    def there(t: float) -> Any:
        return wide[:5], np.zeros(5), np.zeros(5)

    control: Any = (
        SlidingContactControl(BODY, BALL, DISH, there, K_p=1.0, K_v=1.0)
        if law == "slides"
        else RollingContactControl(BODY, BALL, DISH, wandering, K_p=1.0)
    )
    tau = control(0.0, np.stack([wide, narrow]), np.zeros((2, 6)))
    assert np.isfinite(tau[0]).all() and np.isnan(tau[1]).all()
    with pytest.raises(ch.ModelError, match=r"q at t = 0: surfaces 'sphere' and 'dish' do not touch in one point"):
        control(0.0, narrow, np.zeros(6))
    for k in range(6):  # also of the coordinates that nothing depends on
        with np.errstate(invalid="ignore"):
            assert np.isnan(control(0.0, np.where(np.arange(6) == k, np.nan, wide), np.zeros(6))).all(), k


def test_rolling_on_a_plane_with_a_plane() -> None:
    with pytest.raises(ch.ModelError, match="'plane' and 'plane' touch along"):
        RollingContactControl(BODY, ch.Surface.plane(), ch.Surface.plane(), wandering, K_p=1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"link": 3.0}, ch.ModelError, "link must be a chasles.Link"),
        ({"surface_f": 3.0}, ch.ModelError, "must be a Surface"),
        ({"gravity": [1.0]}, ch.ShapeError, r"gravity must have shape \(3,\)"),
        ({"force": [1.0, 2.0]}, ch.ShapeError, "force must have shape"),
        ({"gravity": "down"}, ch.ShapeError, r"gravity must be real numbers of shape \(3,\), got text"),
        ({"gravity": [0.0, 0.0, np.nan]}, ch.ModelError, "gravity has a nan or an infinity"),
        ({"surface_f": ch.Surface.plane()}, ch.ModelError, "'plane' and 'plane' touch along a line or a plane"),
        (
            {"surface_f": ch.Surface.ellipsoid(0.08, 0.1, 0.13), "surface_o": ch.Surface.sphere(0.05).inside()},
            ch.ModelError,
            "'ellipsoid' and 'inside of sphere' can touch in one point nowhere",
        ),
        (
            {"surface_o": DISH, "desired": lambda t: (np.zeros(5),) * 3},
            ch.ModelError,
            r"desired\(0\): surfaces 'sphere' and 'dish' do not touch in one point there",
        ),
    ],
)
def test_refusals(arguments: Any, error: Any, says: str) -> None:
    given = {"link": BODY, "surface_f": BALL, "surface_o": ch.Surface.plane(), "desired": gliding, **arguments}
    with pytest.raises(error, match=says):
        SlidingContactControl(**given, K_p=1.0, K_v=1.0)
