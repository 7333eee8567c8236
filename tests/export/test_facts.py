"""Facts of operands: every function of the catalogue is told, with axes of the right sizes and units that agree."""

from math import prod

import numpy as np
import pytest
from support.every_joint import every_joint
from support.tolerances import close

import chasles as ch
from chasles.catalogue import catalogue
from chasles.catalogue.entry import INPUTS as CATALOGUE_INPUTS
from chasles.export.axes import Axes
from chasles.export.facts import FUNCTIONS, INPUTS
from chasles.export.units import unit
from chasles.model.task import task


def sizes(robot, chosen) -> dict:
    return {
        "n": robot.n,
        "nq": robot.nq,
        "links": len(robot.link_names),
        "parameters": 10 * len(robot.link_names),
        "frames": len(robot.frame_names),
        "m": sum(len(rows) for _, rows in chosen),
    }


@pytest.mark.parametrize("name", catalogue())
def test_every_function_of_the_catalogue_is_told(name):
    robot, chosen = every_joint(), task(None, "tx rz")
    axes, entry = Axes.of(robot, task=chosen), catalogue()[name]
    known = sizes(robot, chosen)
    told = FUNCTIONS[name]
    assert told.about and list(told.outputs) == list(entry.outputs)
    for key in (*entry.inputs, *entry.optional):
        fact = told.inputs.get(key, INPUTS[key])
        assert fact.about and axes.size(fact) == prod(known.get(x, x) for x in CATALOGUE_INPUTS[key]), key
    for key, shape in entry.outputs.items():
        assert told.outputs[key].about and axes.size(told.outputs[key]) == prod(known.get(x, x) for x in shape), key
    assert not {*told.inputs} - {*entry.inputs, *entry.optional}


def unit_of(function, output, robot):
    return dict(Axes.of(robot).described(FUNCTIONS[function].outputs[output]).elements)


def test_units_are_those_that_people_write():
    robot = ch.load("scara")  # two joints turn, one slides, one turns
    names = robot.joint_names
    M = unit_of("mass_matrix", "mass_matrix", robot)
    assert M[f"{names[0]}, {names[1]}"] == "kg m^2" and M[f"{names[0]}, {names[2]}"] == "kg m"
    assert M[f"{names[2]}, {names[2]}"] == "kg" and M[f"{names[2]}, {names[0]}"] == "kg m"
    tau = unit_of("inverse_dynamics", "inverse_dynamics", robot)
    assert tau[names[0]] == "N m" and tau[names[2]] == "N"
    stiffness = unit_of("inverse_dynamics_derivatives", "dtau_dq", robot)
    assert stiffness[f"{names[0]}, {names[0]}"] == "N m/rad" and stiffness[f"{names[2]}, {names[2]}"] == "N/m"
    J = unit_of("jacobian", "jacobian", robot)
    assert J[f"vx, {names[0]}"] == "m/rad" and J[f"wz, {names[0]}"] == "1" and J[f"vz, {names[2]}"] == "1"
    qdd = unit_of("forward_dynamics", "forward_dynamics", robot)
    assert qdd[names[0]] == "rad/s^2" and qdd[names[2]] == "m/s^2"
    A = unit_of("centroidal_momentum_matrix", "centroidal_momentum_matrix", robot)
    assert A[f"kz, {names[0]}"] == "kg m^2" and A[f"pz, {names[2]}"] == "kg"
    assert Axes.of(robot).described(FUNCTIONS["kinetic_energy"].outputs["kinetic_energy"]).about == "kinetic energy, J"


def test_units_are_read_and_written():
    for text in ("1", "kg m^2", "N m/rad", "rad/s^2", "m", "1/s", "kg/s"):
        assert str(unit(text)) == text
    assert str(unit("J")) == "N m" and unit("") is None and unit("furlong") is None


def test_the_words_name_frames():
    axes = Axes.of(ch.load("ur5"), frame="wrist_1_link", expressed="mixed")
    said = axes.filled(FUNCTIONS["jacobian"].about)
    assert "frame wrist_1_link" in said and "at its own origin, in the axes of the space frame" in said
    assert Axes.of(ch.load("ur5")).filled(FUNCTIONS["forward_kinematics"].about).startswith("pose of the tool in")


def test_tensors_are_told_by_their_indices():
    said = Axes.of(ch.load("ur5")).described(FUNCTIONS["regressor"].outputs["regressor"])
    assert said.elements == () and "indices: joint forces, inertial parameters, ten a link" in said.about


def test_the_ten_numbers_of_a_link_are_called_what_they_are(rng):
    """Each has the energy m v^2 / 2 + v (w x mc) + w I w / 2 of what it is called."""
    robot, link = ch.load("ur5"), "wrist_3_link"
    kernel = robot.kernel("kinetic_energy", parameters=link)
    elements = Axes.of(robot, given_links=(link,)).described(INPUTS["parameters"]).elements
    q, qd = rng.normal(size=(2, 6))
    w, v = np.split(robot.velocity(q, qd, link), 2)
    along, turned = dict(zip("xyz", w, strict=True)), dict(zip("xyz", np.cross(v, w), strict=True))
    energies = {f"{link}, m": v @ v / 2} | {f"{link}, mc{a}": turned[a] for a in "xyz"}
    for a, b in ("xx", "xy", "yy", "xz", "yz", "zz"):
        energies[f"{link}, I{a}{b}"] = along[a] * along[b] * (0.5 if a == b else 1.0)
    without = kernel(q, qd, np.zeros((1, 10)))
    for k, (name, _) in enumerate(elements):
        assert close(kernel(q, qd, np.eye(10)[k : k + 1]) - without, energies.pop(name), 1e-12), name
    assert not energies


UNITS = {
    **dict.fromkeys(["q", "q0", "q1", "u", "dq"], ("rad", "m")),
    **dict.fromkeys(["qd", "v", "dqd"], ("rad/s", "m/s")),
    **dict.fromkeys(["qdd", "dqdd"], ("rad/s^2", "m/s^2")),
    "tau": ("N m", "N"),
    "momenta": ("kg m^2", "kg m"),
    "tool_wrench": ("N m", "N"),
    "base_velocity": ("rad/s", "m/s"),
    "base_acceleration": ("rad/s^2", "m/s^2"),
}


@pytest.mark.parametrize("name", UNITS)
def test_units_of_inputs(name):
    """Of what turns, which comes first, and of what slides."""
    elements = dict(Axes.of(ch.load("scara")).described(INPUTS[name]).elements)
    turns, slides = UNITS[name]
    pairs = {("shoulder", "quill"), ("wx", "vx"), ("mx", "fx")}
    ((first, other),) = [pair for pair in pairs if {*pair} <= {*elements}]
    assert (elements[first], elements[other]) == (turns, slides)


def test_units_of_times():
    for name in ("t", "t0", "dt"):
        assert Axes.of(ch.load("scara")).described(INPUTS[name]).about.endswith(", s")


def test_the_last_row_of_a_pose_is_said_to_be_constant():
    rows = Axes.of(ch.load("scara")).described(FUNCTIONS["forward_kinematics"].outputs["forward_kinematics"]).elements
    assert rows[11] == ("pz", "m") and rows[12:] == (("the constant 0", ""),) * 3 + (("the constant 1", ""),)
