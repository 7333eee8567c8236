"""Names that would be markup, script or template, were they not escaped: each would set `owned` in a browser."""

import dataclasses

import numpy as np

import chasles as ch

NAMES = (
    "</script><script>owned=1</script>",
    "<img src=x onerror=owned=1>",
    "\"'`><svg onload=owned=1>&lt;&amp;",
    "{{DATA}}${owned=1}{{TITLE}}",
    "<!--<script>",
    "]]>--></title><script>owned=1</script>",
    "*/owned=1;/*\\",
)
DESCRIPTION = "\u2028\u2029\0\ud800\n\t\x1b\\" + "".join(NAMES)  # names have no control characters


def robot():
    """A chain whose every name is one of these."""
    many = len(NAMES)
    screws = [ch.screw([0, 0, 1], [0.1 * k, 0, 0]) for k in range(many)]
    homes = [np.eye(4) + np.eye(4, k=3) * 0.1 * k for k in range(many)]
    links = [ch.Link(1.0, [0.05, 0.0, 0.0], [0.01] * 3)] * many
    made = ch.Robot.from_screws(
        screws,
        homes,
        links,
        name=NAMES[0],
        joint_names=NAMES,
        link_names=[f"{name} link" for name in NAMES],
        frames={f"{name} frame": (f"{name} link", np.eye(4)) for name in NAMES},
    )
    return ch.Robot(dataclasses.replace(made.mechanism, description=DESCRIPTION))
