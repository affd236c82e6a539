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


class PossibleRanks(StoredFigures):
    """The best and the worst rank that the differences of all pairs leave a system."""

    system: str
    best: int
    worst: int


class SystemDifferences(StoredFigures):
    """Every two systems, by either number; not there where they are too few or too many to be compared.

    ``unit`` is what intervals and tests take for independent of each other. Ranks are possible as far as pairs were
    tested and an end of the scale is better; none otherwise.
    """

    unit: str
    raw: tuple[DifferenceOfSystems, ...] = ()
    rescaled: tuple[DifferenceOfSystems, ...] | None = None
    raw_ranks: tuple[PossibleRanks, ...] = ()
    rescaled_ranks: tuple[PossibleRanks, ...] = ()


class WeighedMean(CountedFigure):
    """The mean of all answers of a system; ``items`` of its ``answers`` count, the others were not drawn.

    ``for_others`` says what its interval is for other annotators, too.
    """

    system: str
    answers: int
    rank: int | None
    for_others: ForOthers | None = None


class WeighedDifference(TestedDifference):
    """The second's weighed mean less that of the first, over the questions that both answered, else over all.

    ``answers`` are how many answers of each it speaks for, ``counted`` of how many of these people's judgments count,
    ``for_others`` what it says about other annotators, too.
    """

    systems: tuple[str, str]
    is_paired: bool
    answers: tuple[int, int]
    counted: tuple[int, int]
    judgments: int
    for_others: ForOthers | None = None


class WeighedSystems(StoredFigures):
    means: tuple[WeighedMean, ...]
    differences: tuple[WeighedDifference, ...]
    ranks: tuple[PossibleRanks, ...]


class DrawnSystems(StoredFigures):
    """Systems by all their answers, where the tasks that people judged were drawn with chances that differ.

    Each judged answer is weighed by one over its chance. ``drawn`` is how tasks were drawn; ``out_of_reach`` counts
    answers that the last draw could not reach, for which nothing here speaks. ``leaves_out``: some of what was drawn
    nobody has judged, and it is not known that chance left it out. ``raw`` is None where the labels have no numbers,
    or are about no single systems.
    """

    unit: str
    drawn: str
    out_of_reach: int
    leaves_out: bool
    raw: WeighedSystems | None
    rescaled: WeighedSystems | None = None


MEAN_BY_SYSTEM = SectionFigures[tuple[MeanOfSystem, ...]](
    "mean_by_system", gettext_noop("Mean of system"), version=6, type=tuple[MeanOfSystem, ...], names_people=False
)
SYSTEM_DIFFERENCES = SectionFigures[SystemDifferences](
    "system_differences", gettext_noop("Difference of systems"), version=6, type=SystemDifferences, names_people=False
)
DRAWN_SYSTEMS = SectionFigures[dict[str, DrawnSystems]](
    "drawn_systems", gettext_noop("Systems by all answers"), version=4, type=dict[str, DrawnSystems], names_people=False
)
FIGURES = {section.key: section for section in (MEAN_BY_SYSTEM, SYSTEM_DIFFERENCES, DRAWN_SYSTEMS)}
