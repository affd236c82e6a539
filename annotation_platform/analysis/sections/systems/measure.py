"""The systems whose answers were judged: mean of each, how sure their order is, and which differ."""

from itertools import combinations

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import Figures
from annotation_platform.analysis.measuring.plain import differences, figure
from annotation_platform.core.statistics import Statistic
from annotation_platform.core.statistics.means import group_means
from annotation_platform.core.statistics.ranks import RankShares, rank_shares

MOST_COMPARED = 12  # systems; all pairs of them are compared


def means_by_system(measured: AspectData) -> list[Figures]:
    """Mean number, as labelled and as rescaled, with how often it takes each rank among the systems.

    Labels without a number ("not applicable") are left out of the first.
    """
    sides = _sides(measured)
    ranks = {side: _ranks(measured, means, side) for side, means in sides.items()}

    def of(side: str, code: int) -> Figures | None:
        return figure(sides[side][code]) | _rank(ranks[side].get(code)) if side in sides else None

    return [
        {"system": name, "raw": of("raw", code), "rescaled": of("rescaled", code)}
        for code, name in enumerate(measured.table.systems)
        if "raw" in sides and sides["raw"][code].n_ratings
    ]


def differences_of_systems(measured: AspectData) -> Figures:
    """Every pair of systems: the difference of their means, with p corrected by Holm."""
    found: Figures = {}
    for side, means in _sides(measured).items():
        codes = [code for code, mean in enumerate(means) if mean.n_ratings]
        if not 2 <= len(codes) <= MOST_COMPARED:
            continue
        pairs = list(combinations(codes, 2))
        tested = differences([(means[a], means[b]) for a, b in pairs])
        found[side] = [
            {"systems": [measured.table.systems[a], measured.table.systems[b]], **each}
            for (a, b), each in zip(pairs, tested, strict=True)
        ]
    return found


def _sides(measured: AspectData) -> dict[str, tuple[Statistic, ...]]:
    """Mean of each system by code, as labelled and as rescaled; none where there are no systems or no numbers."""
    table, bootstrap = measured.table, measured.bootstrap
    numbers = measured.spec.numbers[table.choices]
    numbered = ~np.isnan(numbers)
    if not any(table.systems) or not numbered.any():
        return {}
    part, n = table.part(numbered), len(table.systems)
    raw = part.ratings(numbers[numbered], None)
    sides = {"raw": group_means(raw, part.system_of_item[part.items], n, bootstrap=bootstrap)}
    if measured.rescaled is not None:
        groups = table.system_of_item[table.items]
        sides["rescaled"] = group_means(measured.rescaled, groups, n, bootstrap=bootstrap)
    return sides


def _ranks(measured: AspectData, means: tuple[Statistic, ...], side: str) -> dict[int, RankShares]:
    """Ranks among the systems that were judged, by code; none where no end of the scale is better.

    Scores are always better when higher.
    """
    codes = [code for code, mean in enumerate(means) if mean.n_ratings]
    better = measured.spec.better if side == "raw" else "high"
    if better is None:
        return {}
    return dict(zip(codes, rank_shares([means[code] for code in codes], better=better), strict=True))


def _rank(found: RankShares | None) -> Figures:
    return {"rank": found and found.rank, "rank_shares": list(found.shares) if found else []}


ASPECT_SECTIONS = {
    "mean_by_system": means_by_system,
    "system_differences": differences_of_systems,
}
