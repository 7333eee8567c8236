"""The page in a real browser: it shows the robot, computes what the library computes, and follows the hand."""

from functools import cache
from html import escape
from io import BytesIO

import numpy as np
import pytest
from support.browser import DESKTOP, PHONE
from support.tolerances import close
from support.urdf_text import example_files

import chasles as ch
from chasles.view.page import page_of as page

pytestmark = pytest.mark.system
READY = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.78])  # of a Panda


@cache
def robot(name):
    if name == "solo12":
        return ch.load(example_files()["solo_description/robots/solo12.urdf"]).with_base("free")
    if name == "talos":
        return ch.load(example_files()["talos_data/robots/talos_reduced.urdf"])
    return ch.load(name)


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Pages by the names of robots, made once; drawn from screws alone."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def path(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            text = page(robot(name), READY if name == "panda" else None, meshes=False).html
            made[name].write_text(text, encoding="utf-8")
        return made[name]

    return path


def numbers(shown, expression):
    return np.array(shown.evaluate(f"Array.from({expression}, Number)"), dtype=float)


def picture(shown, clip=None):
    """(height, width, 3) of what is on the screen."""
    from PIL import Image

    data = shown.screenshot(clip=clip)
    return np.asarray(Image.open(BytesIO(data)).convert("RGB"), dtype=int)


def blue(image):
    """Where the joints of a robot are seen: pixels that are far more blue than red."""
    return (image[..., 2] - image[..., 0] > 60) & (image[..., 2] > 80)


def read(text):
    """The number that a text of the page begins with."""
    return float(text.split()[0].replace("\u2212", "-"))


def settle(shown):
    shown.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", ["panda", "talos", "solo12"])
def test_a_slider_moves_the_robot_and_the_forces_are_the_librarys(browser, pages, name):
    with browser.open(pages(name)) as shown:
        before = picture(shown)
        k = robot(name).n - 3
        shown.evaluate(f"document.getElementById('joint{k}').closest('details')?.setAttribute('open', '')")
        low, high = (float(shown.locator(f"#joint{k}").get_attribute(key)) for key in ("min", "max"))
        shown.locator(f"#joint{k}").fill(str(0.7 * low + 0.3 * high))
        settle(shown)
        q, tau = numbers(shown, "state.q"), numbers(shown, "state.tau")
        poses = numbers(shown, "links.flatMap((group) => group.matrix.clone().transpose().elements)").reshape(-1, 4, 4)
        text = shown.locator(".row .force span").nth(k).text_content()
        after = picture(shown)
    assert close(q[-3], 0.7 * low + 0.3 * high, 1e-12, scale=1.0)
    assert close(poses, robot(name).link_poses(q), 1e-12, scale=1.0)
    assert close(tau, robot(name).gravity_forces(q), 1e-9, scale=1.0)
    assert abs(read(text) - tau[k]) <= 0.006 * abs(tau[k]) + 1e-9
    changed = np.abs(after - before).max(axis=-1)[:, :900] > 30
    assert changed.sum() > 200, "the picture did not change"


def test_sliders_of_a_free_joint_turn_and_move_it(browser, pages):
    with browser.open(pages("solo12")) as shown:
        for k, x in ((0, 0.3), (2, -0.4), (3, 0.1), (5, 0.2)):
            shown.locator(f"#joint{k}").fill(str(x))
        settle(shown)
        q, tau = numbers(shown, "state.q"), numbers(shown, "state.tau")
        value = shown.locator(".row .value").nth(2).input_value()
    assert close(q[:3], [0.1, 0.0, 0.2], 1e-12, scale=1.0) and value == "\u22120.400 rad"
    assert close(q[3:7], [0.6 * np.sin(0.25), 0.0, -0.8 * np.sin(0.25), np.cos(0.25)], 1e-12, scale=1.0)
    assert close(tau, robot("solo12").gravity_forces(q), 1e-9, scale=1.0)


