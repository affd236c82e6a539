"""How people worked: time on task, vacuous explanations, and drift of their labels in the course of their work."""

from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import ComparedFigure, CountedFigure, Interval
from annotation_platform.analysis.measuring.judgment_table import JudgmentTable
from annotation_platform.analysis.measuring.plain import counted, figure, nothing, undefined
from annotation_platform.analysis.measuring.standing_apart import compared, is_far
from annotation_platform.analysis.sections.work.figures import Drift, TimeOnTask, Work, WorkOfAnnotator
from annotation_platform.analysis.sections.work.reading import ReadWork
from annotation_platform.core.statistics import Bootstrap, Ratings, drift
from annotation_platform.core.statistics.shares import group_shares

NO_TIME = gettext_noop("No time on task was recorded (imported judgments have none).")
NO_EXPLANATIONS = gettext_noop("The scheme asks for no explanation of a label.")
QUARTILES = (25, 50, 75)


def work_figures(read: ReadWork, bootstrap: Bootstrap) -> Work:
    """Of every annotator the time on task, the share of vacuous explanations, and the drift on each ordered aspect."""
    n = len(read.annotators)
    counts = np.bincount(read.raters, minlength=n)
    seconds = _seconds([read.seconds[read.raters == code] for code in range(n)])
    vacuous = compared(_vacuous(read), ComparedFigure)
    return Work(
        annotators=tuple(
            WorkOfAnnotator(
                name=name,
                judgments=int(counts[code]),
                cannot_judge=int(read.cannot_judge[code]),
                seconds=seconds[code],
                vacuous=vacuous[code],
                far=tuple(key for key, of in (("seconds", seconds[code]), ("vacuous", vacuous[code])) if is_far(of)),
            )
            for code, name in enumerate(read.annotators)
        ),
        drift_first_to_last={
            key: _drift(read, measured.table, measured.spec.numbers, bootstrap)
            for key, measured in read.given.aspects.items()
            if measured.spec.is_ordered
        },
    )


class _Times(CountedFigure):
    quartiles: Interval | None = None
    total: float | None = None


def _seconds(of_annotators: list[np.ndarray]) -> list[TimeOnTask]:
    """Median time on task of a judgment, with the quartiles and the sum; no interval is given."""
    return compared([_times(seconds[~np.isnan(seconds)]) for seconds in of_annotators], TimeOnTask)


def _times(timed: np.ndarray) -> _Times:
    if not len(timed):
        return _Times(**undefined(NO_TIME))
    low, median, high = np.percentile(timed, QUARTILES)
    known = {
        "value": float(median),
        "judgments": len(timed),
        "undefined_because": None,
        "no_interval_because": gettext_noop("The quartiles are given instead."),
    }
    return _Times(**undefined("") | known, quartiles=(float(low), float(high)), total=float(timed.sum()))


def _vacuous(work: ReadWork) -> list[CountedFigure]:
    """Share of each annotator's explanations that say nothing beyond label, question and answer."""
    n = len(work.annotators)
    if not work.explains:
        return [nothing(NO_EXPLANATIONS)] * n
    rows, is_vacuous = work.vacuous
    ratings = Ratings.from_arrays(
        work.items[rows],
        work.raters[rows],
        is_vacuous.astype(np.float64),
        n_items=len(work.keys_of_items),
        n_raters=n,
        units=_drawn_with(work),
        repeated="cross",
    )
    shares = group_shares(
        ratings, work.raters[rows], n, name="vacuous", undefined_because=gettext_noop("None was written.")
    )
    return [counted(share) for share in shares]


def _drawn_with(work: ReadWork) -> np.ndarray:
    """What figures speak for, as a code of each item."""
    known = work.given.units("item")
    return known.unit_of(known.codes(work.keys_of_items)).of_item


def _drift(work: ReadWork, table: JudgmentTable, numbers: np.ndarray, bootstrap: Bootstrap) -> tuple[Drift, ...]:
    """How much each annotator's leniency changes from their first judgment to their last, in the scale's numbers:
    the rise of a straight line."""
    assert table.annotations is not None
    order = np.argsort(work.annotations)
    places = work.places[order[np.searchsorted(work.annotations, table.annotations, sorter=order)]]
    values = numbers[table.choices]
    known = ~np.isnan(places) & ~np.isnan(values)
    if not known.any():
        return tuple(Drift(name=name, **undefined(NO_TIME)) for name in table.annotators)
    part = table.part(known)
    drawn = replace(bootstrap, unit=table.unit.name)
    slopes = drift(part.ratings(values[known], None), places[known], bootstrap=drawn)
    return tuple(Drift(name=name, **figure(slope)) for name, slope in zip(table.annotators, slopes, strict=True))
