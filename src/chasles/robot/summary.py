"""A robot in a notebook: its joints, links and doubts in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chasles import markup
from chasles.model import facts
from chasles.reprs import cut

if TYPE_CHECKING:
    from chasles.model.mechanism import Mechanism

MOVES = {"P": ("m", "m/s", "N")}  # units of q, of its rate and of what drives it, where they are not those of turning
TURNS = ("rad", "rad/s", "N m")
NEGLIGIBLE = 1e-9  # of axes, and in metres


def html(m: Mechanism, about: str) -> markup.Markup:
    """A block about a mechanism. about: behind its name."""
    rows = range(m.bodies)
    heads = ["joint", "kind", "axis", "through", "limits", "speed", "effort", "moves"]
    joints = markup.table(heads, (_joint(m, i) for i in rows))
    links = markup.table(
        ["link", "mass", "centre of mass", "inertia about it (xx, yy, zz)", "on"], (_link(m, i) for i in rows)
    )
    doubts = markup.joined([_count(len(m.doubts), "doubt"), markup.listed(m.doubts)]) if m.doubts else ""
    described = markup.tag("div", cut(m.description, 400), style="opacity:0.8") if m.description else ""
    tables = [joints, markup.folded(_count(m.bodies, "link"), links)] if m.bodies else []
    return markup.block(m.name, described, *tables, doubts, about=about)


def _count(many: int, what: str) -> str:
    return f"{many} {what}{'s' * (many != 1)}"


def _joint(m: Mechanism, i: int) -> tuple[Any, ...]:
    x = facts.joint(m, i)
    of_q, of_rate, of_force = MOVES.get(x["kind"], TURNS)
    one, kind = m.kinds[i] == "screw", facts.KINDS[x["kind"]]
    screw = "" if x["axis"] or not one else markup.numbers(m.screws[i])  # with symbols
    if x["kind"] == "H" and x["axis"]:
        kind = markup.joined([kind, ", ", markup.number(x["pitch"], "m/rad")])
    if x["mimic"]:
        kind = markup.joined([kind, f", follows {x['mimic']['joint']}"])
    return (
        x["name"],
        kind,
        markup.numbers(map(_tidy, x["axis"])) if x["axis"] else screw,
        markup.numbers(map(_tidy, x["point"]), "m") if x["point"] else "",
        _limits(x["lower"], x["upper"], of_q) if one else "",
        markup.number(x["velocity"], of_rate) if x["velocity"] is not None and one else "",
        markup.number(x["effort"], of_force) if x["effort"] is not None and one else "",
        x["link"],
    )


def _tidy(x: float) -> float:
    return 0.0 if abs(x) < NEGLIGIBLE else x


def _limits(low: float | None, high: float | None, unit: str) -> Any:
    if low is None and high is None:
        return "none"
    ends = [markup.number(-float("inf") if low is None else low), markup.number(float("inf") if high is None else high)]
    return markup.joined([ends[0], " to ", ends[1], "\u202f", markup.units(unit)])


def _link(m: Mechanism, i: int) -> tuple[Any, ...]:
    x = facts.link(m, i)
    diagonal = [x["inertia"][k][k] for k in range(3)]
    mass, com = markup.number(x["mass"], "kg"), markup.numbers(x["com"], "m")
    return x["name"], mass, com, markup.numbers(diagonal, "kg m^2"), x["parent"]
