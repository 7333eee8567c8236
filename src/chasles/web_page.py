"""Pages of HTML: `Page`, which a notebook shows as a cell's output, a file holds and a browser opens.

A file is written beside its place and then moved there, so that nobody finds half of one, and none that exists is
overwritten unless that is said. A browser is opened where a person would see it: not in a job of CI, over SSH or
without a display, nor where CHASLES_NO_BROWSER is set. Nothing waits for it, and nothing fails because of it.
"""

from __future__ import annotations

import base64
import gzip
import html
import os
import re
import secrets
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from chasles.arguments import file, flag
from chasles.errors import ModelError, printable

HEIGHT = 600  # of a notebook's output, px
_ENDINGS = (".html", ".htm")
_PATIENCE = 2.0  # s that a browser is waited for, at most
_REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")
_UNPACK = """<!doctype html><meta charset='utf-8'><body><script>
(async () => {
  const packed = Uint8Array.from(atob('PACKED'), (c) => c.charCodeAt(0));
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  document.open();
  document.write(text);
  document.close();
})().catch((error) => { document.body.textContent = 'This browser cannot show the page: ' + error; });
</script>"""


@dataclass(frozen=True, repr=False)
class Page:
    """A page of HTML, whole in one text: it needs no server and no network.

    In a notebook it is shown as the output of a cell. name: of what it shows. html: the text. doubts: what could not be
    shown as the robot's file says.
    """

    name: str
    html: str
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Page of {self.name!r}, {len(self.html) / 1e6:.2f} MB>"

    def _repr_html_(self) -> str:
        """A frame of its own for the page, whose scripts and style meet nothing of the notebook's.

        The page is packed: notebooks keep outputs, and servers limit how much of them they send in a second.
        """
        packed = gzip.compress(self.html.encode("utf-8", "replace"), mtime=0)
        inside = html.escape(_UNPACK.replace("PACKED", base64.b64encode(packed).decode()))
        title = html.escape(printable(self.name))
        style = f"width: 100%; height: {HEIGHT}px; border: 0; border-radius: 8px"
        allowed = 'sandbox="allow-scripts" allow="clipboard-write; fullscreen"'
        return f'<iframe title="{title}" style="{style}" {allowed} srcdoc="{inside}"></iframe>'

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write it to a .html file; the path of that, absolute. overwrite: a file that exists too."""
        return written(self, target(path, "path", overwrite), "path", overwrite)

    def open(self) -> Path:
        """Open it in a browser, from a temporary file that stays; its path, printed too where there is no browser."""
        return opened_or_printed(temporary(self), True)


def filled(template: str, parts: Mapping[str, str]) -> str:
    """A template whose {{NAME}} are those parts: filled once, since what is put in may have braces itself."""
    before, *rest = template.split("{{")
    found = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        found += [parts[name], after]
    return "".join(found)


def target(
    path: Any, what: str, overwrite: Any, how: str = "overwrite=True", endings: Sequence[str] = _ENDINGS
) -> Path:
    """The file that a page goes to, absolute; or a ModelError says why it cannot.

    what: the argument's name. how: to say that a file is to be overwritten. endings: of its name, with the point.
    """
    found = file(path, what)
    flag(overwrite, "overwrite")
    if found.is_dir():
        raise ModelError(f"{what}: {str(found)!r} is a folder: name a file in it")
    if found.suffix.lower() not in endings:
        raise ModelError(f"{what} must end in {' or '.join(endings)}, got {str(path)!r}")
    if not found.parent.is_dir():
        raise ModelError(f"{what}: there is no folder {str(found.parent)!r}")
    if found.exists() and not found.is_file():
        raise ModelError(f"{what}: {str(found)!r} is no file")
    if found.exists() and not overwrite:
        raise ModelError(f"{what}: {str(found)!r} exists, and is not overwritten unless you say {how}")
    return Path(os.path.realpath(found))  # where a link leads


def written(page: Page | str, path: Path, what: str, overwrite: bool) -> Path:
    """The path, where the page, or a text, is now, all of it or nothing."""
    text = page if isinstance(page, str) else page.html
    part = path.with_name(f".chasles-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as out:
            out.write(text.encode("utf-8", "replace"))
        if overwrite:
            os.replace(part, path)
        else:
            _link(part, path)
    except OSError as error:
        raise ModelError(f"{what}: {str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _link(part: Path, path: Path) -> None:
    """Give a file its name; FileExistsError where another has it, also since a moment ago."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.replace(part, path)


def temporary(page: Page) -> Path:
    """The page in a new file in a folder that nobody else can read; it stays after this process."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", page.name).strip("_")[:60] or "page"
    try:
        folder = Path(tempfile.mkdtemp(prefix="chasles-"))
    except OSError as error:
        raise ModelError(f"file: there is no place for temporary files ({error}): name a file") from error
    return written(page, folder / f"{name}.html", "file", False)


def opened_or_printed(path: Path, insisted: bool) -> Path:
    """The path of a page that is opened in a browser, or whose path is printed where none can be."""
    if not opened(path, insisted):
        print(printable(str(path)), flush=True)
    return path


def opened(path: Path, insisted: bool) -> bool:
    """Open a page in a browser; whether there is one. insisted: over SSH and in CI too."""
    return address_opened(path.as_uri(), insisted)


def address_opened(address: str, insisted: bool) -> bool:
    """Open an address in a browser; whether there is one."""
    return _may_open(insisted) and _open(address)


def _may_open(insisted: bool) -> bool:
    """Whether a window would be seen by the person who asks."""
    given = os.environ.get
    if given("CHASLES_NO_BROWSER"):
        return False
    if not insisted and (given("CI", "").lower() not in ("", "0", "false") or any(map(given, _REMOTE))):
        return False
    return sys.platform in ("win32", "darwin", "cygwin") or bool(given("DISPLAY") or given("WAYLAND_DISPLAY"))


def _open(address: str) -> bool:
    """Whether a browser took it, or did not answer in time."""
    done: list[bool] = []

    def attempt() -> None:
        try:
            import webbrowser

            browser = webbrowser.get()
            # one that runs in the terminal would take it from whoever has it
            in_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
                browser, webbrowser.BackgroundBrowser
            )
            done.append(not in_terminal and bool(browser.open(address)))
        except Exception:  # no browser, or whatever one does
            done.append(False)

    waiting = threading.Thread(target=attempt, daemon=True)
    waiting.start()
    waiting.join(_PATIENCE)
    return done[0] if done else True
