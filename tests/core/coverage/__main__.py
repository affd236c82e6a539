"""Simulate figures over every design and write the table: ``python -m tests.core.coverage [--formulas] [NAME …]``.

``--outside`` simulates the cells of the table again that lie outside of what is wanted, in many more studies drawn by
another seed, against the figure of 80,000 articles: among hundreds of cells some are outside by luck alone.

With ``--formulas`` only those whose intervals take no resamples, which is done in a minute; with names only these
figures. Rows of the others stay as they are: each world is the same whatever is computed from it.
"""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.core.coverage.figures import FIGURES
from tests.core.coverage.simulate import Counted, simulate
from tests.core.coverage.worlds import Design

PAGE = Path(__file__).parents[3] / "docs/reference/statistics/coverage.md"
START, END = "<!-- made by python -m tests.core.coverage -->", "<!-- until here -->"
WORLDS, RESAMPLES = int(os.environ.get("WORLDS", "300")), 200
SIZES = (6, 20, 80)
SHAPES = {
    "no item shares anything": {"questions": 1, "systems": 1},
    "two systems answer each question": {"questions": 1, "systems": 2},
    "articles of three questions, two systems": {"questions": 3, "systems": 2, "alike": 0.8},
}
DESIGNS = [Design(size, **shape) for shape in SHAPES.values() for size in SIZES]  # type: ignore[arg-type]
HELD, REJECTED = (0.92, 0.98), (0.03, 0.07)
AGAIN, OF_MORE_WORLDS, TRUTH_AGAIN = int(os.environ.get("AGAIN", "1500")), "†", 40


def names_of(design: Design) -> list[str]:
    """The figures that a design has: one system is not compared."""
    named = [name for name in sys.argv[1:] if name in FIGURES]
    asked = FORMULAS if "--formulas" in sys.argv else named or FIGURES
    return [name for name in asked if design.systems == 2 or name not in COMPARED]


FORMULAS = (
    *("share of a label", "share of a label, one annotator", "accuracy of a model", "percent agreement"),
    *("share of judgments that prefer a system", "same label as others, one annotator"),
    "paired difference of two systems",
)
COMPARED = ("paired difference of two systems", "share of judgments that prefer a system")


def as_table(found: dict[Design, dict[str, Counted]], known: str = "") -> str:
    """The table of all designs; what does not hold stands out. Rows that were not simulated are those of ``known``."""
    lines = []
    for title, shape in SHAPES.items():
        designs = [Design(size, **shape) for size in SIZES]  # type: ignore[arg-type]
        lines += ["", f"### {title[0].upper()}{title[1:]}", ""]
        lines += [f"| figure | {' | '.join(f'{size} articles' for size in SIZES)} |", "| --- | --- | --- | --- |"]
        for name in FIGURES:
            if any(name in found[design] for design in designs):
                cells = [cell_of(found[design][name]) for design in designs]
                lines.append(f"| {name} | {' | '.join(cells)} |")
            elif row := row_of(known, title, name):
                lines.append(row)
    return "\n".join(lines[1:])


def row_of(table: str, title: str, name: str) -> str:
    """The row of a figure in the part of a table that has this title; "" where there is none."""
    part = table.partition(f"### {title[0].upper()}{title[1:]}")[2].partition("###")[0]
    return next((line for line in part.splitlines() if line.startswith(f"| {name} | ")), "")


def cell_of(counted: Counted) -> str:
    if counted.coverage is None:
        return "no interval"
    text = f"{_marked(counted.coverage, HELD)} ({_short(counted.width)})"
    if counted.intervals < counted.worlds:
        text += f", none in {_short(1 - counted.intervals / counted.worlds, 2)}"
    if counted.rejection is not None:
        text += f", p {_marked(counted.rejection, REJECTED)}"
    return text


def _marked(share: float, within: tuple[float, float]) -> str:
    text = _short(share, 3)
    return text if within[0] <= share <= within[1] else f"**{text}**"


def _short(value: float, digits: int = 2) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("0") if value < 1 else text


def _simulated(design: Design) -> dict[str, Counted]:
    return simulate(design, names_of(design), worlds=WORLDS, resamples=RESAMPLES)


def cells_outside(page: str, names: list[str]) -> list[tuple[str, str, int]]:
    """Shape, figure and place among the sizes of the cells of a page that stand out."""
    rows = ((title, name, row_of(page, title, name)) for title in SHAPES for name in names)
    return [
        (title, name, place)
        for title, name, row in rows
        for place, cell in enumerate(row.split("|")[2:-1])
        if "**" in cell
    ]


def _simulated_again(cell: tuple[str, str, int]) -> str:
    title, name, place = cell
    design = Design(SIZES[place], **SHAPES[title])  # type: ignore[arg-type]
    found = simulate(design, [name], worlds=AGAIN, resamples=RESAMPLES, seed=1, truth_worlds=TRUTH_AGAIN)
    return f"{cell_of(found[name])} {OF_MORE_WORLDS}"


def again() -> int:
    """Put the cells that were simulated again in the place of those that are there."""
    page = PAGE.read_text()
    cells = cells_outside(page, [name for name in sys.argv[1:] if name in FIGURES] or list(FIGURES))
    with ProcessPoolExecutor() as pool:
        for (title, name, place), text in zip(cells, pool.map(_simulated_again, cells), strict=True):
            row = row_of(page, title, name)
            columns = row.split("|")
            columns[place + 2] = f" {text} "
            part = page.partition(f"### {title[0].upper()}{title[1:]}")
            page = part[0] + part[1] + part[2].replace(row, "|".join(columns), 1)
            PAGE.write_text(page)
            print(title, name, SIZES[place], text, sep=", ")
    return 0


def main() -> int:
    if "--outside" in sys.argv:
        return again()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    largest_first = sorted(DESIGNS, key=lambda design: -design.articles * design.questions * design.systems)
    with ProcessPoolExecutor() as pool:
        found = dict(zip(largest_first, pool.map(_simulated, largest_first), strict=True))
    page = PAGE.read_text()
    before, after = page[: page.index(START)], page[page.index(END) :]
    told = f"{WORLDS:,} worlds a cell, {RESAMPLES:,} resamples, seed 0, at commit `{commit.strip()}`."
    anew = [name for name in FIGURES if any(name in each for each in found.values())]
    if anew != list(FIGURES):  # the other rows were made at the commits that stand there already
        there = page[page.index(START) + len(START) : page.index("###", page.index(START))].strip()
        told = f"{there}\n\n*{', '.join(anew)}:* {told}"
    table = as_table(found, known=page)
    PAGE.write_text(f"{before}{START}\n\n{told}\n\n{table}\n\n{after}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
