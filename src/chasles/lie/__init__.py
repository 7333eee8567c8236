"""Groups, algebras and duals of rigid motions, on any leaf. No robots here."""

from chasles.lie.inertia import ArticulatedInertia, CoriolisInertia, SpatialInertia
from chasles.lie.se3 import SE3
from chasles.lie.so3 import SO3
from chasles.lie.twist import Twist
from chasles.lie.vec3 import Mat3, Sym3, Vec3
from chasles.lie.wrench import Wrench

__all__ = [
    "SE3",
    "SO3",
    "ArticulatedInertia",
    "CoriolisInertia",
    "Mat3",
    "SpatialInertia",
    "Sym3",
    "Twist",
    "Vec3",
    "Wrench",
]
