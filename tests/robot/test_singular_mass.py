"""Robots whose mass matrix is singular everywhere, with mimic joints too: against its numeric rank."""

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch

NAMES = ("mass_matrix_inverse", "mass_matrix_sqrt", "forward_dynamics", "forward_dynamics_by_solving")


def two_links(first: float, second: float, factor: float = 1.0) -> ch.Robot:
    """a -j-> b -k-> c about parallel axes, k mimics j; b and c of these masses."""
    links = [ch.Link(m, [0.1 * bool(m), 0, 0], [0.1 * bool(m)] * 3) for m in (first, second)]
    home = np.eye(4)
    home[0, 3] = 0.2
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=home[:3, 3])]
    options = {"joint_names": ["j", "k"], "mimics": {"k": ("j", factor, 0.3)}}
    return ch.Robot.from_screws(screws, [np.eye(4), home], links, **options)


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("masses", [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_a_massless_mimic_or_master(masses: tuple[float, float]) -> None:
    robot = two_links(*masses)
    M = robot.mass_matrix([0.4])
    assert M[0, 0] > 0.1
    assert close(robot.mass_matrix_inverse([0.4]) @ M, np.eye(1))
    assert close(robot.mass_matrix_sqrt([0.4]) ** 2, M)
    for solve in (robot.forward_dynamics, robot.forward_dynamics_by_solving):
        qdd = solve([0.4], [0.5], [0.6])
        assert close(robot.inverse_dynamics([0.4], [0.5], qdd), np.array([0.6]))


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize(("first", "second", "factor"), [(0.0, 0.0, 1.0), (0.0, 0.0, 0.0)])
def test_both_massless(first: float, second: float, factor: float) -> None:
    robot = two_links(first, second, factor)
    for name in NAMES:
        with pytest.raises(ch.SingularMassMatrixError, match="joint 'j', with those that mimic it, moves no inertia"):
            robot.kernel(name)
    assert robot.kernel("mass_matrix_inverse", parameters=["link2"]).outputs


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_motions_that_cancel() -> None:
    """Point masses turn with k = -j: neither moves when they stay where they are."""
    point = [ch.Link(), ch.Link(1.0, [0.0, 0.0, 0.7])]
    about = [ch.screw([0, 0, 1])] * 2
    options = {"joint_names": ["j", "k"], "mimics": {"k": ("j", -1.0, 0.0)}}
    with pytest.raises(ch.SingularMassMatrixError, match="joint 'j'"):
        ch.Robot.from_screws(about, [np.eye(4)] * 2, point, **options).kernel("forward_dynamics")
    heavy = [ch.Link(), ch.Link(1.0, [0.3, 0.0, 0.7], [1.0, 1.0, 1.0])]
    with pytest.raises(ch.SingularMassMatrixError, match="joint 'j'"):
        ch.Robot.from_screws(about, [np.eye(4)] * 2, heavy, **options).kernel("forward_dynamics")


def two_slides(light: float) -> ch.Robot:
    """A light carriage, and on it a heavy one that slides along the same line: the pivot of the first is its mass."""
    links = [ch.Link(light, [0, 0, 0], [light] * 3), ch.Link(1.0, [0, 0, 0], [1.0] * 3)]
    return ch.Robot.from_screws([ch.prismatic([1, 0, 0])] * 2, [np.eye(4)] * 2, links)


@pytest.mark.parametrize("light", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_light_link_is_regular(light: float) -> None:
    """A force on the first slide alone accelerates its carriage, and the heavy one stays."""
    qdd = two_slides(light).forward_dynamics([0.0, 0.0], [0.0, 0.0], [light, 0.0])
    assert close(qdd, [1.0, -1.0], 1e-15 / light + 1e-12)


def test_a_link_of_nothing_but_rounding_is_not() -> None:
    with pytest.raises(ch.SingularMassMatrixError, match="joint 'joint1'"):
        two_slides(1e-13).kernel("forward_dynamics")


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("seed", sweep(range(60), 20))
def test_random_mimics_and_massless_links(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    homes = np.tile(np.eye(4), (n, 1, 1))
    homes[:, :3, 3] = rng.uniform(-1.0, 1.0, (n, 3))
    axes = np.eye(3)[rng.integers(0, 3, n)]
    screws = [
        ch.screw(a, point=H[:3, 3]) if rng.random() < 0.7 else ch.prismatic(a) for a, H in zip(axes, homes, strict=True)
    ]
    solid = rng.random(n) < 0.5
    size = 10.0 ** rng.uniform(-3.0, 2.0, n)
    links = [ch.Link(m, [0.1, 0.2, -0.1], [m, m, m]) if s else ch.Link() for m, s in zip(size, solid, strict=True)]
    parents = [int(rng.integers(-1, i)) for i in range(n)]
    names = [f"j{i}" for i in range(n)]
    mimics = {names[i]: (names[0], float(rng.choice([-1.0, 0.5, 2.0])), 0.1) for i in range(1, n) if rng.random() < 0.4}
    robot = ch.Robot.from_screws(screws, homes, links, parents, joint_names=names, mimics=mimics)
    M = robot.mass_matrix(np.array([robot.random(rng) for _ in range(8)]))
    s = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)).max(axis=0))
    s[s == 0.0] = 1.0
    regular = max(np.linalg.matrix_rank(M / (s[:, None] * s), tol=1e-11)) == robot.n
    try:
        robot.kernel("mass_matrix_inverse")
        refused = False
    except ch.SingularMassMatrixError:
        refused = True
    assert refused == (not regular)
