"""Second formulations of a robot's equations, which teach and check: slower than its own, and independent of them.

    spatial_newton_euler  the recursions of inverse and forward dynamics, in twists and spatial accelerations
    closed_form           the mass matrix and all joint forces as products of stacked matrices  [ParkBobrowPloen1995]
    brockett              traces of 4x4 matrices, without adjoints or spatial inertias          [BrockettStokesPark1993]
    kool                  line coordinates and momenta, all of it in the space frame            [Kool]
    three_cases           Christoffel symbols by the order of three joints on the tree
    adjoint_derivatives   derivatives of the maps between link frames

Functions take a robot and arrays, `formulations.brockett.inverse_dynamics(robot, q, qd, qdd)`, broadcast over leading
axes, and give NumPy arrays. Each module has its equations at the top, and says what it does not cover.
"""

from chasles.formulations import adjoint_derivatives, brockett, closed_form, kool, spatial_newton_euler, three_cases

__all__ = ["adjoint_derivatives", "brockett", "closed_form", "kool", "spatial_newton_euler", "three_cases"]
