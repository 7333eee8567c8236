"""Rolling: constraints on velocities that no constraint on coordinates gives. A disk, and a mobile manipulator."""

import sys

import numpy as np

import chasles as ch

MASS, RADIUS = 2.0, 0.3


def disk() -> ch.ConstrainedSystem:
    """[EX-7]: an upright disk on a plane: q = (x, y, heading, roll)."""
    about, along = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2
    free = ch.LagrangianSystem(
        4,
        lambda q, qd: MASS * (qd[0] ** 2 + qd[1] ** 2) / 2 + about * qd[2] ** 2 / 2 + along * qd[3] ** 2 / 2,
        name="disk",
        coordinate_names=["x", "y", "heading", "roll"],
    )

    def rolls(q):
        forward = np.stack([1.0, 0.0, 0.0, -RADIUS * np.cos(q[2])])
        sideways = np.stack([0.0, 1.0, 0.0, -RADIUS * np.sin(q[2])])
        return np.stack([forward, sideways])

    return ch.ConstrainedSystem(free, ch.Constraint.pfaffian(rolls, "rolling"))


def mobile_manipulator(track=0.5, wheel=0.1) -> ch.ConstrainedSystem:
    """A cart on two driven wheels with an arm of two joints; the cart's velocity is (forward, sideways, turning)."""
    at = [np.eye(4) for _ in range(5)]
    at[1][:3, 3], at[2][:3, 3] = (0.0, track / 2, wheel), (0.0, -track / 2, wheel)
    at[3][:3, 3], at[4][:3, 3] = (0.2, 0.0, 0.3), (0.6, 0.0, 0.3)
    rim = ch.Link(0.5, inertia=(0.0013, 0.0025, 0.0013))
    arm = ch.Link(1.5, (0.2, 0.0, 0.0), (0.002, 0.02, 0.02))
    robot = ch.Robot.from_screws(
        [
            np.zeros(6),
            *(ch.screw((0, 1, 0), T[:3, 3]) for T in at[1:3]),
            *(ch.screw((0, 0, 1), T[:3, 3]) for T in at[3:]),
        ],
        at,
        [ch.Link(12.0, (0.05, 0.0, 0.15), (0.3, 0.4, 0.6)), rim, rim, arm, arm],
        parents=[-1, 0, 0, 0, 3],
        kinds=["planar", "screw", "screw", "screw", "screw"],
        joint_names=["cart", "left", "right", "shoulder", "elbow"],
        link_names=["cart", "left", "right", "upper arm", "forearm"],
        name="mobile manipulator",
    )
    wheels = ch.Constraint.wheel("left", wheel, name="left") + ch.Constraint.wheel("right", wheel, name="right")
    return ch.ConstrainedSystem(robot, wheels)


def main() -> None:
    rolling = disk()
    q, u = np.array([0.0, 0.0, 0.3, 0.0]), np.array([0.7, 5.0])
    qd = np.array([RADIUS * np.cos(q[2]) * u[1], RADIUS * np.sin(q[2]) * u[1], *u])
    qdd = rolling.forward_dynamics(q, qd, np.array([0.0, 0.0, 0.1, 0.4])).qdd
    inertia = MASS * RADIUS**2
    print("EX-7 disk: turning", qdd[2], "=", 0.1 / (inertia / 4), "and rolling", qdd[3], "=", 0.4 / (1.5 * inertia))
    run = track = ch.simulate(rolling, q, qd, duration=9.0)
    print(f"it goes round in {2 * np.pi / u[0]:.2f} s, on a circle of radius {RADIUS * u[1] / u[0]:.3f} m:", end=" ")
    centre = q[:2] + RADIUS * u[1] / u[0] * np.array([-np.sin(q[2]), np.cos(q[2])])
    off = np.abs(np.linalg.norm(run.q[:, :2] - centre, axis=1) - RADIUS * u[1] / u[0]).max()
    print(f"off by {off:.0e} m, energy by {np.ptp(run.energy):.0e} J")

    # A UR5 with a ball of 5 cm for a tool, rolling on a sphere without spinning: two degrees of freedom are left.
    arm, place = ch.load("ur5"), np.eye(4)
    place[:3, 3] = (0.5, 0.1, 0.3)
    ball = ch.Constraint.rolling("tool", 0.05, ch.Surface.sphere(0.2).at(place), spin=False)
    held = ch.ConstrainedSystem(arm, ball)
    q, qd = held.consistent([0.3, -1.2, 1.5, -0.4, 0.6, 0.2], np.full(6, 0.5))
    run = ch.simulate(held, q, qd, duration=0.1)
    print(held, f"energy kept to {np.ptp(run.energy):.0e} J, contact to {np.abs(held.residual(run.q)).max():.0e} m")

    cart = mobile_manipulator()
    print(cart, "-", cart.redundancy.describe())
    print("could its wheels be put as a constraint on coordinates?", bool(cart.constraint.is_holonomic(cart.system)))
    n = cart.n

    def wheels(t, q, qd):
        tau = np.zeros(n)
        tau[3:5] = (0.5, 0.6)  # the right wheel pushes a little harder
        tau[5:] = -2.0 * (q[5:] - (0.4, -0.8)) - 0.8 * qd[5:]
        return tau

    run = ch.simulate(cart, cart.neutral(), np.zeros(n), wheels, duration=3.0, dt=2e-3)
    place, heading, arm = run.q[-1, :2].round(3), np.rad2deg(run.q[-1, 2]), run.q[-1, 5:].round(3)
    print(f"three seconds later: at {place} m, heading {heading:.1f} degrees, arm {arm}")
    sideways = np.abs(run.qd[:, 1]).max()
    print(f"it never slips sideways: {sideways:.0e} m/s")
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(track, cart, run), sys.argv[1])


def draw(track, cart, run):
    """From above: the disk's track with its headings, and the cart with its arm."""
    figure, ((left, right),) = ch.plot.figure(1, 2, width="two columns", height=2.6)
    x, y, heading, _ = track.q[::500].T
    left.plot(*track.q[:, :2].T)
    left.quiver(x, y, np.cos(heading), np.sin(heading), angles="xy", color="#d55e00", scale=10, width=0.01, zorder=3)
    left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    ch.plot.robot(cart.system, run.q[-1], ghosts=run.q[:-1:500], view="xy", ax=right)
    ch.plot.path(cart.system, run.q, "cart", ax=right)
    return figure


if __name__ == "__main__":
    main()
