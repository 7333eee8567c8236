"""One call from Python of every method that Pinocchio has a counterpart of, and the same on a batch of one row.

Both sides are given arrays that are there, and return as they do: we a new array, Pinocchio a view of its data. Where
it takes several calls (a frame's velocity: the kinematics, then the frame), all are in its time. Results are compared
before anything is timed.
"""

from dataclasses import replace
from statistics import median

from dynamics import Pair
from figures import Figure, Target
from pinocchio_counterparts import Call, calls
from timing import QUICK, Effort, one_thread

LEAST = 0.01  # s; that is some ten thousand calls in each round
SPEEDUP, MEDIAN, ROW = 1.0, 2.5, 1.5  # at least, at least; of the time of a single state, at most


def single_calls(both: list[Pair], effort: Effort) -> list[Figure]:
    """Microseconds beside Pinocchio's, and the median of all speedups."""
    figures = []
    for pair in both:
        for call in _chosen(pair, effort):
            call.check()
            ours, peer = (t * 1e6 for t in one_thread([call.ours(), call.theirs], _short(effort)))
            target = Target("speedup", "at least", SPEEDUP)
            figures.append(Figure(f"{pair.title} {call.name}", ours, "us", peer, target=target))
    middle = median(figure.speedup or 0.0 for figure in figures)
    target = Target("value", "at least", MEDIAN)
    return [*figures, Figure(f"median speedup of {len(figures)}", middle, "x", target=target)]


def single_rows(both: list[Pair], effort: Effort) -> list[Figure]:
    """Microseconds of a batch of one row, (1, n), beside a single state."""
    figures = []
    for pair in both:
        for call in _chosen(pair, effort):
            row, alone = (t * 1e6 for t in one_thread([call.ours(rows=True), call.ours()], _short(effort)))
            target = Target("share", "at most", ROW)
            figures.append(Figure(f"{pair.title} {call.name}", row, "us", base=alone, target=target))
    return figures


def _chosen(pair: Pair, effort: Effort) -> list[Call]:
    return calls(pair)[:: 8 if effort is QUICK else 1]


def _short(effort: Effort) -> Effort:
    return replace(effort, least=min(effort.least, LEAST))
