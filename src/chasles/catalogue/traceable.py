"""A mechanism as the catalogue's functions see it: in cheap coordinates (model/coordinates.py).

`robot.cheap` has inertias regrouped, for what only joint forces and motion decide; `robot.true` has the true ones, for
energies, link forces, moving bases.
"""

from typing import Any

from chasles import arrays
from chasles.dynamics.newton_euler import tool_wrench_on_body
from chasles.lie import SE3, Wrench
from chasles.model.coordinates import Aligned
from chasles.model.coupling import Coupling
from chasles.model.mechanism import Mechanism
from chasles.model.poses import pose
from chasles.model.tree import Tree


class Traceable:
    """A mechanism in cheap coordinates; where it has symbols, these are leaves already."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    @property
    def aligned(self) -> Aligned:
        return self.mechanism.aligned

    @property
    def true(self) -> Tree:
        return self.aligned.tree

    @property
    def cheap(self) -> Tree:
        return self.mechanism.regrouped

    @property
    def coupling(self) -> Coupling:
        return self.mechanism.coupling

    @property
    def rest(self) -> list[float]:
        """Velocities, or accelerations, of nothing that moves."""
        return [0.0] * self.coupling.nv

    def frame(self, name: str | None) -> tuple[int, SE3]:
        """The body a frame is on and its pose there, in the cheap link frame."""
        frame = self.mechanism.frame(name)
        return frame.body, self.aligned.pose(frame.body, pose(frame.pose))

    def wrenches(self, tool: Any, links: Any) -> dict[int, Wrench]:
        """What acts on each body, in the cheap link frames."""
        total: dict[int, Wrench] = {}
        if links is not None:
            for i, x in enumerate(links):
                total[i] = self.aligned.frames[i].Ad_star(arrays.wrench(x))
        if tool is not None:
            body, T = self.frame(None)
            on_body = tool_wrench_on_body(T, arrays.wrench(tool))
            if body >= 0:
                total[body] = total[body] + on_body if body in total else on_body
        return total
