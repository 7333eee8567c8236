"""What a moving page tells in a real browser: numbers of one time, why nothing moves, how much it computes."""

import numpy as np
import pytest
from support.browser_frames import FRAMES, frames, opened, written
from support.floating import floating

import chasles as ch

pytestmark = pytest.mark.system
LEGENDS = """() => openPlots().map((plot) => plot.values.map(({ value }, c) =>
  [value.textContent, digits(plot.valueAt(c, player.time), "")]))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def swing(folder):
    motion = ch.load("planar_2r").simulate([0.3, 0.2], [0.0, 0.0], duration=2.0, dt=0.005)
    return written(motion.page(), folder / "swing.html")


def told(shown):
    return [pair for plot in shown.evaluate(LEGENDS) for pair in plot]


def test_a_pause_tells_all_numbers(browser, swing):
    with opened(browser, swing) as shown:
        assert all(text == wanted for text, wanted in told(shown))
        for count in (23, 24, 26):
            shown.locator("#play").click()
            frames(shown, count)
            assert shown.evaluate("player.running")
            shown.locator("#play").click()
            shown.evaluate(FRAMES, 1)
            assert len(told(shown)) == 7 and all(text == wanted for text, wanted in told(shown))


TOGETHER = """(count) => { const calls = [0, 0, 0];
  const numbers = showNumbers, tell = Plot.prototype.tell;
  showNumbers = () => { calls[0]++; numbers(); };
  Plot.prototype.tell = function (t) { calls[1]++; return tell.call(this, t); };
  for (let k = 0; k < count; k++) {
    const before = [...calls];
    clock += 16;
    whenFrame.forEach((one) => one(clock));
    if (calls[0] - before[0] !== (calls[1] - before[1]) / openPlots().length) calls[2]++;
  }
  [showNumbers, Plot.prototype.tell] = [numbers, tell];
  return calls; }"""


@pytest.mark.parametrize("button", ["#play", "#fall"])
def test_panel_and_plots_tell_the_same_state(browser, swing, button):
    """In the same frames, and not in each."""
    with opened(browser, swing) as shown:
        shown.locator(button).click()
        frames(shown, 20)
        panel, plots, alone = shown.evaluate(TOGETHER, 40)
        assert 6 <= panel <= 10 and plots > panel and alone == 0


CURSOR = """() => openPlots().some(({ over: { width, height }, over }) => {
  const paint = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  paint.drawImage(over, 0, 0);
  return paint.getImageData(0, 0, width, height).data.some((x) => x > 0); })"""


def test_a_pose_by_hand_is_at_no_time_of_the_motion(browser, swing):
    with opened(browser, swing) as shown:
        assert shown.evaluate(CURSOR)
        shown.locator("#reset").click()
        shown.evaluate(FRAMES, 1)
        assert not shown.evaluate(CURSOR) and {text for text, _ in told(shown)} == {""}
        shown.locator("#play").click()
        frames(shown, 1)
        assert shown.evaluate(CURSOR)


def turned(gravity, *more):
    """A joint about z that turns a body, and others with point masses on its axis."""
    point, body = ch.Link(1.0, (0.0, 0.0, 0.0), (0, 0, 0)), ch.Link(1.0, (1.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    screws = [[0, 0, 1, 0, 0, 0], *more]
    links = [point] * len(screws) if more else [body]
    return ch.Robot.from_screws(screws, [np.eye(4)] * len(screws), links, gravity=gravity)


def test_what_no_force_moves_is_said(browser, folder):
    with opened(browser, written(turned((0.0, 0.0, -9.81)).page(), folder / "level.html")) as shown:
        shown.locator("#fall").click()
        assert "No force moves it" in shown.locator("#told").inner_text()
    with opened(browser, written(turned((0.0, -9.81, 0.0)).page(), folder / "upright.html")) as shown:
        shown.locator("#fall").click()
        assert shown.locator("#told").is_hidden()


def test_a_mass_matrix_that_is_singular_is_said_to_be(browser, folder):
    """A point mass on a slide through the axis that turns it."""
    robot = turned((0.0, -9.81, 0.0), [0, 0, 0, 1, 0, 0])
    with opened(browser, written(robot.page([0.3, 0.0]), folder / "singular.html")) as shown:
        shown.locator("#fall").click()
        frames(shown, 2)
        assert "the mass matrix is singular in this pose" in shown.locator("#told").inner_text()
        shown.evaluate("setState([0.3, 1.0])")
        shown.evaluate("() => { setMode('still'); state.v.fill(1e200); }")
        shown.locator("#fall").click()
        frames(shown, 2)
        assert "it moves too fast for the step" in shown.locator("#told").inner_text()


SLOW = """(frame) => { const own = performance.now;
  let ticks = 0;
  performance.now = () => ticks++;
  const begun = fall.time;
  before = clock;
  advance((clock += frame));
  performance.now = own;
  return fall.time - begun; }"""


def test_computing_takes_a_share_of_the_time_of_a_frame(browser, swing):
    """Steps that take a millisecond each: of frames of 16 ms at least nine, of 100 ms sixty."""
    with opened(browser, swing) as shown:
        shown.locator("#fall").click()
        frames(shown, 20)
        assert 0.008 < shown.evaluate(SLOW, 16) < 0.013
        assert 0.055 < shown.evaluate(SLOW, 100) < 0.065
        paces = shown.evaluate("""() => [1e-4, 0.05].map((rate) => {
          [pace.since, pace.time] = [0, fall.time - 2 * rate];
          tellPace(2000);
          return document.getElementById("hint").textContent; })""")
        assert "below 0.01\u00d7" in paces[0] and "0.05\u00d7" in paces[1]


def test_a_base_that_floats_has_no_ground(browser, folder):
    robot = floating()
    with opened(browser, written(robot.page(), folder / "floats.html")) as shown:
        shown.locator("#fall").click()
        assert "it falls freely" in shown.locator("#hint").inner_text()


def test_curves_hidden_in_one_record_are_shown_in_another(browser, swing):
    with opened(browser, swing) as shown:
        shown.locator('.plot[data-key="q"] .legend button').first.click()
        assert shown.evaluate("plots.q.hidden.size") == 1
        shown.evaluate("plots.q.show({ ...player.source.panels.q, names: ['a', 'b'] })")
        assert shown.evaluate("plots.q.hidden.size") == 0
        assert shown.locator('.plot[data-key="q"] .legend button[aria-pressed="false"]').count() == 0


def test_legends_of_many_joints_are_short_and_say_how_many(browser, folder):
    names = [f"robot_arm_{k}_joint" for k in range(11)]
    links = [ch.Link(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))] * 11
    homes = np.stack([np.eye(4)] * 11)
    homes[:, 0, 3] = 0.1 * np.arange(11)
    screws = [ch.screw((0, 1, 0), home[:3, 3]) for home in homes]
    robot = ch.Robot.from_screws(screws, homes, links, joint_names=names)
    motion = robot.simulate(np.zeros(11), np.zeros(11), duration=0.02, dt=0.01)
    with opened(browser, written(motion.page(), folder / "many.html")) as shown:
        plot = shown.locator('.plot[data-key="q"]')
        assert plot.locator("h3").inner_text() == "Joints rad, 11 curves"
        assert plot.locator(".legend span").all_inner_texts() == [str(k) for k in range(11)]
        assert plot.locator(".legend button").first.get_attribute("title") == names[0]
        assert "curves" not in shown.locator('.plot[data-key="energy"] h3').inner_text()


@pytest.mark.parametrize(("size", "plots"), [((1280, 800), 3), ((1000, 600), 1), ((844, 390), 0)])
def test_low_windows_have_fewer_plots(browser, swing, size, plots):
    with browser.open(swing, size) as shown:
        assert shown.locator(".plot:visible").count() == plots
