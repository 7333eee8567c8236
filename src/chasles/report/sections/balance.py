"""Balance: whether the mass matrix is constant, which joints change it, and what would balance the robot."""

from __future__ import annotations

from chasles.errors import ChaslesError
from chasles.markup import Markup, joined, number, numbers
from chasles.report.link_by_link import link_by_link, samples
from chasles.report.subject import Subject
from chasles.report.typeset import in_words, note, text, whole_table
from chasles.riemann.balance import balance

TITLE = "Balance"
_RADIUS = 0.25  # of the reach: where counterweights are put


def body(subject: Subject) -> Markup:
    robot = subject.robot
    if not robot.n:
        return Markup("")
    found = balance(link_by_link(robot), samples=samples(robot))
    looked = f" ({in_words(found.samples, 'random pose')} looked at)"
    if found.is_balanced:
        words = "The robot is balanced: its mass matrix is the same in every pose"
        return text(f"{words}{looked}. Without gravity, a constant force at a joint gives constant accelerations.")
    words = (
        f"The robot is not balanced: its mass matrix changes with the pose{looked}. By how much, of itself for a rad "
        "or m of each joint:"
    )
    rows = [[joint, size, found.links[joint]] for joint, size in found.breaks.items()]
    return joined([text(words), whole_table(("joint", "change", "carries"), rows), _remedy(subject)])


def _remedy(subject: Subject) -> Markup:
    """What would balance it, where that is known: planar chains."""
    robot, radius = subject.robot, round(_RADIUS * subject.length, 2) or _RADIUS * subject.length
    try:
        weights = robot.counterweights(radius)
    except ChaslesError:
        return note("What would balance it is known of planar chains of revolute joints only.")
    rows = [[link, mass, numbers(place.tolist(), "", 3)] for link, mass, place in weights]
    about = joined(["Counterweights ", number(radius, "m", 2), " from the axes that would balance it, tip first."])
    return joined([whole_table(("on link", "mass / kg", "at / m"), rows), note(about)])
