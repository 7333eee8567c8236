"""Predictive sampling: the best of sampled plans.

    u <- u_i,   i of the least S_i                                                 (1)

S_i, u_i of control/sampled_plans.py. As sample 0 is the plan without noise, no update makes it worse.
[HowellGileadiTunyasuvunakoolZakkaErezTassa2022]
"""

from __future__ import annotations

from chasles.control.law import Array
from chasles.control.sampling import SamplingControl


class PredictiveSampling(SamplingControl):
    """(1): a callable (t, q, qd) -> tau, for `chasles.simulate` with sample=dt, and for machines.

    What it takes and has: see `SamplingControl`.
    """

    def _improved(self) -> Array:
        return self.best  # (1)
