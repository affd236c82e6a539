"""What is stored of how many raters are needed."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import Because, CountedFigure, Figure, SectionFigures, StoredFigures

BY_DEFINITION = gettext_noop("With all of them it is 1 by definition: their vote is compared with itself.")


class Gain(Figure):
    """What something adds to a figure. Why it has no interval is that of what it is added to.

    What a model adds is tested for several numbers of raters, and its p corrected by Holm for these.
    """

    no_interval_because: Because = None
    p_value: float | None
    p_holm: float | None = None

    @property
    def corrected_p(self) -> float | None:
        return self.p_holm


class VotePoint(StoredFigures):
    """ρ of the vote of so many raters with the vote of all, what the last one added, and what a model adds to them.

    With all of them ρ is 1 by definition, so that neither is said there.
    """

    raters: int
    alone: CountedFigure
    gain: Gain | None
    with_model: CountedFigure | None
    change: Gain | None


class Needed(StoredFigures):
    """How many raters reach a correlation, with the ends of the interval; None: no number that can be seen does."""

    raters: int | None
    low: int | None
    high: int | None


class NeededFor(StoredFigures):
    """For one correlation, of people alone and with a model beside them."""

    rho: float
    alone: Needed
    with_model: Needed | None


class MeanReliability(StoredFigures):
    """Reliability of the mean of so many raters, and what the last one added."""

    raters: int
    value: CountedFigure
    gain: Gain | None


class ModelBeside(StoredFigures):
    run: int
    model: str


class RatersOfAspect(StoredFigures):
    """Of an undefined one only the reason is known, and the model. ``of`` is how many raters there are."""

    undefined_because: Because
    of: int = 0
    items: int = 0
    items_with_model: int = 0
    no_model_because: Because = None
    points: tuple[VotePoint, ...] = ()
    needed: tuple[NeededFor, ...] = ()
    reliability: tuple[MeanReliability, ...] = ()
    model: ModelBeside | None = None


class OverAspects(StoredFigures):
    """What a model adds to so many people on average over the aspects that it judged, and on how many it significantly
    helps or harms."""

    raters: int
    aspects: int
    alone: CountedFigure
    with_model: CountedFigure
    change: Gain
    helps: int
    harms: int


class NumberOfRaters(StoredFigures):
    """By aspect, and over those with a model; ``study_items`` is how many items a further rater would judge.

    Over aspects, those count that have the most usual number of raters and are defined for every number below it, so
    that every point is about the same ones; ``left_out`` are the others that the model judged.
    """

    study_items: int
    aspects: dict[str, RatersOfAspect]
    over_aspects: tuple[OverAspects, ...]
    left_out: tuple[str, ...] = ()


NUMBER_OF_RATERS = SectionFigures[NumberOfRaters](
    "number_of_raters", gettext_noop("Number of raters"), version=6, type=NumberOfRaters, names_people=False
)
FIGURES = {NUMBER_OF_RATERS.key: NUMBER_OF_RATERS}
