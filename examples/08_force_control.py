"""Polishing: a UR5 keeps its tool on a sphere, moves over it and presses with a wanted force."""

import sys

import numpy as np

import chasles as ch


def main() -> None:
    arm = ch.load("ur5")
    q = np.array([0.2, -1.3, 1.6, -1.8, -1.5, 0.3])
    tip = arm.forward_kinematics(q)[:3, 3]
    ball = ch.Surface.sphere(0.3).at(place(tip - (0.0, 0.0, 0.3)))
    touching = ch.ConstrainedSystem(arm, ch.Constraint.point_on_surface("tool", ball), start=q)
    print(touching, "-", touching.redundancy.describe())
    q, qd = touching.consistent(q, np.zeros(6))

    # Five of the six joints are coordinates on the constraint (the elbow follows): a slow wave, and a force of 15 N.
    free = [0, 1, 3, 4, 5]
    start, wave = q[free], np.array([0.3, 0.1, 0.2, 0.1, 0.5])

    def wanted(t):
        s, c = np.sin(2.0 * t), np.cos(2.0 * t)
        return start + wave * (1.0 - c) / 2, wave * s, 2.0 * wave * c

    law = ch.control.HybridControl(touching, wanted, K_p=100.0, K_v=20.0, independent=free, at=q, force=[15.0], K_I=5.0)
    run = known = ch.simulate(touching, q, qd, law, duration=2.0, dt=2e-3)
    asked = np.array([wanted(t)[0] for t in run.t])
    print(f"two seconds: {np.abs(run.q[:, free] - asked).max():.0e} rad off the wave,", end=" ")
    print(f"force between {run.multipliers.min():.4f} and {run.multipliers.max():.4f} N,", end=" ")
    print(f"{np.abs(touching.residual(run.q)).max():.0e} m off the sphere")

    # The arm thinks its last link 5% lighter than it is.
    heavy = arm.with_payload(arm.link_names[-1], 0.05 * arm.links[-1].mass)
    plant = ch.ConstrainedSystem(heavy, ch.Constraint.point_on_surface("tool", ball), start=q)
    measured = [15.0]

    def sensor(t, q, qd, tau):
        measured.append(plant.forward_dynamics(q, qd, tau).multipliers)
        return measured[-1]

    law = ch.control.HybridControl(
        touching, wanted, K_p=100.0, K_v=20.0, independent=free, at=q, force=[15.0], K_I=5.0, measure=sensor
    )
    run = ch.simulate(plant, q, qd, law, duration=2.0, dt=2e-3)
    print(f"with a heavier wrist: {np.abs(run.q[:, free] - asked).max():.0e} rad,", end=" ")
    print(f"force at the end {run.multipliers[-1, 0]:.3f} N")
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(arm, tip - (0.0, 0.0, 0.3), known, run), sys.argv[1])


def draw(arm, centre, known, heavy):
    """The arm on the sphere with its path, and the force, with the right wrist and with the heavier one."""
    figure, ((left, right),) = ch.plot.figure(1, 2, width="two columns", height=2.7, views=["3d", "2d"])
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, 0.8, 7))
    ball = centre[:, None, None] + 0.3 * np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    ch.plot.robot(arm, known.q[0], ax=left)
    left.plot_wireframe(*ball, color="#009e73", linewidth=0.3)
    ch.plot.path(arm, known.q, ax=left)
    for run, name in ((heavy, "heavier wrist"), (known, "known wrist")):
        right.plot(run.t, run.multipliers[:, 0], label=name)
    right.set(xlabel="time (s)", ylabel="force (N)")
    right.legend(frameon=False, fontsize=7)
    return figure


def place(p) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


if __name__ == "__main__":
    main()