def test_the_picture_shows_a_robot_and_not_an_empty_canvas(browser, pages):
    with browser.open(pages("panda")) as shown:
        settle(shown)
        full = picture(shown)[:, :900]
        shown.evaluate("links.forEach((group) => (group.visible = false)); stale = true")
        settle(shown)
        empty = picture(shown)[:, :900]
    assert blue(full).sum() > 5_000 and len(np.unique(full.reshape(-1, 3), axis=0)) > 200
    assert blue(empty).sum() < 0.05 * blue(full).sum()
    rows, columns = np.nonzero(blue(full))
    assert columns.min() > 50 and columns.max() < 880 and rows.min() > 30 and rows.max() < 780


@pytest.mark.parametrize("touch", [False, True])
def test_the_tool_follows_the_pointer(browser, pages, touch):
    with browser.open(pages("panda"), touch=touch) as shown:
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.move(x, y)
        shown.mouse.down()
        for k in (5, 30, 60, 90):
            shown.mouse.move(x - k, y - 0.7 * k)
            at = shown.evaluate("onScreen(tipPoint(handles[0]))")
            assert np.hypot(at[0] - (x - k), at[1] - (y - 0.7 * k)) < 2.0
        shown.mouse.up()
        q = numbers(shown, "state.q")
        assert np.abs(q - READY).max() > 0.1
        assert close(numbers(shown, "found.tool").reshape(4, 4), robot("panda").forward_kinematics(q), 1e-12, scale=1.0)


WAYS = """(places) => places.map(([clientX, clientY]) => {
  view.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, buttons: 1, pointerType: "mouse" }));
  return Array.from(state.q);
})"""


def test_a_pull_out_of_reach_stretches_smoothly_and_within_limits(browser, pages):
    with browser.open(pages("panda")) as shown:
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.move(x, y)
        shown.mouse.down()
        ways = np.array(shown.evaluate(WAYS, [[x + 6 * k, max(5, y - 5 * k)] for k in range(61)]))
        shown.mouse.up()
        point = np.array(shown.evaluate("tipPoint(handles[0]).toArray()"))
    lower, upper = robot("panda").mechanism.position_limits
    assert np.isfinite(ways).all() and (ways >= lower - 1e-9).all() and (ways <= upper + 1e-9).all()
    assert np.abs(np.diff(ways, axis=0)).max() < 0.6, "a jump"
    assert np.linalg.norm(point - [0.0, 0.0, 0.333]) > 0.75, "it does not stretch"


def test_a_link_that_is_dragged_turns_its_own_joint(browser, pages):
    with browser.open(pages("panda")) as shown:
        place = "onScreen(new THREE.Vector3(0, 0, 0.1).applyMatrix4(links[0].matrix).lerp(tipPoint(handles[0]), 0.02))"
        x, y, _ = shown.evaluate(place.replace("links[0]", "links[6]").replace("0, 0, 0.1", "0, 0, 0.07"))
        shown.mouse.move(x, y)
        assert shown.locator("#labels .hover").is_visible()
        shown.mouse.down()
        shown.mouse.move(x + 25, y + 4, steps=2)
        shown.mouse.up()
        moved = np.abs(numbers(shown, "state.q") - READY) > 1e-9
    assert moved.tolist() == [False] * 6 + [True]


def test_tips_of_a_tree_can_be_dragged(browser, pages):
    with browser.open(pages("solo12")) as shown:
        q0 = numbers(shown, "state.q")
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.move(x, y)
        shown.mouse.down()
        shown.mouse.move(x + 12, y - 25, steps=3)
        at = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.up()
        moved = np.abs(numbers(shown, "state.q") - q0) > 1e-9
    assert np.hypot(at[0] - x - 12, at[1] - y + 25) < 4.0
    assert moved[7:10].any() and not moved[:7].any() and not moved[10:].any()


