"""EX-11: three arms of two links that hold one point, three motors for two degrees of freedom."""

import sys

import numpy as np

import chasles as ch

ROOTS, UPPER, LOWER = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]]), 0.5, 0.45


def three_arms() -> ch.Robot:
    """Six joints about z, each arm stretched along x at home, its tip a frame."""
    screws, homes, links, parents, frames = [], [], [], [], {}
    for k, (x, y) in enumerate(ROOTS):
        for length, start in ((UPPER, 0.0), (LOWER, UPPER)):
            T = np.eye(4)
            T[:3, 3] = (x + start, y, 0.0)
            screws.append(ch.screw((0, 0, 1), T[:3, 3]))
            homes.append(T)
            links.append(ch.Link(2.0 * length, (length / 2, 0.0, 0.0), (0.0, length**3 / 6, length**3 / 6)))
            parents.append(-1 if start == 0.0 else len(links) - 2)
        tip = np.eye(4)
        tip[:3, 3] = (x + UPPER + LOWER, y, 0.0)
        frames[f"tip{k}"] = (len(links) - 1, tip)
    return ch.Robot.from_screws(
        screws, homes, links, parents, frames=frames, gravity=(0.0, -9.81, 0.0), name="three arms"
    )


def angles(place) -> np.ndarray:
    """The six joints with all tips at a place, by the law of cosines."""
    q = []
    for root, side in zip(ROOTS, (1.0, -1.0, 1.0), strict=True):
        d = np.asarray(place) - root
        c = (d @ d - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER)
        elbow = side * np.arccos(c)
        q += [np.arctan2(d[1], d[0]) - np.arctan2(LOWER * np.sin(elbow), UPPER + LOWER * c), elbow]
    return np.array(q)


def main() -> None:
    robot = three_arms()

    def point(q, k):
        return robot.forward_kinematics(q, frame=f"tip{k}")[:2, 3]

    joined = ch.Constraint.holonomic(lambda q: np.concatenate([point(q, k) - point(q, 0) for k in (1, 2)]), "joined")
    q = angles((0.5, 0.3))
    arms = ch.ConstrainedSystem(robot, joined, start=q)
    print(arms, "-", arms.redundancy.describe())

    # Motors at the shoulders alone: three columns of P_w, of rank two [EX-11b]. The law takes the smallest torques.
    motors = [0, 2, 4]
    P = arms.projections(q).P_w
    print("EX-11b rank of what three motors can do:", np.linalg.matrix_rank(P[:, motors], tol=1e-9))

    def wanted(t):
        s, c = np.sin(2.0 * t), np.cos(2.0 * t)
        return (
            np.array([0.5 + 0.1 * (1 - c) / 2, 0.3 + 0.05 * s]),
            np.array([0.1 * s, 0.1 * c]),
            np.array([0.2 * c, -0.2 * s]),
        )

    law = ch.control.ParallelControl(
        arms, wanted, K_p=100.0, K_v=20.0, coordinates=lambda q: point(q, 0), at=q, actuated=motors
    )
    qd = arms.reduced(coordinates=lambda q: point(q, 0), at=q).basis(q) @ wanted(0.0)[1]
    run = ch.simulate(arms, q, qd, law, duration=2.0, dt=2e-3)
    where = robot.forward_kinematics(run.q, frame="tip0")[:, :2, 3]
    error = np.linalg.norm(where - [wanted(t)[0] for t in run.t], axis=1)
    apart = np.abs(arms.residual(run.q)).max()
    print(f"EX-11 two seconds: the point is {error.max():.0e} m off its path, the tips {apart:.0e} m apart")
    print(f"torques of the elbows: {np.abs(run.tau[:, 1::2]).max():.0e} N m, of the shoulders up to", end=" ")
    print(f"{np.abs(run.tau[:, motors]).max():.2f} N m")
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(arms, run, motors), sys.argv[1])


def draw(arms, run, motors):
    """The arms where they begin and half way round, the path of the point, and the torques of the motors."""
    figure, ((left, right),) = ch.plot.figure(1, 2, width="two columns", height=2.7)
    ch.plot.robot(arms, run.q[0], ghosts=run.q[[800]], ax=left)
    ch.plot.path(arms, run.q, "tip0", ax=left)
    right.plot(run.t, run.tau[:, motors], label=["left shoulder", "right shoulder", "upper shoulder"])
    right.set(xlabel="time (s)", ylabel="torque (N·m)")
    right.legend(frameon=False, fontsize=7)
    return figure


if __name__ == "__main__":
    main()
