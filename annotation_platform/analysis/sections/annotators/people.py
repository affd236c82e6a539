"""An annotator with all figures that a snapshot has: on one aspect, and of the work as a whole."""

from dataclasses import dataclass, fields

from annotation_platform.analysis.measuring.figures import ComparedFigure, CountedFigure, Figure, TestedDifference
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS, AnnotatorFigures
from annotation_platform.analysis.sections.work.figures import WORK, Drift, TimeOnTask, WorkOfAnnotator
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.errors import NotThereError


@dataclass(frozen=True, kw_only=True)
class Annotator:
    """An annotator's figures on the aspect and of the work as a whole, as far as there are any; ``far`` names those in
    which the annotator stands apart."""

    name: str
    judgments: int
    leniency: ComparedFigure
    leniency_rescaled: CountedFigure | None = None
    shift: TestedDifference | None = None
    tau: ComparedFigure
    tau_rescaled: CountedFigure | None = None
    same_label: ComparedFigure
    consistency: CountedFigure | None = None
    drift: CountedFigure | None = None
    seconds: TimeOnTask | None = None
    vacuous: ComparedFigure | None = None
    far: tuple[str, ...] = ()

    @property
    def figures(self) -> dict[str, Figure]:
        """Those that there are, by their names."""
        found = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: figure for name, figure in found if isinstance(figure, Figure)}

    @property
    def standing_apart(self) -> list[tuple[str, ComparedFigure]]:
        """The names and the figures in which the annotator stands apart."""
        known = self.figures
        return [(name, figure) for name in self.far if isinstance(figure := known[name], ComparedFigure)]


def annotators_of(asked: TableRequest) -> list[Annotator]:
    """Everybody who judged the aspect."""
    work = asked.section(WORK)
    of_work = {each.name: each for each in work.annotators}
    drift = {each.name: each for each in work.drift_first_to_last.get(asked.aspect, ())}
    return [
        _annotator(each, of_work.get(each.name), drift.get(each.name)) for each in asked.section(ANNOTATORS).annotators
    ]


def _annotator(of_aspect: AnnotatorFigures, of_work: WorkOfAnnotator | None, drift: Drift | None) -> Annotator:
    return Annotator(
        name=of_aspect.name,
        judgments=of_aspect.judgments,
        leniency=of_aspect.leniency,
        leniency_rescaled=of_aspect.leniency_rescaled,
        shift=of_aspect.shift,
        tau=of_aspect.tau,
        tau_rescaled=of_aspect.tau_rescaled,
        same_label=of_aspect.same_label,
        consistency=of_aspect.consistency,
        drift=drift,
        seconds=of_work.seconds if of_work else None,
        vacuous=of_work.vacuous if of_work else None,
        far=(*of_aspect.far, *(of_work.far if of_work else ())),
    )


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