def test_a_ring_turns_with_shift(browser, pages):
    with browser.open(pages("panda")) as shown:
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        before = numbers(shown, "found.tool").reshape(4, 4)
        shown.mouse.move(x, y)
        shown.keyboard.down("Shift")
        shown.mouse.down()
        shown.mouse.move(x + 40, y, steps=2)
        shown.mouse.up()
        after = numbers(shown, "found.tool").reshape(4, 4)
    angle = np.arccos((np.trace(before[:3, :3].T @ after[:3, :3]) - 1.0) / 2.0)
    assert 0.2 < angle < 0.45 and np.linalg.norm(after[:3, 3] - before[:3, 3]) < 0.01


def test_numbers_can_be_typed_and_wrong_ones_are_answered(browser, pages):
    with browser.open(pages("panda")) as shown:
        value, answer = shown.locator(".row .value").nth(1), shown.locator(".row .answer").nth(1)
        for text, expected in (("0.5", 0.5), ("30\u00b0", np.pi / 6), ("-pi/4", -np.pi / 4), ("\u22120,25", -0.25)):
            value.fill(text)
            value.press("Enter")
            assert close(numbers(shown, "state.q")[1], expected, 1e-12, scale=1.0)
        for text, said in (
            ("abc", "a number"),
            ("", "a number"),
            ("9", "from \u22121.76 rad to 1.76 rad"),
            ("1 m", "a number"),
        ):
            value.fill(text)
            value.press("Enter")
            assert said in answer.text_content() and answer.is_visible()
            assert numbers(shown, "state.q")[1] == -0.25
        value.press("Escape")
        assert not answer.is_visible()
        shown.get_by_label("Angles in radians: change to degrees").click()
        assert value.input_value() == "\u221214.3\u00b0"
        value.fill("90")
        value.press("Enter")
        assert close(numbers(shown, "state.q")[1], np.pi / 2, 1e-12, scale=1.0)


def test_numbers_have_three_digits_whatever_their_size(browser, pages):
    sizes = (1.234e-8, 5.004e-4, 9.994e-4, 1.234e-3, 0.01234, 0.09996, 0.1, 9.999, 12.34, 123.4, 9.876e5, 1.234e6)
    values = [sign * x for x in sizes for sign in (1.0, -1.0)]
    with browser.open(pages("panda")) as shown:
        texts = shown.evaluate("(values) => values.map((x) => digits(x, 'm'))", values)
        nothing = shown.evaluate("[0, -0, 3e-10].map((x) => digits(x, 'm'))")
    assert nothing == ["0 m"] * 3
    for x, text in zip(values, texts, strict=True):
        assert abs(read(text) - x) <= 0.005001 * abs(x), text
        assert sum(map(str.isdigit, text.split()[0].split("e")[0].lstrip("\u22120."))) == (6 if "9876" in text else 3)


def test_a_force_beyond_the_effort_of_its_joint_is_marked(browser, pages):
    tau = robot("panda").gravity_forces(READY)
    with browser.open(pages("panda")) as shown:
        marked = "[...document.querySelectorAll('.force')].map((one) => one.classList.contains('over'))"
        assert shown.evaluate(marked) == [False] * 7
        shown.evaluate(f"DATA.effort[1] = {0.9 * abs(tau[1])}; DATA.effort[3] = {1.1 * abs(tau[3])}; changed()")
        settle(shown)
        assert shown.evaluate(marked) == [k == 1 for k in range(7)]


def test_a_theme_chosen_by_hand_stays(browser, pages):
    with browser.open(pages("panda")) as shown:
        theme = "document.documentElement.dataset.theme"
        for scheme in ("dark", "light"):
            shown.emulate_media(color_scheme=scheme)
            shown.wait_for_function(f"{theme} === '{scheme}'")
        shown.locator("#theme").click()
        for scheme in ("dark", "light"):
            shown.emulate_media(color_scheme=scheme)
            settle(shown)
            assert shown.evaluate(theme) == "dark"


