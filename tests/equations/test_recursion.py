"""The recursions that are printed, evaluated with numbers for their symbols, are the robot's own functions."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import lie_formulas
from support.every_joint import coupled, every_joint
from support.lie_formulas import as_column
from support.random_trees import by_chunks, random_kinds, random_mechanism, random_pose, random_twist, random_wrench
from support.tolerances import close

import chasles as ch
from chasles.dynamics.articulated_body import forward_dynamics
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.newton_euler import newton_euler, tool_wrench_on_body
from chasles.equations.recursion import recursion
from chasles.equations.recursion_symbols import TwistSymbol, WrenchSymbol
from chasles.formula.notation import everything
from chasles.formula.tree import Formula, Operator, Symbol
from chasles.model.poses import matrix, pose


def numbers(robot: ch.Robot, q, rates: dict[str, np.ndarray]) -> lie_formulas.Values:
    """Values of the symbols of coordinates, motions and rates: of the joints that follow no other."""
    known = {"one": np.eye(3), "V_0": np.zeros((6, 1))}
    for own in robot.mechanism.own_joints:
        label = own.link + 1
        known[f"q_{label}"] = as_column(q[own.q])
        known[f"E_{label}"] = matrix(own.joint.motion(q[own.q]))
        for name, x in rates.items():
            screw = own.joint.nv == 1
            letter = name if screw else {"qd": "v", "qdd": "vd"}.get(name, name)
            known[f"{letter}_{label}"] = as_column(x[own.v])
    return known


def inertias(general, links: int, known: lie_formulas.Values) -> None:
    """G of every link, by the equation that the statement in general has for link i."""
    equation, *_ = general.where
    for label in range(1, links + 1):
        own = {f"{x}_i": known[f"{x}_{label}"] for x in "mcI"}
        known[f"G_{label}"] = lie_formulas.evaluate(equation.right, known | own)


def evaluated(robot: ch.Robot, name: str, q, inputs=(), given=None, **rates) -> lie_formulas.Values:
    general, *statements = recursion(robot, name, inputs=inputs)
    known = numbers(robot, q, rates) | (given or {})
    links = [s for s in statements if s.title.startswith("link ")]
    for s in links:
        lie_formulas.run(s.where, known)
    inertias(general, len(robot.parents), known)
    for s in statements:
        if s not in links:
            lie_formulas.run(s.where, known)
        lie_formulas.run(s.equations, known)
    return known


def stacked(robot: ch.Robot, known: lie_formulas.Values, letter: str) -> np.ndarray:
    return np.concatenate([known[f"{letter}_{own.link + 1}"].ravel() for own in robot.mechanism.own_joints])


def state(robot: ch.Robot, rng):
    return robot.random(rng), *rng.normal(size=(3, robot.n))


def check(robot: ch.Robot, rng) -> None:
    """Against the recursions in classical accelerations, on floats."""
    q, qd, qdd, tau = state(robot, rng)
    tree = robot.mechanism.tree
    known = evaluated(robot, "inverse_dynamics", q, qd=qd, qdd=qdd)
    assert close(stacked(robot, known, "tau"), newton_euler(tree, q, qd, qdd).tau)
    known = evaluated(robot, "forward_dynamics", q, qd=qd, tau=tau)
    assert close(accelerations(robot, known), forward_dynamics(tree, q, qd, tau), 1e-9)
    assert close(blocks(robot, evaluated(robot, "mass_matrix", q)), mass_matrix(tree, q))


def accelerations(robot: ch.Robot, known: lie_formulas.Values) -> np.ndarray:
    names = [f"{'qdd' if own.joint.nv == 1 else 'vd'}_{own.link + 1}" for own in robot.mechanism.own_joints]
    return np.concatenate([known[name].ravel() for name in names])


def blocks(robot: ch.Robot, known: lie_formulas.Values) -> np.ndarray:
    M = np.zeros((robot.n, robot.n))
    for a in robot.mechanism.own_joints:
        for b in robot.mechanism.own_joints:
            if (x := known.get(f"M_{a.link + 1}_{b.link + 1}")) is not None:
                M[b.v, a.v] = x
                M[a.v, b.v] = x.T
    return M


@by_chunks([range(k, k + 4) for k in range(0, 200, 4)], range(20, 24))
def test_random_trees(seeds, rng):
    for seed in seeds:
        check(ch.Robot(random_mechanism(seed)), rng)
        check(ch.Robot(random_kinds(seed)), rng)


@pytest.mark.parametrize("name", ["planar_2r", "ur5", "scara"])
def test_built_in_robots(name, rng):
    check(ch.load(name), rng)


def test_every_kind_of_joint(rng):
    check(every_joint(), rng)


def test_joints_that_follow_others(rng):
    robot = coupled()
    m = replace(robot.mechanism, has_friction=False)
    G, tree = m.coupling, m.tree
    robot = ch.Robot(m)
    q, qd, qdd, _ = state(robot, rng)
    known = evaluated(robot, "inverse_dynamics", q, qd=qd, qdd=qdd)
    x, xd, xdd = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    assert close(stacked(robot, known, "tau"), G.forces(newton_euler(tree, x, xd, xdd).tau))
    assert close(blocks(robot, evaluated(robot, "mass_matrix", q)), G.matrix(mass_matrix(tree, x)))
    with pytest.raises(ch.ModelError, match=r"joints of robot .* mimic others"):
        recursion(robot, "forward_dynamics")


def test_wrenches_and_a_base_that_moves(rng):
    robot = every_joint().with_tool(random_pose(rng), link=every_joint().link_names[3])
    tree = robot.mechanism.tree
    q, qd, qdd, tau = state(robot, rng)
    on_links = [random_wrench(rng) for _ in tree.bodies]
    exerted, V_0, A_0 = random_wrench(rng), random_twist(rng), random_twist(rng)
    tool = robot.mechanism.tool
    assert tool is not None
    total = dict(enumerate(on_links))
    total[tool.body] = total[tool.body] + tool_wrench_on_body(pose(tool.pose), exerted)
    given = {f"W_{i + 1}": as_column([*F.m, *F.f]) for i, F in enumerate(on_links)}
    given |= {"F_t": as_column([*exerted.m, *exerted.f])}
    both = ["tool_wrench", "link_wrenches"]
    base = {"V_0": as_column([*V_0.w, *V_0.v]), "Vd_b": as_column([*A_0.w, *A_0.v])}
    inputs = [*both, "base_velocity", "base_acceleration"]
    known = evaluated(robot, "inverse_dynamics", q, inputs=inputs, given=given | base, qd=qd, qdd=qdd)
    assert close(stacked(robot, known, "tau"), newton_euler(tree, q, qd, qdd, total, V_0, A_0).tau)
    known = evaluated(robot, "forward_dynamics", q, inputs=both, given=given, qd=qd, tau=tau)
    assert close(accelerations(robot, known), forward_dynamics(tree, q, qd, tau, total), 1e-9)


def test_in_general_is_a_link_of_a_chain():
    """Link 3 of four in a row, with l, k, i, j for 1, 2, 3, 4."""
    names = {"l": "1", "k": "2", "i": "3", "j": "4"}
    robot = ch.load("scara")
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        general, *statements = recursion(robot, name)
        said = {written(e, {}) for s in statements for e in s.equations}
        assert {written(e, names) for e in general.equations} <= said


def written(x: Any, names: dict[str, str]) -> str:
    """A formula as text, without sums over children, its indices renamed."""
    if isinstance(x, Symbol):
        return x.letter + "." * x.dots + "".join(names.get(c, c) for c in x.index)
    if isinstance(x, tuple):
        return " ".join(filter(None, (written(y, names) for y in x)))
    if isinstance(x, Operator) and x.name == "sum":
        return written(x.argument, names)
    if isinstance(x, Formula):
        return f"{type(x).__name__}({', '.join(written(y, names) for y in vars(x).values())})"
    return str(x)


def test_a_sign_that_is_wrong_is_found(rng, monkeypatch):
    """The equations come out of the code: with another sign there they are others."""
    robot = ch.load("planar_2r")
    right = recursion(robot)
    monkeypatch.setattr(TwistSymbol, "ad_star", lambda V, F: -WrenchSymbol("ad_star", V, F))
    assert recursion(robot) != right
    with pytest.raises(AssertionError):
        check(robot, rng)


def test_links_that_are_chosen_are_printed_alone():
    robot = ch.load("ur5")
    some = recursion(robot, links=robot.link_names[1:3])
    titles = [s.title for s in some]
    assert [t.split(",")[0] for t in titles] == [
        "inverse dynamics: the recursion of Newton and Euler",
        "the base",
        "link 2",
        "link 3",
        "tips to base",
    ]
    assert [getattr(e.left, "name", "") for e in some[-1].equations] == ["F_3", "tau_3", "F_2", "tau_2"]


@pytest.mark.parametrize(
    "given, why",
    [
        ({"name": "jacobian"}, "name must be one of inverse_dynamics, forward_dynamics, mass_matrix"),
        ({"inputs": "wrench"}, "inputs of inverse_dynamics must be one of tool_wrench, link_wrenches"),
        ({"name": "forward_dynamics", "inputs": "base_velocity"}, "inputs of forward_dynamics"),
        ({"name": "mass_matrix", "inputs": "tool_wrench"}, "mass_matrix has no further inputs"),
        ({"links": []}, "links must be names of at least one link"),
        ({"name": "mass"}, "did you mean 'mass_matrix'"),
        ({"name": "rnea"}, "did you mean 'inverse_dynamics'"),
        ({"links": ["elbow"]}, "has no moving link 'elbow'.* there are shoulder_link"),
        ({"links": ["base"]}, "is the base of robot 'ur5'"),
    ],
)
def test_what_is_refused(given, why):
    with pytest.raises(ch.ChaslesError, match=why):
        recursion(ch.load("ur5"), **given)
    with pytest.raises(ch.ChaslesError, match="robot must be"):
        recursion("ur5")  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match=r"counts friction, .* it was before with_friction\(\)"):
        recursion(ch.load("ur5").with_friction())


def test_symbols_of_a_robot_are_printed(rng):
    """A planar arm whose second link is as long, heavy and wide as symbols say."""
    l1, l2, m2, J2 = ch.symbols("l1 l2 m2 J2")
    home = np.eye(4).astype(object)
    home[0, 3] = l1
    links = [ch.Link(1.5, (l1 / 2, 0, 0), (0.1, 0.1, 0.1)), ch.Link(m2, (l2 / 2, 0, 0), (J2, J2, J2))]
    robot = ch.Robot.from_screws([ch.screw((0, 0, 1)), ch.screw((0, 0, 1), (l1, 0, 0))], [np.eye(4), home], links)
    *_, second, _ = recursion(robot)
    said = {getattr(e.left, "name", ""): e.right for e in second.where}
    assert "m_2" not in said  # it is m2, which is read m_2 too
    assert lie_formulas.evaluate(said["c_2"], {"l2": np.array(0.8)}).ravel() == pytest.approx([0.4, 0.0, 0.0])
    values = {"l1": 1.1, "l2": 0.8, "m2": 2.0, "J2": 0.3}
    q, qd, qdd, _ = state(robot, rng)
    given = {name: np.array(x) for name, x in values.items()} | {"m_2": np.array(2.0)}
    known = evaluated(robot, "inverse_dynamics", q, given=given, qd=qd, qdd=qdd)
    tree = robot.with_values(**values).mechanism.tree
    assert close(stacked(robot, known, "tau"), newton_euler(tree, q, qd, qdd).tau)


def test_gravity_may_be_a_symbol(rng):
    g = ch.symbols("g")
    links = [ch.Link(1.5, (0.4, 0, 0), (0.1, 0.1, 0.1))]
    given = ([ch.screw((0, 0, 1))], [np.eye(4)], links)
    robot = ch.Robot.from_screws(*given, gravity=np.array([0.0, -g, 0.0], dtype=object))
    q, qd, qdd, tau = state(robot, rng)
    values = {"g": np.array(3.7)}
    tree = ch.Robot.from_screws(*given, gravity=(0.0, -3.7, 0.0)).mechanism.tree
    known = evaluated(robot, "inverse_dynamics", q, given=values, qd=qd, qdd=qdd)
    assert close(stacked(robot, known, "tau"), newton_euler(tree, q, qd, qdd).tau)
    known = evaluated(robot, "forward_dynamics", q, given=values, qd=qd, tau=tau)
    assert close(accelerations(robot, known), forward_dynamics(tree, q, qd, tau), 1e-9)


def test_symbols_that_are_read_like_other_quantities_are_told_apart():
    m2 = ch.symbols("m2")
    links = [ch.Link(mass, (0.1, 0, 0), (1, 1, 1)) for mass in (m2, 3.0)]
    robot = ch.Robot.from_screws([ch.screw((0, 0, 1))] * 2, [np.eye(4)] * 2, links)
    general, _, first, *_ = recursion(robot)
    assert "μ₁ = m₂" in first.text(width=200) and "μᵢ" in general.text(width=200)


@pytest.mark.parametrize("name", ["S1", "q_2", "tau1", "e", "H12", "F2"])
def test_symbols_that_are_read_as_quantities_of_the_recursion_are_refused(name):
    x, rod = ch.symbols(name), ch.Link(1.0, (0, 0, 0), (1, 1, 1))
    screws = [ch.screw((0, 0, 1)), ch.screw((0, 0, 1), (x, 0, 0))]
    robot = ch.Robot.from_screws(screws, [np.eye(4)] * 2, [rod, rod])
    with pytest.raises(ch.ModelError, match=f"the symbol '{name}' of robot .* give it another name"):
        recursion(robot)


def test_letters_are_told_as_they_are_printed():
    """Every letter of the recursion in general is in the words below it, those that stand for others too."""
    m2 = ch.symbols("m2")
    links = [ch.Link(mass, (0.1, 0, 0), (1, 1, 1)) for mass in (m2, 3.0)]
    renamed = ch.Robot.from_screws([ch.screw((0, 0, 1))] * 2, [np.eye(4)] * 2, links)
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        for robot in (ch.load("scara"), renamed):
            general = recursion(robot, name)[0]
            told = {x.letter for x in general.about if isinstance(x, Symbol)}
            used = {
                x.letter for x in everything(e for e in (*general.equations, *general.where)) if isinstance(x, Symbol)
            }
            assert used - told <= {"e", "1"}, used - told


def test_all_of_it_prints():
    found = recursion(ch.load("planar_2r"))
    text, latex, html = str(found), found.latex(), found._repr_html_()
    assert "+ Σⱼ Ad*(Tⱼᵢ) Fⱼ" in text and r"+ \sum_j \operatorname{Ad}_{T_{ji}}^{*} F_j" in latex
    assert "<munder><mo>∑</mo>" in html and "Tₖᵢ: its pose in k, Hₖᵢ that at" in " ".join(text.split())
    assert (
        "⎥,  H₁₂ = ⎢" in text
        and "V₂ = Ad(T₂₁) V₁ + S₂ q̇₂" in text
        and "link 2, link2: on link 1, link1, by joint2 (revolute)" in text
    )
    assert r"V_2 &= \operatorname{Ad}_{T_{21}} V_1 + S_2 \dot{q}_2" in latex
    assert r"T_{12} &= H_{12} e^{[S_2] q_2}" in latex and r"\paragraph{tips to base}" in latex
    assert html.count("<math xmlns") == html.count("<h4>") == len(found)
    assert repr(found) == "<Statements: 5, from 'inverse dynamics: the recursion of Newton and Euler'>"


def test_it_is_asked_of_the_equations_of_a_robot():
    robot = ch.load("scara")
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        assert robot.equations().recursion(name) == recursion(robot, name)
    said = robot.equations().recursion(inputs="tool_wrench", links=[robot.link_names[0]])
    assert said == recursion(robot, inputs="tool_wrench", links=[robot.link_names[0]])
    masses = robot.equations(symbols="inertias").recursion(links=[robot.link_names[0]])
    assert "h_x1/m₁" in masses.text()
    pendulum = ch.LagrangianSystem(1, lambda q, qd: qd[0] * qd[0] / 2.0)
    with pytest.raises(ch.ModelError, match="recursions are those of robots"):
        pendulum.equations().recursion()


def test_names_that_people_gave_are_escaped():
    robot = ch.Robot.from_screws(
        [ch.screw((0, 0, 1))], [np.eye(4)], [ch.Link(1.0, (0, 0, 0), (1, 1, 1))], joint_names=["<b>_\\input{x}"]
    )
    found = recursion(robot)
    assert "<b>" not in found.html() and r"\input" not in found.latex()
