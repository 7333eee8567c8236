"""Sections of a report in their order: modules with a TITLE and `body(subject)`, empty where it does not apply."""

from chasles.report.sections import (
    balance,
    base_parameters,
    curvature,
    inertias,
    joints,
    live,
    manipulability,
    operations,
    speed,
    torques,
    workspace,
)

SECTIONS = (
    live,
    joints,
    inertias,
    workspace,
    manipulability,
    torques,
    curvature,
    balance,
    base_parameters,
    operations,
    speed,
)
