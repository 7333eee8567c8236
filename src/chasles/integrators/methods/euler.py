"""Explicit Euler: order 1, and energies grow. For teaching, and to see what others are for. [FD-2]"""

from chasles.integrators.tableau import ExplicitRungeKutta

METHOD = ExplicitRungeKutta(order=1, a=[[]], b=[1.0])
