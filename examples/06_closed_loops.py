"""Closed loops: a four-bar whose equations repeat themselves, and a Stewart platform, simulated and held up."""

import sys

import numpy as np

import chasles as ch

Z, G = (0.0, 0.0, 1.0), 9.81


def at(p) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


def four_bar(lengths=(0.2, 0.5, 0.4), ground=0.45) -> ch.Robot:
    """Three bars in a row, along x, with the frame `pin` on the ground that the last one's tip belongs on."""
    feet = np.cumsum([0.0, *lengths])
    links = [ch.Link(l, (l / 2, 0.0, 0.0), (0.0, l**3 / 12, l**3 / 12)) for l in lengths]
    return ch.Robot.from_screws(
        [ch.screw(Z, (x, 0.0, 0.0)) for x in feet[:-1]],
        [at((x, 0.0, 0.0)) for x in feet[:-1]],
        links,
        tool=at((feet[-1], 0.0, 0.0)),
        frames={"pin": ("base", at((ground, 0.0, 0.0)))},
        gravity=(0.0, -9.81, 0.0),
        name="four-bar",
    )


def stewart(radius=0.6, top=0.35, height=0.8) -> ch.Robot:
    """A free platform, and six legs with a universal joint below and a slide; their tips belong on its anchors."""
    below, above = np.deg2rad([-10, 10, 110, 130, 230, 250]), np.deg2rad([-50, 50, 70, 170, 190, 290])
    feet = [(radius * np.cos(a), radius * np.sin(a), 0.0) for a in below]
    heads = [(top * np.cos(a), top * np.sin(a), height) for a in above]
    screws, kinds, parents = [np.zeros(6)], ["free"], [-1]
    homes, links = [at((0.0, 0.0, height))], [ch.Link(10.0, inertia=(0.4, 0.4, 0.7))]
    frames = {}
    for k, (a, b) in enumerate(zip(np.array(feet), np.array(heads), strict=True)):
        along = (b - a) / np.linalg.norm(b - a)
        across = np.cross(along, Z) / np.linalg.norm(np.cross(along, Z))
        screws += [ch.universal(np.cross(across, along), across, a), ch.prismatic(along)]
        homes += [at(a), at(b)]
        links += [ch.Link(1.0, (b - a) / 4, (0.02,) * 3), ch.Link(0.5, (a - b) / 5, (0.01,) * 3)]
        parents += [-1, len(links) - 2]
        kinds += ["screw", "screw"]
        frames |= {f"tip{k}": (len(links) - 1, at(b)), f"anchor{k}": (0, at(b))}
    names = ["platform", *(f"{part}{k}" for k in range(6) for part in ("hinge", "slide"))]
    return ch.Robot.from_screws(
        screws, homes, links, parents, kinds=kinds, frames=frames, joint_names=names, name="Stewart platform"
    )


def main() -> None:
    # Three equations of the closure, of which the one across the plane is satisfied anyhow.
    loop = ch.ConstrainedSystem(four_bar(), ch.Constraint.loop_closure("pin", "tool", "tx ty tz", name="pin"))
    print(loop, "-", loop.redundancy.describe())
    q, qd = loop.consistent([1.0, -0.8, -0.9], [2.0, 0.0, 0.0])
    motion = loop.forward_dynamics(q, qd, np.zeros(3))
    print("accelerations", motion.qdd.round(4), "force of the pin", motion.multipliers.round(4), "N")
    start, run = q, ch.simulate(loop, q, qd, duration=2.0)
    drift = np.abs(run.energy - run.energy[0]).max() / np.abs(run.energy[0])
    print(f"two seconds: energy kept to {drift:.0e}, the loop to {np.abs(loop.residual(run.q)).max():.0e} m")

    # Twenty-four degrees of freedom, six of them left.
    robot = stewart()
    legs = [ch.Constraint.loop_closure(f"anchor{k}", f"tip{k}", "tx ty tz", name=f"leg{k}") for k in range(6)]
    platform = ch.ConstrainedSystem(robot, sum(legs[1:], legs[0]), start=robot.neutral())
    print(platform, "-", platform.redundancy.describe())
    q, still = robot.neutral(), np.zeros(robot.n)
    # The slides' forces that hold it: tau moves nothing but the slides, and P_w (bias - tau) = 0.
    slides = [robot.n - 18 + 3 * k + 2 for k in range(6)]
    P = platform.projections(q).P_w
    force = np.linalg.lstsq(P[:, slides], P @ robot.bias_forces(q, still), rcond=None)[0]
    tau = np.zeros(robot.n)
    tau[slides] = force
    held = platform.forward_dynamics(q, still, tau)
    print("held by", force.round(2), "N in the legs, accelerations", f"{np.abs(held.qdd).max():.0e}")
    carried = -held.multipliers.reshape(6, 3).sum(axis=0)
    print(f"their tips carry {carried[2]:.1f} N, the platform weighs {10.0 * G:.1f} N")
    run = ch.simulate(platform, q, still, duration=0.2)
    drop, apart = run.q[0, 2] - run.q[-1, 2], np.abs(platform.residual(run.q)).max()
    print(f"let go, it drops {drop:.3f} m in 0.2 s: energy kept to {np.ptp(run.energy):.0e} J, legs to {apart:.0e} m")
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(loop, start, platform, run.q[-1]), sys.argv[1])


def draw(loop, start, platform, end):
    """The four-bar with the curves of a point of its coupler, in both assemblies, and the platform where it ended."""
    figure, axes = ch.plot.figure(1, 2, width="two columns", height=2.7, views=["2d", "3d"])
    ch.plot.robot(loop, start, ax=axes[0, 0])
    ch.plot.coupler_curve(loop, "link2", (0.25, 0.15, 0.0), q=start, ax=axes[0, 0])
    ch.plot.robot(platform, end, ax=axes[0, 1])
    return figure


if __name__ == "__main__":
    main()
