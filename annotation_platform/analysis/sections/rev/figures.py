"""What is stored of a REV run."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)


class AllRationales(CountedFigure):
    """REV of all rationales, and how much they help to the wanted answer."""

    las: CountedFigure
    rq: CountedFigure


class RationaleKind(StoredFigures):
    """The rationales of one origin; ``people`` is their mean score, ``justified`` the share of the judged ones that
    justifies its answer.

    ``new_words`` is the mean number of words that neither question nor answer has.
    """

    kind: str
    rationales: int
    rev: CountedFigure
    above_zero: float
    new_words: float
    says_answer: float
    las: CountedFigure
    rq: CountedFigure
    people: CountedFigure
    justified: CountedFigure


class Step(TestedDifference):
    """REV of one kind of rationales minus that of the next."""

    kinds: tuple[str, str]


class RationalePoint(StoredFigures):
    """One rationale, with people's score of it."""

    kind: str
    rev: float
    people: float


class RationaleFigures(StoredFigures):
    """Of an undefined one only the reason is known, and of a run that measured nothing what it was."""

    undefined_because: Because
    run: int | None = None
    evaluator: str = ""
    baseline: str = ""
    per: str = ""
    is_trained: bool | None = None
    rationales: int = 0
    questions: int = 0
    overall: AllRationales | None = None
    kinds: tuple[RationaleKind, ...] = ()
    steps: tuple[Step, ...] = ()
    with_people: CountedFigure | None = None
    points: tuple[RationalePoint, ...] = ()


REV = SectionFigures[RationaleFigures](
    "rev", gettext_noop("Rationales"), version=7, type=RationaleFigures, names_people=False
)
FIGURES = {REV.key: REV}
