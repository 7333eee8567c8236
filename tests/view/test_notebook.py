"""Robots in notebooks: cells are run by a kernel, and their outputs, in a page like nbconvert's, by a browser."""

from importlib.resources import files

import numpy as np
import pytest
from support import hostile_names

import chasles as ch

CELLS = (
    "import chasles as ch\nrobot = ch.load('planar_2r')",
    "robot.show([0.3, -0.5])",
    "robot.page([0.3, -0.5])",
    "path = robot.show(file='arm.html', open=False)",
)
CANVAS = """() => {
    const canvas = document.querySelector("canvas"), copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const drawing = copy.getContext("2d");
    drawing.drawImage(canvas, 0, 0);
    return new Set(new Uint32Array(drawing.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
}"""


def as_html(*outputs):
    """A document with the outputs of cells, as they are in what nbconvert writes."""
    return f"<!doctype html><meta charset='utf-8'><body>{''.join(f'<div>{x}</div>' for x in outputs)}</body>"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The outputs of each cell, run by a kernel of Jupyter."""
    import nbclient
    import nbformat

    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return [cell.outputs for cell in notebook.cells], folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Jupyter's packages
def test_cells_have_the_robot_as_their_output(executed):
    (nothing, shown, page, saved), folder = executed
    assert nothing == [] and saved == [] and (folder / "arm.html").stat().st_size > 100_000
    assert [output.output_type for output in shown] == ["display_data"]
    assert [output.output_type for output in page] == ["execute_result"]
    for [output] in (shown, page):
        assert set(output.data) == {"text/plain", "text/html"}
        assert output.data["text/plain"].startswith("<Page of 'planar_2r'")
        assert output.data["text/html"] == ch.load("planar_2r").page([0.3, -0.5])._repr_html_()


@pytest.mark.system
@pytest.mark.filterwarnings("ignore")
def test_an_executed_notebook_draws_the_robot(browser, executed, tmp_path):
    [shown], [page] = executed[0][1:3]
    path = tmp_path / "notebook.html"
    path.write_text(as_html(shown.data["text/html"], page.data["text/html"]), encoding="utf-8")
    with browser.open(path) as document:
        assert document.locator("iframe").count() == 2
        for frame in document.frames[1:]:
            frame.wait_for_function("() => typeof state !== 'undefined' && document.querySelector('canvas')")
            document.wait_for_timeout(300)
            assert frame.evaluate("Array.from(state.q)") == [0.3, -0.5]
            assert frame.evaluate("innerHeight") == 600 and frame.evaluate("innerWidth") > 1000
            assert frame.evaluate(CANVAS) > 50  # colours: a robot, its floor, shadows


@pytest.mark.system
def test_a_slider_moves_the_robot_in_a_cell(browser, tmp_path):
    path = tmp_path / "cell.html"
    path.write_text(as_html(ch.load("planar_2r").page()._repr_html_()), encoding="utf-8")
    with browser.open(path) as document:
        [frame] = document.frames[1:]
        frame.wait_for_selector("#joint1")
        frame.locator("#joint1").fill("0.5")
        assert frame.evaluate("Array.from(state.q)") == [0.0, 0.5]


@pytest.mark.system
def test_a_robot_without_mass_cannot_fall(browser, tmp_path):
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(0.0, [0.0, 0.0, 0.0])])
    with browser.open(robot.page().save(tmp_path / "bare.html")) as shown:
        assert shown.locator("#fall").is_disabled() and "moves no mass" in shown.locator("#hint").inner_text()
        assert not shown.evaluate("mass.visible")
        shown.locator("#joint0").fill("0.5")
        assert shown.evaluate("Array.from(state.q)") == [0.5]


@pytest.mark.system
@pytest.mark.parametrize("in_a_cell", [False, True])
def test_hostile_names_are_shown_as_text(browser, tmp_path, in_a_cell):
    robot = hostile_names.robot()
    path = robot.page().save(tmp_path / "hostile.html")
    scripts = (files("chasles.view") / "assets" / "page.html").read_text(encoding="utf-8").count("<script>")
    if in_a_cell:
        path.write_text(as_html(robot.page()._repr_html_()), encoding="utf-8")
    with browser.open(path) as document:
        document.on("dialog", lambda dialog: pytest.fail(dialog.message))
        frame = document.frames[-1]
        frame.wait_for_selector("#joint0", state="attached")
        assert frame.evaluate("document.scripts.length") == scripts
        assert frame.locator("h1").inner_text() == robot.name and frame.title() == robot.name
        labels = frame.locator("#joints label").all_inner_texts()
        assert all(map(str.startswith, labels, robot.joint_names)) and len(labels) == robot.n
        frame.locator("#show-names").click()
        assert frame.locator("img, svg[onload]").count() == 0
        for one in document.frames:
            assert one.evaluate("typeof owned") == "undefined"


def test_the_output_of_a_cell_is_one_frame():
    """Without a kernel or a browser: what both of them get, small enough to be kept in a notebook."""
    text = ch.load("planar_2r").page()._repr_html_()
    assert text.startswith("<iframe ") and text.endswith("></iframe>") and text.count("<") == 2
    assert 100_000 < len(text) < 400_000
