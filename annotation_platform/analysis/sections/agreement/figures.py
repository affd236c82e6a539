"""What is stored of agreement as a whole: every coefficient of an aspect."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Alpha,
    CountedFigure,
    Counts,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)


class RescaledAlpha(StoredFigures):
    """α of the labels at the scale's own level, and of the scores at the interval level."""

    raw: Alpha
    rescaled: Alpha | None


class FleissKappa(CountedFigure):
    """κ of one label or not (None: of all labels), over the items with the most usual number of judgments."""

    label: str | None
    judgments_per_item: int


class WeightedFigure(CountedFigure):
    """A coefficient, and how much labels that are near each other agree."""

    weights: str


class GwetAc(StoredFigures):
    ac1: WeightedFigure
    ac2: WeightedFigure


class CohenKappa(WeightedFigure):
    """The mean over the pairs of annotators for whom κ is defined."""

    pairs_defined: int


class Reliability(StoredFigures):
    """An intraclass correlation of the labels' numbers and of the scores, with the paired change."""

    raw: CountedFigure
    rescaled: CountedFigure | None
    change: TestedDifference | None


class IntraclassCorrelation(StoredFigures):
    """Of one rater, and of the mean of all."""

    icc_2_1: Reliability
    icc_2_k: Reliability


COUNTS = SectionFigures[Counts]("counts", gettext_noop("Counts"), version=1, type=Counts, names_people=False)
KRIPPENDORFF_ALPHA = SectionFigures[RescaledAlpha](
    "krippendorff_alpha", gettext_noop("Krippendorff α"), version=4, type=RescaledAlpha, names_people=False
)
FLEISS_KAPPA = SectionFigures[FleissKappa](
    "fleiss_kappa", gettext_noop("Fleiss κ"), version=4, type=FleissKappa, names_people=False
)
PERCENT_AGREEMENT = SectionFigures[CountedFigure](
    "percent_agreement", gettext_noop("Percent agreement"), version=5, type=CountedFigure, names_people=False
)
GWET_AC = SectionFigures[GwetAc]("gwet_ac", gettext_noop("Gwet AC"), version=3, type=GwetAc, names_people=False)
COHEN_KAPPA = SectionFigures[CohenKappa](
    "cohen_kappa", gettext_noop("Cohen κ"), version=4, type=CohenKappa, names_people=False
)
INTRACLASS_CORRELATION = SectionFigures[IntraclassCorrelation](
    "intraclass_correlation",
    gettext_noop("Intraclass correlation"),
    version=5,
    type=IntraclassCorrelation,
    names_people=False,
)
FIGURES = {
    each.key: each
    for each in (
        KRIPPENDORFF_ALPHA,
        FLEISS_KAPPA,
        COHEN_KAPPA,
        GWET_AC,
        INTRACLASS_CORRELATION,
        PERCENT_AGREEMENT,
        COUNTS,
    )
}
