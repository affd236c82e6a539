"""Statistics as figures: each with its n and its interval; one that is undefined is None with the reason.

`figure`, `undefined` and `difference` give the fields that a topic's own kind of figure adds to.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop
from numpy.typing import ArrayLike

from annotation_platform.analysis.measuring.figures import CountedFigure, ForOthers, TestedDifference
from annotation_platform.core.arrays import Codes
from annotation_platform.core.statistics import (
    Difference,
    Interval,
    Ratings,
    Statistic,
    holm,
    paired_bootstrap,
)
from annotation_platform.core.statistics.codes import compact, first_of_each
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.shares import group_shares, label_shares


def figure(found: Statistic) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "items": found.n_items,
        "units": found.n_units,
        "annotators": found.n_raters,
        "judgments": found.n_ratings,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
    }


def counted(found: Statistic) -> CountedFigure:
    """The same as a type."""
    return CountedFigure(**figure(found))


def nothing(reason: str) -> CountedFigure:
    """A figure that is undefined for this reason."""
    return CountedFigure(**undefined(reason))


def tested(found: Difference) -> TestedDifference:
    """A difference that is not one of a family."""
    return TestedDifference(**difference(found))


def undefined(reason: str) -> dict[str, Any]:
    return figure(Statistic(None, reason, 0, 0, 0, 0, None, gettext_noop("The statistic itself is undefined.")))


def interval_of(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


def share_of(
    flags: ArrayLike,
    items: Codes,
    *,
    units: Codes | None = None,
    raters: Codes | None = None,
    trials: ArrayLike | None = None,
    nothing: str,
) -> CountedFigure:
    """In which share of the rows a flag is set; rows of one item are alike, and those of one unit.

    ``nothing`` says why there are no rows.
    """
    codes = compact(items)
    first = first_of_each(codes)
    of_item = None if units is None else compact(units[first])
    nobody, values = np.zeros_like(codes), np.asarray(flags, dtype=np.float64)
    raters = nobody if raters is None else raters
    ratings = Ratings.from_arrays(codes, raters, values, n_items=len(first), units=of_item, repeated="cross")
    return counted(group_shares(ratings, nobody, 1, trials=trials, undefined_because=nothing)[0])


def share_intervals(
    kinds: Codes, n_kinds: int, units: Codes, *, nothing: str
) -> tuple[list[tuple[float, float] | None], str | None]:
    """For each kind, the interval of its share, or the reason why none of them has one; what is counted has a kind and
    a unit, and rows of one unit are alike.

    ``nothing`` says why there is nothing to count.
    """
    if not len(kinds):
        return [None] * n_kinds, nothing
    (found,) = label_shares(compact(units), np.zeros_like(kinds), kinds, 1, n_kinds, name="share")
    return [interval_of(each.interval) for each in found], found[0].no_interval_because


def difference(found: Difference) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "items": found.n_items,
        "units": found.n_units,
        "p_value": found.p_value,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
        "no_p_value_because": found.no_p_value_because,
    }


def tested_family(pairs: list[tuple[Statistic, Statistic]]) -> list[TestedDifference]:
    """The same as types."""
    return [TestedDifference(**each) for each in differences(pairs)]


def differences(pairs: list[tuple[Statistic, Statistic]]) -> list[dict[str, Any]]:
    """A family of differences, second minus first, each with its interval and p, raw and corrected by Holm."""
    return family([paired_bootstrap(first, second) for first, second in pairs])


def for_others(found: ForOtherRaters) -> ForOthers:
    return ForOthers(
        interval=interval_of(found.interval),
        no_interval_because=found.no_interval_because,
        units=found.n_units,
        annotators=found.n_raters,
    )


def family_for_others(found: Sequence[ForOtherRaters]) -> list[ForOthers]:
    """What differences of one family say about other annotators, each with its p, raw and corrected by Holm."""
    corrected = holm([each.p_value for each in found])
    return [
        for_others(each).model_copy(update={"p_value": each.p_value, "p_holm": p_holm})
        for each, p_holm in zip(found, corrected, strict=True)
    ]


def family(found: Sequence[Difference]) -> list[dict[str, Any]]:
    """Differences of one family, each with its p, raw and corrected by Holm."""
    corrected = holm([each.p_value for each in found])
    return [difference(each) | {"p_holm": p_holm} for each, p_holm in zip(found, corrected, strict=True)]
