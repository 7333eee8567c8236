"""The table of all functions as Markdown, in the docs' page of benchmarks between two marks."""

from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- all_functions.json: begin -->", "<!-- all_functions.json: end -->"
HEADINGS = ("function", "batch, ns", "one call, us", "first call, s", "warm, s", "operations", "of the peak")


def rendered(robots: dict[str, Any]) -> str:
    """A table for each robot, and by name what it lacks."""
    return "\n\n".join(_robot(title, measured) for title, measured in robots.items())


def replaced(page: str, robots: dict[str, Any]) -> str:
    """The page with these tables between its marks."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{rendered(robots)}\n{END}{rest.split(END)[1]}"


def _robot(title: str, measured: dict[str, Any]) -> str:
    machine, rows = measured["machine"], [row for row in measured["functions"] if row["why_not"] is None]
    missing = [f"- `{row['name']}`: {row['why_not']}" for row in measured["functions"] if row["why_not"] is not None]
    lines = [
        f"### {title}",
        "",
        f"{len(rows)} functions, batches of up to {measured['batch']:,} rows. {machine['cpu']} "
        f"({machine['llvm_cpu']}), {measured['peak'] * 1e-9:.3g} G arithmetic instructions a second at its peak; "
        f"chasles {machine['chasles']}, NumPy {machine['numpy']}, llvmlite {machine['llvmlite']}, "
        f"Python {machine['python']}; load {machine['load_average'][0]:.1f} on {machine['cores']} cores at the start.",
        *(["", f"**Of this run: {'; '.join(measured['said'])}.**"] if measured["said"] else []),
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"| --- |{' ---: |' * (len(HEADINGS) - 1)}",
        *(f"| {' | '.join(_cells(row))} |" for row in rows),
    ]
    return "\n".join(lines + (["", "Not measured:", "", *missing] if missing else []))


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        f"`{row['name']}`",
        _number(row["batch_ns"]),
        _number(row["call_us"]),
        _number(row["first_s"]),
        _number(row["warm_s"]),
        "-" if row["operations"] is None else f"{row['operations']:,}",
        "-" if row["share"] is None else f"{row['share']:.0%}",
    ]


def _number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"
