"""Rollouts: a thousand motions of an arm with unknown payloads, and gains tuned by the gradient of their cost."""

import sys

import numpy as np

import chasles as ch

# The payload is a symbol: each row of a rollout has its own.
mass = ch.symbols("payload")
arm = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])
carrying = arm.with_payload("tool", mass)
rng = np.random.default_rng(0)
payload = rng.uniform(0.0, 1.0, 1000)
start, rest, goal = np.array([-1.2, 0.4]), np.zeros(2), np.array([0.3, 0.8])


# A law of traced values, one row of them: gravity of the arm alone, and gains, which are parameters.
def hold(t, q, qd, K, D):
    return arm.gravity_forces(q) - K * (q - goal) - D * qd


gains = {"K": np.array([40.0, 20.0]), "D": np.array([4.0, 2.0])}
motion = carrying.rollout(start, rest, hold, dt=2e-3, steps=500, every=100, payload=payload, **gains)
print("q after a second, for the least and the largest payload:")
print(motion.q[[payload.argmin(), payload.argmax()], -1].round(3))

# The same made once, with a cost: distance from the goal, and a little of the power that is spent.
task = ch.Rollout(
    carrying,
    hold,
    steps=250,
    method="semi_implicit",
    parameters={"K": 2, "D": 2},
    cost=lambda t, q, qd, tau: np.sum((q - goal) ** 2) + 1e-4 * np.sum((tau * qd) ** 2),
)
given = {"dt": 4e-3, "payload": payload[:64]}
values = []
for k in range(30):
    cost, slope = task.gradient(start, rest, by=("K", "D"), **given, **gains)
    values.append(cost.mean())
    longest = 0.3 * 0.9**k  # a step of each gain in its own proportion, by a third at most, and by less as it goes on
    for name, x in gains.items():
        gains[name] = x * np.exp(-np.clip(x * slope[name].mean(axis=0), -longest, longest))
print(f"mean cost over 64 payloads: {values[0]:.3f}, after 30 steps of descent {values[-1]:.3f}")
print("gains:", {name: x.round(1).tolist() for name, x in gains.items()})
assert values[-1] < 0.6 * values[0] and max(np.diff(values)) < 0.0

# What acts may be torques as well, one a step; a row that does not stay finite ends alone.
torques = rng.normal(size=(8, 100, 2))
print("open loop:", arm.rollout(start, rest, torques, dt=0.01).q[:, -1].std(axis=0).round(3), "of spread")


def draw():
    """The first joint for some payloads, with the gains that were found, and the cost while they were."""
    figure, ((left, right),) = ch.plot.figure(1, 2, width="two columns", height=2.4)
    some = np.linspace(0.0, 1.0, 9)
    run = carrying.rollout(start, rest, hold, dt=2e-3, steps=500, every=10, payload=some, **gains)
    for curve, mass in zip(run.q[..., 0], some, strict=True):
        left.plot(run.t, curve, "-", color=(0.84 * mass, 0.37 + 0.08 * (1 - mass), 0.7 * (1 - mass)))
    left.axhline(goal[0], color="black", linestyle=":", linewidth=0.8)
    left.set(xlabel="time (s)", ylabel="joint1 (rad)")
    left.text(0.02, 0.2, "payload 0 kg (blue) to 1 kg (orange)", fontsize=7)
    left.text(0.98, goal[0] + 0.02, "goal", fontsize=7, ha="right", va="bottom")
    right.plot(values, marker="o", markersize=2.5)
    right.set(xlabel="step of the descent", ylabel="mean cost over the payloads")
    return figure


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
