"""Variational Lie-group integrator of order 4: `variational` composed of five of its steps."""

from chasles.integrators.composition import Composed
from chasles.integrators.variational import METHOD as STEP

METHOD = Composed(STEP)
