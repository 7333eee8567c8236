"""Hairer and Wanner's implicit method: order 4, five stages, L-stable. [HairerWanner1996] IV.6, (6.16)"""

from chasles.integrators.implicit import DiagonallyImplicit

METHOD = DiagonallyImplicit(
    order=4,
    diagonal=1 / 4,
    a=[
        [],
        [1 / 2],
        [17 / 50, -1 / 25],
        [371 / 1360, -137 / 2720, 15 / 544],
        [25 / 24, -49 / 48, 125 / 16, -85 / 12],
    ],
)
