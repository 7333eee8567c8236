"""A circle of the tool that does not close in the joints: ten loops of a Panda by two inverses of its Jacobian."""

import sys
import warnings

import numpy as np

import chasles as ch

LOOPS = 10


def circle(T: np.ndarray, radius: float = 0.1):
    """A circle of the tool's origin in the plane y-z of space, its orientation kept; t from 0 to 1."""

    def pose(t):
        t = np.asarray(t, dtype=float)
        out = np.broadcast_to(T, (*t.shape, 4, 4)).copy()
        out[..., 1, 3] += radius * np.sin(2 * np.pi * t)
        out[..., 2, 3] += radius * (1.0 - np.cos(2 * np.pi * t))
        return out

    return pose


def main() -> None:
    panda = ch.load("panda")
    q0 = np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.7])
    loop = circle(panda.forward_kinematics(q0))

    # The horizontal lift takes the least kinetic energy, Moore's and Penrose's inverse the least joint velocity.
    results = {name: panda.holonomy(loop, name, q0, loops=LOOPS, steps=128) for name in ("inertia", "moore-penrose")}
    for result in results.values():
        print(result.describe())
        print("  after each loop:", np.abs(np.cumsum(result.per_loop, axis=0)).max(-1).round(4))

    # Neither is integrable: the brackets of its columns have a vertical part, so small loops already drift.
    for name in results:
        print(panda.repeatability(name).describe())
    print("the two agree at q0:", bool(panda.inverses_agree(q0)))

    # Nothing about the Panda is a Riemannian submersion; the robot isometric6 is one by construction.
    print("submersion residual, panda:", panda.submersion_residual(q0).round(3))
    warnings.simplefilter("ignore", ch.ModelWarning)  # its links have no mass, on purpose
    print("submersion residual, isometric6:", ch.load("isometric6").submersion_residual(np.full(6, 0.3)).round(12))
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(results), sys.argv[1])


def draw(results: dict):
    """The joints over time for both inverses, and the largest drift of a joint after each loop."""
    figure, (axes,) = ch.plot.figure(1, 3, width="two columns", height=2.2)
    for (name, result), ax in zip(results.items(), axes, strict=False):
        ax.plot(result.t, result.q - result.q[0], linewidth=0.8)
        ax.set_xlabel("loops")
        ax.set_title(name, fontsize=8)
        drift = np.abs(np.cumsum(result.per_loop, axis=0)).max(-1)
        axes[2].plot(range(1, LOOPS + 1), drift, marker="o", markersize=3, label=name)
    axes[0].set_ylabel("way from the start (rad)")
    axes[2].set(xlabel="loops", ylabel="largest drift (rad)")
    axes[2].legend(frameon=False, fontsize=7)
    return figure


if __name__ == "__main__":
    main()
