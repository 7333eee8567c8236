"""Reports in a real browser: from disk, silent, without a network."""

import pytest
from support import hostile_names
from support.browser import DESKTOP, PHONE

import chasles as ch

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return ch.load("planar_2r").report(speed=False).save(tmp_path_factory.mktemp("report") / "arm.html")


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)])
def test_it_opens_from_disk(browser, saved, size, dark):
    with browser.open(saved, size, dark=dark, touch=size is PHONE) as shown:
        (frame,) = shown.main_frame.child_frames
        frame.wait_for_function("document.querySelector('canvas') && document.querySelectorAll('input').length >= 2")
        shown.wait_for_timeout(500)
        image = shown.frame_locator("iframe").locator("canvas").first.screenshot()
        assert len(image) > 3000  # an empty canvas is a few hundred bytes
        wide = shown.evaluate("document.documentElement.scrollWidth")
        assert wide <= size[0]


def test_contents_lead_to_their_sections(browser, saved):
    with browser.open(saved) as shown:
        for title in ("Curvature and flatness", "Inertias"):
            shown.get_by_role("navigation").get_by_role("link", name=title).click()
            shown.wait_for_function(
                "title => { const h = [...document.querySelectorAll('h2')].find(h => h.textContent === title);"
                " const top = h.getBoundingClientRect().top; return top >= 0 && top < innerHeight / 2; }",
                arg=title,
            )
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement.tagName") == "A"


def test_maps_tell_values_under_the_pointer(browser, saved):
    with browser.open(saved) as shown:
        place = shown.locator("#torques-of-gravity svg.map image").first
        place.scroll_into_view_if_needed()
        assert "Point at the map" in shown.locator("#torques-of-gravity .reading").inner_text()
        place.hover(position={"x": 20, "y": 30})  # no mark is there
        said = shown.locator("#torques-of-gravity .reading").inner_text()
        assert "(rad): " in said and said.endswith("N m")
        assert "(rad): \u2212" in said and "-" not in said


def test_wide_tables_show_that_they_go_on(browser, saved):
    """Their right edge fades until they are scrolled to their end, and keys scroll them."""
    with browser.open(saved, PHONE, touch=True) as shown:
        table = shown.locator("#inertias .wide")
        assert "more" in table.get_attribute("class").split() and table.get_attribute("tabindex") == "0"
        table.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        shown.wait_for_function("!document.querySelector('#inertias .wide').classList.contains('more')")
        assert "Touch the map" in shown.locator("#torques-of-gravity .reading").inner_text()
    with browser.open(saved) as shown:
        assert "more" not in shown.locator("#inertias .wide").get_attribute("class").split()


def test_print_has_no_frame_and_whole_tables(browser, saved):
    with browser.open(saved) as shown:
        shown.emulate_media(media="print")
        assert not shown.locator("iframe").is_visible() and shown.locator("#inertias table").is_visible()


def test_no_name_is_run(browser, tmp_path):
    path = hostile_names.robot().report(speed=False).save(tmp_path / "hostile.html")
    with browser.open(path) as shown:
        shown.wait_for_timeout(500)
        for frame in (shown.main_frame, *shown.main_frame.child_frames):
            assert frame.evaluate("typeof owned") == "undefined"
        assert shown.locator("h1").inner_text() == hostile_names.NAMES[0]
