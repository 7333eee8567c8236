"""Model predictive path integral control: the mean of sampled plans, weighted by their costs.

    w_i = exp(-(S_i - min S) / lambda) / sum of the same,   u <- sum over i of w_i u_i        (1)

S_i, u_i of control/sampled_plans.py. lambda, the temperature, is in units of cost: as it goes to zero the plan is that
of the least cost, and for a large one the plain mean. Where the cost is quadratic in the plan and no limit is met, (1)
is a contraction to its minimum. Forces cost what the cost says: there is no further term for the noise. Samples are
rolled out in groups, with sums that are scaled where a group has a lesser S. [WilliamsAldrichTheodorou2017]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import positive
from chasles.constrained import ConstrainedSystem
from chasles.control.law import Array
from chasles.control.sampling import SamplingControl
from chasles.errors import ModelError
from chasles.system import System

GROUP = 512  # samples that are rolled out together: their plans are kept until they are weighed


class MPPI(SamplingControl):
    """(1): a callable (t, q, qd) -> tau, for `chasles.simulate` with sample=dt, and for machines.

    temperature: lambda, in units of the cost. What else it takes and has: see `SamplingControl`.
    """

    with_plans: ClassVar[bool] = True

    def __init__(
        self,
        system: System | ConstrainedSystem,
        cost: Callable[..., Any],
        *,
        dt: float,
        horizon: int,
        samples: int,
        noise: ArrayLike,
        temperature: float,
        final_cost: Callable[..., Any] | None = None,
        effort: Any = True,
        method: str = "semi_implicit",
        knots: int | None = None,
        updates: int = 1,
        parameters: Mapping[str, ArrayLike] | None = None,
        symbols: Mapping[str, ArrayLike] | None = None,
        seed: int = 0,
    ) -> None:
        self.temperature = positive(temperature, "temperature")
        super().__init__(
            system,
            cost,
            dt=dt,
            horizon=horizon,
            samples=samples,
            noise=noise,
            final_cost=final_cost,
            effort=effort,
            method=method,
            knots=knots,
            updates=updates,
            parameters=parameters,
            symbols=symbols,
            seed=seed,
        )

    @property
    def weights(self) -> Array:
        """(samples,) w of (1), of the last update; 0 where a cost is not finite."""
        if not len(self.costs):
            raise ModelError("nothing was sampled yet: call the law first")
        found = self._relative(self.costs, self.costs[self.best_sample])
        return found / found.sum()

    @property
    def effective_samples(self) -> float:
        """1 / sum of w^2: how many samples share the weight, between 1 and all."""
        return float(1.0 / (self.weights**2).sum())

    def _roll_out(self, q: Array, qd: Array, t: float) -> None:
        self.costs, self._sum, least = np.empty(self.samples), np.zeros_like(self.plan), np.inf
        for first in range(0, self.samples, GROUP):
            rows = slice(first, first + GROUP)
            self.costs[rows], plans = self._rolled_out(rows, q, qd, t)
            before, found = least, self.costs[rows]
            least = min(least, found[np.isfinite(found)].min(initial=np.inf))
            if least < np.inf:
                scale = self._relative(np.array([before]), least)
                self._sum = self._sum * scale + np.einsum("i,ijk->jk", self._relative(found, least), plans)

    def _relative(self, costs: Array, least: float) -> Array:
        """(...) exp(-(S - least) / lambda), 0 where S is not finite."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return np.where(np.isfinite(costs), np.exp((least - costs) / self.temperature), 0.0)

    def _improved(self) -> Array:
        return self._sum / self._relative(self.costs, self.costs[self.best_sample]).sum()  # (1)
