"""A hand with a ball for a tip, on a sphere: sliding over it with a wanted force, EX-9, and rolling on it, EX-10."""

import sys

import numpy as np

import chasles as ch
from chasles.constraint import contact_systems
from chasles.surface import contact_coordinates

TIP, GLOBE = ch.Surface.sphere(0.05), ch.Surface.sphere(0.3)
HAND = ch.Link(0.8, (0.0, 0.01, 0.06), (0.004, 0.004, 0.002))
START = np.array([-1.1, 0.4, 0.9, 0.5, 0.3])  # latitude and longitude on the tip, on the globe, and the angle


def slide() -> tuple:
    """[EX-9]: five contact coordinates, each by edd + K_v ed + K_p e = 0; the normal force by its integral."""
    aim = START + np.array([0.1, 0.2, -0.2, 0.3, 0.4])

    def wanted(t):
        return aim, np.zeros(5), np.zeros(5)

    law = ch.control.SlidingContactControl(HAND, TIP, GLOBE, wanted, K_p=25.0, K_v=10.0, force=[12.0], K_I=5.0)
    law.reset([0.4])  # an integral that is off, so that the force is, by 2 N
    q, still = np.append(START, 0.0), np.zeros(6)
    print("wrench of the arm on the hand:", law.wrench(0.0, q, still).round(3), "(moment, force)")
    run = ch.simulate(law.constrained, q, still, law, duration=1.0, dt=4e-3)
    left = (run.q[-1, :5] - aim) / (START - aim)
    print(f"EX-9 sliding: after 1 s {left.min():.6f} to {left.max():.6f} of each error is left,", end=" ")
    print(f"(1 + 5 t) exp(-5 t) is {6.0 * np.exp(-5.0):.6f};", end=" ")
    print(f"force {run.multipliers[0, 0]:.3f} N, then {run.multipliers[-1, 0]:.3f} N of 12 N")
    return run, (run.q[:, :5] - aim) / (START - aim)


def roll() -> np.ndarray:
    """[EX-10]: two velocities are left, those of the point on the tip; the globe gives force, friction and moment."""

    def wanted(t):
        return np.array([0.4, 1.5]), np.zeros(2)

    grip = [10.0, 0.5, 0.0, 0.0]
    law = ch.control.RollingContactControl(HAND, TIP, GLOBE, wanted, K_p=4.0, force=grip, K_I=5.0)
    q = np.append(START, 0.0)
    run = ch.simulate(law.constrained, q, np.zeros(6), law, duration=1.0, dt=4e-3)
    print(
        f"EX-10 rolling: rates {run.qd[-1, :2].round(4)} of {wanted(0.0)[0]} (1 - exp(-4) is {1 - np.exp(-4.0):.4f});",
        end=" ",
    )
    print("forces", run.multipliers[-1].round(6) + 0.0)
    paths = TIP.position(run.q[:, :2]), GLOBE.position(run.q[:, 2:4])
    tip, globe = (np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for path in paths)
    slip = np.abs(run.qd[:, :5] - contact_coordinates.rolling_rates(TIP, GLOBE)(run.q[:, :5], run.qd[:, :2])).max()
    print(f"its path is {tip:.5f} m long on the tip and {globe:.5f} m on the globe; slip {slip:.0e}")
    free = contact_systems.contact_system(HAND, TIP, GLOBE)  # [EX-10b]
    print("EX-10b rolling is", contact_systems.rolling_contact(TIP, GLOBE).is_holonomic(free).describe())
    return paths[1]


def projection() -> None:
    """[EX-9b]: in the contact frame P_w is diag(1, 1, 1, 1, 1, 0) where the centre of mass is on the normal alone."""
    for com in ((0.0, 0.0, 0.06), (0.02, 0.01, 0.06)):
        link = ch.Link(0.8, com, (0.004, 0.004, 0.002))
        free = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [link], kinds=["free"], tool=np.eye(4))
        touch = ch.Constraint.point_contact("tool", 0.05, ch.Surface.plane(), point=(0.0, 0.0, 0.05))
        P = ch.ConstrainedSystem(free, touch, start=free.neutral()).projections(free.neutral()).P_w
        off = np.abs(P - np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])).max()
        print(f"EX-9b centre of mass {com}: P_w is {off:.1e} off diag(1, 1, 1, 1, 1, 0)")


def draw(sliding, path):
    """What is left of the errors while the hand slides, the force, and the path of the rolling tip on the globe."""
    run, left_over = sliding
    figure, ((left, middle, right),) = ch.plot.figure(1, 3, width="two columns", height=2.3, views=["2d", "2d", "3d"])
    left.plot(run.t, left_over)
    left.plot(run.t, (1.0 + 5.0 * run.t) * np.exp(-5.0 * run.t), "k:", linewidth=2.0)
    left.set(xlabel="time (s)", ylabel="error that is left")
    middle.plot(run.t, run.multipliers[:, 0])
    middle.set(xlabel="time (s)", ylabel="normal force (N)")
    u = np.stack(np.meshgrid(np.linspace(0.6, 1.2, 13), np.linspace(0.2, 1.2, 13), indexing="ij"), axis=-1)
    right.plot_wireframe(*np.moveaxis(GLOBE.position(u), -1, 0), color="#9aa4ae", linewidth=0.3)
    right.plot(*path.T, color="#d55e00", linewidth=2.0)
    right.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)", aspect="equal")
    return figure


if __name__ == "__main__":
    sliding, path = slide(), roll()
    projection()
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(sliding, path), sys.argv[1])
