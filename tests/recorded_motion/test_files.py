"""Trajectories in files: what is loaded is what was saved, to the last bit."""

import csv
import sys
import zipfile

import numpy as np
import pytest
from support.floating import floating

import chasles as ch
from chasles.recorded_motion import files
from chasles.recorded_motion.trajectory import parts_of

PARTS = ("t", "q", "qd", "tau", "kinetic", "potential", "energy")


@pytest.fixture(scope="module")
def motions(tmp_path_factory):
    robot = floating()
    rng = np.random.default_rng(0)
    record = {"error": lambda t, q, qd, tau: qd[..., 0] / 3.0, "a b[1], c": lambda t, q, qd, tau: q[..., :3]}
    record["both"] = lambda t, q, qd, tau: q[..., :4].reshape(*q.shape[:-1], 2, 2)
    start = np.stack([robot.random(rng) for _ in range(2)])
    options = {"duration": 0.005, "record": record}
    both = ch.simulate(robot, start, rng.normal(size=robot.n), lambda t, q, v: np.sin(v + t), **options)
    swing = ch.ConstrainedSystem(
        ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - q[1], coordinate_names=["x", "y, up"]),
        ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod"),
    )
    return {
        "batch": both,
        "one": both.row(1),
        "constrained": ch.simulate(swing, [1.0, 0.0], [0.0, 1 / 3], duration=0.005),
        "ended": both.row(0)[:0],
    }


def same(a, b, labels=True):
    for name in PARTS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), name
    assert (a.multipliers is None) == (b.multipliers is None)
    assert a.multipliers is None or (a.multipliers == b.multipliers).all()
    assert list(a.signals) == list(b.signals) and all((a.signals[x] == b.signals[x]).all() for x in a.signals)
    names = (a.labels.q, a.labels.qd, a.labels.q_units, a.labels.qd_units, a.labels.rows)
    assert names == (b.labels.q, b.labels.qd, b.labels.q_units, b.labels.qd_units, b.labels.rows)
    return not labels or a.labels == b.labels


@pytest.mark.parametrize("name", ["batch", "one", "constrained"])
def test_npz(motions, tmp_path, name):
    motion = motions[name]
    motion.save(tmp_path / "motion.npz")
    again = ch.Trajectory.load(tmp_path / "motion.npz")
    assert same(motion, again) and again.system is None
    with pytest.raises(ch.ModelError, match=r"Trajectory\.load\(path, system\)"):
        again(0.001)
    known = ch.Trajectory.load(tmp_path / "motion.npz", motion.system)
    assert (known(0.0012)[0] == motion(0.0012)[0]).all()


def test_npz_keeps_values_of_symbols_and_finite_steps(tmp_path):
    mass, g = ch.symbols("m g")
    robot = ch.load("planar_2r").with_payload("tool", mass).with_gravity([0.0, 0.0, -g])
    motion = robot.rollout(np.full((2, 3, 2), 0.3), np.zeros(2), dt=1e-3, steps=5, m=[1.0, 2.0, 1 / 3], g=9.81)
    motion.save(tmp_path / "motion.npz")
    again = ch.Trajectory.load(tmp_path / "motion.npz", robot)
    assert (again.tool_path == motion.tool_path).all() and (again(0.0012)[0] == motion(0.0012)[0]).all()
    assert np.array_equal(np.asarray(again.finite_steps), np.full((2, 3), 5))
    assert {name: x.tolist() for name, x in again.values.items()} == {
        name: x.tolist() for name, x in motion.values.items()
    }
    assert again.row(1, 2).values["m"].tolist() == [1 / 3]


def test_npz_keeps_events(tmp_path):
    ball = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - 9.81 * q[0])
    top = ch.Event(lambda t, q, qd: qd[0], "top", direction=-1)
    ground = ch.Event(lambda t, q, qd: q[0] + 0.1, "ground, below", terminal=True)
    batch = ch.simulate(ball, [[0.0], [0.0]], [[1.0], [2.0]], duration=0.25, dt=0.01, events=[top])
    one = ch.simulate(ball, [0.0], [1.0], duration=2.0, dt=0.01, events=[top, ground])
    assert len(batch.events) == len(one.events) == 2 and one.events[1].terminal
    for motion in (batch, one, one[:3]):
        motion.save(tmp_path / "motion.npz")
        again = ch.Trajectory.load(tmp_path / "motion.npz").events
        assert [(e.name, e.t, e.row, e.terminal) for e in again] == [
            (e.name, e.t, e.row, e.terminal) for e in motion.events
        ]
        for a, b in zip(again, motion.events, strict=True):
            assert a.q.tobytes() == b.q.tobytes() and a.qd.tobytes() == b.qd.tobytes() and a.q.shape == b.q.shape


