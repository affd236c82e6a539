"""What is stored of the systems whose answers were judged."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    CountedFigure,
    ForOthers,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)


class RankedMean(CountedFigure):
    """A system's mean, its rank, and how often it takes each rank when items are resampled; no rank where no end of
    the scale is better. ``for_others`` says what its interval is for other annotators, too."""

    rank: int | None
    rank_shares: tuple[float, ...]
    for_others: ForOthers | None = None


class MeanOfSystem(StoredFigures):
    """Mean number as labelled and as rescaled; the latter is None before any run."""

    system: str
    raw: RankedMean
    rescaled: RankedMean | None


class DifferenceOfSystems(TestedDifference):
    """How much better the second of two systems is than the first.

    Paired, it is the mean difference over the questions that both answered, ``items`` of them; where there is none, the
    difference of their means over all questions. ``answered`` says how many questions each has judgments of, ``units``
    from how many articles (or whatever the unit is) the compared ones are, ``judgments`` how many these rest on,
    ``for_others`` what it says about other annotators, too.
    """

    systems: tuple[str, str]
    is_paired: bool
    answered: tuple[int, int]
    judgments: int
    for_others: ForOthers | None = None


class SystemDifferences(StoredFigures):
    """Every two systems, by either number; not there where they are too few or too many to be compared.

    ``unit`` is what intervals and tests take for independent of each other.
    """

    unit: str
    raw: tuple[DifferenceOfSystems, ...] = ()
    rescaled: tuple[DifferenceOfSystems, ...] | None = None


MEAN_BY_SYSTEM = SectionFigures[tuple[MeanOfSystem, ...]](
    "mean_by_system", gettext_noop("Mean of system"), version=6, type=tuple[MeanOfSystem, ...], names_people=False
)
SYSTEM_DIFFERENCES = SectionFigures[SystemDifferences](
    "system_differences", gettext_noop("Difference of systems"), version=5, type=SystemDifferences, names_people=False
)
FIGURES = {MEAN_BY_SYSTEM.key: MEAN_BY_SYSTEM, SYSTEM_DIFFERENCES.key: SYSTEM_DIFFERENCES}
