"""Control laws: callables (t, q, qd) -> tau, for `chasles.simulate` and for machines.

For systems under constraints, for a frame of a robot that follows a path on SE(3), and for costs that rollouts find.
"""

from chasles.control.contact import RollingContactControl, SlidingContactControl
from chasles.control.gauge import GaugeControl
from chasles.control.hybrid import HybridControl, HybridVelocityControl
from chasles.control.limits import Limits
from chasles.control.mppi import MPPI
from chasles.control.parallel import ParallelControl
from chasles.control.predictive_sampling import PredictiveSampling
from chasles.control.redundancy import centring
from chasles.control.resolved_acceleration import ResolvedAcceleration
from chasles.control.resolved_rate import JointMotion, ResolvedRate
from chasles.control.tracking import ComputedTorque, PoseTracking

__all__ = [
    "MPPI",
    "ComputedTorque",
    "GaugeControl",
    "HybridControl",
    "HybridVelocityControl",
    "JointMotion",
    "Limits",
    "ParallelControl",
    "PoseTracking",
    "PredictiveSampling",
    "ResolvedAcceleration",
    "ResolvedRate",
    "RollingContactControl",
    "SlidingContactControl",
    "centring",
]
