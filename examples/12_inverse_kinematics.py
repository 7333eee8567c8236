"""Inverse kinematics: ten thousand poses at once, every solution of one, some rows only, two hands, out of reach."""

import sys
import time

import numpy as np

import chasles as ch


def main() -> None:
    # Ten thousand poses of a Panda. The searches run in the lanes of the processor's vectors, their loop in the kernel.
    panda = ch.load("panda")
    rng = np.random.default_rng(0)
    T = panda.forward_kinematics([panda.random(rng) for _ in range(10_000)])
    panda.inverse_kinematics(T[0])  # compiles
    begin = time.perf_counter()
    q, found, residual = panda.inverse_kinematics(T)
    each = (time.perf_counter() - begin) / len(T)
    inside = bool(np.all((q >= panda.limits["lower"]) & (q <= panda.limits["upper"])))
    print(f"panda: {found.sum()} of {len(T)} found, within limits: {inside}, in about {each * 1e6:.0f} us each")
    print(f"  worst residual below 1e-9: {residual.max() < 1e-9}")

    # Every solution of a UR5, modulo full turns: shoulder left or right, elbow up or down, wrist flipped or not.
    ur5 = ch.load("ur5")
    here = np.array([0.4, -1.2, 1.5, -0.6, 0.9, 0.3])
    q, found, _ = ur5.inverse_kinematics(ur5.forward_kinematics(here), here, solutions="all")
    print(f"ur5: {found.sum()} solutions, the nearest first")
    print(np.round(q[found], 3))
    if len(sys.argv) > 1:  # the file of a picture: all solutions, the nearest in front
        ch.plot.save(ur5.plot(q[0], ghosts=q[found][1:], frames="tool"), sys.argv[1])

    # The tool's origin and its axis, the turn about it free: "rx ry tx ty tz". And the origin alone.
    for rows in ("rx ry tx ty tz", "tx ty tz"):
        q, found, _ = panda.inverse_kinematics(T[:1000], rows=rows)
        print(f"panda, rows {rows}: {found.sum()} of 1000 found")

    # How far from singular are the solutions? The axes of the ellipsoid of tool velocities at unit kinetic energy.
    q = panda.inverse_kinematics(T[:1000]).q
    axes = panda.singular_values(q, rows="tx ty tz", metric="inertia")
    print(
        f"most and least even of 1000: {(axes[:, 0] / axes[:, -1]).min():.1f}, {(axes[:, 0] / axes[:, -1]).max():.0f}"
    )

    # Out of reach: the nearest, its residual, and no exception.
    far = T[0].copy()
    far[:3, 3] = [2.0, 0.0, 0.5]
    q, found, residual = panda.inverse_kinematics(far, rows="tx ty tz")
    print(f"two metres away: found {bool(found)}, {residual:.3f} m short")


if __name__ == "__main__":
    main()
