"""An annotator with all figures that a snapshot has: on one aspect, and of the work as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation_platform.analysis.measuring.figures import Figure
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS, AnnotatorFigures
from annotation_platform.analysis.sections.work.figures import WORK, WorkOfAnnotator
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.errors import NotThereError


@dataclass(frozen=True)
class Annotator:
    """An annotator's figures on the aspect and of the work as a whole by their keys, as far as there are any; ``far``
    names those in which the annotator stands apart."""

    name: str
    judgments: int
    figures: Mapping[str, Figure]
    far: tuple[str, ...] = ()

    def value(self, key: str) -> float | None:
        figure = self.figures.get(key)
        return figure.value if figure else None


def annotators_of(asked: TableRequest) -> list[Annotator]:
    """Everybody who judged the aspect."""
    work = asked.section(WORK)
    of_work = {each.name: each for each in work.annotators}
    drift = {each.name: each for each in work.drift_first_to_last.get(asked.aspect, ())}
    return [
        _annotator(each, of_work.get(each.name), drift.get(each.name)) for each in asked.section(ANNOTATORS).annotators
    ]


def _annotator(of_aspect: AnnotatorFigures, of_work: WorkOfAnnotator | None, drift: Figure | None) -> Annotator:
    found: dict[str, Figure | None] = {
        "leniency": of_aspect.leniency,
        "leniency_rescaled": of_aspect.leniency_rescaled,
        "shift": of_aspect.shift,
        "tau": of_aspect.tau,
        "tau_rescaled": of_aspect.tau_rescaled,
        "same_label": of_aspect.same_label,
        "consistency": of_aspect.consistency,
        "drift": drift,
        "seconds": of_work.seconds if of_work else None,
        "vacuous": of_work.vacuous if of_work else None,
    }
    known = {key: figure for key, figure in found.items() if figure is not None}
    far = (*of_aspect.far, *(of_work.far if of_work else ()))
    return Annotator(of_aspect.name, of_aspect.judgments, known, far)


def chosen_annotator(asked: TableRequest) -> Annotator:
    """The annotator that the address names.

    Raises
    ------
    NotThereError
        When nobody of that pseudonym judged this aspect.
    """
    for each in annotators_of(asked):
        if each.name == asked.parameters.get("annotator"):
            return each
    raise NotThereError("analysis.no_judgments_by")