FLOOR = "ground.position.dot(up)"
BASE = "new THREE.Box3().setFromObject(scene.getObjectByName('base')).min.z"


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_what_stands_stands_on_the_floor(browser, pages, name):
    with browser.open(pages(name)) as shown:
        assert abs(shown.evaluate(FLOOR) - shown.evaluate(BASE)) < 1e-6


def test_what_swings_has_the_floor_below_all_that_it_reaches(browser, tmp_path):
    path = tmp_path / "swing.html"
    path.write_text(page(robot("planar_2r"), [0.3, 0.1]).html, encoding="utf-8")
    with browser.open(path) as shown:
        assert shown.evaluate(FLOOR) < -shown.evaluate("size")


PLACE = "() => { const [x, y] = onScreen(mass.position); return [x / seen.width, y / seen.height]; }"


def test_a_robot_that_falls_stays_in_sight_and_can_be_framed_again(browser, pages):
    with browser.open(pages("solo12")) as shown:
        settle(shown)
        first = numbers(shown, "camera.position.toArray()")
        shown.evaluate("setMode('playing')")
        for k in range(40):
            shown.evaluate(f"(() => {{ const q = state.q.slice(); q[2] = {-0.005 * k**2}; setState(q); }})()")
            settle(shown)
            x, y = shown.evaluate(PLACE)
            assert 0.2 < x < 0.8 and 0.2 < y < 0.8, k
        assert first[2] - numbers(shown, "camera.position.toArray()")[2] > 5.0
        above = shown.evaluate("(mass.position.z - ground.position.z) / size")
        assert 0.0 <= above < 2.5 and "lower" in shown.locator("#scale").text_content()
        shown.locator("#reset").click()
        settle(shown)
        x, y = shown.evaluate(PLACE)
        assert 0.0 < x < 1.0 and 0.0 < y < 1.0
        shown.locator("#frame").click()
        framed = numbers(shown, "camera.position.toArray()")
        shown.evaluate("camera.position.addScalar(3)")
        shown.locator("#view").focus()
        shown.keyboard.press("f")
        assert close(numbers(shown, "camera.position.toArray()"), framed, 1e-6, scale=1.0)


def test_the_camera_rests_where_somebody_looks_at_something_else(browser, pages):
    with browser.open(pages("solo12")) as shown:
        shown.mouse.move(100, 700)
        shown.mouse.down(button="right")
        shown.mouse.move(100, 5, steps=3)
        shown.mouse.up(button="right")
        shown.wait_for_function("fromMiddle(mass.position) > 1")
        settle(shown)
        before = numbers(shown, "camera.position.toArray()")
        shown.evaluate("setMode('playing'); const q = state.q.slice(); q[2] = -30; setState(q)")
        settle(shown)
        assert np.linalg.norm(numbers(shown, "camera.position.toArray()") - before) < 1.0


def test_frames_leave_no_arrays_behind(browser, pages):
    """What follows from the state is written where it was before, and rings are placed without new vectors."""
    with browser.open(pages("panda")) as shown:
        assert shown.evaluate("(() => { const { links } = found; changed(); return links === found.links; })()")
        made = """() => {
          let made = 0;
          const { clone } = THREE.Vector3.prototype;
          THREE.Vector3.prototype.clone = function () { made++; return clone.call(this); };
          faceHandles();
          follow(target);
          THREE.Vector3.prototype.clone = clone;
          return made;
        }"""
        assert shown.evaluate(made) == 0


def test_the_ring_of_a_pendulum_without_a_tool_turns_it(browser, tmp_path):
    link = ch.Link(1.0, [0.0, 0.0, -0.2], 0.01 * np.eye(3))
    path = tmp_path / "pendulum.html"
    swinging = ch.Robot.from_screws([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]], [np.eye(4)], [link])
    path.write_text(page(swinging).html, encoding="utf-8")
    with browser.open(path) as shown:
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.move(x, y)
        shown.mouse.down()
        shown.mouse.move(x + 60, y, steps=2)
        shown.mouse.up()
        assert abs(numbers(shown, "state.q")[0]) > 0.05


