"""Symbols and loops: a planar arm whose masses and lengths are given later, and the gradient of a whole motion."""

import sys

import numpy as np

import chasles as ch

# A symbol stands for a number of the robot, and so does an expression of symbols: uniform rods of mass m, length l.
m1, m2, l1, l2 = ch.symbols("m1 m2 l1 l2")


def at(x):
    """The pose at x on the first axis."""
    T = np.eye(4, dtype=object)
    T[0, 3] = x
    return T


def rod(m, l):
    return ch.Link(m, [l / 2, 0, 0], (0.0, m * l**2 / 12, m * l**2 / 12))


arm = ch.Robot.from_screws(
    screws=[ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[l1, 0, 0])],
    homes=[at(0.0), at(l1)],
    links=[rod(m1, l1), rod(m2, l2)],
    tool=at(l1 + l2),
    gravity=[0.0, -9.81, 0.0],
)
print(arm)

# Its functions take the values by name, one number or one a row; kernels have them as inputs, to differentiate by.
q, rest = np.array([0.3, 0.5]), np.zeros(2)
heavier = np.array([0.5, 1.0, 2.0])
print("holding torque for m2 = 0.5, 1, 2:")
print(arm.inverse_dynamics(q, rest, rest, m1=1.0, m2=heavier, l1=0.4, l2=0.3).round(4))
torque = arm.kernel("inverse_dynamics")
dtau_dm2 = torque.jacobian("m2")(q, rest, rest, m1=1.0, m2=1.0, l1=0.4, l2=0.3)
print("its derivative by m2:", dtau_dm2.round(4))

# A motion by the implicit midpoint rule: each step solves a = qdd(q + h/2 qd + h^2/4 a, qd + h/2 a) for a, by a loop in
# the step of the loop over time. Both are one kernel; the inner one is differentiated as the solution that it finds.
half = arm.with_values(m1=1.0, l1=0.4, l2=0.3)  # m2 stays a symbol, the rest are folded in
h, steps = 0.005, 200


def fall(q0, m2):
    """Let go at rest: where the arm is after a second, and its energy at every step."""

    def step(q, qd):
        def better(a):
            new = half.forward_dynamics(q + h / 2 * (qd + h / 2 * a), qd + h / 2 * a, rest, m2=m2)
            return new, {"until": np.max(np.abs(new - a)) < 1e-11}

        a, _ = ch.loop(better, half.forward_dynamics(q, qd, rest, m2=m2), count=40, rule="fixed_point")
        q, qd = q + h * (qd + h / 2 * a), qd + h * a
        energy = half.kinetic_energy(q, qd, m2=m2) + half.potential_energy(q, m2=m2)
        return (q, qd), {"record": energy}

    (q, _), kept = ch.loop(step, (q0, 0.0 * q0), count=steps)
    return {"q": q, "energy": kept["record"]}


motion = ch.compile(fall, q0=2, m2=())
end, energy = motion(q, 1.0)
print("after a second:", end.round(6), "energy kept to", f"{np.ptp(energy):.0e} J")

gradient = ch.compile(lambda q0, m2: fall(q0, m2)["q"], q0=2, m2=()).jacobian("m2")
found, d = gradient(q, 1.0), 1e-5
differences = (motion(q, 1.0 + d).q - motion(q, 1.0 - d).q) / (2 * d)
print("its derivative by m2:", found.round(6), "by differences:", differences.round(6))
assert np.allclose(found, differences, rtol=1e-5, atol=1e-6)


def draw():
    """Where the arm is after a second, by its second mass, with the slopes that the gradient has at 1 kg."""
    figure, ((ax,),) = ch.plot.figure()
    masses = np.linspace(0.3, 2.0, 60)
    for name, curve, at, slope in zip(("joint 1", "joint 2"), motion(q, masses).q.T, end, found, strict=True):
        (line,) = ax.plot(masses, curve, label=name)
        ax.plot(1.0 + np.array([-0.3, 0.3]), at + slope * np.array([-0.3, 0.3]), color=line.get_color(), linewidth=3)
    ax.set(xlabel="mass of the second link (kg)", ylabel="position after a second (rad)")
    ax.legend(frameon=False, fontsize=7)
    return figure


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
