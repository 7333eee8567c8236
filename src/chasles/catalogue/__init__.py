"""The catalogue of a robot's functions, where mechanisms meet the compiler, and how each is traced.

A catalogue entry names its inputs and the shapes of its results, and computes them from leaves. The files by their
subjects: kinematics, dynamics, coordinates, derivatives, geometry, parameters, task, each imported when it is needed.
"""

from chasles.catalogue.entry import INPUTS, Entry, Options, catalogue, find
from chasles.catalogue.trace import compute, kernel, recipe, trace
from chasles.catalogue.traceable import Traceable

__all__ = [
    "INPUTS",
    "Entry",
    "Options",
    "Traceable",
    "catalogue",
    "compute",
    "find",
    "kernel",
    "recipe",
    "trace",
]