def test_joints_outside_their_limits_are_marked(browser, tmp_path):
    path = tmp_path / "outside.html"
    path.write_text(page(robot("panda"), np.zeros(7), meshes=False).html, encoding="utf-8")
    with browser.open(path) as shown:
        settle(shown)
        lower, upper = robot("panda").mechanism.position_limits
        outside = [bool(x) for x in (lower > 0.0) | (upper < 0.0)]
        assert any(outside)
        assert [shown.locator(".row .outside:not(input)").nth(k).is_visible() for k in range(7)] == outside
        shown.evaluate(f"setState({READY.tolist()})")
        settle(shown)
        assert shown.locator(".row .value.outside").count() == 0


def test_sliders_of_endless_joints_follow_their_turns(browser, pages):
    with browser.open(pages("planar_2r")) as shown:
        shown.evaluate("setState([7.78, 0])")
        settle(shown)
        assert abs(float(shown.locator("#joint0").input_value()) - (7.78 - 2.0 * np.pi)) < 1e-9
        shown.locator("#joint0").fill("1.6")
        assert close(numbers(shown, "state.q")[0], 1.6 + 2.0 * np.pi, 1e-12, scale=1.0)


def test_sliders_of_a_free_base_do_not_jump(browser, pages):
    with browser.open(pages("solo12")) as shown:
        shown.locator("#joint0").fill("3.1")
        places = []
        for x in np.linspace(0.0, 3.1, 32):
            shown.locator("#joint1").fill(str(x))
            places.append(numbers(shown, "[0, 1, 2].map((k) => coordinate(state.q, k))"))
        assert np.abs(np.diff(places, axis=0)).max() < 0.8 and close(places[-1][1], 3.1, 1e-9, scale=1.0)
        shown.evaluate("(() => { const q = state.q.slice(); q[2] = -9; setState(q); })()")
        settle(shown)
        assert float(shown.locator("#joint5").input_value()) == -9.0


def test_what_needs_a_tool_says_so(browser, pages):
    with browser.open(pages("solo12")) as shown:
        assert shown.locator("#show-manipulability").is_disabled()
        assert "with_tool" in shown.locator("#no-tool").text_content()
    with browser.open(pages("panda")) as shown:
        assert shown.locator("#show-manipulability").is_enabled() and shown.locator("#no-tool").count() == 0


def test_a_machine_that_is_quick_again_draws_all_pixels_again(browser, pages):
    pace = """([frames, gap]) => {
      for (let k = 0; k < frames; k++) adapt({ setPixelRatio: () => 0 }, quality.drawn + gap, true);
      return quality.share;
    }"""
    with browser.open(pages("panda")) as shown:
        shown.evaluate("() => { window.requestAnimationFrame = () => 0; }")
        settled = shown.evaluate(pace, [12, 90])
        assert settled < 0.75
        assert shown.evaluate(pace, [4000, 16]) == 1.0


def test_text_in_a_script_does_not_swallow_what_follows(browser, tmp_path):
    from chasles.view.page import in_script

    path = tmp_path / "script.html"
    text = in_script('document.title = "<!--<script>";')
    path.write_text(f"<title></title><script>{text}</script><p id='after'>seen</p>", encoding="utf-8")
    with browser.open(path) as shown:
        assert shown.title() == "<!--<script>" and shown.locator("#after").text_content() == "seen"


def test_notes_on_what_is_drawn_are_shown(browser, tmp_path):
    made = page(robot("planar_2r")).html.replace('"notes": []', '"notes": ["meshes are drawn with 5 triangles"]')
    path = tmp_path / "notes.html"
    path.write_text(made, encoding="utf-8")
    with browser.open(path) as shown:
        assert shown.locator("#doubts .note").all_text_contents() == ["Meshes are drawn with 5 triangles."]


