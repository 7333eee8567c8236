"""The robot as a curved space: curvature, linear dynamics of a flat robot, balancing, geodesics, calibration."""

import sys

import numpy as np

import chasles as ch

Z = (0.0, 0.0, 1.0)


def planar(lengths, links) -> ch.Robot:
    """A planar chain along x, its joints about z."""
    feet = [(x, 0.0, 0.0) for x in np.cumsum([0.0, *lengths[:-1]])]
    homes = np.tile(np.eye(4), (len(feet), 1, 1))
    homes[:, :3, 3] = feet
    return ch.Robot.from_screws([ch.screw(Z, point) for point in feet], homes, links, gravity=(0.0, 0.0, 0.0))


def main() -> None:
    # A sphere: its curvature is 1/(m l^2) everywhere.
    hinge = ch.universal(Z, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    pendulum = ch.Robot.from_screws([hinge], [np.eye(4)], [ch.Link(0.5, (2.0, 0.0, 0.0))])
    q = np.random.default_rng(0).uniform(0.4, 1.2, (5, 2))
    print("spherical pendulum, curvature:", pendulum.sectional_curvature(q, [1.0, 0.0], [0.0, 1.0]).round(6))

    # A plane: two links with all mass at the tip. There are coordinates in which M ddq + C dq = tau is ddx = f.
    tip = planar([0.7, 0.5], [ch.Link(1e-12), ch.Link(1.3, (0.5, 0.0, 0.0))])
    q0, q1, qd = np.array([0.3, 0.9]), np.array([0.8, 1.4]), np.array([0.5, -0.2])
    flat = tip.isometry(q0)
    print("two links, mass at the tip:", tip.flatness().describe())
    N = flat.coframe(q1)
    print("  N^T N = M:", np.allclose(N.T @ N, tip.mass_matrix(q1)))
    moved = np.linalg.norm(flat.coordinates(q1)) / np.sqrt(1.3)
    places = tip.centre_of_mass([q0, q1])
    print("  phi is the mass's place:", np.isclose(moved, np.linalg.norm(places[1] - places[0])))
    print("  speed of the mass:", (np.linalg.norm(flat.velocity(q1, qd)) / np.sqrt(1.3)).round(4), "m/s")

    # Counterweights make the mass matrix of a planar chain constant: it is flat, and straight lines are its geodesics.
    rod = ch.Link(1.0, (0.2, 0.0, 0.0), (0.001, 0.02, 0.02))
    arm = planar([0.4, 0.4, 0.4], [rod] * 3)
    print(arm.balance().describe())
    for weight in arm.counterweights(radius=0.1):
        print(f"  {weight.mass:.2f} kg on {weight.link} at {np.round(weight.position, 3)} m")
    print(arm.balanced(radius=0.1).balance().describe())

    # A geodesic of the Panda, and how much less energy it takes than the straight motion in the joints.
    panda = ch.load("panda")
    a, b = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0]), np.array([1.2, 0.4, -0.3, -1.2, 0.4, 1.9, 0.3])
    path = panda.geodesic_between(a, b)
    straight = panda.path_energy(a + np.linspace(0.0, 1.0, 201)[:, None] * (b - a)).energy
    print(f"geodesic: length {path.length:.4f}, energy {path.length**2:.4f}, of the straight line {straight:.4f}")

    # What joint torques can tell of the inertias.
    base = panda.base_parameters()
    print(f"base parameters: {base.count} of {10 * len(panda.link_names)}, such as {base.describe()[0]}")

    # Calibration: the tool's twist for a small twist of each joint's frame, at 40 configurations.
    q = np.random.default_rng(1).uniform(-1.5, 1.5, (40, 7))
    homes = panda.forward_kinematics_model_derivatives(q).homes.reshape(-1, 42)
    print("of 42 errors of the joints' frames the tool shows", np.linalg.matrix_rank(homes, tol=1e-8))
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(arm, panda, path.q, np.linspace(a, b, 201)), sys.argv[1])


def draw(arm, panda, geodesic, straight):
    """The curvature of the planar arm, and the hand of the Panda along the geodesic and the straight motion."""
    figure, axes = ch.plot.figure(1, 2, width="two columns", height=2.7, views=["2d", "3d"])
    ch.plot.curvature_map(arm, ax=axes[0, 0])
    ch.plot.robot(panda, geodesic[-1], ghosts=geodesic[:1], ax=axes[0, 1])
    for q, colour in ((straight, "#0072b2"), (geodesic, "#d55e00")):
        ch.plot.path(panda, q, ax=axes[0, 1], colour=colour)
    return figure


if __name__ == "__main__":
    main()
