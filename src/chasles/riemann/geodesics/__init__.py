"""Geodesics of the inertia metric: the motions of a robot that nothing drives, and paths of least energy.

flow.py has the motions, shooting.py those from one point to another, transport.py what they carry along, energy.py the
paths of least energy; they are checked against each other. The metric is that of the links; friction is left out.
"""

from chasles.riemann.geodesics.energy import PathEnergy, minimum_energy_path, path_energy
from chasles.riemann.geodesics.flow import Geodesic, exponential_map
from chasles.riemann.geodesics.shooting import distance, two_point
from chasles.riemann.geodesics.transport import parallel_transport

__all__ = [
    "Geodesic",
    "PathEnergy",
    "distance",
    "exponential_map",
    "minimum_energy_path",
    "parallel_transport",
    "path_energy",
    "two_point",
]
