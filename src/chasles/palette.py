"""The colours of Okabe and Ito, which people with any colour vision tell apart."""

from __future__ import annotations

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, YELLOW = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#f0e442",
)
CURVES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)  # in this order; seen on light pages and dark ones
