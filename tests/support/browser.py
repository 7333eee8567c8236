"""A real browser: pages opened from disk in headless Chromium, which must say nothing and ask no network."""

import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]  # no GPU
DESKTOP, PHONE = (1280, 800), (390, 844)


def executable():
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """Opens files; of each page what it said on the console and what it asked of a network are kept."""

    def __init__(self, chromium):
        self.chromium = chromium

    @contextmanager
    def open(self, path, size=DESKTOP, *, dark=False, touch=False):
        """A page of playwright, loaded; at the end it has to have been silent and alone."""
        context = self.chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", has_touch=touch
        )
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda request: asked.append(request.url))
        try:
            page.goto(path.as_uri(), wait_until="load")
            yield page
            assert [line for line in said if not line.startswith(("log", "info"))] == []
            assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
        finally:
            context.close()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; the tests that use it carry the marker `system`."""
    found = executable()
    if found is None:
        pytest.skip("no Chromium on PATH: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=SOFTWARE)
        yield Browser(chromium)
        chromium.close()
