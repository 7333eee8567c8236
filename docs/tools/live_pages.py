"""Pages of robots that the documentation shows: a hook of mkdocs, which makes them when it builds the site.

Each of PAGES becomes live/NAME.html beside the documentation's own pages.
"""

from __future__ import annotations

from typing import Any

import chasles as ch


def panda() -> ch.results.Page:
    return ch.load("panda").page([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])


def swing() -> ch.results.Page:
    arm = ch.load("planar_2r")
    return arm.simulate([0.4, 0.3], [0.0, 0.0], duration=5.0, dt=0.002, every=5).page()


PAGES = (panda, swing)


def on_files(files: Any, config: Any) -> Any:
    """The files of the site, and these."""
    from mkdocs.structure.files import File

    for make in PAGES:
        files.append(File.generated(config, f"live/{make.__name__}.html", content=make().html))
    return files
