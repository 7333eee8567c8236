"""Second formulations of the same dynamics, which teach and check; docs/formulations.md shows each beside the others.

    closed_form           the stacked matrices of Park, Bobrow and Ploen: `factors(tree, q)`
    brockett              traces of 4x4 matrices, of Brockett, Stokes and Park: `trace_form(tree)`
    kool                  line coordinates in the space frame, of Kool: `line_form(tree, q)`
    three_cases           Christoffel symbols by cases: `christoffel_symbols(tree, q)`
    adjoint_derivatives   derivatives of the adjoint maps between links: `adjoint_derivative(tree, q, j, i, B, k)`

`tree` is `robot.mechanism.tree`. They run on floats, one configuration at a time but for `factors`, and slowly: what is
fast is on `chasles.Robot`.
"""

from chasles.formulations import adjoint_derivatives, brockett, closed_form, kool, three_cases

__all__ = ["adjoint_derivatives", "brockett", "closed_form", "kool", "three_cases"]
