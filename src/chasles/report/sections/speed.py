"""Measured speed: the robot's functions beside those of the peers that are installed."""

from __future__ import annotations

import datetime
import platform
from typing import Any

from chasles.markup import Markup, joined, number, tag
from chasles.report.speed.benchmark import benchmark
from chasles.report.subject import Subject
from chasles.report.typeset import note, thousands, whole_table

TITLE = "Measured speed"
BATCH, ROUNDS, SECONDS = 1024, 3, 0.005
AGREEMENT = 1e-6  # of the largest number of a result: peers that differ by more are told
_OTHER = "\u2020"


def body(subject: Subject) -> Markup:
    if not subject.robot.n or not subject.speed:
        return Markup("")
    figures = benchmark(subject.robot, BATCH, 1, ROUNDS, seconds=SECONDS)
    peers = [peer for peer in figures["peers"] if peer["why_not"] is None]
    names = [peer["name"] for peer in peers]
    tables = [
        _table("One call from Python, in microseconds", "single_s", 1e6, figures["functions"], names),
        _table(f"Each of a batch of {BATCH}, in nanoseconds", "batch_s", 1e9, figures["functions"], names),
    ]
    differences = [
        (peer, function["name"], function["peers"][peer]["difference"])
        for peer in names
        for function in figures["functions"]
        if peer in function["peers"] and not function["peers"][peer]["difference"] <= AGREEMENT
    ]
    looped = any(one["looped"] for function in figures["functions"] for one in function["peers"].values())
    star = "* It has no function for batches: its Python call for each. " if looped else ""
    versions = ", ".join(f"{peer['name']} {peer['version']}" for peer in peers)
    beside = f" beside {versions}" if versions else ""
    where = f"{platform.system()} on {platform.machine()}, {datetime.date.today().isoformat()}"
    words = f"{star}One thread, medians, chasles {figures['version']}{beside}; {where}. Other machines differ."
    why = [f"{peer['name']}: {peer['why_not']}." for peer in figures["peers"] if peer["why_not"] is not None]
    other = [_disagreement(*one) for one in differences]
    return tag("div", joined([*tables, note(words), *map(note, other), *map(note, why)]), class_="measured")


def _disagreement(peer: str, function: str, difference: float) -> Markup:
    size = joined(["by ", number(difference, digits=2), " of its largest number"])
    return joined([f"{_OTHER} {peer} has another {function}, ", size, ": its time is of something else."])


def _table(title: str, key: str, scale: float, functions: list[dict[str, Any]], peers: list[str]) -> Markup:
    rows = []
    for function in functions:
        row: list[Any] = [function["name"], _time(function[key] * scale)]
        for peer in peers:
            times = function["peers"].get(peer)
            if times is None:
                row += ["\u2013", ""]
                continue
            star = "*" if key == "batch_s" and times["looped"] else ""
            other = "" if times["difference"] <= AGREEMENT else _OTHER
            row += [joined([_time(times[key] * scale), star, other]), f"{times[key] / function[key]:.1f}"]
        rows.append(row)
    heads = ("function", "chasles", *(word for peer in peers for word in (peer, "\u00d7 chasles")))
    return whole_table(heads, rows, caption=title, kind="numeric")


def _time(x: float) -> Markup:
    return thousands(x) if x >= 100.0 else Markup(f"{x:.3g}")
