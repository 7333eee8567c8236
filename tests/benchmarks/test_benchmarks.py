"""The benchmarks run: their figures are made, and are written where asked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "benchmarks" / "run.py"


@pytest.mark.slow
def test_quick(tmp_path):
    path = tmp_path / "results.json"
    done = subprocess.run(
        [sys.executable, str(RUN), "--quick", "--json", str(path)], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    results = json.loads(path.read_text())
    assert results["machine"]["cpu"] and results["machine"]["pin"] and results["settings"]["quick"]
    figures = [figure for section in results["figures"].values() for figure in section]
    assert all(figure["value"] > 0.0 for figure in figures)
    assert sum(figure["target"] is not None for figure in figures) >= 15
    counts = [figure for figure in figures if figure["target"] and figure["name"].endswith("(example-robot-data)")]
    assert len(counts) == 2 and all(figure["ok"] for figure in counts)  # times are the machine's, these are ours
