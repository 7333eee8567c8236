"""Your own functions, traced and compiled with their derivatives: a tracking cost for a robot's tool."""

import sys

import numpy as np

import chasles as ch

robot = ch.load("ur5")
goal = robot.forward_kinematics([0.3, -1.0, 1.2, -0.5, 0.8, 0.1])


def cost(q, qd):
    """Squared distance of the tool from the goal, plus a little kinetic energy."""
    T = robot.forward_kinematics(q)
    energy = qd @ robot.mass_matrix(q) @ qd / 2
    return np.sum((T[:3, 3] - goal[:3, 3]) ** 2) + 0.01 * energy


kernel = ch.compile(cost, q=6, qd=6)
gradient = kernel.gradient("q")
print(kernel.operations)
print("gradient:", gradient.operations.total, "operations")

# Gradient descent from a thousand starts at once.
rng = np.random.default_rng(1)
q, rest, left = rng.normal(size=(1000, 6)), np.zeros(6), []
for _ in range(300):
    left.append(np.sqrt(kernel(q, rest)))
    q -= 0.5 * gradient(q, rest)
print("median distance left", f"{np.median(np.sqrt(kernel(q, rest))):.1e}", "m")

# The Hessian by the rates is the mass matrix, scaled as in the cost.
assert np.allclose(kernel.hessian("qd")(q[0], rest), 0.01 * robot.mass_matrix(q[0]))


# A Python branch on a traced value cannot be compiled, and says so.
def clipped(q):
    return q[0] if q[0] > 0 else 0.0


try:
    ch.compile(clipped, q=1)
except ch.TraceError as error:
    print("TraceError:", str(error).split(". ")[0])
print("with where:", ch.compile(lambda q: ch.where(q[0] > 0, q[0], 0.0), q=1)([[-2.0], [3.0]]))


def draw():
    """How far the tool is from its goal while the descent goes on, for all starts."""
    figure, ((ax,),) = ch.plot.figure()
    for share, colour in ((45, "#cfe6f5"), (25, "#56b4e9")):
        low, high = np.percentile(left, [50 - share, 50 + share], axis=1)
        ax.fill_between(range(300), low, high, color=colour, linewidth=0, label=f"{2 * share} % of the starts")
    ax.plot(np.median(left, axis=1), label="median")
    ax.set(xlabel="step of the descent", ylabel="distance of the tool (m)", yscale="log", ylim=(1e-9, 2.0))
    ax.legend(frameon=False, fontsize=7)
    return figure


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