@pytest.mark.parametrize("name", ["one", "constrained"])
def test_csv(motions, tmp_path, name):
    motion = motions[name]
    motion.save(tmp_path / "motion.csv")
    assert same(motion, ch.Trajectory.load(tmp_path / "motion.csv"), labels=False)
    with open(tmp_path / "motion.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "t [s]" and len(rows) == 6 and {"kinetic [J]", "potential [J]"} < set(head)
    if name == "one":
        joint = "hinge"
        assert {f"q {joint} [rad]", f"qd {joint} [rad/s]", f"tau {joint} [N m]", "signal both[1, 0]"} < set(head)
    else:
        assert {"q x", "qd y, up", "multiplier rod"} < set(head)


@pytest.mark.parametrize("name", ["one", "constrained"])
def test_parquet(motions, tmp_path, name):
    motion = motions[name]
    motion.save(tmp_path / "motion.parquet")
    assert same(motion, ch.Trajectory.load(tmp_path / "motion.parquet"))


def test_parquet_is_an_extra(motions, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ch.ModelError, match=r'pip install "chasles\[parquet\]"'):
        motions["one"].save(tmp_path / "motion.parquet")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_hold_one_motion(motions, tmp_path, ending):
    with pytest.raises(ch.ModelError, match=r"this is a batch: save it as \.npz, or its rows by row\(\)"):
        motions["batch"].save(tmp_path / f"motion{ending}")


def test_what_is_refused(motions, tmp_path):
    motion = motions["one"]
    with pytest.raises(ch.ModelError, match=r"path must end in \.npz, \.csv, \.parquet, got"):
        motion.save(tmp_path / "motion.txt")
    with pytest.raises(ch.ModelError, match="there is no file"):
        ch.Trajectory.load(tmp_path / "none.npz")
    for name, words in (
        ("text.npz", "hello, this"),
        ("text.csv", "hello, this, is\nno, trajectory\n"),
        ("long.csv", "x" * 200_000),
    ):
        (tmp_path / name).write_text(words)
        with pytest.raises(ch.ModelError, match="holds no trajectory"):
            ch.Trajectory.load(tmp_path / name)
    np.savez(tmp_path / "objects.npz", t=np.array([None, {}], dtype=object))
    np.savez(tmp_path / "list.npz", t=np.zeros(1), labels=np.array("[1]"))
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    np.save(tmp_path / "array.npy", np.zeros(3))
    (tmp_path / "array.npy").rename(tmp_path / "array.npz")
    motion.save(tmp_path / "broken.npz")
    data = bytearray((tmp_path / "broken.npz").read_bytes())
    locked = bytearray(data)
    locked[data.index(b"PK\x01\x02") + 8] |= 1  # said to be encrypted
    (tmp_path / "locked.npz").write_bytes(locked)
    with zipfile.ZipFile(tmp_path / "broken.npz") as held:
        begins = held.getinfo("q.npy").header_offset + 30 + data[held.getinfo("q.npy").header_offset + 26] + 20
    data[begins : begins + 40] = b"\xff" * 40  # no block of zlib begins so
    (tmp_path / "broken.npz").write_bytes(data)
    for name in ("objects", "list", "other", "array", "broken", "locked", "text"):
        with pytest.raises(ch.ModelError, match=rf"path: .*{name}\.npz' holds no trajectory: ") as refused:
            ch.Trajectory.load(tmp_path / f"{name}.npz")
        assert "pickle" not in str(refused.value)
        assert ("it is no npz file" in str(refused.value)) == (name in ("array", "text"))
    for ending in (".npz", ".csv", ".parquet"):
        with pytest.raises(ch.ModelError, match=r"path: there is no folder '.*no_folder'"):
            motion.save(tmp_path / "no_folder" / f"motion{ending}")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ch.ModelError, match=r"path: '.*folder\.csv' cannot be written"):
        motion.save(tmp_path / "folder.csv")
    motion.save(tmp_path / "motion.npz")
    with pytest.raises(ch.ModelError, match="system has the coordinates joint1, joint2, and the trajectory"):
        ch.Trajectory.load(tmp_path / "motion.npz", ch.load("planar_2r"))
    table = files.columns(parts_of(motion), motion.labels)
    table.pop(next(name for name in table if name.startswith("qd ")))
    with (tmp_path / "short.csv").open("w") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    with pytest.raises(ch.ModelError, match="tau has shape"):
        ch.Trajectory.load(tmp_path / "short.csv")


def test_none_at_all(motions, tmp_path):
    """A motion of no samples, as one that was called off at once."""
    motions["ended"].save(tmp_path / "motion.npz")
    assert len(ch.Trajectory.load(tmp_path / "motion.npz")) == 0 and "0 samples over no time" in repr(motions["ended"])
