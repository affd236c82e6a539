"""The systems whose answers were judged: mean of each, how sure their order is, and which differ."""

from itertools import combinations

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judgment_table import SCORES, JudgmentTable
from annotation_platform.analysis.measuring.plain import family, family_for_others, figure, for_others
from annotation_platform.analysis.sections.systems.figures import (
    DifferenceOfSystems,
    MeanOfSystem,
    RankedMean,
    SystemDifferences,
)
from annotation_platform.analysis.sections.systems.possible_ranks import Better, ranks_left_by
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics import Statistic
from annotation_platform.core.statistics.clustered_means import ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.pigeonhole import (
    difference_for_other_raters,
    means_for_other_raters,
)
from annotation_platform.core.statistics.ranks import RankShares, rank_shares
from annotation_platform.core.statistics.result import Ends, ends_of_difference

MOST_COMPARED = 12  # systems; all pairs of them are compared


def means_by_system(measured: AspectData) -> tuple[MeanOfSystem, ...]:
    """Mean number, as labelled and as rescaled, with how often it takes each rank among the systems.

    Labels without a number ("not applicable") are left out of the first.
    """
    sides = _means(measured)
    if not sides:
        return ()
    ranks = {side: _ranks(measured, means, side) for side, means in sides.items()}
    others = _means_for_others(measured, sides)

    def of(side: str, code: int) -> RankedMean:
        found = ranks[side].get(code)
        shares = tuple(found.shares) if found else ()
        return RankedMean(
            **figure(sides[side][code]),
            rank=found and found.rank,
            rank_shares=shares,
            for_others=for_others(others[side][code]),
        )

    return tuple(
        MeanOfSystem(system=name, raw=of("raw", code), rescaled=of("rescaled", code) if "rescaled" in sides else None)
        for code, name in enumerate(measured.table.systems)
        if sides["raw"][code].n_ratings
    )


def differences_of_systems(measured: AspectData) -> SystemDifferences:
    """Every pair of systems on the questions that both answered, with p corrected by Holm.

    A question counts once, however many people judged its answers.
    """
    unit = measured.table.unit
    found: dict[str, tuple[DifferenceOfSystems, ...]] = {}
    for side, (table, values, ends) in numbers_of(measured).items():
        possible = ends_of_difference(ends, ends)
        judgments, means = _by_question(table, values)
        codes = np.flatnonzero(judgments.any(axis=1)).tolist()
        if not 2 <= len(codes) <= MOST_COMPARED:
            continue
        unit_of_question = np.zeros(means.shape[1], dtype=np.int64)
        unit_of_question[table.question_of_item] = unit.of_item
        pairs = list(combinations(codes, 2))
        rows = {code: np.flatnonzero(table.system_of_item[table.items] == code) for code in codes}
        compared = [clustered_difference(means[a], means[b], unit_of_question, ends=possible) for a, b in pairs]
        others = [
            _for_others(table, values, rows[a], rows[b], each, possible)
            for (a, b), each in zip(pairs, compared, strict=True)
        ]
        found[side] = tuple(
            DifferenceOfSystems(
                systems=(table.systems[a], table.systems[b]),
                is_paired=each.is_paired,
                answered=(each.n_first, each.n_second),
                judgments=_judgments_compared(judgments[[a, b]], is_paired=each.is_paired),
                for_others=of_others,
                **figures,
            )
            for (a, b), each, figures, of_others in zip(
                pairs, compared, family(compared), family_for_others(others), strict=True
            )
        )
    ranks = {f"{side}_ranks": ranks_left_by(each, better_end(measured, side)) for side, each in found.items()}
    return SystemDifferences(unit=unit.name, **found, **ranks)


def _for_others(
    table: JudgmentTable, values: Floats, first: Codes, second: Codes, found: ClusteredDifference, ends: Ends | None
) -> ForOtherRaters:
    """What the difference of two systems says about other annotators, from the rows of the first and of the second."""
    rows = np.concatenate([first, second])
    items = table.items[rows]
    return difference_for_other_raters(
        values[rows],
        table.question_of_item[items],
        np.repeat([False, True], [len(first), len(second)]),
        table.raters[rows],
        table.unit.of_item[items],
        found,
        ends=ends,
    )


def _by_question(table: JudgmentTable, values: Floats) -> tuple[Codes, Floats]:
    """How many judgments each system's answer to each question has, and their mean, NaN where there are none."""
    shape = len(table.systems), int(table.question_of_item.max(initial=-1)) + 1
    cells = table.system_of_item[table.items] * shape[1] + table.question_of_item[table.items]
    judgments = np.bincount(cells, minlength=shape[0] * shape[1])
    sums = np.bincount(cells, weights=values, minlength=len(judgments))
    means = np.where(judgments > 0, sums / np.maximum(judgments, 1), np.nan)
    return judgments.reshape(shape), means.reshape(shape)


def _judgments_compared(judgments: Codes, *, is_paired: bool) -> int:
    return int(judgments[:, judgments.all(axis=0)].sum() if is_paired else judgments.sum())


def better_end(measured: AspectData, side: str) -> Better:
    """Scores are always better when higher."""
    return measured.spec.better if side == "raw" else "high"


def numbers_of(measured: AspectData) -> dict[str, tuple[JudgmentTable, Floats, Ends | None]]:
    """Judgments with their numbers and the ends of these, as labelled and as rescaled; none where there are no systems
    or no numbers."""
    table = measured.table
    numbers = measured.spec.numbers[table.choices]
    numbered = ~np.isnan(numbers)
    if not any(table.systems) or not numbered.any():
        return {}
    sides = {"raw": (table.part(numbered), numbers[numbered], measured.spec.ends)}
    if table.scores is not None:
        sides["rescaled"] = table, table.scores, SCORES
    return sides


def _means(measured: AspectData) -> dict[str, tuple[Statistic, ...]]:
    """Mean of each system by code, as labelled and as rescaled."""
    return {
        side: scale_means(
            table.ratings(values, None, ends=ends),
            table.system_of_item[table.items],
            len(table.systems),
            bootstrap=measured.bootstrap,
        )
        for side, (table, values, ends) in numbers_of(measured).items()
    }


def _means_for_others(
    measured: AspectData, sides: dict[str, tuple[Statistic, ...]]
) -> dict[str, tuple[ForOtherRaters, ...]]:
    return {
        side: means_for_other_raters(
            table.ratings(values, None, ends=ends),
            table.system_of_item[table.items],
            sides[side],
            level=measured.bootstrap.level,
        )
        for side, (table, values, ends) in numbers_of(measured).items()
    }


def _ranks(measured: AspectData, means: tuple[Statistic, ...], side: str) -> dict[int, RankShares]:
    """Ranks among the systems that were judged, by code; none where no end of the scale is better."""
    codes = [code for code, mean in enumerate(means) if mean.n_ratings]
    better = better_end(measured, side)
    if better is None:
        return {}
    return dict(zip(codes, rank_shares([means[code] for code in codes], better=better), strict=True))


ASPECT_SECTIONS = {
    "mean_by_system": means_by_system,
    "system_differences": differences_of_systems,
}
