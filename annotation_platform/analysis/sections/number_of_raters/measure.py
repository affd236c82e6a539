"""How many raters? What the vote of k of them is worth, with and without a language model beside them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from annotation_platform.analysis.measuring.judgment_table import AspectSpec, Codes, Figures, Floats, JudgmentTable
from annotation_platform.analysis.measuring.plain import figure, interval_of
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    RatersNeeded,
    Ratings,
    RatingsError,
    VoteCurve,
    krippendorff_alpha,
    mean_of_figures,
    paired_bootstrap,
    raters_needed,
    vote_curve,
)
from annotation_platform.core.statistics.stepped_up import spearman_brown

TARGETS = tuple(round(0.5 + 0.01 * step, 2) for step in range(50))
MORE = 3  # raters beyond those at hand for whom reliability is told


def number_of_raters(
    table: JudgmentTable, measure: AspectSpec, candidate: Floats | None, bootstrap: Bootstrap, *, among: Codes
) -> tuple[Figures, VoteCurve | None]:
    """The curve for every number of raters, the number needed for each target, and what one more would buy.

    ``candidate`` is a language model's label of each item as a number, NaN where it gave none. The curve with it is
    returned, too; its intervals resample the units ``among`` which the table's are, those of all aspects, so that
    curves of several aspects can be averaged.
    """
    if (reason := _why_not(measure)) is not None:
        return {"undefined_because": reason}, None
    ratings = table.ratings(measure.numbers[table.choices], None)
    try:
        alone = _curve(ratings, None, measure, bootstrap)
    except RatingsError as error:
        return {"undefined_because": str(error)}, None
    joined, no_model = None, "No language model has judged these items on this aspect."
    if candidate is not None:
        try:
            among_all = table.ratings(measure.numbers[table.choices], None, among)
            column = np.full(len(among), np.nan)
            column[np.searchsorted(among, table.units)] = candidate
            joined, no_model = _curve(among_all, column, measure, bootstrap), ""
        except RatingsError as error:
            no_model = str(error)
    figures = {
        "undefined_because": None,
        "of": alone.n_full,
        "items": alone.n_items,
        "items_with_model": joined.n_items if joined else 0,
        "no_model_because": no_model or None,
        "points": _points(alone, joined),
        "needed": [
            {"rho": rho, "alone": _needed(raters_needed(alone, rho))}
            | {"with_model": _needed(raters_needed(joined, rho, with_candidate=True)) if joined else None}
            for rho in TARGETS
        ],
        "reliability": _reliability(ratings, alone.n_full, bootstrap),
    }
    return figures, joined


def over_aspects(curves: Sequence[VoteCurve], *, same_units: bool) -> list[Figures]:
    """What a model adds to k people, but not all, on average over the aspects that it judged (ACORN, figure 5).

    ``helps`` and ``harms`` count the aspects on which the interval of the change leaves out zero. There is no interval
    of the means where the curves do not resample the same units.
    """
    found: list[Figures] = []
    for k in range(1, max((curve.n_full for curve in curves), default=0)):
        points = [curve.points[k - 1] for curve in curves if k <= curve.n_full]
        changes = [(point, point.change) for point in points if point.change and point.change.value is not None]
        if not changes:
            continue
        alone = mean_of_figures([point.alone for point, _ in changes], same_items=same_units)
        joined = mean_of_figures(
            [point.with_candidate for point, _ in changes if point.with_candidate], same_items=same_units
        )
        sure = [change.interval for _, change in changes if change.interval]
        found.append(
            {"raters": k, "aspects": len(changes), "alone": figure(alone), "with_model": figure(joined)}
            | {"change": _difference(paired_bootstrap(alone, joined))}
            | {"helps": sum(each.low > 0 for each in sure), "harms": sum(each.high < 0 for each in sure)}
        )
    return found


def _why_not(measure: AspectSpec) -> str | None:
    if measure.level is Level.NOMINAL and len(measure.labels) > 2:
        return "The labels have no order, and a rank correlation of votes needs one."
    if any(label.number is None for label in measure.labels):
        return "The labels have no numbers, and a rank correlation of votes needs an order."
    if measure.best is None:
        return "The scale does not say which label is better, so that a tie of votes cannot be decided."
    return None


def _curve(ratings: Ratings, candidate: Floats | None, measure: AspectSpec, bootstrap: Bootstrap) -> VoteCurve:
    assert measure.best is not None
    labels = None
    if candidate is not None:
        given = candidate == candidate
        labels = Ratings.from_arrays(
            given.nonzero()[0], [0] * int(given.sum()), candidate[given], n_items=ratings.n_items, repeated="error"
        )
    best = None if measure.better else measure.labels[measure.best].number
    return vote_curve(ratings, labels, better=measure.better, best=best, bootstrap=bootstrap)


def _points(alone: VoteCurve, joined: VoteCurve | None) -> list[Figures]:
    """ρ of each k, what the k-th rater added, and what the model adds to k of them (over the items that it judged)."""
    found: list[Figures] = []
    for place, point in enumerate(alone.points):
        gain = paired_bootstrap(alone.points[place - 1].alone, point.alone) if place else None
        row: Figures = {"raters": point.n_raters, "alone": figure(point.alone), "gain": gain and _difference(gain)}
        row |= {"with_model": None, "change": None}
        if joined and place < len(joined.points) and (more := joined.points[place]).with_candidate and more.change:
            row |= {"with_model": figure(more.with_candidate), "change": _difference(more.change)}
        found.append(row)
    return found


def _reliability(ratings: Ratings, of: int, bootstrap: Bootstrap) -> list[Figures]:
    """Reliability of the mean of k raters from α at the interval level, a few beyond those at hand."""
    alpha = krippendorff_alpha(ratings, "interval", bootstrap=bootstrap)
    stepped = [spearman_brown(alpha, k) for k in range(1, of + MORE + 1)]
    gains = [None, *(paired_bootstrap(fewer, more) for fewer, more in pairwise(stepped))]
    return [
        {"raters": k, "value": figure(value), "gain": gain and _difference(gain)}
        for k, (value, gain) in enumerate(zip(stepped, gains, strict=True), start=1)
    ]


def _difference(found: Difference) -> Figures:
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "p_value": found.p_value,
        "undefined_because": found.undefined_because,
    }


def _needed(found: RatersNeeded) -> Figures:
    return {"raters": found.n_raters, "low": found.low, "high": found.high}
