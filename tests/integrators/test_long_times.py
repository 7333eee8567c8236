"""Long motions: energies oscillate in a band and stay there, momenta and constraints are kept to rounding."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.loops import four_bar, four_bar_angles, pinned
from support.tolerances import close, small

import chasles as ch
from chasles.simulation.rollout_kernels import rollout_kernel

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "long_times.py"


def blocks(energy, many=10):
    """The difference of means over blocks, in units of the band."""
    means = energy[: len(energy) // many * many].reshape(many, -1).mean(axis=1)
    return np.ptp(means) / np.ptp(energy)


def test_a_heavy_top():
    """Ten thousand steps: the momenta about the vertical and the top's axis, and the energy."""
    link = ch.Link(1.0, (0.0, 0.0, 0.1), (0.002, 0.002, 0.001))
    top = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"])
    q, v = top.normalize([0.2, 0.1, 0.0, 1.0]), np.array([0.0, 1.0, 60.0])
    kernel = rollout_kernel(top, steps=10_000, every=5, method="variational")
    q, v, finite = kernel(q, v, 2e-3, 0.0)
    p = np.einsum("kij,kj->ki", top.mass_matrix(q), v)
    upright = np.einsum("kj,kj->k", top.forward_kinematics(q)[:, 2, :3], p)
    assert finite == 10_000
    assert close(upright, np.full(len(q), upright[0]), 1e-13)
    assert close(p[:, 2], np.full(len(q), p[0, 2]), 1e-13)
    energy = top.kinetic_energy(q, v) + top.potential_energy(q)
    assert blocks(energy) < 0.02 and np.ptp(energy) < 1e-3 * energy[0]


def test_a_four_bar():
    """Its energy does not drift, its loop stays closed: RATTLE."""
    robot = four_bar()
    bars = ch.ConstrainedSystem(robot, pinned(robot))
    q, v = bars.consistent(four_bar_angles(0.7), [4.0, 0.0, 0.0])
    q, v, _ = rollout_kernel(bars, steps=8_000, every=4, method="variational")(q, v, 2e-3, 0.0)
    energy = bars.kinetic_energy(q, v) + bars.potential_energy(q)
    assert small(bars.residual(q), 1e-13)  # after twenty turns, q of 150 radians
    assert small(np.einsum("kij,kj->ki", bars.constraint_matrix(q), v), 1e-12)
    assert blocks(energy) < 0.05 and np.ptp(energy) < 1e-3 * np.ptp(bars.kinetic_energy(q, v))


@pytest.mark.slow
def test_the_benchmark(tmp_path):
    """A hundred thousand steps: momenta within 1e-12, growing as rounding of either sign does."""
    path = tmp_path / "long.json"
    given = [sys.executable, str(SCRIPT), "--steps", "100000", "--json", str(path)]
    done = subprocess.run(given, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for name, found in json.loads(path.read_text())["systems"].items():
        assert max(found["momentum_drift"].values()) < 1e-12, name
        assert found["momentum_growth"] < 0.8, name  # of few rows and steps; rounding of either sign has 0.5
        assert found["band"] < 0.02, name


@pytest.mark.soak
def test_ten_million_steps(tmp_path):
    path = tmp_path / "long.json"
    given = [sys.executable, str(SCRIPT), "panda", "quadruped", "heavy top", "--json", str(path)]
    done = subprocess.run(given, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr
    for name, found in json.loads(path.read_text())["systems"].items():
        for steps, drift in found["momentum_drift"].items():
            assert drift < 1e-12 * (int(steps) / 1e5) ** 0.6, name
        assert found["block_means_over_band"] < 0.01, name
