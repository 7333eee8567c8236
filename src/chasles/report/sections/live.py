"""The live robot: its page, in a frame."""

from __future__ import annotations

from html import escape

from chasles.markup import Markup, joined, tag
from chasles.report.subject import Subject
from chasles.report.typeset import note

TITLE = "The robot"


def body(subject: Subject) -> Markup:
    page = subject.page
    if page is None:
        return note("The robot has no joints: there is no motion to show.")
    frame = tag("iframe", "", title=f"{page.name}, live", class_="live", srcdoc=Markup(escape(page.html)))
    drag = "drag the tool, " if subject.has_tool else ""
    words = (
        f"Move the joints by their sliders, {drag}let it fall: the page computes with the robot's own functions, "
        "torques included."
    )
    begun = f" It begins at home but for {subject.pose}; maps keep in that pose all joints that are not their axes."
    return joined([frame, note(words, begun if subject.pose else ""), *(note(doubt) for doubt in page.doubts)])
