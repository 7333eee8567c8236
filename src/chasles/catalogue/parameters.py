"""Forces, energies and power as linear functions of the links' inertial parameters."""

from typing import Any

from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import regressor as regressors
from chasles.dynamics.matrices import transposed
from chasles.lie import SE3
from chasles.model.coordinates import clean
from chasles.scalar.leaf import Leaves


def _frames(robot: Traceable) -> list[SE3]:
    return [clean(X, robot.aligned.noise) for X in robot.aligned.frames]


@declare("q qd qdd", ("n", "parameters"))
def regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    rows = regressors.torque_regressor(robot.true, *state, _frames(robot))
    return transposed([G.forces(column) for column in transposed(rows)])


@declare("q qd", ("parameters",))
def kinetic_energy_regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    G = robot.coupling
    return regressors.kinetic_regressor(robot.true, G.coordinates(q), G.velocities(qd), _frames(robot))


@declare("q", ("parameters",))
def potential_energy_regressor(robot: Traceable, options: Options, q: Leaves) -> Any:
    return regressors.potential_regressor(robot.true, robot.coupling.coordinates(q), _frames(robot))


@declare("q qd qdd", ("parameters",))
def power_regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    return regressors.power_regressor(robot.true, *state, _frames(robot))
