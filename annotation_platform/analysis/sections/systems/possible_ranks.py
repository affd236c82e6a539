"""The ranks that differences of all pairs leave each system, and which system may be the best."""

from collections.abc import Sequence
from typing import Literal

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.sections.systems.figures import (
    DifferenceOfSystems,
    PossibleRanks,
    WeighedDifference,
)
from annotation_platform.core.rank_intervals import rank_intervals

Better = Literal["high", "low"] | None


def ranks_left_by(
    found: Sequence[DifferenceOfSystems] | Sequence[WeighedDifference], better: Better
) -> tuple[PossibleRanks, ...]:
    """Of the systems of these pairs (`rank_intervals`); none where one was not tested, or no end is better."""
    if better is None or not found or any(each.p_holm is None for each in found):
        return ()
    systems = list(dict.fromkeys(system for each in found for system in each.systems))
    code = {system: place for place, system in enumerate(systems)}
    sure = [
        (code[above], code[below])
        for each in found
        if is_certain(each) and each.value is not None
        for above, below in [each.systems if (each.value < 0) == (better == "high") else each.systems[::-1]]
    ]
    ranks = zip(systems, rank_intervals(len(systems), sure), strict=True)
    return tuple(PossibleRanks(system=system, best=best, worst=worst) for system, (best, worst) in ranks)
