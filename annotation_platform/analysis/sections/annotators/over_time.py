"""One annotator in the course of a study: their figures in each of its snapshots."""

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.annotators.people import Annotator, annotators_of
from annotation_platform.analysis.sections.work.figures import WORK
from annotation_platform.analysis.snapshots.stored import of_another_version
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.studies.models import Study

NEEDED = {ANNOTATORS.key, WORK.key}


@dataclass(frozen=True)
class OnAspect:
    """An annotator's figures on one aspect, with those of their work as a whole."""

    head: AspectHead
    figures: Annotator


def snapshots_with_annotators(study: Study) -> QuerySet[AgreementSnapshot]:
    """The snapshots of a study with what :func:`in_snapshot` reads: two queries for all of them."""
    of_people = SnapshotSection.objects.filter(key__in=NEEDED)
    snapshots = AgreementSnapshot.objects.filter(study=study).select_related("study")
    return snapshots.prefetch_related(Prefetch("sections", of_people, to_attr="of_people"))


def in_snapshot(snapshot: AgreementSnapshot, name: str) -> list[OnAspect]:
    """What one of :func:`snapshots_with_annotators` says of an annotator, by their pseudonym, aspect by aspect.

    Empty where they had judged nothing that it measured, or it was stored in another version's form.
    """
    if NEEDED & of_another_version(snapshot).keys():
        return []
    stored = {(each.key, each.aspect): each.figures for each in snapshot.of_people}  # type: ignore[attr-defined]
    found = []
    for head in snapshot.head.aspects:
        figures = {key: stored.get((key, head.aspect), stored.get((key, ""))) for key in NEEDED}
        if None not in figures.values():
            people = annotators_of(TableRequest(snapshot, head, figures))
            found += [OnAspect(head, each) for each in people if each.name == name]
    return found
