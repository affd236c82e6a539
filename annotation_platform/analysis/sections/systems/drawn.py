"""Systems by all their answers, of which people judged those that were drawn with chances that differ."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.chosen import NONE_DRAWN, joined
from annotation_platform.analysis.measuring.judged_part import JudgedPart
from annotation_platform.analysis.measuring.plain import family, family_for_others, for_others, interval_of
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.analysis.sections.systems.figures import (
    DrawnSystems,
    WeighedDifference,
    WeighedMean,
    WeighedSystems,
)
from annotation_platform.analysis.sections.systems.measure import MOST_COMPARED, better_end, numbers_of
from annotation_platform.analysis.sections.systems.possible_ranks import Better, ranks_left_by
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.active_for_others import (
    weighted_difference_for_other_raters,
    weighted_mean_for_other_raters,
)
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.ranks import competition_ranks
from annotation_platform.core.statistics.result import Ends, ends_of_difference
from annotation_platform.core.statistics.weighted_means import weighted_difference, weighted_mean


@dataclass(frozen=True, eq=False)
class Answers:
    """All answers of a study that the draws speak for, one entry each.

    ``values`` are the means of what people ``said``, NaN where none counts; ``groups`` what was drawn together, in
    which every article lies whole.
    """

    values: Floats
    judgments: Codes
    weights: Floats
    groups: Codes
    questions: Codes
    systems: Codes
    names: tuple[str, ...]
    annotators: Codes
    said: Said
    ends: Ends | None

    def of(self, system: int) -> Flags:
        found: Flags = self.systems == system
        return found

    @property
    def counts(self) -> Flags:
        found: Flags = ~np.isnan(self.values) & (self.weights > 0)
        return found


def drawn_systems(measured: AspectData, units: Units, part: JudgedPart) -> DrawnSystems | None:
    """None where nothing was drawn, or the judged answers all stand for equally many, so that plain figures speak for
    all of them."""
    table, items = measured.table, units.keys[:, 0].tolist()
    sides, chosen = numbers_of(measured), part.chosen
    if chosen is None:
        return None
    judged = chosen.weights(units.keys[table.units, 0].tolist())
    if np.allclose(judged, judged[:1], rtol=1e-9, atol=0):
        return None
    rows = np.flatnonzero(chosen.within_reach(items))
    of_rows = [items[row] for row in rows.tolist()]
    unit, counts = units.unit_of(rows), chosen.counts(items)
    found = {}
    for side, (given, values, ends) in sides.items():
        codes = given.units[given.items]
        judgments = np.bincount(codes, minlength=len(items))
        sums = np.bincount(codes, weights=values, minlength=len(items))
        means = np.where(judgments > 0, sums / np.maximum(judgments, 1), np.nan)
        counted = counts[codes]
        pairs = np.unique(np.stack([units.system_of_item[codes[counted]], given.raters[counted]]), axis=1)
        answers = Answers(
            values=means[rows],
            judgments=judgments[rows],
            weights=chosen.weights(of_rows),
            groups=joined(unit.of_item, chosen.tasks(of_rows)),
            questions=units.question_of_item[rows],
            systems=units.system_of_item[rows],
            names=units.systems,
            annotators=np.bincount(pairs[0], minlength=len(units.systems)),
            said=_said(codes, given.raters, values, rows, len(items)),
            ends=ends,
        )
        found[side] = _weighed(answers, better_end(measured, side))
    return DrawnSystems(
        unit=unit.name,
        drawn=chosen.rule,
        out_of_reach=len(items) - len(rows),
        leaves_out=part.unknown_because is not None,
        raw=found.get("raw"),
        **{side: each for side, each in found.items() if side != "raw"},
    )


def _said(codes: Codes, raters: Codes, values: Floats, rows: Codes, n: int) -> Said:
    """Of judgments of answers by code, those of ``rows``."""
    place = np.full(n, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return Said.of(place[codes], raters, np.where(place[codes] >= 0, values, np.nan))


def _weighed(answers: Answers, better: Better) -> WeighedSystems:
    codes = [code for code in range(len(answers.names)) if answers.of(code).any()]
    means = [_mean(answers, code) for code in codes]
    if better is not None:
        sign = -1.0 if better == "high" else 1.0
        ranks = competition_ranks(np.array([np.inf if each.value is None else sign * each.value for each in means]))
        means = [
            each.model_copy(update={"rank": None if each.value is None else int(rank)})
            for each, rank in zip(means, ranks, strict=True)
        ]
    compared = [code for code, mean in zip(codes, means, strict=True) if mean.value is not None]
    differences = _differences(answers, compared) if 2 <= len(compared) <= MOST_COMPARED else ()
    return WeighedSystems(means=tuple(means), differences=differences, ranks=ranks_left_by(differences, better))


def _mean(answers: Answers, code: int) -> WeighedMean:
    own = answers.of(code)
    rows = answers.values[own], answers.weights[own], answers.groups[own]
    found = weighted_mean(*rows, ends=answers.ends)
    others = weighted_mean_for_other_raters(answers.said.part(own), *rows, found, ends=answers.ends)
    counted = own & answers.counts
    return WeighedMean(
        system=answers.names[code],
        value=found.value,
        interval=interval_of(found.interval),
        units=found.n_units,
        undefined_because=None if found.value is not None else NONE_DRAWN,
        no_interval_because=found.no_interval_because,
        items=int(counted.sum()),
        answers=int(own.sum()),
        annotators=int(answers.annotators[code]),
        judgments=int(answers.judgments[counted].sum()),
        rank=None,
        for_others=for_others(others),
    )


def _differences(answers: Answers, codes: list[int]) -> tuple[WeighedDifference, ...]:
    pairs = list(combinations(codes, 2))
    sides = [_sides(answers, *pair) for pair in pairs]
    ends = ends_of_difference(answers.ends, answers.ends)
    compared = [
        (answers.values[rows], second[rows], answers.weights[rows], answers.groups[rows]) for rows, second, _ in sides
    ]
    found = [weighted_difference(*columns, ends=ends) for columns in compared]
    others = family_for_others(
        [
            weighted_difference_for_other_raters(answers.said.part(rows), *columns, each, ends=ends)
            for (rows, *_), columns, each in zip(sides, compared, found, strict=True)
        ]
    )
    return tuple(
        WeighedDifference(
            **figures,
            systems=(answers.names[a], answers.names[b]),
            is_paired=is_paired,
            answers=(int((rows & ~second).sum()), int((rows & second).sum())),
            counted=(each.n_first, each.n_second),
            judgments=int(answers.judgments[rows & answers.counts].sum()),
            for_others=of_others,
        )
        for (a, b), (rows, second, is_paired), each, figures, of_others in zip(
            pairs, sides, found, family(found), others, strict=True
        )
    )


def _sides(answers: Answers, first: int, second: int) -> tuple[Flags, Flags, bool]:
    """The answers of both to the questions that both answered, or where there is none to all; which are the second's;
    and whether there is one."""
    of_first, of_second = answers.of(first), answers.of(second)
    shared = np.intersect1d(answers.questions[of_first], answers.questions[of_second])
    is_compared = np.isin(answers.questions, shared) | (len(shared) == 0)
    return (of_first | of_second) & is_compared, of_second, len(shared) > 0
