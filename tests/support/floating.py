"""A robot on a body that floats: a free joint, a slider and a hinge."""

import numpy as np

import chasles as ch


def floating() -> ch.Robot:
    screws = [np.zeros(6), [0.0, 0.0, 0.0, 0.0, 0.6, 0.8], [0.0, 1.0, 0.0, -0.4, 0.0, 0.0]]
    homes = [np.eye(4) for _ in range(3)]
    homes[1][:3, 3], homes[2][:3, 3] = [0.1, 0.0, 0.2], [0.0, 0.1, 0.4]
    links = [
        ch.Link(2.0, (0.1, 0.0, 0.05), (0.1, 0.15, 0.2)),
        ch.Link(1.0, (0.0, 0.1, 0.1), (0.02, 0.03, 0.02)),
        ch.Link(0.7, (0.05, 0.0, 0.1), (0.01, 0.02, 0.02)),
    ]
    names = ["base", "slider", "hinge"]
    return ch.Robot.from_screws(
        screws, homes, links, kinds=("free", "screw", "screw"), name="floating", joint_names=names
    )