UNNAMED = """[...document.querySelectorAll("button, input, select")]
  .filter((one) => !one.ariaLabel && !one.textContent.trim() && !one.labels?.length).length"""


def test_the_keyboard_reaches_all(browser, pages):
    with browser.open(pages("panda")) as shown:
        place = numbers(shown, "camera.position.toArray()")
        shown.locator("#view").focus()
        for key in ("ArrowLeft", "ArrowUp", "+"):
            shown.keyboard.press(key)
            now = numbers(shown, "camera.position.toArray()")
            assert np.abs(now - place).max() > 1e-3, key
            place = now
        shown.keyboard.press("Home")
        shown.keyboard.press("?")
        assert shown.locator("#keys").is_visible()
        shown.keyboard.press("Escape")
        assert not shown.locator("#keys").is_visible()
        theme = shown.evaluate("document.documentElement.dataset.theme")
        shown.keyboard.press("d")
        assert shown.evaluate("document.documentElement.dataset.theme") != theme
        shown.locator("#view").focus()
        shown.keyboard.press(" ")
        assert shown.evaluate("state.mode") == "falling"
        shown.keyboard.press("r")
        assert shown.evaluate("state.mode") == "still" and numbers(shown, "state.q").tolist() == READY.tolist()
        shown.locator("#joint0").focus()
        shown.keyboard.press("ArrowRight")
        assert numbers(shown, "state.q")[0] > 0.0
        assert shown.evaluate(UNNAMED) == 0


def test_on_a_phone_the_panel_leaves_the_robot_to_be_seen(browser, pages):
    with browser.open(pages("panda"), PHONE, touch=True, dark=True) as shown:
        settle(shown)
        top = shown.evaluate("panel.getBoundingClientRect().top")
        seen = blue(picture(shown))[: int(top)]
        rows, columns = np.nonzero(seen)
        ground = shown.evaluate("getComputedStyle(document.body).backgroundColor")
        shown.locator("#fold").click()
        folded = shown.evaluate("panel.getBoundingClientRect().top")
        wide = shown.evaluate("document.documentElement.scrollWidth")
    assert PHONE[1] * 0.5 < top < PHONE[1] * 0.7 and folded > PHONE[1] * 0.9 and wide == PHONE[0]
    assert len(rows) > 2_000 and rows.max() < top - 5 and columns.min() > 5 and columns.max() < PHONE[0] - 5
    assert ground == "rgb(18, 22, 29)"


NO_WEBGL = """<script>
const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind) { return kind === "2d" ? get.call(this, kind) : null; };
</script>"""


def test_without_webgl_it_is_drawn_and_says_so(browser, pages, tmp_path):
    text = pages("panda").read_text(encoding="utf-8")
    path = tmp_path / "flat.html"
    path.write_text(text.replace("<body>", f"<body>{NO_WEBGL}", 1), encoding="utf-8")
    with browser.open(path) as shown:
        assert "WebGL" in shown.locator("#message").text_content()
        settle(shown)
        seen = blue(picture(shown))[:, :900]
        assert seen.sum() > 3_000
        x, y, _ = shown.evaluate("onScreen(tipPoint(handles[0]))")
        shown.mouse.move(x, y)
        shown.mouse.down()
        shown.mouse.move(x - 40, y - 20, steps=2)
        shown.mouse.up()
        assert np.abs(numbers(shown, "state.q") - READY).max() > 0.02
        settle(shown)
        assert (blue(picture(shown))[:, :900] != seen).sum() > 300


