"""What is stored of people's judgments of a part together with a model's of all."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    DescribedRun,
    ForOthers,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)


class MeanOfPart(CountedFigure):
    """``for_others`` says what its interval is for other annotators, too; None where it cannot be told."""

    for_others: ForOthers | None = None


class DifferenceOfPart(TestedDifference):
    """The same of a difference."""

    for_others: ForOthers | None = None


class PoweredMean(StoredFigures):
    """A system's mean over all answers that the model has judged.

    ``people`` rests on those that people judged, ``both`` on these and what the model says of all; the same where the
    model does not help or, for the reason given, must not. ``effective``: so many judged answers would have told people
    alone as much.
    """

    system: str
    answers: int
    people: MeanOfPart
    both: MeanOfPart
    effective: float | None
    no_model_because: Because


class PoweredDifference(DifferenceOfPart):
    """How much better the second of two systems is than the first, by people and the model at once.

    Paired: over ``questions`` that the model has judged both answers to; ``people`` is the difference by people alone,
    on those of which they judged both. Where tasks were drawn with chances that differ, it is that of two weighed means
    over the ``answers`` to these questions, and ``items`` and ``effective`` count answers.
    """

    systems: tuple[str, str]
    questions: int
    answers: int | None = None
    people: DifferenceOfPart
    effective: float | None
    no_model_because: Because


class PoweredRun(StoredFigures):
    """What a run adds to people's judgments of one aspect.

    ``score`` names a measure of the run that stands for its label. Of ``unread`` answers the model gave no number,
    though it was asked. ``why_nothing`` is the reason where there is nothing to be estimated. ``drawn``: how tasks were
    drawn for people, "random" or "uncertainty", so that means are weighed by the chances; "declared" where a researcher
    says that it was at random; "" where nothing is known, so that the run is not reckoned with. ``out_of_reach`` counts
    answers in batches that have not finished and that the last draw could not reach, which are in no figure.
    """

    run: DescribedRun
    score: str
    unit: str
    unread: int
    means: tuple[PoweredMean, ...]
    differences: tuple[PoweredDifference, ...]
    why_nothing: str | None
    drawn: str = ""
    out_of_reach: int = 0


class Powered(StoredFigures):
    """By aspect: judges beside people, newest first; and the distilled rescaler beside a language model's scores."""

    judges: dict[str, tuple[PoweredRun, ...]]
    scores: dict[str, PoweredRun]


POWERED = SectionFigures[Powered](
    "powered", gettext_noop("People and model at once"), version=9, type=Powered, names_people=False
)
FIGURES = {POWERED.key: POWERED}
