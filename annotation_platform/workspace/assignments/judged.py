"""An assignment as a researcher sees it: who has it, how long they took, what they judged."""

from dataclasses import dataclass

from django.db.models import Prefetch

from annotation_platform.analysis.explorer.judgments import Judgment, judgments_of
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.threads import Thread
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.selectors import ThreadRow
from annotation_platform.studies.models import Assignment, Batch, Candidate, Item


@dataclass(frozen=True)
class JudgedItem:
    """An item of the assignment's HIT with its holder's judgment, or without one."""

    item: Item
    judgment: Judgment | None


@dataclass(frozen=True)
class AssignmentView:
    assignment: Assignment
    items: list[JudgedItem]

    @property
    def thread(self) -> ThreadRow:
        """What is said with its holder; what was said with others before stands on the batch's page."""
        assert self.assignment.annotator is not None  # or it would not be there
        words = list(Thread(self.assignment.annotator, self.assignment).words)
        return ThreadRow(self.assignment.annotator, self.assignment, waits=0, unread=0, words=words)

    @property
    def judged_count(self) -> int:
        return sum(each.judgment is not None for each in self.items)

    @property
    def seconds(self) -> float | None:
        """Time on task, over the items with one."""
        timed = [each.judgment.annotation.seconds for each in self.items if each.judgment]
        known = [seconds for seconds in timed if seconds is not None]
        return sum(known) if known else None


def view_assignment(batch: Batch, pk: int) -> AssignmentView:
    """An assignment of a batch with what was judged in it.

    Raises
    ------
    NotThereError
        When the batch has no such assignment, or nobody has it.
    """
    assignment = (
        Assignment.objects.filter(hit__batch=batch, pk=pk, annotator__isnull=False)
        .select_related("annotator", "hit__article", "hit__batch__study__scheme_version")
        .first()
    )
    if assignment is None:
        raise NotThereError("workspace.assignment_not_held")
    items = (
        Item.every.filter(hit=assignment.hit_id)
        .select_related("question")
        .prefetch_related(Prefetch("candidates", Candidate.every.select_related("answer__system")))
        .order_by("position")
    )
    revisions = list(
        Annotation.given.filter(assignment=assignment, annotator=assignment.annotator)
        .select_related("annotator", "assignment")
        .order_by("-revision")
    )
    judged = judgments_of(items, revisions, assignment.hit.batch.study.scheme())
    return AssignmentView(assignment, [JudgedItem(item, judged.get(item.pk)) for item in items])
