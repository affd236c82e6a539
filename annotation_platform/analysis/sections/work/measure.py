"""How people worked: time on task, vacuous explanations, and drift of their labels in the course of their work."""

import numpy as np

from annotation_platform.analysis.measuring.judgment_table import Figures, JudgmentTable
from annotation_platform.analysis.measuring.plain import figure, undefined
from annotation_platform.analysis.sections.annotators.measure import mark_far
from annotation_platform.analysis.sections.work.reading import Work
from annotation_platform.core.statistics import Bootstrap, Ratings, drift
from annotation_platform.core.statistics.means import group_means

NO_TIME = "No time on task was recorded (imported judgments have none)."
NO_EXPLANATIONS = "The scheme asks for no explanation of a label."
QUARTILES = (25, 50, 75)


def work_figures(work: Work, bootstrap: Bootstrap) -> Figures:
    """Of every annotator the time on task, the share of vacuous explanations, and the drift on each ordered aspect."""
    n = len(work.annotators)
    counts = np.bincount(work.raters, minlength=n)
    seconds = [_seconds(work.seconds[work.raters == code]) for code in range(n)]
    vacuous = _vacuous(work, bootstrap)
    far = {"seconds": mark_far(seconds), "vacuous": mark_far(vacuous)}
    return {
        "annotators": [
            {
                "name": name,
                "judgments": int(counts[code]),
                "cannot_judge": int(work.cannot_judge[code]),
                "seconds": seconds[code],
                "vacuous": vacuous[code],
                "far": [key for key, flags in far.items() if flags[code]],
            }
            for code, name in enumerate(work.annotators)
        ],
        "drift_first_to_last": {
            key: _drift(work, measured.table, measured.spec.numbers, bootstrap)
            for key, measured in work.given.aspects.items()
            if measured.spec.is_ordered
        },
    }


def _seconds(seconds: np.ndarray) -> Figures:
    """Median time on task of a judgment, with the quartiles and the sum; no interval is given."""
    timed = seconds[~np.isnan(seconds)]
    if not len(timed):
        return undefined(NO_TIME) | {"quartiles": None, "total": None}
    low, median, high = np.percentile(timed, QUARTILES)
    return undefined("") | {
        "value": float(median),
        "judgments": len(timed),
        "quartiles": [float(low), float(high)],
        "total": float(timed.sum()),
        "undefined_because": None,
        "no_interval_because": "The quartiles are given instead.",
    }


def _vacuous(work: Work, bootstrap: Bootstrap) -> list[Figures]:
    """Share of each annotator's explanations that say nothing beyond label, question and answer."""
    n = len(work.annotators)
    if not work.explains:
        return [undefined(NO_EXPLANATIONS)] * n
    rows, is_vacuous = work.vacuous
    ratings = Ratings.from_arrays(
        work.items[rows],
        work.raters[rows],
        is_vacuous.astype(np.float64),
        n_items=int(work.items.max(initial=-1)) + 1,
        n_raters=n,
        repeated="cross",
    )
    shares = group_means(
        ratings, work.raters[rows], n, bootstrap=bootstrap, name="vacuous", undefined_because="None was written."
    )
    return [figure(share) for share in shares]


def _drift(work: Work, table: JudgmentTable, numbers: np.ndarray, bootstrap: Bootstrap) -> list[Figures]:
    """How much each annotator's leniency changes from their first judgment to their last, in the scale's numbers:
    the rise of a straight line."""
    assert table.annotations is not None
    order = np.argsort(work.annotations)
    places = work.places[order[np.searchsorted(work.annotations, table.annotations, sorter=order)]]
    values = numbers[table.choices]
    known = ~np.isnan(places) & ~np.isnan(values)
    if not known.any():
        return [{"name": name} | undefined(NO_TIME) for name in table.annotators]
    part = table.part(known)
    slopes = drift(part.ratings(values[known], None), places[known], bootstrap=bootstrap)
    return [{"name": name} | figure(slope) for name, slope in zip(table.annotators, slopes, strict=True)]
