"""Methods of systems that a room above them computes, by the table of `chasles.higher_rooms`.

A method has the signature of its function without the first parameter, and a docstring of its own, so that editors,
`help` and type checkers see it; types in it come from below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from chasles.higher_rooms import found, higher
from chasles.literals import Expressed
from chasles.model.task import Frames, Rows
from chasles.robot.methods.base import Array, Methods

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from chasles.formula.collection import Equations
    from chasles.live_view import LiveView
    from chasles.recorded_motion import Control, Event, Law, Sampling, Signal, Trajectory
    from chasles.recorded_motion.events import Crossing
    from chasles.web_page import Page


class SystemMethods:
    """A system in the hands of simulation: robots, Lagrangian systems and systems under constraints alike."""

    @higher
    def rollout(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau_or_law: ArrayLike | Law | None = None,
        *,
        dt: float,
        steps: int | None = None,
        method: str = "rk4",
        every: int = 1,
        t0: float = 0.0,
        project: bool = True,
        parameters: Mapping[str, int | tuple[int, ...]] | None = None,
        **values: ArrayLike,
    ) -> Trajectory:
        """The motions from (q0, qd0) at t0 in steps of dt, compiled with their time loop: `chasles.rollout` of this.

        q0: (..., nq), qd0: (..., n). tau_or_law: joint forces (..., n), held over `steps` steps; or (..., steps, n),
        one a step, without `steps`; or a law, a function of traced (t, q, qd) of one row that returns (n,); or None.
        values: of the law's parameters, the same for all rows unless `parameters` says the shape, {"K": (6,)}, and of
        the symbols of a robot, (...), by name. every: keep one state in so many. The result has t (T,),
        q (..., T, nq), qd and tau (..., T, n), the start first. A row that does not stay finite is nan from there on,
        and `finite_steps` says where. The kernel is kept: another call with the same law compiles nothing.
        """
        ...

    @higher
    def simulate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        control: Control | None = None,
        *,
        duration: float,
        t0: float = 0.0,
        dt: float = 1e-3,
        method: str = "rk4",
        project: bool = True,
        every: int = 1,
        sample: float | Sampling | None = None,
        saturate: bool | ArrayLike = False,
        stops: bool | float = False,
        record: Mapping[str, Signal] | None = None,
        tolerance: float | None = None,
        events: Iterable[Event | Crossing] = (),
    ) -> Trajectory:
        """The motion from (q, qd) at t0 over `duration` seconds in steps of dt: `chasles.simulate` of this.

        q: (..., nq), qd: (..., n). control: joint forces of (t, q, qd), (..., n); default: none. every: keep one state
        in so many. sample: seconds between two times that control is asked, its forces held; or a `Sampling`. saturate:
        True to keep tau within the limits of effort. stops: True for stops at the limits of the joints. record:
        functions of (t, q, qd, tau) by name. tolerance: the error of a step, which then is as long as it may be.
        events: functions of (t, q, qd) whose zeros are found. The result has t (T,), q (..., T, nq), qd and tau
        (..., T, n), energies and more. A motion that does not stay finite ends in a `SimulationError`, which has what
        was computed as its `trajectory`.
        """
        ...

    @higher
    def page(
        self, q: ArrayLike | None = None, *, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()
    ) -> Page:
        """The page that shows this at q (nq,): one HTML text that computes with its own functions.

        q: by default home, or the middle of the limits where home is outside of them. Joints are sliders, the tool
        follows the pointer, forces and energies are those of the pose shown, and it can be let fall. A notebook shows
        it as a cell's output; `.save(path)` writes it, `.open()` opens it in a browser. meshes: those that the robot's
        file names (with the extra `meshes`), where they lie in the file's folder or in `folders`; shapes are made for
        all else. A system under constraints is shown as its robot, held by them.
        """
        ...

    @higher
    def show(
        self,
        q: ArrayLike | None = None,
        *,
        file: str | PathLike[str] | None = None,
        overwrite: bool = False,
        open: bool | None = None,
        meshes: bool = True,
        folders: Sequence[str | PathLike[str]] = (),
    ) -> Path | None:
        """Show its page at q (nq,): in a notebook as the cell's output, else in a browser.

        q: by default home, or the middle of the limits where home is outside of them. Outside of notebooks the page is
        written to `file`, or to a temporary one that stays, and its path is returned; where no browser can be opened
        (none, no display, SSH, CI, CHASLES_NO_BROWSER) that is printed. overwrite: a file that exists too. open: True
        for a browser in a notebook, over SSH and in CI too, False for none. meshes, folders: as for `page`.
        """
        ...

    @higher
    def plot(
        self,
        q: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
        view: str | None = None,
        frames: str | Sequence[str] = (),
        ghosts: ArrayLike | None = None,
    ) -> Figure:
        """A matplotlib Figure of this at q (nq,), loops closed where it has constraints: `chasles.plot.robot` of it.

        q: by default home, or the middle of the limits where home is outside of them. ax: axes to draw on (default:
        those of a new Figure). view: "3d", or the plane "xy", "xz", "yz" of space (default: its own plane for a planar
        robot, else "3d"). frames: names of frames whose axes are drawn. ghosts: (k, nq) other configurations, drawn
        pale. Needs matplotlib, "chasles[plot]".
        """
        ...

    @higher
    def equations(
        self,
        *,
        symbols: str | None = None,
        coordinates: Sequence[str] | None = None,
        frame: str | None = None,
        expressed: Expressed = "body",
        names: bool = True,
    ) -> Equations:
        """Its equations for people to read: as Unicode text, LaTeX, MathML and SymPy's, typeset in a notebook.

        `print(eq)` has the main ones; members such as `eq.mass_matrix`, `eq.motion`, `eq.christoffel_symbols` are
        computed when asked for, and `eq["centre_of_mass"]` is any function of the catalogue. Numbers are printed as
        numbers, symbols (`chasles.symbols`, in a Lagrangian and in constraints too) as symbols. symbols: "inertias"
        puts symbols m_i, h_xi, I_xxi in place of a robot's masses, first moments and inertias, where they are not zero.
        coordinates: their names, (nq,), such as ["theta", "phi"]; default q1, q2, ..., or those of a Lagrangian system.
        frame, expressed: of poses and Jacobians, as for `jacobian`. names: whether coefficients are named.
        """
        ...

    @higher
    def export(
        self,
        function: str | Sequence[str] | Callable[..., Any],
        *,
        to: str,
        folder: str | PathLike[str],
        name: str | None = None,
        dtype: str = "float64",
        overwrite: bool = False,
        derivative: str | None = None,
        frame: Frames = None,
        expressed: Expressed | None = None,
        rows: Rows = None,
        inputs: str | Sequence[str] = (),
        parameters: str | Sequence[str] | Mapping[str, int | tuple[int, ...]] = (),
        method: str | None = None,
        dt: float | None = None,
        steps: int | None = None,
    ) -> list[Path]:
        """Write a function of this as source files of another language, with a test of its own; the files' paths.

        function: a name such as "inverse_dynamics", or several, which share their work; "step", "rollout" and, of a
        robot, "inverse_kinematics"; a law, a function of traced (t, q, qd) that returns (n,); a `Rollout` of this; a
        reduced form of a system under constraints; or a kernel whose operands are called as those of a robot are. to:
        "c", "js", ... (docs: Code that ships). folder: is made; files that are not of an export are refused unless
        `overwrite`. name: of the function there. derivative: an input, by which all outputs are derived. frame,
        expressed, rows, inputs, parameters: as of `Robot.kernel`; parameters of a law: shapes by name. method, dt: of a
        step or a rollout, which without dt has it as an input; steps: of a rollout.
        """
        ...

    _steps: dict[Any, Any]  # compiled, by the room above

    def __getstate__(self) -> dict[str, Any]:
        """Without what is compiled again when it is needed."""
        return {name: x for name, x in vars(self).items() if name != "_steps"}

    def step(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        dt: float,
        method: str = "rk4",
        t: float = 0.0,
    ) -> tuple[Array, Array]:
        """q (..., nq) and qd (..., n) dt seconds later, by one compiled step of a method, under joint forces tau.

        q: (..., nq), qd, tau: (..., n), held over the step (default: none). method: a name of `chasles.integrators`. t:
        the time where it begins, for systems that depend on it. Rows that do not stay finite are nan.
        """
        try:
            call = self._steps["call", method, dt, dt.__class__]
        except (AttributeError, KeyError, TypeError):
            return found("step")(self, q, qd, tau, dt=dt, method=method, t=t)
        return call(q, qd, tau, t)


class HigherRoomMethods(SystemMethods, Methods):
    """A robot in the hands of the rooms above."""

    @higher
    def report(self, *, speed: bool = True, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()) -> Page:
        """A page about the robot, to be sent to a colleague: `chasles report` in Python.

        The live robot, its screws, inertias and doubts, its workspace, maps of manipulability, of the torques of
        gravity and of curvature, balance and flatness, base parameters, operation counts and measured speeds. A
        notebook shows it; `.save(path)` writes it, `.open()` opens it in a browser. speed: measure speeds, beside the
        peers that are installed; without, the same robot gives the same page. meshes, folders: as for `page`.
        """
        ...

    @higher
    def view(
        self,
        q: ArrayLike | None = None,
        *,
        port: int = 8080,
        open: bool | None = None,
        meshes: bool = True,
        folders: Sequence[str | PathLike[str]] = (),
    ) -> LiveView:
        """Show it at q (nq,), live in a browser: `view.q = q` moves it, as often as you like.

        q: by default home, or the middle of the limits where home is outside of them. With the extra `live`. The window
        has a slider for each joint, and `view.q` is where they put it. The server is on this machine alone (127.0.0.1),
        at `port` or, if that is taken, the next that is free; 0: any. It ends with `view.close()`, with the `with`
        block, or when Ctrl-C ends `view.wait()`. open: True for a browser over SSH and in CI too, False for none;
        without one the address is printed. meshes, folders: as for `page`.
        """
        ...
