"""What is stored of single annotators on one aspect."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    ComparedFigure,
    CountedFigure,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)


class AnnotatorFigures(StoredFigures):
    """Leniency, agreement with the others, consistency; what is about scores is not there before any run.

    ``shift`` is how much leniency differs from labels to scores, both from 0 to 100; ``far`` names the figures in which
    the annotator stands apart from the others.
    """

    name: str
    judgments: int
    leniency: ComparedFigure
    same_label: ComparedFigure
    tau: ComparedFigure
    consistency: CountedFigure
    tau_rescaled: CountedFigure | None = None
    leniency_rescaled: CountedFigure | None = None
    shift: TestedDifference | None = None
    far: tuple[str, ...]


class Annotators(StoredFigures):
    """Who has judged the aspect; ``far_beyond`` is the modified z-score from which an annotator stands apart."""

    far_beyond: float
    unit: str
    annotators: tuple[AnnotatorFigures, ...]


ANNOTATORS = SectionFigures[Annotators]("annotators", gettext_noop("Annotator"), version=7, type=Annotators)
FIGURES = {ANNOTATORS.key: ANNOTATORS}
