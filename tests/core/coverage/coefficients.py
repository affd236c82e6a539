"""How often intervals of coefficients hold in other designs: ``python -m tests.core.coverage.coefficients``.

The worlds are those of `tests.core.coverage.worlds`, with two labels, with answers most of which are good, with three
judgments of ten missing, and with articles of one to five questions.
"""

import sys
from concurrent.futures import ProcessPoolExecutor

from tests.core.coverage.__main__ import RESAMPLES, WORLDS, cell_of
from tests.core.coverage.simulate import Counted, simulate
from tests.core.coverage.worlds import Design

ALONE = {"questions": 1, "systems": 1}
SHAPES = {
    "two labels": ALONE | {"cuts": (0.0,)},
    "most answers are good": ALONE | {"mean": 1.2},
    "three judgments of ten missing": ALONE | {"missing": 0.3},
    "articles of one to five questions, two systems": {"questions": 3, "systems": 2, "alike": 0.8, "uneven": True},
}
SIZES = (20, 80)
COEFFICIENTS = (
    "Krippendorff α, ordinal",
    "Cohen κ of labels, mean over pairs",
    "Cohen κ, quadratic, mean over pairs",
    "Fleiss κ",
    "Gwet AC2",
    "Kendall τ-b, mean over pairs",
    "ICC(2,1)",
)


def held(design: Design, worlds: int = WORLDS) -> dict[str, Counted]:
    return simulate(design, list(COEFFICIENTS), worlds=worlds, resamples=RESAMPLES)


def main() -> int:
    designs = {
        (title, size): Design(size, **shape)  # type: ignore[arg-type]
        for title, shape in SHAPES.items()
        if title in sys.argv or len(sys.argv) == 1
        for size in SIZES
    }
    with ProcessPoolExecutor() as pool:
        found = dict(zip(designs, pool.map(held, designs.values()), strict=True))
    print("| design | figure | " + " | ".join(f"{size} articles" for size in SIZES) + " |")
    print("| --- | --- |" + " --- |" * len(SIZES))
    for title in dict.fromkeys(title for title, _ in designs):
        for name in COEFFICIENTS:
            print(f"| {title} | {name} | {' | '.join(cell_of(found[title, size][name]) for size in SIZES)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
