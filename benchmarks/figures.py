"""A figure, beside the peer's and its target."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Target:
    """What `of` a figure must be at least or at most."""

    of: Literal["value", "speedup", "share"]
    sense: Literal["at least", "at most"]
    bound: float

    def met(self, x: float) -> bool:
        return x >= self.bound if self.sense == "at least" else x <= self.bound

    def __str__(self) -> str:
        sign = ">=" if self.sense == "at least" else "<="
        return {
            "value": f"{sign} {self.bound:g}",
            "speedup": f"{sign} {self.bound:g}x",
            "share": f"{sign} {self.bound:g}",
        }[self.of]


@dataclass(frozen=True)
class Figure:
    """One number, in `unit`; `peer`, where there is one, is that `of` another library, `base` another of ours."""

    name: str
    value: float
    unit: str
    peer: float | None = None
    base: float | None = None
    target: Target | None = None
    note: str = ""
    of: str = "pinocchio"

    @property
    def speedup(self) -> float | None:
        """The peer's over ours."""
        return None if self.peer is None else self.peer / self.value

    @property
    def share(self) -> float | None:
        """Ours over the peer's, or over the base."""
        other = self.base if self.base is not None else self.peer
        return None if other is None else self.value / other

    @property
    def ok(self) -> bool | None:
        if self.target is None:
            return None
        x = getattr(self, self.target.of)
        return x is not None and bool(self.target.met(x))

    def plain(self) -> dict[str, Any]:
        keys = ("name", "value", "unit", "peer", "base", "speedup", "share", "ok", "note", "of")
        return {key: getattr(self, key) for key in keys} | {"target": str(self.target) if self.target else None}


def show(screen: Console, title: str, figures: list[Figure]) -> None:
    """A section as a table."""
    compared = any(figure.peer is not None for figure in figures)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("figure", no_wrap=True)
    table.add_column("chasles", justify="right", no_wrap=True)
    named = {figure.of for figure in figures if figure.peer is not None}
    others = len(named) > 1
    for heading in ("peer" if others else "".join(named), "speedup") if compared else ():
        table.add_column(heading, justify="right", no_wrap=True)
    shared = any(figure.base is not None or (figure.target and figure.target.of == "share") for figure in figures)
    for heading in ("share", "target") if shared else ("target",):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", style="dim")
    for figure in figures:
        verdict = {None: "", True: "[green]ok[/]", False: "[bold red]MISS[/]"}[figure.ok]
        peer = [f"{_number(figure.peer)} {figure.unit}" if figure.peer is not None else "", _times(figure.speedup)]
        if others and figure.peer is not None:
            peer[0] = f"{figure.of} {peer[0]}"
        table.add_row(
            figure.name,
            f"{_number(figure.value)} {figure.unit}",
            *(peer if compared else ()),
            *([f"{figure.share:.2f}" if figure.share is not None else ""] if shared else ()),
            str(figure.target or ""),
            verdict,
            figure.note,
        )
    screen.print(f"\n{title}", style="bold cyan")
    screen.print(table)


def save(path: Path, described: dict[str, Any], settings: dict[str, Any], results: dict[str, list[Figure]]) -> None:
    """Sections as JSON, with the machine they were measured on."""
    plain = {title: [figure.plain() for figure in section] for title, section in results.items()}
    path.write_text(json.dumps({"machine": described, "settings": settings, "figures": plain}, indent=2) + "\n")


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 1000 or x == int(x) else f"{x:.3g}"


def _times(x: float | None) -> str:
    return "" if x is None else f"{x:.1f}x"
