"""How many raters? What the vote of k of them is worth, with and without a language model beside them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.judgment_table import Among, AspectSpec, JudgmentTable
from annotation_platform.analysis.measuring.plain import counted, interval_of
from annotation_platform.analysis.sections.number_of_raters.figures import (
    BY_DEFINITION,
    Gain,
    MeanReliability,
    Needed,
    NeededFor,
    OverAspects,
    RatersOfAspect,
    VotePoint,
)
from annotation_platform.core.arrays import Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    NumberOfRaters,
    Ratings,
    RatingsError,
    VoteCurve,
    holm,
    krippendorff_alpha,
    mean_of_figures,
    number_of_raters,
    paired_bootstrap,
    vote_curve,
)
from annotation_platform.core.statistics.stepped_up import spearman_brown

TARGETS = tuple(round(0.5 + 0.01 * step, 2) for step in range(50))
MORE = 3  # raters beyond those at hand for whom reliability is told


def figures_of_aspect(
    table: JudgmentTable, measure: AspectSpec, candidate: Floats | None, bootstrap: Bootstrap, *, among: Among
) -> tuple[RatersOfAspect, VoteCurve | None]:
    """The curve for every number of raters, the number needed for each target, and what one more would buy.

    ``candidate`` is a language model's label of each item as a number, NaN where it gave none. The curve with it is
    returned, too; its intervals resample the units ``among`` which the table's are, those of all aspects, so that
    curves of several aspects can be averaged.
    """
    if (reason := _why_not(measure)) is not None:
        return RatersOfAspect(undefined_because=reason), None
    ratings = table.ratings(measure.numbers[table.choices], None)
    try:
        alone = _curve(ratings, measure, bootstrap)
    except RatingsError as error:
        return RatersOfAspect(undefined_because=str(error)), None
    joined, no_model = None, gettext_noop("No language model has judged these items on this aspect.")
    if candidate is not None and not _shares_items(ratings, candidate, alone.n_full):
        no_model = Reason("statistics.no_item_with_so_many_and_model", ratings=alone.n_full)
    elif candidate is not None:
        try:
            among_all = table.ratings(measure.numbers[table.choices], None, among)
            column = np.full(len(among.units), np.nan)
            column[np.searchsorted(among.units, table.units)] = candidate
            joined, no_model = _curve(among_all, measure, bootstrap, candidate=column, n_full=alone.n_full), ""
        except RatingsError as error:
            no_model = str(error)
    figures = RatersOfAspect(
        undefined_because=None,
        of=alone.n_full,
        items=alone.n_items,
        items_with_model=joined.n_items if joined else 0,
        no_model_because=no_model or None,
        points=_points(alone, joined),
        needed=tuple(
            NeededFor(
                rho=rho,
                alone=_needed(number_of_raters(alone, rho)),
                with_model=_needed(number_of_raters(joined, rho, with_candidate=True)) if joined else None,
            )
            for rho in TARGETS
        ),
        reliability=_reliability(ratings, alone.n_full, bootstrap),
    )
    return figures, joined


def comparable(curves: Mapping[str, VoteCurve]) -> dict[str, VoteCurve]:
    """The curves that can be averaged at every number of raters: of the most usual number of them (of several, the
    largest), with what the model adds defined for each number below it."""
    numbers = Counter(curve.n_full for curve in curves.values() if _is_defined(curve))
    usual = max(numbers, key=lambda n: (numbers[n], n), default=0)
    return {key: curve for key, curve in curves.items() if curve.n_full == usual and _is_defined(curve)}


def _is_defined(curve: VoteCurve) -> bool:
    return all(point.change is not None and point.change.value is not None for point in curve.points[:-1])


def over_aspects(curves: Sequence[VoteCurve], *, same_units: bool) -> tuple[OverAspects, ...]:
    """What a model adds to k people, but not all, on average over aspects, the same ones for each k (ACORN, figure 5).

    ``helps`` and ``harms`` count the aspects on which the change is significant, by its interval and its p, corrected
    for all aspects. There is no interval of the means where the curves do not resample the same units.
    """
    found: list[OverAspects] = []
    for points in list(zip(*(curve.points for curve in curves), strict=True))[:-1]:
        alone = mean_of_figures([point.alone for point in points], same_items=same_units)
        joined = mean_of_figures([each for point in points if (each := point.with_candidate)], same_items=same_units)
        changes = _corrected([_gain(point.change) for point in points if point.change])
        ways = [change.value or 0.0 for change in changes if is_certain(change)]
        found.append(
            OverAspects(
                raters=points[0].n_raters,
                aspects=len(points),
                alone=counted(alone),
                with_model=counted(joined),
                change=_gain(paired_bootstrap(alone, joined)),
                helps=sum(way > 0 for way in ways),
                harms=sum(way < 0 for way in ways),
            )
        )
    together = _corrected([each.change for each in found])
    return tuple(each.model_copy(update={"change": change}) for each, change in zip(found, together, strict=True))


def _why_not(measure: AspectSpec) -> str | None:
    if measure.level is Level.NOMINAL and len(measure.labels) > 2:
        return gettext_noop("The labels have no order, and a rank correlation of votes needs one.")
    if any(label.number is None for label in measure.labels):
        return gettext_noop("The labels have no numbers, and a rank correlation of votes needs an order.")
    if measure.best is None:
        return gettext_noop("The scale does not say which label is better, so that a tie of votes cannot be decided.")
    return None


def _shares_items(ratings: Ratings, candidate: Floats, n_full: int) -> bool:
    """Whether the candidate has judged any item that the curve is about."""
    return bool(((ratings.per_item() == n_full) & (candidate == candidate)).any())


def _curve(
    ratings: Ratings,
    measure: AspectSpec,
    bootstrap: Bootstrap,
    *,
    candidate: Floats | None = None,
    n_full: int | None = None,
) -> VoteCurve:
    assert measure.best is not None
    labels = None
    if candidate is not None:
        given = candidate == candidate
        labels = Ratings.from_arrays(
            given.nonzero()[0], [0] * int(given.sum()), candidate[given], n_items=ratings.n_items, repeated="error"
        )
    best = None if measure.better else measure.labels[measure.best].number
    return vote_curve(ratings, labels, better=measure.better, best=best, n_full=n_full, bootstrap=bootstrap)


def _points(alone: VoteCurve, joined: VoteCurve | None) -> tuple[VotePoint, ...]:
    """ρ of each k, what the k-th rater added, and what the model adds to k of them (over the items that it judged).

    The vote of all is compared with itself: what the last of them, or a model beside all of them, adds is not said.
    """
    found: list[VotePoint] = []
    for place, point in enumerate(alone.points):
        is_last = point.n_raters == alone.n_full
        gain = paired_bootstrap(alone.points[place - 1].alone, point.alone) if place and not is_last else None
        with_model, change = None, None
        if joined and place < len(joined.points) and (more := joined.points[place]).with_candidate:
            with_model = counted(more.with_candidate)
            change = _gain(more.change) if more.change and place < joined.n_full - 1 else None
        value = counted(point.alone)
        if is_last and value.value is not None:
            value = value.model_copy(update={"interval": None, "no_interval_because": BY_DEFINITION})
        found.append(
            VotePoint(
                raters=point.n_raters, alone=value, gain=gain and _gain(gain), with_model=with_model, change=change
            )
        )
    corrected = iter(_corrected([point.change for point in found if point.change]))
    return tuple(point.model_copy(update={"change": next(corrected)}) if point.change else point for point in found)


def _reliability(ratings: Ratings, of: int, bootstrap: Bootstrap) -> tuple[MeanReliability, ...]:
    """Reliability of the mean of k raters from α at the interval level, a few beyond those at hand."""
    alpha = krippendorff_alpha(ratings, "interval", bootstrap=bootstrap)
    stepped = [spearman_brown(alpha, k) for k in range(1, of + MORE + 1)]
    gains = [None, *(paired_bootstrap(fewer, more) for fewer, more in pairwise(stepped))]
    return tuple(
        MeanReliability(raters=k, value=counted(value), gain=gain and _gain(gain))
        for k, (value, gain) in enumerate(zip(stepped, gains, strict=True), start=1)
    )


def _gain(found: Difference) -> Gain:
    return Gain(
        value=found.value,
        interval=interval_of(found.interval),
        units=found.n_units,
        p_value=found.p_value,
        undefined_because=found.undefined_because,
    )


def _corrected(family: Sequence[Gain]) -> list[Gain]:
    """With p corrected by Holm."""
    p_values = holm([each.p_value for each in family])
    return [each.model_copy(update={"p_holm": p}) for each, p in zip(family, p_values, strict=True)]


def _needed(found: NumberOfRaters) -> Needed:
    return Needed(raters=found.n_raters, low=found.low, high=found.high)
