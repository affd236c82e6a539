"""What a REV run says of rationales, by where they come from, beside what people say of them."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.plain import counted, differences, share_of, undefined
from annotation_platform.analysis.sections.rev.figures import AllRationales, RationaleKind, RationalePoint, Step
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.methods.rev.scores import KindReport, las, report, rq
from annotation_platform.core.statistics import Bootstrap, Ratings, Statistic, spearman
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.statistics.means import scale_means

MOST_POINTS = 2_000  # of the scatter
PEOPLE = (-1.0, 3.0)  # what people can say: not justified, or how much is new
NOT_JUDGED = gettext_noop("People have judged none of these rationales.")
NO_GOLD = gettext_noop("No question has a reference answer among its options, so that no answer is known to be right.")


@dataclass(frozen=True, eq=False)
class Helped:
    """Whether the evaluator gave the wanted answer with the rationale, without it, and from the rationale alone.

    ``rows`` are the places of the rationales that this is known of.
    """

    rows: Codes
    with_rationale: Flags
    without: Flags
    leaks: Flags

    def of(self, kept: Flags) -> "Helped":
        """Only those rationales that are kept."""
        part = kept[self.rows]
        return Helped(self.rows[part], self.with_rationale[part], self.without[part], self.leaks[part])


@dataclass(frozen=True, eq=False)
class MeasuredRationales:
    """One entry a rationale: its REV, its question, what it is drawn together with, and kind (codes), people's score
    (−1, 0 … 3; NaN: none), how many words it has that neither question nor answer has, and whether it says the answer
    word for word."""

    rev: Floats
    questions: Codes
    units: Codes
    kinds: Codes
    kind_names: tuple[str, ...]
    people: Floats
    new_words: Floats
    says_answer: Flags
    predicted: Helped
    gold: Helped
    unit: UnitName | None = None

    def __len__(self) -> int:
        return len(self.rev)


def rationale_figures(measured: MeasuredRationales, bootstrap: Bootstrap) -> dict[str, Any]:
    """REV overall and by kind with the steps between kinds (p corrected by Holm), from the highest; LAS, RQ and
    people's score beside it."""
    bootstrap = replace(bootstrap, unit=measured.unit)
    by_mean = sorted(
        np.unique(measured.kinds).tolist(), key=lambda code: -float(measured.rev[measured.kinds == code].mean())
    )
    order = np.argsort([by_mean.index(kind) for kind in measured.kinds.tolist()], kind="stable")
    names = [measured.kind_names[code] for code in measured.kinds[order].tolist()]
    found = report(
        measured.rev[order], measured.questions[order].tolist(), names, units=measured.units[order], bootstrap=bootstrap
    )
    judged = ~np.isnan(measured.people)
    steps = list(pairwise(found.kinds))
    everything = np.ones(len(measured), dtype=np.bool_)
    return {
        "rationales": len(measured),
        "questions": len(np.unique(measured.questions)),
        "overall": AllRationales(**counted(found.overall).model_dump(), **_helped(measured, everything, bootstrap)),
        "kinds": [
            _kind(measured, each, measured.kinds == code, bootstrap)
            for each, code in zip(found.kinds, by_mean, strict=True)
        ],
        "steps": [
            Step(kinds=(first.kind, second.kind), **step)
            for (first, second), step in zip(steps, differences([(b.mean, a.mean) for a, b in steps]), strict=True)
        ],
        "with_people": counted(_with_people(measured, judged, bootstrap)),
        "points": _points(measured, judged),
    }


def _with_people(measured: MeasuredRationales, judged: Flags, bootstrap: Bootstrap) -> Statistic:
    units = compact(measured.units[judged])
    return spearman(measured.rev[judged], measured.people[judged], units=units, bootstrap=bootstrap)


def _kind(measured: MeasuredRationales, found: KindReport, rows: Flags, bootstrap: Bootstrap) -> RationaleKind:
    judged = rows & ~np.isnan(measured.people)
    return RationaleKind(
        kind=found.kind,
        rationales=int(rows.sum()),
        rev=counted(found.mean),
        above_zero=found.above_zero,
        new_words=float(measured.new_words[rows].mean()),
        says_answer=float(measured.says_answer[rows].mean()),
        **_helped(measured, rows, bootstrap),
        people=counted(_mean(measured, judged, bootstrap)),
        justified=share_of(
            measured.people[judged] >= 0,
            measured.questions[judged],
            units=measured.units[judged],
            nothing=NOT_JUDGED,
        ),
    )


def _helped(measured: MeasuredRationales, rows: Flags, bootstrap: Bootstrap) -> dict[str, CountedFigure]:
    """LAS and RQ of some rationales, over those whose question leaves something to choose."""
    predicted, gold = measured.predicted.of(rows), measured.gold.of(rows)
    return {
        "las": counted(
            las(
                predicted.with_rationale,
                predicted.without,
                predicted.leaks,
                units=compact(measured.units[predicted.rows]),
                bootstrap=bootstrap,
            )
        ),
        "rq": counted(
            rq(gold.with_rationale, gold.without, units=compact(measured.units[gold.rows]), bootstrap=bootstrap)
        )
        if len(gold.rows)
        else CountedFigure(**undefined(NO_GOLD)),
    }


def _mean(measured: MeasuredRationales, rows: Flags, bootstrap: Bootstrap) -> Statistic:
    """People's mean score of these rationales."""
    values = measured.people[rows]
    _, first, items = np.unique(measured.questions[rows], return_index=True, return_inverse=True)
    group = np.zeros(len(values), dtype=np.int64)
    units = compact(measured.units[rows][first])
    ratings = Ratings.from_arrays(items, group, values, units=units, ends=PEOPLE, repeated="cross")
    return scale_means(ratings, group, 1, bootstrap=bootstrap if len(values) else None)[0]


def _points(measured: MeasuredRationales, judged: Flags) -> list[RationalePoint]:
    """REV beside people's score of each rationale, evenly thinned where there are very many."""
    places = np.flatnonzero(judged)
    places = places[:: max(1, -(-len(places) // MOST_POINTS))]
    return [
        RationalePoint(
            kind=measured.kind_names[measured.kinds[place]],
            rev=round(float(measured.rev[place]), 4),
            people=round(float(measured.people[place]), 3),
        )
        for place in places.tolist()
    ]
