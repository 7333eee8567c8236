"""Batches: many configurations in one call, several results fused, a payload as a run-time input."""

import sys
import time

import numpy as np

import chasles as ch

panda = ch.load("panda")
rng = np.random.default_rng(0)
q = rng.uniform(panda.limits["lower"], panda.limits["upper"], (200_000, 7))
qd, qdd = rng.normal(size=(2, 200_000, 7))

# Arrays broadcast like NumPy's: (..., 7) in, (..., 7) out.
tau = panda.inverse_dynamics(q, qd, qdd)
print("torques", tau.shape, "largest", np.abs(tau).max().round(1), "Nm")

# The kernel behind it can write into your array, and says what it costs.
kernel = panda.kernel("inverse_dynamics")
print(kernel.operations)
start = time.perf_counter()
kernel(q, qd, qdd, out=tau)
print(f"{1e9 * (time.perf_counter() - start) / len(q):.0f} ns a configuration on this machine")

# Several results in one kernel share their common work.
fused = panda.kernel(["mass_matrix", "bias_forces", "jacobian"])
M, bias, J = fused(q[:1000], qd[:1000])
print("fused:", M.shape, bias.shape, J.shape)
assert np.allclose(np.einsum("bij,bj->bi", M, qdd[:1000]) + bias, tau[:1000])

# The inertia of a link as an input: a payload changes without recompilation.
carrying = panda.kernel("gravity_forces", parameters=["panda_link7"])
loaded = panda.with_payload("panda_link7", mass=2.0, com=[0, 0, 0.2])
for robot in (panda, loaded):
    print("holding torques", carrying(q[0], robot.inertial_parameters[6:]).round(2))


def draw():
    """The torques of each joint: the middle half of all configurations, nine tenths of them, and the median."""
    figure, ((ax,),) = ch.plot.figure()
    low, left, middle, right, high = np.percentile(tau, [5, 25, 50, 75, 95], axis=0)
    joint = np.arange(1, 8)
    ax.vlines(joint, low, high, color="#0072b2", linewidth=1.0)
    ax.bar(joint, right - left, bottom=left, width=0.5, color="#56b4e9")
    ax.plot(joint, middle, "_", color="black", markersize=12)
    ax.set(xlabel="joint", ylabel="torque (N·m)")
    return figure


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
