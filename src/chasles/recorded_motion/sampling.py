"""Sampling: the clock and the resolutions of a digital controller."""

from __future__ import annotations

from dataclasses import dataclass

from chasles.arguments import not_negative, positive


@dataclass(frozen=True)
class Sampling:
    """How a controller samples: `simulate(..., sample=Sampling(1e-3, delay=5e-4))`.

    period: seconds between two times at which it is asked; its forces are held in between (zero-order hold). delay:
    seconds from asking to acting; until the first forces arrive there are none. Both are whole numbers of steps.
    position_resolution: of an encoder, rad or m, on all coordinates but those of ball and free joints, which are seen
    exactly, positions of free ones too; velocity_resolution, torque_resolution: rad/s or m/s, N m or N, on all. 0 is
    exact.
    """

    period: float
    delay: float = 0.0
    position_resolution: float = 0.0
    velocity_resolution: float = 0.0
    torque_resolution: float = 0.0

    def __post_init__(self) -> None:
        positive(self.period, "period", "of seconds")
        not_negative(self.delay, "delay", "of seconds")
        for name in ("position_resolution", "velocity_resolution", "torque_resolution"):
            not_negative(getattr(self, name), name)
