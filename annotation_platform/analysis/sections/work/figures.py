"""What is stored of how people worked."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    ComparedFigure,
    CountedFigure,
    Interval,
    SectionFigures,
    StoredFigures,
)


class TimeOnTask(ComparedFigure):
    """Median seconds of a judgment, with the quartiles and the sum."""

    quartiles: Interval | None
    total: float | None


class WorkOfAnnotator(StoredFigures):
    """``vacuous`` is the share of explanations that say nothing new; ``far`` names the figures in which the annotator
    stands apart from the others."""

    name: str
    judgments: int
    cannot_judge: int
    seconds: TimeOnTask
    vacuous: ComparedFigure
    far: tuple[str, ...]


class Drift(CountedFigure):
    """How much an annotator's leniency changes from the first judgment to the last, in the scale's numbers."""

    name: str


class Work(StoredFigures):
    """Drift is by the key of each ordered aspect."""

    annotators: tuple[WorkOfAnnotator, ...]
    drift_first_to_last: dict[str, tuple[Drift, ...]]


WORK = SectionFigures[Work]("work", gettext_noop("Work"), version=6, type=Work)
FIGURES = {WORK.key: WORK}
