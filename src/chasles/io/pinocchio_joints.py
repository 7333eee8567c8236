"""Our joints of one of Pinocchio's: one, or a chain of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.pinocchio_twin import pinocchio

GROUPS = {"JointModelPlanar": "planar", "JointModelSpherical": "spherical", "JointModelFreeFlyer": "free"}
_CHAINS = {  # a joint whose numbers are those of several: what is added to its name
    "JointModelUniversal": ("_1", "_2"),
    "JointModelTranslation": ("_x", "_y", "_z"),
    "JointModelSphericalZYX": ("_z", "_y", "_x"),
}


@dataclass(frozen=True)
class Piece:
    """A joint of ours: its screw (angular, linear) in its own frame, which stands at `before` in the last one's.

    form: as of a `TwinJoint`. q, v: where its numbers begin in Pinocchio's. mimic: whom it follows, factor and offset.
    """

    name: str
    form: str
    screw: np.ndarray
    before: np.ndarray
    q: int
    v: int
    mimic: tuple[str, float, float] | None = None

    @property
    def is_screw(self) -> bool:
        return self.form in ("number", "circle")


def pieces(model: Any, j: int) -> list[Piece]:
    """Those of joint j of a model."""
    joint, name = model.joints[j], model.names[j]
    if joint.shortname() == "JointModelMimic":
        return [_mimic(model, joint, name)]
    return _pieces(joint, name, np.eye(4), joint.idx_q, joint.idx_v)


def _pieces(joint: Any, name: str, before: np.ndarray, q: int, v: int) -> list[Piece]:
    kind = joint.shortname()
    if kind in GROUPS:
        return [Piece(name, GROUPS[kind], np.zeros(6), before, q, v)]
    if kind == "JointModelComposite":
        return _composite(joint.extract(), name, before, q, v)
    if kind not in _CHAINS and (joint.nv != 1 or joint.nq > 2):
        raise ModelError(f"joint {name!r} is a {kind}, which is not known here")
    pin = pinocchio()
    alone = pin.Model()
    columns = _columns(alone.joints[alone.addJoint(0, joint, pin.SE3.Identity(), name)], pin.neutral(alone))
    if kind not in _CHAINS:
        return [Piece(name, "circle" if joint.nq == 2 else "number", columns[0], before, q, v)]
    return [
        Piece(name + suffix, "number", columns[k], np.eye(4) if k else before, q + k, v + k)
        for k, suffix in enumerate(_CHAINS[kind])
    ]


def _composite(joint: Any, name: str, before: np.ndarray, q: int, v: int) -> list[Piece]:
    out: list[Piece] = []
    for k in range(joint.njoints):
        inside = joint.joints[k]
        out += _pieces(inside, f"{name}_{k + 1}", before @ joint.jointPlacements[k].homogeneous, q, v)
        q, v, before = q + inside.nq, v + inside.nv, np.eye(4)
    return out


def _mimic(model: Any, joint: Any, name: str) -> Piece:
    inside = joint.extract()
    master = next(k for k, x in enumerate(model.joints) if k and x.nq and x.idx_q == joint.idx_q)
    scaling, followed = float(inside.scaling), model.names[master]
    if model.joints[master].nv != 1 or scaling == 0.0:
        raise ModelError(f"joint {name!r} mimics {followed!r}, times {scaling}, which is not known here")
    if "JointModelH" in str(inside):
        raise ModelError(f"joint {name!r} is helical and mimics {followed!r}: Pinocchio is not right there")
    screw = _columns(joint, pinocchio().neutral(model))[0] / scaling  # in Pinocchio it is scaled
    return Piece(name, "number", screw, np.eye(4), 0, 0, (followed, scaling, float(inside.offset)))


def _columns(joint: Any, q: np.ndarray) -> np.ndarray:
    """(nv, 6) the twists (angular, linear) of a joint at the coordinates q of its model, in its frame."""
    data = joint.createData()
    joint.calc(data, q)
    S = np.asarray(data.S, dtype=float).reshape(6, -1)
    return np.roll(S.T, 3, -1)
