"""Forces, energies and power as linear functions of the links' inertial parameters."""

from typing import Any

from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import regressor as regressors
from chasles.dynamics.matrices import transposed
from chasles.scalar.leaf import Leaves


@declare("q qd qdd", ("n", "parameters"))
def regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    rows = regressors.torque_regressor(robot.true, *state, robot.aligned.frames)
    return transposed([G.forces(column) for column in transposed(rows)])


@declare("q qd", ("parameters",))
def kinetic_energy_regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    G = robot.coupling
    return regressors.kinetic_regressor(robot.true, G.coordinates(q), G.velocities(qd), robot.aligned.frames)


@declare("q", ("parameters",))
def potential_energy_regressor(robot: Traceable, options: Options, q: Leaves) -> Any:
    return regressors.potential_regressor(robot.true, robot.coupling.coordinates(q), robot.aligned.frames)


@declare("q qd qdd", ("parameters",))
def power_regressor(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    return regressors.power_regressor(robot.true, *state, robot.aligned.frames)
