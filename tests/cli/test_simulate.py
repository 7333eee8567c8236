"""`chasles simulate`: a table, a file, a page, and mistakes told in one line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app


@pytest.fixture
def simulate(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHASLES_NO_BROWSER", "1")

    def run(*arguments):
        return CliRunner().invoke(app, ["simulate", *map(str, arguments)])

    return run


def test_a_motion_is_told_and_shown_on_a_page(simulate, tmp_path):
    done = simulate("planar_2r", "--seconds", 0.1, "--q", "0.3, 0.2", "-o", "fall.html")
    assert done.exit_code == 0, done.output
    assert "planar_2r, 0.1 s, 101 samples, rk4, dt 0.001 s" in done.output
    assert "--stops has stops" in done.output
    assert "it changes by at most" in done.output and "fall.html" in done.output
    end = ch.load("planar_2r").simulate([0.3, 0.2], [0.0, 0.0], duration=0.1).q[-1]
    for name, x in zip(("joint1", "joint2"), end, strict=True):
        assert [line for line in done.output.splitlines() if line.startswith(name) and f"{x:.4g} rad" in line]
    assert '"motion": {"rows"' in (tmp_path / "fall.html").read_text()


def test_json_and_the_motion_as_a_file(simulate, tmp_path):
    options = ("--seconds", 0.02, "--dt", 0.002, "--method", "variational", "--qd", "1 0")
    done = simulate("planar_2r", *options, "--json", "--save", "motion.npz", "-o", "p.html")
    found = json.loads(done.stdout)
    kept = ch.Trajectory.load(tmp_path / "motion.npz", ch.load("planar_2r"))
    assert found["page"] == str(tmp_path / "p.html") and found["bytes"] == (tmp_path / "p.html").stat().st_size
    assert found["doubts"] == [] and found["stops"] is False
    assert found["samples"] == len(kept) == 11 and found["method"] == "variational" and found["ended"] is None
    assert list(found["q"].values()) == kept.q[-1].tolist() and kept.qd[0].tolist() == [1.0, 0.0]
    assert found["energy"]["largest_change"] == pytest.approx(np.abs(kept.energy - kept.energy[0]).max())


def test_it_begins_within_the_limits(simulate, tmp_path):
    link, limits = ch.Link(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1)), {"lower": [0.5], "upper": [1.0]}
    made = ch.Robot.from_screws([ch.screw((0, 1, 0))], [np.eye(4)], [link], limits=limits)
    made.to_toml(tmp_path / "door.toml")
    done = simulate("door.toml", "--seconds", 0.002, "--save", "motion.npz", "-o", "p.html")
    assert done.exit_code == 0, done.output
    assert ch.Trajectory.load(tmp_path / "motion.npz").q[0].tolist() == [0.75]


def test_files_that_exist_stay_unless_told(simulate, tmp_path):
    for name, option in (("page.html", "-o"), ("motion.npz", "--save")):
        (tmp_path / name).write_text("mine")
        done = simulate("planar_2r", "--seconds", 0.01, option, name)
        assert done.exit_code == 1 and "--overwrite" in done.output and (tmp_path / name).read_text() == "mine"
        assert simulate("planar_2r", "--seconds", 0.01, option, name, "--overwrite").exit_code == 0
        assert (tmp_path / name).read_bytes() != b"mine"


def test_a_motion_that_explodes_is_shown_as_far_as_it_goes(simulate, tmp_path):
    options = ("--seconds", 20, "--dt", 0.5, "--q", "0.3 0.2", "--qd", "30 50", "--json", "-o", "p.html")
    done = simulate("planar_2r", *options)
    assert done.exit_code == 1 and "grows without bound" in done.stderr
    found = json.loads(done.stdout)
    assert found["ended"] and found["seconds"] < 20 and (tmp_path / "p.html").exists()


@pytest.mark.parametrize(
    "options, said",
    [
        (("--q", "1 two"), "--q: 'two' is no number"),
        (("--q", "1"), "q must have shape (..., 2)"),
        (("--seconds", "0"), "--seconds must be a positive number of seconds"),
        (("--method", "rk5"), "method must be one of"),
        (("--dt", "-1"), "--dt must be a positive number of seconds"),
        (("--folder", "new"), "--folder must be a folder, and 'new' is none"),
        (("--save", "new/motion.npz"), "--save: there is no folder 'new'"),
        (("--save", "motion.txt"), "--save must end in .npz, .csv, .parquet"),
    ],
)
def test_mistakes_are_one_line(simulate, tmp_path, options, said):
    done = simulate("planar_2r", *options)
    assert done.exit_code == 1 and said in " ".join(done.output.split()) and "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []
