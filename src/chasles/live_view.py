"""A robot shown live: a window in a browser that follows the states that a program gives, by a server of viser.

    with robot.view() as view:
        while True:
            view.q = q                  # as often as you like

States may come as fast as they are computed. A thread sends the latest of them, RATE times a second at most.
"""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import instance, positive
from chasles.errors import ModelError, ShapeError, printable
from chasles.recorded_motion import Trajectory

Array = NDArray[np.float64]
RATE, SLIDER_RATE = 60.0, 10.0  # Hz


class LiveView:
    """A robot in a browser's window, made by `Robot.view`.

    name: of the robot. address: of the window, which only this machine can open. server: viser's, to which you may add
    what you like. sliders: viser's, by the names of their joints. q: (nq,) where the robot is shown; set it to move it.
    Close it in the end, or use it in a `with` block.
    """

    def __init__(
        self,
        name: str,
        server: Any,
        q: Array,
        checked: Callable[[Any], Array],
        place: Callable[[Array], None],
        follow: Callable[[Array], None],
        sliders: Mapping[str, Any],
        numbers: Iterable[tuple[Any, int]],
    ) -> None:
        self.name, self.server, self.sliders = name, server, MappingProxyType(dict(sliders))
        self.address = f"http://{server.get_host()}:{server.get_port()}"
        self._q, self._checked, self._place, self._follow = q, checked, place, follow
        self._changed, self._ended, self._closing = threading.Event(), threading.Event(), threading.Lock()
        self._error: Exception | None = None  # of the sender, until it is told
        self._sender = threading.Thread(target=self._send, name="chasles live view", daemon=True)
        place(q)
        self._sender.start()
        for slider, k in numbers:
            slider.on_update(partial(self._follow_slider, k))

    def __repr__(self) -> str:
        return f"<LiveView of {printable(self.name)!r}, {'closed' if self.closed else self.address}>"

    @property
    def q(self) -> Array:
        """(nq,) where the robot is shown: as it was given last, or as the sliders say since."""
        return self._q.copy()

    @q.setter
    def q(self, q: ArrayLike) -> None:
        self.update(q)

    def update(self, q: ArrayLike) -> None:
        """Show the robot at q (nq,), soon: of states that come faster than they can be shown the last one is."""
        if self.closed:
            raise ModelError(f"this view of {self.name!r} is closed: make another with robot.view()")
        self._tell_error()
        self._set(self._checked(q))

    def play(self, trajectory: Trajectory, *, speed: float = 1.0) -> None:
        """Show a motion, q (T, nq), to its end, or until this is closed. speed: 2.0 for twice as fast."""
        instance(trajectory, "trajectory", Trajectory)
        positive(speed, "speed")
        if trajectory.q.ndim != 2:
            raise ShapeError(f"trajectory has q of shape {trajectory.q.shape}: play one motion, of shape (T, nq)")
        t = (trajectory.t - trajectory.t[0]) / speed
        begin = time.monotonic()
        while not self.closed:
            now = time.monotonic() - begin
            self._tell_error()
            self._set(self._checked(trajectory.q[min(int(np.searchsorted(t, now)), len(t) - 1)]))
            if now >= t[-1]:
                return
            time.sleep(min(1.0 / RATE, t[-1] - now))

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._ended.is_set()

    def wait(self) -> None:
        """Stay until it is closed, or until Ctrl-C, which closes it."""
        with contextlib.suppress(KeyboardInterrupt):
            while not self._ended.wait(0.2):
                self._tell_error()
        self.close()

    def close(self) -> None:
        """End it: the window stays as it is, the port is free."""
        if not self._closing.acquire(blocking=False):
            return
        self._ended.set()
        self._changed.set()
        if threading.current_thread() is not self._sender:
            self._sender.join()
        with quiet():
            self.server.stop()

    def __enter__(self) -> LiveView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _follow_slider(self, k: int, event: Any) -> None:
        """Show coordinate k where somebody moves its slider; programs move it too, and then nothing is done."""
        if event.client is not None and not self.closed:
            q = self.q
            q[k] = event.target.value
            self._set(q)

    def _set(self, q: Array) -> None:
        self._q = q
        self._changed.set()

    def _tell_error(self) -> None:
        """Raise what went wrong while a state was sent, once."""
        error, self._error = self._error, None
        if error is not None:
            raise ModelError(f"this view of {self.name!r} could not show a state: {error}") from error

    def _send(self) -> None:
        """Move the links, and less often the sliders, which cost as much."""
        followed, moved = time.monotonic(), False
        while not self.closed:
            try:
                if self._changed.wait(1.0 / SLIDER_RATE if moved else None):
                    self._changed.clear()
                    self._place(self._q)
                    moved = True
                if moved and not self.closed and time.monotonic() - followed > 1.0 / SLIDER_RATE:
                    self._follow(self._q)
                    followed, moved = time.monotonic(), self._changed.is_set()
            except Exception as error:  # of viser, or of what was added to its server
                self._error, moved = error, False
            self._ended.wait(1.0 / RATE)


def quiet() -> contextlib.redirect_stdout[io.StringIO]:
    """A context in which viser does not tell what it does."""
    return contextlib.redirect_stdout(io.StringIO())
