"""Meshes in a real browser: drawn where the link is, as the file has them; and a live view that shows the robot."""

import numpy as np
import pytest
from support.mesh_files import BOX, fan, robot, stl, torus
from support.tolerances import close

import chasles as ch
from chasles.view.meshes import packed
from chasles.view.page import page_of as page
from chasles.view.triangles import creased

pytestmark = pytest.mark.system

RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
DRAWN = """() => {
  const geometry = meshGeometry(DATA.links[0].parts[0]), points = [];
  const place = geometry.getAttribute("position"), corner = new THREE.Vector3();
  links[0].traverse((one) => {
    if (one.geometry !== geometry) return;
    one.updateWorldMatrix(true, false);
    for (let i = 0; i < place.count; i++) {
      points.push(corner.fromBufferAttribute(place, i).applyMatrix4(one.matrixWorld).toArray());
    }
  });
  const canvas = document.querySelector("#view canvas"), flat = document.createElement("canvas");
  Object.assign(flat, { width: canvas.width, height: canvas.height });
  const pen = flat.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, flat.width, flat.height), red = [];
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.subarray(i, i + 3);
    const is = r > 60 && r > 2 * g && r > 2 * b && Math.abs(g - b) < 20; // handles are orange
    if (is) red.push([(i / 4) % flat.width, Math.floor(i / 4 / flat.width)]);
  }
  const projected = points.map((point) => {
    const seen = new THREE.Vector3(...point).project(camera);
    return [((seen.x + 1) / 2) * flat.width, ((1 - seen.y) / 2) * flat.height];
  });
  const normals = Array.from(geometry.getAttribute("normal").array);
  return { points, red, projected, normals };
}"""

FAN = """(mesh) => {
  const start = performance.now(), normals = decodedMesh(mesh).getAttribute("normal");
  const spent = performance.now() - start, up = normals.array.filter((_, i) => i % 3 === 2);
  return [spent, normals.count, normals.getZ(0), Math.min(...up)];
}"""
BLUE = """() => {
  const canvas = [...document.querySelectorAll("canvas")].sort((a, b) => b.width - a.width)[0];
  if (!canvas || !canvas.width || !canvas.height) return false;
  const pen = new OffscreenCanvas(200, 150).getContext("2d");
  pen.drawImage(canvas, 0, 0, 200, 150);
  const { data } = pen.getImageData(0, 0, 200, 150);
  let count = 0; // pixels of joints
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] && data[i + 2] > data[i] + 60) count++;
  return count > 20;
}"""


def test_a_mesh_is_drawn_where_its_link_is(browser, tmp_path):
    (tmp_path / "box.stl").write_bytes(stl())
    arm = robot(tmp_path, "box.stl", rest=RED)
    q = np.array([0.7])
    path = tmp_path / "page.html"
    path.write_text(page(arm, q).html, encoding="utf-8")
    with browser.open(path) as shown:
        shown.wait_for_timeout(500)
        found = {key: np.array(rows) for key, rows in shown.evaluate(DRAWN).items()}
        spent, count, top, least = shown.evaluate(FAN, packed(creased(fan(20_000))))
    assert spent < 2000.0 and count == 20_001 and top > 0.9999 and least > 0.99
    (shape,) = arm.mechanism.visuals
    T = arm.link_poses(q)[0] @ np.array(shape.pose)
    expected = BOX @ T[:3, :3].T + T[:3, 3]
    drawn = np.unique(np.round(found["points"], 4) + 0.0, axis=0)
    assert close(drawn, np.unique(np.round(expected, 4) + 0.0, axis=0), 2e-4)
    assert close(np.sort(np.abs(found["normals"].reshape(-1, 3)), axis=1), np.tile([0.0, 0.0, 1.0], (24, 1)), 1e-5)
    for extreme in (np.min, np.max):  # of what is red on the canvas, and of the box as the camera sees it
        assert np.abs(extreme(found["red"], axis=0) - extreme(found["projected"], axis=0)).max() < 4.0
    assert len(found["red"]) > 1000


def test_a_page_says_that_meshes_are_made_coarse(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("chasles.view.meshes.MOST_TRIANGLES", 100)
    (tmp_path / "torus.stl").write_bytes(stl(*torus(12)))
    path = tmp_path / "page.html"
    path.write_text(page(robot(tmp_path, "torus.stl")).html, encoding="utf-8")
    with browser.open(path) as shown:
        (note,) = shown.locator("#doubts .note").all_inner_texts()
    assert note.startswith("Meshes are drawn with ") and note.endswith(" of their 288 triangles.")


def test_a_live_view_shows_the_robot(browser, capsys):
    with ch.load("planar_2r").view(port=0) as view:
        context = browser.chromium.new_context(viewport={"width": 800, "height": 600})
        shown = context.new_page()
        asked = []
        shown.on("request", lambda request: asked.append(request.url))
        try:
            shown.goto(view.address)
            shown.wait_for_function("document.body.innerText.includes('joint1')", timeout=120_000)
            view.q = [0.5, 0.5]
            shown.wait_for_function(BLUE, polling="raf", timeout=120_000)
        finally:
            context.close()
    assert [url for url in asked if not url.startswith((view.address, "ws:", "data:", "blob:"))] == []
