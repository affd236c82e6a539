"""What is stored of an answer-equivalence run beside people."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    SectionFigures,
    StoredFigures,
)
from annotation_platform.analysis.sections.powered.figures import PoweredDifference


class WayOfJudging(StoredFigures):
    """How often a way of judging answers, such as the classifier or exact match, says what most people say.

    ``auc`` is how often it puts a right answer above a wrong one; undefined for a way that says only yes or no.
    """

    way: str
    accuracy: CountedFigure
    f1: CountedFigure
    macro_f1: CountedFigure
    auc: CountedFigure


class SystemVerdicts(StoredFigures):
    """Which share of a system's answers is right, to people, and which share the classifier takes as right."""

    system: str
    right: CountedFigure
    taken: CountedFigure
    ways: tuple[WayOfJudging, ...]


class ShareOfAll(StoredFigures):
    """Which share of all answers of a system people would take as right.

    ``people`` rests on the answers that they judged, ``both`` on these and the classifier's probabilities of all;
    the same where the classifier does not help, or for the reason given must not. ``effective``: so many judged answers
    would have told as much. Where tasks were drawn, each judged answer stands for as many as its chance says.
    """

    system: str
    answers: int
    people: CountedFigure
    both: CountedFigure
    effective: float | None
    no_model_because: Because


class ProbabilityRange(StoredFigures):
    """The answers whose probability lies in a range: which share of them is right, and their mean probability.

    Both are undefined, and ``right`` says why, where there are no answers.
    """

    low: float
    high: float
    right: CountedFigure
    probability: float | None


class DecidingRule(StoredFigures):
    """How many answers a rule decided, and how often people agree with the verdict; and of those of which they
    named a rule, how often it is the same."""

    rule: str
    agreed: CountedFigure
    same_rule: CountedFigure


class Equivalence(StoredFigures):
    """Of an undefined one only the reason is known, and of a run without judged answers what it is about.

    ``drawn``: how tasks were drawn for people, "random" or "uncertainty"; "declared" where a researcher says that it
    was at random; "" where nothing is known, so that the classifier is not reckoned with. ``out_of_reach`` counts
    answers in batches that have not finished and that the last draw could not reach: they are in no figure of all
    answers.
    """

    undefined_because: Because
    aspect: str = ""
    run: int | None = None
    undecided: int = 0
    language: str = ""
    answers: int = 0
    questions: int = 0
    ways: tuple[WayOfJudging, ...] = ()
    systems: tuple[SystemVerdicts, ...] = ()
    all_answers: tuple[ShareOfAll, ...] = ()
    all_differences: tuple[PoweredDifference, ...] = ()
    drawn: str = ""
    out_of_reach: int = 0
    unit: str = "question"
    calibration: tuple[ProbabilityRange, ...] = ()
    rules: tuple[DecidingRule, ...] = ()


EQUIVALENCE = SectionFigures[Equivalence](
    "equivalence", gettext_noop("Answer equivalence"), version=15, type=Equivalence, names_people=False
)
FIGURES = {EQUIVALENCE.key: EQUIVALENCE}
