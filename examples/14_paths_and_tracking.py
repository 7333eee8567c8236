"""A Panda's hand follows a path on SE(3): smooth paths, control there and in the joints, redundancy, limits."""

import sys

import numpy as np

import chasles as ch
from chasles import control, paths
from chasles.paths.lie import exp

GAINS = {"K_p": 100.0, "K_d": 20.0}


def main() -> None:
    arm = ch.load("panda")
    q0 = np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.8, 0.4])
    home = arm.forward_kinematics(q0)
    a, b, c = home @ exp(np.array([[0.2, 0, 0, 0.1, 0, 0], [0, 0.3, 0, 0.1, 0.1, 0], [0, 0, 0.3, 0, 0.1, 0]]))

    # From pose to pose, and a loop through four that is smooth to the acceleration.
    screw, smooth = paths.screw(home, b, scaling="cubic"), paths.minimum_acceleration(home, b)
    loop = paths.through([home, a, b, c, home], [0.0, 0.5, 1.0, 1.5, 2.0])
    print(
        f"squared acceleration: {screw.cost():.3f} of a screw, {smooth.cost():.3f} at least; {loop} {loop.cost():.1f}"
    )

    # Started off the path, the error xi = log(T_d^-1 T) is that of xi'' + 20 xi' + 100 xi = 0.
    law = control.ResolvedAcceleration(arm, loop, **GAINS)
    q, qd = q0 + 0.05 * np.array([1, -1, 1, 1, -1, 1, 1]), np.zeros(7)
    run = ch.simulate(arm, q, qd, law, duration=0.5, dt=1e-2)
    (xi, rate), t = law.error(0.0, q, qd), run.t[:, None]
    predicted = np.exp(-10 * t) * (xi + t * (rate + 10 * xi))
    off = np.abs(errors(law, run) - predicted).max()
    print(f"off by {np.linalg.norm(xi):.3f} at first, then by {off:.0e} from the prediction")

    # So the hand comes home along one screw; control in the joints brings it home some other way.
    hold = control.ResolvedAcceleration(arm, home, **GAINS)
    joints = control.ComputedTorque(arm, lambda t: (q0, np.zeros(7), np.zeros(7)), **GAINS)
    for name, chosen in (("on SE(3)", hold), ("in the joints", joints)):
        xi = errors(hold, ch.simulate(arm, q, qd, chosen, duration=0.5, dt=1e-2))
        axis = xi[0] / np.linalg.norm(xi[0])
        print(f"control {name}: {np.linalg.norm(xi - np.outer(xi @ axis, axis), axis=1).max():.0e} off the screw")

    # The loop, with five percent of the arm's mass in its hand, of which the laws do not know.
    plant, lam = arm.with_payload(arm.link_names[-1], 0.05 * arm.total_mass), arm.task_inertia(q0)
    motion = control.ResolvedRate(arm, loop).follow(q0)
    laws = {
        "resolved acceleration": law,
        "energy on SE(3)": control.PoseTracking(arm, loop, K_p=100.0 * lam, K_d=20.0 * lam),
        "computed torque": control.ComputedTorque(arm, motion, **GAINS),
    }
    ways = {}
    for name, chosen in laws.items():
        run = ch.simulate(plant, q0, np.zeros(7), chosen, duration=2.0, dt=1e-2)
        ways[name] = run.t, 1e3 * np.linalg.norm(errors(law, run)[:, 3:], axis=1)
        turn, way = (np.linalg.norm(x, axis=1).max() for x in np.split(errors(law, run), 2, axis=1))
        print(f"{name:21} with a load: off by {turn:.3f} rad, {1e3 * way:.1f} mm,", end=" ")
        print(f"joints {np.linalg.norm(run.q[-1] - q0):.3f} rad from their start")

    # Where the hand returns the joints need not, unless the motion that is left free draws them back.
    for inverse in ("inertia", "moore-penrose"):
        options = {"objective": lambda q: (q - q0) @ (q - q0) / 2, "objective_gain": 10.0}
        drift = [control.ResolvedRate(arm, loop, inverse=inverse, **x).follow(q0).q[-1] - q0 for x in ({}, options)]
        print(
            "drift of the joints by the {} inverse {:.4f} rad, drawn back {:.4f}".format(
                inverse, *map(np.linalg.norm, drift)
            )
        )

    # One joint may hardly move, and speeds are bounded: the others see to the path.
    lower, upper = (side * np.where(np.arange(7) == 0, 0.02, 1.0) + q0 for side in (-1.0, 1.0))
    bound = control.ResolvedRate(arm, loop, limits=control.Limits(arm, position=(lower, upper), velocity=1.5))
    kept = bound.follow(q0)
    print(
        f"the first joint turned by {np.ptp(motion.q[:, 0]):.3f} rad, and by {np.ptp(kept.q[:, 0]):.3f} within", end=" "
    )
    print(f"its limits: the hand is {np.abs(errors(bound, kept)).max():.0e} off its path")
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(arm, motion.q, ways), sys.argv[1])


def draw(arm, q, ways):
    """The hand on its loop, and how far off it is under each law, with the load that they do not know."""
    figure, ((left, right),) = ch.plot.figure(1, 2, width="two columns", height=2.7, views=["3d", "2d"])
    ch.plot.robot(arm, q[0], ghosts=q[[len(q) // 2]], ax=left)
    ch.plot.path(arm, q, ax=left)
    for name, curve in ways.items():
        right.plot(*curve, label=name)
    right.set(xlabel="time (s)", ylabel="hand off its path (mm)")
    right.legend(frameon=False, fontsize=7)
    return figure


def errors(law, run) -> np.ndarray:
    return np.array([law.error(*state)[0] for state in zip(run.t, run.q, run.qd, strict=True)])


if __name__ == "__main__":
    main()
