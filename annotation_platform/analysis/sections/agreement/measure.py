"""Coefficients of agreement of all annotators at once, and Cohen κ pair by pair."""

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.counts import counts
from annotation_platform.analysis.measuring.figures import Alpha, CountedFigure
from annotation_platform.analysis.measuring.plain import counted, figure, nothing, tested, undefined
from annotation_platform.analysis.sections.agreement.figures import (
    CohenKappa,
    FleissKappa,
    GwetAc,
    IntraclassCorrelation,
    Reliability,
    RescaledAlpha,
    WeightedFigure,
)
from annotation_platform.core.arrays import Floats
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    Statistic,
    fleiss_kappa,
    gwet_ac,
    icc2,
    paired_bootstrap,
)
from annotation_platform.core.statistics import krippendorff_alpha as alpha_of
from annotation_platform.core.statistics import percent_agreement as share_of

NO_ORDER = gettext_noop("The labels have no order (a nominal scale).")


def krippendorff_alpha(measured: AspectData) -> RescaledAlpha:
    """α of the labels at the scale's own level, and of the scores at the interval level."""
    level, rescaled, bootstrap = measured.spec.level, measured.rescaled, measured.bootstrap
    return RescaledAlpha(
        raw=_alpha(measured.raw, level, bootstrap),
        rescaled=None if rescaled is None else _alpha(rescaled, Level.INTERVAL, bootstrap),
    )


def _alpha(ratings: Ratings, level: Level, bootstrap: Bootstrap) -> Alpha:
    return Alpha(level=str(level), **figure(alpha_of(ratings, str(level), bootstrap=bootstrap)))


def kappa(measured: AspectData) -> FleissKappa:
    """Fleiss' κ over the items with the most usual number of judgments.

    On an ordered scale of "best label or not"; on a nominal one of all labels.
    """
    table, measure, is_best = measured.table, measured.spec, measured.is_best
    per_item = np.bincount(table.items)
    frequency = np.bincount(per_item[per_item > 0])
    usual = len(frequency) - 1 - int(frequency[::-1].argmax()) if len(frequency) else 0
    best = measure.labels[measure.best].key if measure.is_ordered and measure.best is not None else None
    why = ""
    if measure.is_ordered and is_best is None:
        why = gettext_noop("The scale does not say which label is the best one.")
    elif usual < 2:
        why = gettext_noop("Most items have a single judgment; κ compares at least two.")
    if why:
        return FleissKappa(label=best, judgments_per_item=usual, **undefined(why))
    ratings = measured.raw if best is None or is_best is None else table.ratings(is_best.astype(float), is_best)
    found = fleiss_kappa(ratings, usual, bootstrap=measured.bootstrap)
    return FleissKappa(label=best, judgments_per_item=usual, **figure(found))


def percent_agreement(measured: AspectData) -> CountedFigure:
    return counted(share_of(measured.raw))


def gwet(measured: AspectData) -> GwetAc:
    """AC1, to which labels are equal or not, and AC2, to which near ones agree in part; of the scale's labels."""
    raw, scale, bootstrap = measured.raw, measured.spec.values.tolist(), measured.bootstrap
    ac2 = undefined(NO_ORDER)
    if measured.spec.is_ordered:
        ac2 = figure(gwet_ac(raw, scale=scale, weights="quadratic", bootstrap=bootstrap))
    return GwetAc(
        ac1=WeightedFigure(weights="identity", **figure(gwet_ac(raw, scale=scale, bootstrap=bootstrap))),
        ac2=WeightedFigure(weights="quadratic", **ac2),
    )


def cohen_kappa(measured: AspectData) -> CohenKappa:
    """The mean over pairs, with quadratic weights where labels have an order."""
    return CohenKappa(
        weights="quadratic" if measured.spec.is_ordered else "identity",
        pairs_defined=measured.cohen.n_defined,
        **figure(measured.cohen.mean),
    )


def intraclass_correlation(measured: AspectData) -> IntraclassCorrelation:
    """ICC of the labels' numbers and of the scores, of one rater and of the mean of all, with the paired change.

    Of several judgments that an annotator gave to an item the mean counts.
    """
    table, measure = measured.table, measured.spec
    before = _icc(measured, measure.numbers[table.choices] if measure.is_ordered else None)
    after = _icc(measured, table.scores)
    of_one, of_all = (_change(raw, rescaled) for raw, rescaled in zip(before, after, strict=True))
    return IntraclassCorrelation(icc_2_1=of_one, icc_2_k=of_all)


def _icc(measured: AspectData, numbers: Floats | None) -> tuple[Statistic, Statistic] | tuple[None, None]:
    if numbers is None:
        return None, None
    found = icc2(measured.table.ratings(numbers, None, repeated="mean"), bootstrap=measured.bootstrap)
    return found.single, found.average


def _change(before: Statistic | None, after: Statistic | None) -> Reliability:
    return Reliability(
        raw=nothing(NO_ORDER) if before is None else counted(before),
        rescaled=None if after is None else counted(after),
        change=None if before is None or after is None else tested(paired_bootstrap(before, after)),
    )


ASPECT_SECTIONS = {
    "counts": counts,
    "krippendorff_alpha": krippendorff_alpha,
    "fleiss_kappa": kappa,
    "percent_agreement": percent_agreement,
    "gwet_ac": gwet,
    "cohen_kappa": cohen_kappa,
    "intraclass_correlation": intraclass_correlation,
}
OF_LABELS = ("cohen_kappa",)
