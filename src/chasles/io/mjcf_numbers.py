"""The numbers of a compiled MuJoCo model, of which not every one makes a mechanism.

MuJoCo bounds nothing from above: sizes of 1e100 m make an infinite mass. Beyond LARGEST_NUMBER squares and products are
no numbers any more; a quaternion that is too small it leaves as it is, without a length of 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.mjcf_checks import LARGEST_NUMBER

_SLIDE, _HINGE = 2, 3  # mujoco.mjtJoint
_LARGEST_ANGLE = 1e4  # rad; beyond it an angle has lost the digits it needs
_NUMBERS = (
    ("body", "body_pos", "its position"),
    ("body", "body_mass", "its mass"),
    ("body", "body_ipos", "its centre of mass"),
    ("body", "body_inertia", "its inertia"),
    ("joint", "jnt_pos", "its position"),
    ("site", "site_pos", "its position"),
)
_UNITS = (
    ("body", "body_quat", "its quaternion"),
    ("body", "body_iquat", "the quaternion of its inertia"),
    ("joint", "jnt_axis", "its axis"),
    ("site", "site_quat", "its quaternion"),
)


def check_numbers(model: Any, named: Callable[[str, int], str]) -> None:
    """Refuse a model with a number that is none, or none of a robot: the body, joint or site is named."""

    def every(what: str, good: np.ndarray, x: np.ndarray, text: str) -> None:
        if not good.all():
            i = int(np.argmin(good))
            raise ModelError(f"{what} {named(what, i)!r}: {text.format(x[i].tolist())}")

    if not np.abs(model.opt.gravity).max() <= LARGEST_NUMBER:
        raise ModelError(f"gravity is {model.opt.gravity.tolist()}, beyond any of a robot")
    for what, array, words in _NUMBERS:
        x = np.asarray(getattr(model, array))
        largest = np.abs(x).max(axis=1) if x.ndim > 1 else np.abs(x)
        every(what, largest <= LARGEST_NUMBER, x, f"{words} is {{}}, beyond any of a robot")
    for what, array, words in _UNITS:
        x = np.asarray(getattr(model, array))
        good = np.abs(np.sum(x * x, axis=1) - 1.0) <= 1e-6
        if what == "joint":
            good |= model.jnt_type < _SLIDE
        every(what, good, x, f"{words} is {{}}, which is not of length 1")
    zero = model.qpos0[model.jnt_qposadr]
    most = np.where(model.jnt_type == _HINGE, _LARGEST_ANGLE, LARGEST_NUMBER)
    every("joint", np.abs(zero) <= most, zero, "its ref is {}, beyond any of a robot")
