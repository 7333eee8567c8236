"""The page in a real browser: it shows the robot, computes what the library computes, and follows the hand."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.view import page

pytestmark = pytest.mark.system


@pytest.fixture
def panda(tmp_path):
    path = tmp_path / "panda.html"
    path.write_text(page(ch.load("panda")).html, encoding="utf-8")
    return path


def test_a_slider_moves_the_arm_and_the_torques(browser, panda):
    with browser.open(panda) as shown:
        shown.locator("#joint1").fill("0.5")
        q = np.array(shown.evaluate("Array.from(state.q)"))
        tau = np.array(shown.evaluate("Array.from(state.tau)"))
    assert q.tolist() == [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert close(tau, ch.load("panda").gravity_forces(q), 1e-9, scale=1.0)
