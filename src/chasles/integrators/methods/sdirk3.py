"""Alexander's implicit method: order 3, three stages, L-stable. For stiff springs, dampers and gains.

g = 0.4358665215... is the root of 1/6 - 3/2 g + 3 g^2 - g^3 for which the method is L-stable. [Alexander1977]
"""

from chasles.integrators.implicit import DiagonallyImplicit

G = 0.43586652150845899942

METHOD = DiagonallyImplicit(
    order=3,
    diagonal=G,
    a=[[], [(1 - G) / 2], [(-6 * G**2 + 16 * G - 1) / 4, (6 * G**2 - 20 * G + 5) / 4]],
)
