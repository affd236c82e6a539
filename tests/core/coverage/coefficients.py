"""How often intervals of coefficients hold in other designs: ``python -m tests.core.coverage.coefficients [SIZE …]``.

The worlds are those of `tests.core.coverage.worlds`, with two labels, with answers most of which are good, with three
judgments of ten missing, and with articles of one to five questions. A cell outside of 92 to 98 % is simulated again,
as those of the large table are (†).
"""

import sys
from concurrent.futures import ProcessPoolExecutor

from tests.core.coverage.__main__ import AGAIN, OF_MORE_WORLDS, RESAMPLES, TRUTH_AGAIN, WORLDS, cell_of
from tests.core.coverage.simulate import simulate
from tests.core.coverage.worlds import Design

ALONE = {"questions": 1, "systems": 1}
SHAPES = {
    "two labels": ALONE | {"cuts": (0.0,)},
    "most answers are good": ALONE | {"mean": 1.2},
    "three judgments of ten missing": ALONE | {"missing": 0.3},
    "articles of one to five questions, two systems": {"questions": 3, "systems": 2, "alike": 0.8, "uneven": True},
}
SIZES = (20, 40, 80)
COEFFICIENTS = (
    "Krippendorff α, ordinal",
    "Cohen κ of labels, mean over pairs",
    "Cohen κ, quadratic, mean over pairs",
    "Fleiss κ",
    "Gwet AC2",
    "Kendall τ-b, mean over pairs",
    "ICC(2,1)",
)


def cell(where: tuple[str, int, str]) -> str:
    title, size, name = where
    design = Design(size, **SHAPES[title])  # type: ignore[arg-type]
    text = cell_of(simulate(design, [name], worlds=WORLDS, resamples=RESAMPLES)[name])
    if "**" not in text:
        return text
    more = simulate(design, [name], worlds=AGAIN, resamples=RESAMPLES, seed=1, truth_worlds=TRUTH_AGAIN)
    return f"{cell_of(more[name])} {OF_MORE_WORLDS}"


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print("| design | figure | " + " | ".join(f"{size} articles" for size in sizes) + " |")
    print("| --- | --- |" + " --- |" * len(sizes))
    rows = [(title, name) for title in SHAPES for name in COEFFICIENTS]
    with ProcessPoolExecutor() as pool:
        cells = pool.map(cell, [(title, size, name) for title, name in rows for size in sizes])
        for title, name in rows:
            print(f"| {title} | {name} | {' | '.join(next(cells) for _ in sizes)} |", flush=True)


if __name__ == "__main__":
    main()
