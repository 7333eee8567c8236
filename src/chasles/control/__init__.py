"""Control laws for systems under constraints: callables (t, q, qd) -> tau, for `chasles.simulate` and for machines."""

from chasles.control.contact import RollingContactControl, SlidingContactControl
from chasles.control.gauge import GaugeControl
from chasles.control.hybrid import HybridControl, HybridVelocityControl
from chasles.control.parallel import ParallelControl

__all__ = [
    "GaugeControl",
    "HybridControl",
    "HybridVelocityControl",
    "ParallelControl",
    "RollingContactControl",
    "SlidingContactControl",
]
