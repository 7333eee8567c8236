"""Where mechanisms meet the compiler: the catalogue of a robot's functions, and how each is traced.

A catalogue entry names its inputs and the shapes of its results, and computes them from leaves. The files by their
subjects: kinematics, dynamics, coordinates, derivatives, geometry, parameters.
"""

from chasles.catalogue import coordinates, derivatives, dynamics, geometry, kinematics, parameters
from chasles.catalogue.entry import CATALOGUE, INPUTS, Entry, Options
from chasles.catalogue.trace import EXPRESSED, compute, kernel, nested, trace
from chasles.catalogue.traceable import Traceable

__all__ = [
    "CATALOGUE",
    "EXPRESSED",
    "INPUTS",
    "Entry",
    "Options",
    "Traceable",
    "compute",
    "coordinates",
    "derivatives",
    "dynamics",
    "geometry",
    "kernel",
    "kinematics",
    "nested",
    "parameters",
    "trace",
]
