"""Variational Lie-group integrator of order 4: `variational` composed of five of its steps."""

from chasles.integrators.composition import Composed
from chasles.integrators.methods.variational import Variational

METHOD = Composed(Variational(corrections=3, extrapolation=(1.0, 0.0, 0.0)))