def test_ellipsoids_are_those_of_the_jacobian(browser, pages):
    with browser.open(pages("panda")) as shown:
        shown.locator("#show-manipulability").click()
        shown.locator("#show-forces").click()
        at = numbers(shown, "velocityBall.matrix.clone().transpose().elements").reshape(4, 4)[:3, :3]
        other = numbers(shown, "forceBall.matrix.clone().transpose().elements").reshape(4, 4)[:3, :3]
        size = shown.evaluate("size")
    J = robot("panda").jacobian(READY)[3:]
    assert close(at @ at.T, 0.25**2 * J @ J.T, 1e-9, scale=1.0)
    values, vectors = np.linalg.eigh(np.linalg.inv(J @ J.T))
    half = np.minimum(0.03 * size**2 * np.sqrt(values), 0.4 * size)
    assert close(other @ other.T, vectors * half**2 @ vectors.T, 1e-9, scale=1.0)


HOSTILE = ("<script>document.title = 'taken'</script>", "quo\"te's", "\U0001f916 joint", "x" * 300, "</script><!--")


def chain(count, names=None, **more):
    homes = np.stack([np.eye(4)] * count) if count else np.zeros((0, 4, 4))
    homes[:, 2, 3] = 0.2 + 0.3 * np.arange(count)
    turns = np.eye(3)[np.arange(count) % 3]
    screws = np.hstack([turns, -np.cross(turns, homes[:, :3, 3])]) if count else np.zeros((0, 6))
    links = [ch.Link(1.0, [0.0, 0.0, 0.15], 0.01 * np.eye(3))] * count
    return ch.Robot.from_screws(screws, homes, links, joint_names=names, **more)


@pytest.mark.parametrize("given", ["hostile", "one", "fourteen"])
def test_pages_of_odd_robots(browser, tmp_path, given):
    made = {
        "hostile": lambda: chain(5, HOSTILE, name="<script>document.title = 'taken'</script> & <b>bold</b>"),
        "one": lambda: chain(1),
        "fourteen": lambda: chain(14),
    }[given]()
    path = tmp_path / "odd.html"
    path.write_text(page(made).html, encoding="utf-8")
    with browser.open(path) as shown:
        assert shown.title() == made.name and shown.locator("#panel h1").text_content() == made.name
        assert shown.locator("#joints input[type=range]").count() == made.n
        assert shown.locator("#joints details").count() == (1 if given == "fourteen" else 0)
        assert shown.evaluate("document.querySelectorAll('script').length") == 5
        assert shown.evaluate("document.documentElement.scrollWidth") == DESKTOP[0]
        if given == "hostile":
            assert [x.strip() for x in shown.locator("#joints label").all_text_contents()] == [
                f"{x}  no limits" for x in HOSTILE
            ]
        settle(shown)
        assert blue(picture(shown))[:, :900].sum() > 300


def test_in_another_page_the_wheel_scrolls_until_it_is_pressed(browser, pages, tmp_path):
    path = tmp_path / "outer.html"
    text = escape(pages("panda").read_text(encoding="utf-8"))
    path.write_text(f'<iframe srcdoc="{text}" style="width: 900px; height: 500px"></iframe>', encoding="utf-8")
    with browser.open(path) as shown:
        frame = next(one for one in shown.frames if one.parent_frame)
        frame.wait_for_function("typeof camera === 'object' && found && camera.position.length() > 0")
        far = frame.evaluate("camera.position.distanceTo(target)")
        shown.mouse.move(200, 300)
        shown.mouse.wheel(0, -400)
        frame.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert close(frame.evaluate("camera.position.distanceTo(target)"), far, 1e-9)
        shown.mouse.click(60, 450)
        shown.mouse.wheel(0, -400)
        frame.wait_for_function(f"camera.position.distanceTo(target) < {0.97 * far}", timeout=20_000)


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_doubts_are_in_the_page(browser, tmp_path):
    doubtful = ch.load("isometric6")
    assert doubtful.doubts
    path = tmp_path / "doubtful.html"
    path.write_text(page(doubtful).html, encoding="utf-8")
    with browser.open(path) as shown:
        assert shown.locator("#doubts summary").text_content() == f"{len(doubtful.doubts)} doubts about this robot"
        assert shown.locator("#doubts li").all_text_contents() == list(doubtful.doubts)
