"""Threads of words between an annotator and the researchers: who may read one, what it says, what is new in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Assignment, Item, Member, Role, SetAside, Study


@dataclass(frozen=True)
class Thread:
    """What is said with one annotator about one assignment, or, without one, about the study."""

    annotator: Member
    assignment: Assignment | None = None

    @property
    def words(self) -> QuerySet[Message]:
        """All of it, oldest first."""
        words = Message.objects.filter(annotator=self.annotator, assignment=self.assignment)
        return words.select_related("author", "item").order_by("pk")

    def about(self, item: Item | None) -> QuerySet[Message]:
        """Of an ``item``: what was said about it, and about the task as a whole."""
        return self.words if item is None else self.words.filter(Q(item=item) | Q(item=None))


def thread_of_task(user: Any, pk: int, *, annotator: int = 0) -> tuple[Thread, Member]:
    """The thread of an assignment, and as whom the user writes in it.

    An annotator has their own: who holds the task, wrote about it once, or had work in it that was set aside; also
    after they were removed from the study. For researchers it is that of the ``annotator`` whose key they give (0:
    none), else of whoever waits for an answer, else of the holder, else of the last one who wrote.

    Raises
    ------
    NotThereError
        For everybody else, and when there is nobody to write to.
    """
    assignment = (
        Assignment.objects.select_related("annotator", "hit__article", "hit__batch__study").filter(pk=pk).first()
    )
    if assignment is not None:
        study = assignment.hit.batch.study
        own = annotator_for(user, study)
        if own is not None and _has_to_do_with(own, assignment):
            return Thread(own, assignment), own
        team = study.qualifies_for_id or study.pk
        researcher = Member.objects.filter(study=team, user=user).exclude(role=Role.ANNOTATOR).first()
        other = _named(annotator, assignment) if annotator else _with_whom(assignment)
        if researcher is not None and other is not None:
            return Thread(other, assignment), researcher
    raise NotThereError("annotations.no_task")


def annotator_for(user: Any, study: Study) -> Member | None:
    """As whom a user annotates a study, or did until they were removed; None for everybody else."""
    mine = Q(user=user) | Q(former_user=user)
    return Member.objects.filter(mine, study=study, role=Role.ANNOTATOR).select_related("study").first()


def unread(messages: Iterable[Message], reader: Member) -> list[Message]:
    """Those of these words that somebody has not had before their eyes; their own are none."""
    words = [each for each in messages if each.author_id != reader.pk]
    known = set(MessageRead.objects.filter(message__in=words, reader=reader).values_list("message_id", flat=True))
    return [each for each in words if each.pk not in known]


def mark_read(messages: Iterable[Message], reader: Member) -> None:
    """Keep that somebody has had these words before their eyes; their own need no mark."""
    new = [MessageRead(message=each, reader=reader) for each in unread(messages, reader)]
    if new:
        MessageRead.objects.bulk_create(new, ignore_conflicts=True)  # another tab may do it at the same time


def unread_by_annotator(user: Any) -> QuerySet[Message]:
    """What researchers wrote to a user, in whatever study, and the user has not read yet."""
    mine = Q(annotator__user=user) | Q(annotator__former_user=user)
    read = MessageRead.objects.filter(message=OuterRef("pk"), reader=OuterRef("annotator"))
    return Message.objects.filter(mine, ~Exists(read), annotator__role=Role.ANNOTATOR).exclude(author=F("annotator"))


def _has_to_do_with(annotator: Member, assignment: Assignment) -> bool:
    return (
        assignment.annotator_id == annotator.pk
        or Message.objects.filter(assignment=assignment, annotator=annotator).exists()
        or SetAside.objects.filter(assignment=assignment, annotator=annotator).exists()
    )


def _named(annotator: int, assignment: Assignment) -> Member | None:
    found = Member.objects.filter(pk=annotator, study=assignment.hit.batch.study_id).select_related("study").first()
    return found if found is not None and _has_to_do_with(found, assignment) else None


def _with_whom(assignment: Assignment) -> Member | None:
    words = assignment.messages.exclude(annotator=None).select_related("annotator").order_by("-pk")
    waiting = words.filter(needs_answer=True).first()
    if waiting is not None:
        return waiting.annotator
    if assignment.annotator is not None:
        return assignment.annotator
    last = words.first()
    return last.annotator if last else None
