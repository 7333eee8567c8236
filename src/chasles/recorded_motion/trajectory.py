"""Trajectory: a motion sampled in time, and all that can be asked of it afterwards."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, file, is_whole, names, real, shown
from chasles.errors import ChaslesError, ModelError
from chasles.higher_rooms import higher
from chasles.lazy import lazy
from chasles.recorded_motion.events import Occurrence
from chasles.recorded_motion.labels import Labels, labels_of, unnamed
from chasles.reprs import quoted

if TYPE_CHECKING:
    from chasles.web_page import Page

Array = NDArray[np.float64]
STATES = ("q", "qd", "tau")
DERIVED = ("multipliers", "kinetic", "potential")  # computed where they are asked for
DRAWN = ("q", "qd", "tau", "energy")


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A motion sampled in time; leading axes are a batch.

    t: (T,). q: (..., T, nq). qd, tau: (..., T, n); tau is what acted. signals: by name, (..., T, ...), what was
    recorded of the law. system: whose motion it is, None where it was loaded without. labels: names and units of all of
    it (default: the system's). finite_steps: (...) the steps that a row of a rollout made before it was no longer
    finite, and nan; counted from the start of the rollout, in a slice too. values: of the robot's symbols by name,
    (..., 1, *shape). known: what need not be computed of multipliers, kinetic, potential. events: what occurred, by
    time.

    A slice is a trajectory too: `trajectory[::10]`, with the events from its first sample to its last; its length is
    the number of samples. Called with times it interpolates.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    signals: Mapping[str, Array] = field(default_factory=dict)
    system: Any = None
    labels: Labels = field(default=None)  # type: ignore[assignment]  # found below
    events: tuple[Occurrence, ...] = ()
    finite_steps: NDArray[np.int64] | None = None
    values: Mapping[str, Array] = field(default_factory=dict)
    known: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.labels is None:
            nq, n = self.q.shape[-1], self.qd.shape[-1]
            labels = unnamed(nq, n) if self.system is None else labels_of(self.system, "", 0.0)
            object.__setattr__(self, "labels", labels)

    @lazy
    def kinetic(self) -> Array:
        """(..., T) kinetic energy, J."""
        return self._derived("kinetic", "kinetic_energy", self.q, self.qd)

    @lazy
    def potential(self) -> Array:
        """(..., T) potential energy, J."""
        return self._derived("potential", "potential_energy", self.q)

    @lazy
    def multipliers(self) -> Array | None:
        """(..., T, k) of the constraints, None without; nan where the motion is not finite."""
        if "multipliers" not in self.known:
            if not self.labels.rows and not hasattr(self.system, "row_names"):
                return None
            system_of(self, "multipliers")
        try:
            return self._derived("multipliers", "forward_dynamics", self.q, self.qd, self.tau)
        except ChaslesError:
            return np.full((*self.qd.shape[:-1], len(self.labels.rows)), np.nan)

    def _derived(self, name: str, function: str, *states: Array) -> Any:
        """What is known, or what a function of the system gives at all states."""
        if name in self.known:
            return self.known[name]
        system = system_of(self, name)
        time = (self.t,) if getattr(system, "depends_on_time", False) else ()
        with np.errstate(all="ignore"):
            found = getattr(system, function)(*states, *time, **self.values)
        return found.multipliers if name == "multipliers" else found

    @property
    def energy(self) -> Array:
        """(..., T) kinetic and potential."""
        return self.kinetic + self.potential

    @property
    def tool_path(self) -> Array:
        """(..., T, 4, 4) poses of the tool in the space frame."""
        return self.poses()

    def poses(self, frame: str | None = None) -> Array:
        """(..., T, 4, 4) poses of a frame of the robot in its space frame; by default the tool."""
        inner = getattr(system_of(self, "poses"), "system", self.system)
        if not hasattr(inner, "forward_kinematics"):
            raise ModelError(f"poses: {inner.name!r} is no robot, and has no frames")
        return inner.forward_kinematics(self.q, frame, **self.values)

    @property
    def reactions(self) -> Array:
        """(..., T, n) the joint forces of the constraints, A^T multipliers."""
        if self.multipliers is None:
            raise ModelError(
                f"reactions: {self.labels.name!r} is under no constraints; what its joints bear is joint_wrenches"
            )
        A = system_of(self, "reactions").constraint_matrix(self.q)
        return np.einsum("...ki,...k->...i", A, self.multipliers)

    def __call__(self, t: ArrayLike) -> tuple[Array, Array]:
        """q (..., nq) and qd (..., n) at times t, seconds, of any shape, which comes before the last axis.

        By cubic Hermite interpolation on the joints' groups: order 4 in the distance of samples for q, 3 for qd. Times
        before the first sample or after the last are refused.
        """
        from chasles.recorded_motion.interpolation import interpolated

        return interpolated(system_of(self, "interpolation"), self.t, self.q, self.qd, real(t, "t"), self.values)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, samples: slice) -> Trajectory:
        """Some of the samples, a trajectory like this."""
        if not isinstance(samples, slice):
            batch = "; one motion of a batch is trajectory.row(k)" if self.q.ndim > 2 else ""
            raise ModelError(f"samples of a trajectory are taken by slices, as [10:20], got {shown(samples)}{batch}")
        if samples.step is not None:
            count(samples.step, "the step of a slice")  # time goes on
        at = (slice(None),) * (self.q.ndim - 2) + (samples,)
        t = self.t[samples]
        events = tuple(e for e in self.events if len(t) and t[0] <= e.t <= t[-1])
        return self._with(lambda x: x[at], t=t, events=events)

    def row(self, *place: int) -> Trajectory:
        """One motion of a batch, by its place, from the end where negative; with fewer numbers than axes, some."""
        lead = self.q.shape[:-2]
        if len(place) > len(lead):
            raise ModelError(f"place has {len(place)} numbers, and the batch {len(lead)} axes")
        for k, size in zip(place, lead, strict=False):
            if not is_whole(k) or not -size <= k < size:
                there = f"a whole number from {-size} to {size - 1}" if size else "of a batch that has motions"
                raise ModelError(f"place must be {there}, got {shown(k)}")
        at = tuple(int(k) % size for k, size in zip(place, lead, strict=False))
        finite = None if self.finite_steps is None else self.finite_steps[at]
        events = tuple(replace(e, row=e.row[len(at) :]) for e in self.events if e.row[: len(at)] == at)
        values = {name: x[at] for name, x in self.values.items()}
        return self._with(lambda x: x[at], finite_steps=finite, events=events, values=values)

    def _with(self, some: Callable[[Any], Any], **changed: Any) -> Trajectory:
        """A trajectory of some of the states."""
        changed |= {name: some(getattr(self, name)) for name in STATES}
        for name in ("signals", "known"):
            changed[name] = {key: some(x) for key, x in getattr(self, name).items()}
        return replace(self, **changed)

    def plot(self, what: str | Sequence[str] = DRAWN) -> Any:
        """A matplotlib Figure: what is named, over time, one panel each; of the first motion of a batch.

        what: "q", "qd", "tau", "energy", "multipliers" and the names of signals (default: the first four, energies
        where they are known).
        """
        from chasles.recorded_motion.plot import figure, panel

        chosen = [what] if isinstance(what, str) else names(what, "what")
        if not chosen:
            raise ModelError("what must name at least one thing to plot")
        if 0 in self.q.shape[:-2]:
            raise ModelError(f"plot: the batch {self.q.shape[:-2]} has no motion")
        parts = parts_of(self)
        if what is DRAWN and parts["kinetic"] is None:
            chosen.remove("energy")
        return figure(self.t, {name: panel(name, parts, self.labels) for name in chosen}, self._title())

    @higher
    def page(self, *, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()) -> Page:
        """The page that plays this motion, with plots in step: one HTML file that needs no network.

        Of a batch the first motions, together. Long motions are thinned, and the page says so. It plays at the motion's
        own time, interpolated as here. meshes, folders: as `Robot.page` takes them.
        """
        ...

    @higher
    def show(
        self,
        *,
        file: str | PathLike[str] | None = None,
        overwrite: bool = False,
        open: bool | None = None,
        meshes: bool = True,
        folders: Sequence[str | PathLike[str]] = (),
    ) -> Path | None:
        """Show the page that plays this motion: in a notebook, or a browser; the path of its file, if there is one.

        file: where it is written, by default a temporary file; an existing one stays unless `overwrite`. open: False to
        open no browser, True to open one over SSH and in CI too. meshes, folders: as `Robot.page` takes them.
        """
        ...

    def save(self, path: str | PathLike[str]) -> None:
        """Write to a file: .npz (all of it to the last bit, batches too), .csv or .parquet (a table, one motion).

        The system is not written, its names are. Tables have no events, `finite_steps` and values of symbols. Parquet
        needs the package pyarrow, "chasles[parquet]".
        """
        from chasles.recorded_motion import files

        files.save(file(path, "path"), parts_of(self), self.labels)

    @classmethod
    def load(cls, path: str | PathLike[str], system: Any = None) -> Trajectory:
        """What was saved. system: whose motion it is, for poses, reactions and interpolation; else the arrays alone."""
        from chasles.recorded_motion import files

        parts, labels = files.load(file(path, "path"))
        if system is not None:
            for name in ("nq", "n", "integrate", "difference"):
                if not hasattr(system, name):
                    raise ModelError(
                        f"system must be a Robot, LagrangianSystem or ConstrainedSystem, got {shown(system)}"
                    )
            own = labels_of(system, labels.method, labels.dt)
            if (own.q, own.qd) != (labels.q, labels.qd):
                raise ModelError(
                    f"system has the coordinates {', '.join(own.q)}, and the trajectory {', '.join(labels.q)}"
                )
            labels = own
        derived = {name: parts.pop(name, None) for name in DERIVED}
        known = {name: x for name, x in derived.items() if x is not None}
        return cls(**parts, system=system, labels=labels, known=known)

    def _all_derived(self) -> dict[str, Any]:
        return {
            name: None if self.system is None and name not in self.known else getattr(self, name) for name in DERIVED
        }

    def _title(self) -> str:
        lead = self.q.shape[:-2]
        many = f"{int(np.prod(lead))} motions of " if lead else ""
        span = f"{self.t[-1] - self.t[0]:.6g} s" if len(self) else "no time"
        made = f", {self.labels.method}, dt {self.labels.dt:g} s" if self.labels.method else ""
        return f"{quoted(self.labels.name)}: {many}{len(self)} samples over {span}{made}"

    def __repr__(self) -> str:
        from chasles.recorded_motion import summary

        change = summary.energy_change(self)
        energy = "" if change is None else f", energy changes by up to {change:.2g} J"
        return f"<Trajectory {self._title()}{energy}>"

    def _repr_html_(self) -> str:
        from chasles.recorded_motion import summary

        return summary.html(self, self._title())

    def __getstate__(self) -> dict[str, Any]:
        """Without a system that is made of functions, which are not pickled, but with what it says of this motion."""
        if self.system is None or hasattr(self.system, "mechanism"):
            return dict(self.__dict__)
        known = {name: x for name, x in self._all_derived().items() if x is not None}
        return {**self.__dict__, "system": None, "known": known}


def system_of(trajectory: Trajectory, what: str) -> Any:
    """The system whose motion it is; where it has none, `what` needs one."""
    if trajectory.system is None:
        raise ModelError(f"{what}: the trajectory has no system; load it with one: Trajectory.load(path, system)")
    return trajectory.system


def parts_of(trajectory: Trajectory) -> dict[str, Any]:
    """All that is written and drawn, by name; None for what is not known and cannot be computed."""
    kept = ("t", *STATES, "signals", "events", "finite_steps", "values")
    return {name: getattr(trajectory, name) for name in kept} | trajectory._all_derived()
