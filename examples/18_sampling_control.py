"""Sampling control: random numbers inside kernels, a cart that swings its pole up, an arm with an unknown load."""

import sys

import numpy as np

import chasles as ch

# A random number is a function of a seed and of counters that say what it is for: here the row of a batch and the step
# of a loop. It does not depend on threads, on neighbours or on what was drawn before; NumPy draws the same bits.


def walk(seed, row):
    def step(x, k):
        return x + 0.1 * ch.random.normal(seed, row, k)

    return ch.loop(step, 0.0, each={"k": np.arange(100.0)}, count=100)


ends = ch.compile(walk, seed=(), row=())(7.0, np.arange(10_000.0))
print("10,000 random walks end at a distance of", ends.std().round(3), "(1 is expected)")


# A cart on a rail, 1 kg, drives the pole below it, 0.2 kg at 0.5 m. The cost is a function of traced values; the kernel
# has the noise, the motions of all samples over the horizon and their costs in it, and runs once for a call of the law.
def lagrangian(q, qd):
    pole = 0.1 * qd[0] * qd[1] * np.cos(q[1]) + 0.025 * qd[1] ** 2
    return 0.6 * qd[0] ** 2 + pole + 0.2 * 9.81 * 0.5 * np.cos(q[1])


def cost(t, q, qd, tau, place):
    upright = 5.0 * (1.0 + np.cos(q[1]))
    return upright + 0.5 * (q[0] - place) ** 2 + 0.05 * (qd @ qd) + 1e-3 * tau[0] ** 2


def drive(law, q, qd, steps):
    """States under the law, a call for each step."""
    path = [q]
    for k in range(steps):
        tau = law(k * law.dt, q, qd)
        qd = qd + law.dt * law.system.forward_dynamics(q, qd, tau)
        q = law.system.integrate(q, law.dt * qd)
        path.append(q)
    return np.array(path), qd


cart = ch.LagrangianSystem(2, lagrangian, name="cart and pole")
law = ch.control.MPPI(
    cart,
    cost,
    dt=0.04,
    horizon=40,
    samples=512,
    noise=[6.0, 0.0],  # of the force on the cart, N; nothing drives the pole
    effort=[12.0, 0.0],
    temperature=0.3,
    parameters={"place": 0.0},
)
path, qd = drive(law, np.zeros(2), np.zeros(2), 150)
print("after 6 s: cart at", path[-1, 0].round(2), "m, pole", np.degrees(path[-1, 1]).round(1), "degrees from below")
assert np.cos(path[-1, 1]) < -0.9
print(f"of {law.samples} samples {law.effective_samples:.0f} share the weight; the best costs {law.costs.min():.3f}")

swing = path
law.begin()
law.set(place=0.5)  # nothing is compiled again
path, _ = drive(law, path[-1], qd, 100)
print("4 s later: cart at", path[-1, 0].round(2), "m, pole", np.degrees(path[-1, 1]).round(1), "degrees from below")

# Each sample may have its own numbers of the robot. Here an arm does not know its payload, between 0.5 and 1.5 kg, and
# plans forces that are right on the whole; knots make a plan of few numbers, and a call improves it thirty times.
m = ch.symbols("m")
arm = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0]).with_payload("link2", m, com=[1.0, 0.0, 0.0])
still = ch.control.MPPI(
    arm,
    lambda t, q, qd, tau: qd @ qd,
    dt=0.01,
    horizon=20,
    samples=512,
    noise=6.0,
    temperature=0.01,
    knots=3,
    updates=30,
    symbols={"m": 0.5 + ch.random.uniform(1, np.arange(512))},
)
q = np.array([-0.5, 0.4])
tau = still(0.0, q, np.zeros(2))
for mass in (0.5, 1.0, 1.5):
    print(f"what holds a payload of {mass} kg:", arm.gravity_forces(q, m=mass).round(1), "N m")
print("what it does:", tau.round(1), "N m")


def draw():
    """The cart and its pole, from hanging to standing and on to another place."""
    figure, axes = ch.plot.figure(2, 1, height=3.2)
    whole = np.concatenate([swing, path[1:]])
    for ax, x, name in zip(axes[:, 0], whole.T * [[1.0], [180.0 / np.pi]], ("cart (m)", "pole (°)"), strict=True):
        ax.plot(law.dt * np.arange(len(whole)), x)
        ax.axvline(law.dt * (len(swing) - 1), color="black", linestyle=":", linewidth=0.8)
        ax.set_ylabel(name)
    axes[1, 0].set_xlabel("time (s)")
    return figure


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
