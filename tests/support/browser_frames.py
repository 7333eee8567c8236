"""Pages whose frames a test makes."""

from contextlib import contextmanager

# Frames by hand, of 16 ms each: what is shown does not depend on how fast this machine draws.
STILL = "() => { window.requestAnimationFrame = () => 0; }"
FRAMES = "(count) => { for (let k = 0; k < count; k++) { clock += 16; whenFrame.forEach((one) => one(clock)); } }"
BEGIN = "() => { globalThis.clock = performance.now() + 1e6; [before, lastFrame] = [clock, clock]; }"


def written(made, path):
    path.write_text(made.html, encoding="utf-8")
    return path


def frames(shown, count):
    shown.evaluate("() => { [before, lastFrame] = [clock, clock]; }")
    shown.evaluate(FRAMES, count)


@contextmanager
def opened(browser, path):
    """A page whose frames are made by the test alone."""
    with browser.open(path) as shown:
        shown.evaluate(STILL)
        shown.evaluate(BEGIN)
        shown.evaluate(FRAMES, 1)
        yield shown
