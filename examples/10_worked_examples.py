"""Examples that can be checked by hand: a pendulum, EX-6, a particle on a sphere, EX-8, and the gauge law on it."""

import sys

import numpy as np

import chasles as ch

MASS, LENGTH, G = 1.3, 0.7, 9.81


def pendulum() -> ch.Trajectory:
    """[EX-6]: a particle on a circle, y up: lambda = (m / l^2) (g y - v^2), and -lambda l is the tension."""
    particle = ch.LagrangianSystem(2, lambda q, qd: MASS * (qd @ qd) / 2 - MASS * G * q[1], name="pendulum")
    swing = ch.ConstrainedSystem(particle, ch.Constraint.holonomic(lambda q: (q @ q - LENGTH**2) / 2, name="rod"))
    q, qd = LENGTH * np.array([0.6, -0.8]), np.array([1.2, 0.9])
    multiplier = swing.forward_dynamics(q, qd, np.zeros(2)).multipliers[0]
    print(f"EX-6 pendulum: lambda {multiplier:.6f} = {MASS / LENGTH**2 * (G * q[1] - qd @ qd):.6f},", end=" ")
    print(f"tension {-multiplier * LENGTH:.4f} N = {MASS / LENGTH * (qd @ qd - G * q[1]):.4f} N")
    run = ch.simulate(swing, q, qd, duration=5.0)
    tension = -run.multipliers[:, 0] * LENGTH
    speed = 2.0 * (run.energy[0] / MASS + G * LENGTH)  # squared, at the lowest point
    print(f"in five seconds at most {tension.max():.4f} N, at the bottom: {MASS * (G + speed / LENGTH):.4f} N")
    return run


def on_a_sphere() -> ch.ConstrainedSystem:
    """[EX-8]: P_w takes the radial part out, and the motion must bend by S = -(mud^2 + cos^2(mu) nud^2) q to stay."""
    particle = ch.LagrangianSystem(3, lambda q, qd: MASS * (qd @ qd) / 2 - MASS * G * q[2], name="particle")
    sphere = ch.ConstrainedSystem(
        particle, ch.Constraint.holonomic(lambda q: (q @ q - LENGTH**2) / 2, name="sphere"), start=[0.0, LENGTH, 0.0]
    )
    mu, nu, mud, nud = 0.4, 1.1, 0.5, -0.8
    out = np.array([np.cos(mu) * np.cos(nu), np.cos(mu) * np.sin(nu), np.sin(mu)])
    north = np.array([-np.sin(mu) * np.cos(nu), -np.sin(mu) * np.sin(nu), np.cos(mu)])
    east = np.array([-np.sin(nu), np.cos(nu), 0.0])
    q, qd = LENGTH * out, LENGTH * (mud * north + np.cos(mu) * nud * east)
    off = np.abs(sphere.projections(q).P_w - (np.eye(3) - np.outer(out, out))).max()
    bend = sphere.second_fundamental_form(q, qd)
    print(f"EX-8 sphere: P_w = 1 - q q^T / r^2 to {off:.0e},", end=" ")
    print(f"S = {(bend @ out / LENGTH):.6f} q, by hand {-(mud**2 + np.cos(mu) ** 2 * nud**2):.6f} q")
    return sphere


def gauge_law(sphere: ch.ConstrainedSystem) -> tuple:
    """|eps| decays by exp(-K_d t) whatever the coordinates; the gains of the geometric law that it equals are K' ."""

    def chart(q):
        return np.stack([np.arctan2(q[2], np.sqrt(q[0] ** 2 + q[1] ** 2)), np.arctan2(q[1], q[0])])

    def wanted(t):
        return np.array([0.3 * np.sin(t), t]), np.array([0.3 * np.cos(t), 1.0]), np.array([-0.3 * np.sin(t), 0.0])

    law = ch.control.GaugeControl(sphere, wanted, K_p=3.0, K_d=5.0, coordinates=chart, force=[-40.0])
    q, qd = sphere.consistent([0.6, -0.3, 0.2], [0.1, 0.2, 0.0])
    run = ch.simulate(sphere, q, qd, law, duration=1.0, dt=2e-3)
    size = [np.linalg.norm(law.composite_error(t, x, v)) for t, x, v in zip(run.t, run.q, run.qd, strict=True)]
    print(f"gauge law: |eps| falls from {size[0]:.4f} to {size[-1]:.6f}, exp(-K_d t) says", end=" ")
    print(f"{size[0] * np.exp(-5.0):.6f}; lambda between {run.multipliers.min():.4f} and {run.multipliers.max():.4f}")
    gains = law.geometric_gains(q)
    print("as gains of the geometric law: K'_p", np.diag(gains.K_p).round(6), "K'_d", np.diag(gains.K_d).round(6))
    return run, size


def main() -> None:
    swing, (run, size) = pendulum(), gauge_law(on_a_sphere())
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(swing, run, size), sys.argv[1])


def draw(swing, run, size):
    """The tension of the rod over the height, how the error decays on the sphere, and the particle there."""
    figure, ((left, middle, right),) = ch.plot.figure(1, 3, width="two columns", height=2.3, views=["2d", "2d", "3d"])
    left.plot(swing.q[:, 1], -swing.multipliers[:, 0] * LENGTH)
    left.set(xlabel="height (m)", ylabel="tension of the rod (N)")
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, np.pi, 13))
    ball = LENGTH * np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    right.plot_wireframe(*ball, color="#9aa4ae", linewidth=0.3)
    right.plot(*run.q.T, color="#d55e00", linewidth=2.0)
    right.set(xlabel="x (m)", ylabel="y (m)", box_aspect=(1, 1, 1))
    middle.semilogy(run.t, size, label="gauge law")
    middle.semilogy(run.t, size[0] * np.exp(-5.0 * run.t), "--", label="$e^{-K_d t}$")
    middle.set(xlabel="time (s)", ylabel="composite error")
    middle.legend(frameon=False, fontsize=7)
    return figure


if __name__ == "__main__":
    main()
