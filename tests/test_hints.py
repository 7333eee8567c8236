"""Hints: misspelt and foreign names are answered with ours, and nothing else notices."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import chasles as ch
from chasles import hints
from chasles.formula.statement import Statement

ROBOT = ch.load("ur5")
HOME = np.zeros(6)
PENDULUM = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + np.cos(q[0]), name="pendulum")

TIED = ch.Constraint.holonomic(lambda q: q[0] - q[1], "tied")
PAIR = ch.ConstrainedSystem(ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2, name="pair"), TIED)


@pytest.mark.parametrize(
    ("name", "ours"),
    {
        "rnea": "inverse_dynamics",  # Pinocchio
        "aba": "forward_dynamics",
        "crba": "mass_matrix",
        "nonLinearEffects": "bias_forces",
        "computeJointJacobians": "jacobian",
        "getFrameJacobian": "jacobian",
        "get_frame_jacobian": "jacobian",
        "computeRNEADerivatives": "inverse_dynamics_derivatives",
        "randomConfiguration": "random",
        "mj_fullM": "mass_matrix",  # MuJoCo
        "qfrc_bias": "bias_forces",
        "CalcMassMatrix": "mass_matrix",  # Drake
        "num_positions": "nq",
        "FKinSpace": "forward_kinematics",  # Modern Robotics
        "IKinBody": "inverse_kinematics",
        "MassMatrix": "mass_matrix",
        "fkine": "forward_kinematics",  # Robotics Toolbox
        "jacob0": "jacobian",
        "gravload": "gravity_forces",
        "fk": "forward_kinematics",  # what people say
        "ik": "inverse_kinematics",
        "center_of_mass": "centre_of_mass",
        "dof": "n",
        "get_dof": "n",
    }.items(),
)
def test_attributes_of_a_robot(name: str, ours: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ROBOT, name)
    assert str(caught.value) == f"'Robot' object has no attribute {name!r}; did you mean {ours!r}?"


@pytest.mark.parametrize(
    ("name", "ours"),
    {
        "from_urdf": "load",
        "loadURDF": "load",
        "buildModelFromUrdf": "load",
        "from_xml_string": "load_text",
        "jit": "compile",
        "while_loop": "loop",
        "Inertia": "SpatialInertia",
        "simulat": "simulate",
        "Robt": "Robot",
    }.items(),
)
def test_names_of_the_module(name: str, ours: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ch, name)
    assert str(caught.value) == f"module 'chasles' has no attribute {name!r}; did you mean {ours!r}?"


def test_misspelt_attributes_are_answered_by_python() -> None:
    program = "import chasles as ch\nch.load('ur5').inverse_dynamic"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "'Robot' object has no attribute 'inverse_dynamic'. Did you mean: 'inverse_dynamics'?" in done.stderr


def test_names_of_files_asked_of_a_robot() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'from_urdf': chasles\.load\(path\) reads files"):
        _ = ROBOT.from_urdf  # type: ignore[attr-defined]


def test_names_of_other_libraries_are_not_listed_and_cost_nothing() -> None:
    for made in (ROBOT, PENDULUM, PAIR, ROBOT.kernel("mass_matrix")):
        for listed in (dir(made), dir(type(made))):
            assert ("rnea" not in listed and "mass_matrix" in listed) or isinstance(made, ch.Kernel)
            assert all(hasattr(made, name) or hasattr(type(made), name) for name in listed if name in hints.FOREIGN)
        assert not any("__getattr__" in vars(kind) for kind in type(made).__mro__)  # it would slow every call


def test_names_of_classes() -> None:
    with pytest.raises(AttributeError, match=r"'Robot' has no attribute 'from_urdf': chasles\.load\(path\)"):
        _ = ch.Robot.from_urdf  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="did you mean 'from_screws'"):
        _ = ch.Robot.from_screw  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("made", "name", "ours"),
    [
        (PENDULUM, "crba", "mass_matrix"),
        (PAIR, "crba", "mass_matrix"),
        (ROBOT.kernel("mass_matrix"), "grad", "gradient"),
    ],
)
def test_attributes_of_systems_and_kernels(made: object, name: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"; did you mean '{ours}'"):
        getattr(made, name)


@pytest.mark.parametrize(
    ("expressed", "ours"),
    {"world": "space", "WORLD": "space", "local": "body", "LOCAL_WORLD_ALIGNED": "mixed", "spce": "space"}.items(),
)
def test_options(expressed: str, ours: str) -> None:
    with pytest.raises(ch.ModelError, match=f"expressed must be one of .*; did you mean '{ours}'"):
        ROBOT.jacobian(HOME, expressed=expressed)  # type: ignore[arg-type]


def test_functions_to_compile() -> None:
    for name, ours in (("inverse_dynamic", "inverse_dynamics"), ("rnea", "inverse_dynamics"), ("crba", "mass_matrix")):
        with pytest.raises(ch.ModelError, match=f"no function '{name}' to compile; did you mean '{ours}'"):
            ROBOT.kernel(name)


@pytest.mark.parametrize(
    ("kind", "hint"),
    {
        "floating": "; did you mean 'free'?",
        "ball": "; did you mean 'spherical'?",
        "sperical": "; did you mean 'spherical'?",
        "weld": "; did you mean 'fixed'?",
        "hinge": ": a turning joint is a screw, chasles.screw(axis, point)",
        "revolute": ": a turning joint is a screw, chasles.screw(axis, point)",
        "slide": ": a sliding joint is a screw, chasles.prismatic(axis)",
    }.items(),
)
def test_kinds_of_joints(kind: str, hint: str) -> None:
    with pytest.raises(ch.ModelError) as caught:
        ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [ch.Link(1.0)], kinds=[kind])
    assert str(caught.value).endswith(hint)


def test_bases_frames_and_robots() -> None:
    with pytest.raises(ch.ModelError, match="did you mean 'free'"):
        ROBOT.with_base("floating")  # type: ignore[arg-type]
    with pytest.raises(ch.FrameError, match="did you mean 'wrist_3_link'"):
        ROBOT.forward_kinematics(HOME, frame="wrist3_link")
    with pytest.raises(ch.ModelError, match="Did you mean 'panda'"):
        ch.load("pandas")


def test_words_that_are_near_nothing_get_no_hint() -> None:
    for name in ("xyzzy", "qqqq"):
        with pytest.raises(AttributeError) as caught:
            getattr(ROBOT, name)
        assert str(caught.value) == f"'Robot' object has no attribute {name!r}"
    with pytest.raises(ch.ModelError, match=r"got 'zzz'$"):
        ROBOT.jacobian(HOME, expressed="zzz")  # type: ignore[arg-type]


@pytest.mark.parametrize("made", [ROBOT, ROBOT.kernel("mass_matrix"), PENDULUM], ids=lambda x: type(x).__name__)
def test_copies_and_questions_are_as_before(made: object) -> None:
    assert not hasattr(made, "rnea") and getattr(made, "rnea", 1) == 1
    for name in ("__array__", "__array_interface__", "_repr_png_", "_ipython_display_", "__deepcopy__"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'$"):
            getattr(made, name)
    assert type(copy.copy(made)) is type(made)
    if made is not PENDULUM:
        assert type(copy.deepcopy(made)) is type(made)
        assert type(pickle.loads(pickle.dumps(made))) is type(made)


def test_the_error_travels() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ROBOT, "rnea")  # noqa: B009
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is AttributeError and str(again) == str(caught.value)


def test_a_property_that_fails_says_why_itself() -> None:
    class Broken(hints.Hinted):
        @property
        def value(self) -> int:
            return [].missing  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="'list' object has no attribute 'missing'"):
        _ = Broken().value


def test_names_of_the_tables_are_ours() -> None:
    """What a hint offers is there: on a robot, a system, a kernel or an equation, in the module, among the kinds."""
    there = {x for kind in (ch.Robot, ch.ConstrainedSystem, ch.Kernel, Statement) for x in dir(kind)}
    assert not [name for name in hints.ATTRIBUTES if name not in there]
    assert not [name for name in hints.MODULE if name not in dir(ch)]
    assert not [name for name in hints.CONSTRUCTORS if " " not in name and not hasattr(ch.Robot, name)]
    for ours, others in hints.ATTRIBUTES.items():
        assert not [x for x in others.split() if hasattr(ch.Robot, x) and x != ours], ours


def test_methods_asked_of_the_module() -> None:
    for name, method in {"rnea": "inverse_dynamics", "mass_matrix": "mass_matrix", "crba": "mass_matrix"}.items():
        with pytest.raises(AttributeError, match=rf"it is a method, robot\.{method}$"):
            getattr(ch, name)
    assert not hasattr(ch, "fk")
