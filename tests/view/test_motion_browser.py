"""Motions in a real browser: they play, scrub and plot in step; robots and loops fall as the library lets them."""

import json

import numpy as np
import pytest
from support.browser_frames import FRAMES, frames, opened, written
from support.four_bar import four_bar, state
from support.tolerances import close

import chasles as ch
from chasles.view.falling import STEP
from chasles.view.page import page_of as page

pytestmark = pytest.mark.system
BENT = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.78])


def numbers(shown, what):
    return np.array(shown.evaluate(f"Array.from({what})"))


@pytest.fixture(scope="module")
def recorded():
    robot = ch.load("panda")
    return robot.simulate(
        BENT, np.zeros(7), lambda t, q, qd: robot.gravity_forces(q) + np.sin(3.0 * t), duration=2.0, dt=2e-3
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def panda(recorded, folder):
    return written(recorded.page(), folder / "panda.html")


@pytest.fixture(scope="module")
def bars(folder):
    return written(page(four_bar(), state()[0]), folder / "bars.html")


def test_play_plays_what_the_trajectory_is(browser, panda, recorded):
    with opened(browser, panda) as shown:
        assert shown.locator("#player").is_visible()
        assert numbers(shown, "state.q").tolist() == recorded.q[0].tolist()
        shown.locator("#play").click()
        frames(shown, 20)
        times = []
        for _ in range(3):
            shown.evaluate(FRAMES, 15)
            t, q, v, tau = shown.evaluate("[player.time, [...state.q], [...state.v], [...state.tau]]")
            wanted = recorded(t)
            assert close(np.array(q), wanted[0], 1e-9) and close(np.array(v), wanted[1], 1e-9)
            at = [np.interp(t, recorded.t, column) for column in recorded.tau.T]
            assert close(np.array(tau), np.array(at), 1e-9)
            times.append(t)
        assert float(shown.locator("#clock").inner_text().split()[0]) > 0.3
        assert 0.3 < times[0] < times[1] < times[2] and shown.evaluate("state.mode") == "playing"
        shown.locator("#play").click()
        paused = shown.evaluate("player.time")
        shown.evaluate(FRAMES, 5)
        assert shown.evaluate("player.time") == paused


def test_speed_loop_and_steps(browser, panda, recorded):
    with opened(browser, panda) as shown:
        shown.locator("#speed").select_option("4")
        shown.evaluate("seek(0)")
        shown.locator("#play").click()
        shown.evaluate("() => { player.time = 0; }")
        frames(shown, 20)
        assert abs(shown.evaluate("player.time") - 4 * 0.32) < 0.02
        shown.evaluate(FRAMES, 20)
        assert shown.evaluate("player.time") < 1.0 and shown.evaluate("player.running")  # begun again
        shown.locator("#loop").click()
        shown.evaluate(FRAMES, 40)
        assert shown.evaluate("[player.time, player.running]") == [2.0, False]
        shown.locator("#back").click()
        assert close(shown.evaluate("player.time"), recorded.t[-2], 1e-12)
        shown.locator("#next").click()
        assert shown.evaluate("player.time") == 2.0
        shown.evaluate("seek(0.5011)")
        shown.locator("#next").click()
        assert close(shown.evaluate("player.time"), 0.502, 1e-12)
        assert close(numbers(shown, "state.q"), recorded.q[251], 1e-12)


def test_scrubbing_by_the_slider_and_on_the_plots(browser, panda, recorded):
    with opened(browser, panda) as shown:
        shown.locator("#time").fill("1.25")
        assert close(numbers(shown, "state.q"), recorded(1.25)[0], 1e-9)
        shown.evaluate(FRAMES, 1)
        assert "1.25 / 2.00 s" in shown.locator("#clock").inner_text()
        box = shown.locator('.plot[data-key="energy"] .box').bounding_box()
        x, y = box["x"] + 0.3 * box["width"], box["y"] + 40
        shown.mouse.move(x, y)
        shown.mouse.down()
        first = shown.evaluate("player.time")
        shown.mouse.move(x + 60, y)
        shown.mouse.up()
        second = shown.evaluate("player.time")
        shown.mouse.move(x + 90, y)
        assert 0.0 < first < second < 2.0 and shown.evaluate("player.time") == second
        assert close(numbers(shown, "state.q"), recorded(second)[0], 1e-9)


PIXELS = """(selector) => { const canvas = document.querySelector(selector);
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const paint = copy.getContext("2d", { willReadFrequently: true });
  paint.drawImage(canvas, 0, 0);
  const { data } = paint.getImageData(0, 0, canvas.width, canvas.height);
  let left = canvas.width, count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 100) { count++; left = Math.min(left, (i / 4) % canvas.width); }
  }
  return [count, left, canvas.width, canvas.getBoundingClientRect().width]; }"""


def test_plots_are_drawn_and_their_cursor_is_in_step(browser, panda, recorded):
    with opened(browser, panda) as shown:
        for key in ("q", "tau", "energy"):
            count, _, wide, width = shown.evaluate(PIXELS, f'.plot[data-key="{key}"] canvas.curves')
            assert count > 1000 and wide == round(width)
        places = []
        for t in (0.5, 1.5):
            shown.evaluate(f"seek({t})")
            shown.evaluate(FRAMES, 1)
            places.append(shown.evaluate(PIXELS, '.plot[data-key="energy"] canvas.cursor')[1])
            told = shown.locator('.plot[data-key="energy"] .legend output').all_inner_texts()
            wanted = np.interp(t, recorded.t, recorded.energy)
            assert abs(float(told[2].replace("\u2212", "-")) - wanted) < 0.06 * max(1.0, abs(wanted))
        assert places[1] > places[0] + 50
        before = shown.evaluate(PIXELS, '.plot[data-key="q"] canvas.curves')[0]
        shown.locator('.plot[data-key="q"] .legend button').first.click()
        assert shown.evaluate(PIXELS, '.plot[data-key="q"] canvas.curves')[0] != before
        assert shown.locator('.plot[data-key="qd"]').count() == 0
        shown.locator('.panels button[data-key="qd"]').click()
        assert shown.evaluate(PIXELS, '.plot[data-key="qd"] canvas.curves')[0] > 1000


def test_a_falling_arm_is_that_of_the_library(browser, folder):
    """Its states are those of `step` again and again; without stops its energy stays."""
    robot = ch.load("panda")
    with opened(browser, written(robot.page(BENT), folder / "falls.html")) as shown:
        assert shown.locator("#player").is_hidden()
        shown.locator("#stops").click()
        shown.locator("#fall").click()
        frames(shown, 60)
        t = numbers(shown, "fall.t.subarray(0, fall.count)")
        q = numbers(shown, "fall.q.subarray(0, 7 * fall.count)").reshape(-1, 7)
        energy = numbers(shown, "fall.panels.energy.values.subarray(2 * ROOM, 2 * ROOM + fall.count)")
        assert 0.5 < t[-1] < 1.2 and shown.evaluate("state.mode") == "falling"
        assert shown.locator("#player").is_visible()
        x, v, k = BENT, np.zeros(7), 0
        for step in range(501):
            if abs(t[k] - step * STEP) < 1e-9:
                assert close(q[k], x, 1e-9)
                k += 1
            x, v = robot.step(x, v, dt=STEP)
        assert k > 40 and np.abs(energy - energy[0]).max() < 1e-4 * abs(energy[0])
        shown.locator("#fall").click()
        at = float(t[np.abs(t - 0.25).argmin()])  # between frames it is an interpolation
        shown.evaluate(f"seek({at})")
        assert close(shown.evaluate("state.v[3]"), robot.simulate(BENT, 0 * BENT, duration=at).qd[-1][3], 1e-6)
        shown.locator("#fall").click()  # goes on from there
        frames(shown, 3)
        assert at < shown.evaluate("fall.time") < at + 0.25 and shown.evaluate("fall.t[fall.count - 1]") >= at


MADE = """() => { let made = 0;
  whenChanged.length = 0;
  const own = Float64Array;
  const begun = fall.time;
  globalThis.Float64Array = new Proxy(own, { construct: (kind, given) => { made++; return new kind(...given); } });
  for (let k = 0; k < 10; k++) advance((clock += 16));
  globalThis.Float64Array = own;
  return [made, fall.time - begun]; }"""


@pytest.mark.parametrize("name", ["held", "bars"])
def test_steps_make_no_arrays(browser, folder, bars, name):
    path = bars if name == "bars" else written(ch.load("planar_2r").page([0.3, 0.2]), folder / "arrays.html")
    with opened(browser, path) as shown:
        if name == "held":
            shown.locator("#hold").click()
        shown.locator("#fall").click()
        frames(shown, 2)
        made, passed = shown.evaluate(MADE)
        assert made == 0 and passed > 0.1


def test_stops_hold_and_a_hand(browser, folder):
    robot = ch.load("panda")
    with opened(browser, written(robot.page(BENT), folder / "held.html")) as shown:
        shown.locator("#fall").click()
        frames(shown, 150)
        q = numbers(shown, "state.q")
        over = np.maximum(q - robot.limits["upper"], robot.limits["lower"] - q)
        energies = numbers(shown, "fall.panels.energy.values.subarray(2 * ROOM, 2 * ROOM + fall.count)")
        assert over.max() < 0.2 and energies[-1] < energies[0]
        shown.locator("#reset").click()
        shown.locator("#hold").click()
        shown.locator("#fall").click()
        frames(shown, 60)
        assert close(numbers(shown, "state.q"), BENT, 1e-3, scale=1.0)
        shown.evaluate("() => { pulled = { at: 6, own: new THREE.Vector3(), to: new THREE.Vector3(0.2, 0.4, 0.6) }; }")
        frames(shown, 250)
        there = np.array(shown.evaluate("pulled.x.toArray()"))
        J = np.array(shown.evaluate("columnsOf(6, pulled.x, null, true).map(({ k, rows }) => [k, ...rows])"))
        frame = robot.mechanism.link_names[6]
        wanted = robot.jacobian(numbers(shown, "state.q"), frame, "mixed")[[3, 4, 5, 0, 1, 2]]
        assert close(J[np.argsort(J[:, 0]), 1:].T, wanted, 1e-6)
        assert np.linalg.norm(there - [0.2, 0.4, 0.6]) < 0.02
        assert close(there, robot.forward_kinematics(numbers(shown, "state.q"), frame)[:3, 3], 1e-3)
        assert np.abs(numbers(shown, "state.tau")).max() > 1.0


def test_numbers_that_are_not_finite_are_told(browser, folder):
    with opened(browser, written(ch.load("planar_2r").page(), folder / "broken.html")) as shown:
        shown.evaluate("() => { state.v.fill(1e200); }")
        shown.locator("#fall").click()
        frames(shown, 5)
        assert "did not stay finite" in shown.locator("#told").inner_text()
        assert shown.evaluate("state.q.every(Number.isFinite)") and shown.evaluate("state.mode") != "falling"


REWRITTEN = """(count) => { let times = 0;
  const own = showMultipliers;
  showMultipliers = () => { times++; own(); };
  for (let k = 0; k < count; k++) { clock += 16; whenFrame.forEach((one) => one(clock)); }
  showMultipliers = own;
  return times; }"""


def test_a_four_bar_stays_closed(browser, bars):
    """While it falls, and under its sliders, which stop where the others cannot follow."""
    loop = four_bar()
    with opened(browser, bars) as shown:
        for x in (1.6, 2.5, 3.0, -1.0):
            shown.locator("#joint0").fill(str(x))
            q = numbers(shown, "state.q")
            assert np.abs(loop.residual(q)).max() < 1e-9 and close(q[0], x, 1e-9)
        shown.locator("#joint2").fill("0.5")  # no such pose of the loop
        q = numbers(shown, "state.q")
        assert np.abs(loop.residual(q)).max() < 1e-9 and q[2] < 0.4
        assert np.abs(loop.forward_dynamics(q, 0 * q, numbers(shown, "state.tau")).qdd).max() < 1e-6
        shown.locator("#reset").click()
        shown.locator("#fall").click()
        frames(shown, 60)
        q, v, t = numbers(shown, "state.q"), numbers(shown, "state.v"), shown.evaluate("fall.time")
        assert np.abs(loop.residual(q)).max() < 1e-9 and t > 0.5
        wanted = loop.simulate(state()[0], np.zeros(3), duration=t, dt=STEP)
        assert close(q, wanted.q[-1], 1e-8) and close(v, wanted.qd[-1], 1e-7)
        told = loop.forward_dynamics(q, v, np.zeros(3)).multipliers
        assert close(numbers(shown, "reactions(state.q, state.v, state.tau)"), told, 1e-9)
        texts = shown.locator("#multipliers .row").all_inner_texts()
        assert len(texts) == len(loop.row_names) and all(text.strip().endswith(" N") for text in texts)
        assert shown.evaluate(REWRITTEN, 40) in (7, 8, 9)  # of 40 frames: once in five
        shown.locator("#reset").click()
        assert shown.evaluate(REWRITTEN, 40) == 1
        assert close(np.array(shown.evaluate("marks[0].position.toArray()")), [0.45, 0.0, 0.0], 1e-6)


def quadruped():
    """A body on four legs of three joints each."""
    screws, homes, parents, names = [np.zeros(6)], [np.eye(4)], [-1], ["body"]
    links = [ch.Link(10.0, inertia=(0.2, 0.5, 0.6))]
    for side, x, y in (("fl", 0.3, 0.15), ("fr", 0.3, -0.15), ("hl", -0.3, 0.15), ("hr", -0.3, -0.15)):
        for part, axis, z in (("hip", (1, 0, 0), 0.0), ("thigh", (0, 1, 0), 0.0), ("knee", (0, 1, 0), -0.25)):
            T = np.eye(4)
            T[:3, 3] = (x, y, z)
            parents.append(0 if part == "hip" else len(links) - 1)
            screws.append(ch.screw(axis, T[:3, 3]))
            homes.append(T)
            links.append(ch.Link(0.5, (0.0, 0.0, -0.1), (0.003, 0.003, 0.001)))
            names.append(f"{side} {part}")
    kinds = ["free", *["screw"] * 12]
    return ch.Robot.from_screws(screws, homes, links, parents, kinds=kinds, joint_names=names, name="quadruped")


def test_a_quadruped_falls(browser, folder):
    robot = quadruped()
    with opened(browser, written(robot.page(), folder / "quadruped.html")) as shown:
        shown.locator("#fall").click()
        frames(shown, 30)
        q, t = numbers(shown, "state.q"), shown.evaluate("fall.time")
        assert close(q[2], -9.81 * t * t / 2, 1e-9) and abs(np.linalg.norm(q[3:7]) - 1.0) < 1e-12


def test_others_of_a_batch_are_ghosts(browser, folder):
    start = np.linspace([0.5, 0.0], [1.0, 0.2], 3)
    batch = ch.load("planar_2r").rollout(start, 0 * start, dt=0.01, steps=100)
    with opened(browser, written(batch.page(), folder / "batch.html")) as shown:
        shown.evaluate("seek(0.5)")
        shown.evaluate(FRAMES, 1)
        assert close(numbers(shown, "state.q"), batch.row(0)(0.5)[0], 1e-9)
        assert shown.evaluate("ghosts.length") == 2
        shown.locator("#record").select_option(index=2)
        assert close(numbers(shown, "state.q"), batch.row(2)(0.5)[0], 1e-9)


def test_a_frame_of_a_falling_arm_is_short(browser, folder):
    """All of a frame but the drawing by the graphics card: median at most 4 ms, 95 % at most 8 ms of processor time."""
    with opened(browser, written(ch.load("panda").page(BENT), folder / "fast.html")) as shown:
        shown.locator("#fall").click()
        frames(shown, 60)
        session = shown.context.new_cdp_session(shown)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # what others take of the machine is left out

        def passed():
            found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            return 1e3 * found["TaskDuration"]

        rounds = []
        for _ in range(3):
            took = []
            for _ in range(60):
                start = passed()
                shown.evaluate(FRAMES, 1)
                took.append(passed() - start)
            rounds.append((np.median(took), np.quantile(took, 0.95)))
    median, most = np.min(rounds, axis=0)  # of a machine that others use too
    print(json.dumps({"median ms": median, "95 % ms": most}))
    assert median <= 4.0 and most <= 8.0
