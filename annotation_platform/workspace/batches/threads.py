"""What annotators and researchers wrote to each other about places of a batch."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from annotation_platform.annotations.models import Message
from annotation_platform.crowd.talk.selectors import ThreadRow
from annotation_platform.studies.models import Assignment, Batch


@dataclass(frozen=True)
class PlaceWords:
    """All that was written about a place: a thread with each annotator, and old words to nobody."""

    assignment: Assignment
    threads: list[ThreadRow] = field(default_factory=list)
    to_nobody: list[Message] = field(default_factory=list)


def threads_of(batch: Batch) -> list[PlaceWords]:
    """The places of a batch about which words were exchanged, those that wait for an answer first, then the newest."""
    written = Message.objects.filter(assignment__hit__batch=batch).order_by("pk")
    threads: defaultdict[tuple[int, int | None], list[Message]] = defaultdict(list)
    for word in written.select_related("author", "annotator", "item", "assignment__hit__article"):
        threads[word.assignment_id or 0, word.annotator_id].append(word)
    found: dict[int, PlaceWords] = {}
    for (place, _annotator), words in sorted(threads.items(), key=lambda thread: _rank(thread[1])):
        annotator, assignment = words[0].annotator, words[0].assignment
        assert assignment is not None  # they are about places
        of_place = found.setdefault(place, PlaceWords(assignment))
        if annotator is None:
            of_place.to_nobody.extend(words)
        else:
            of_place.threads.append(ThreadRow(annotator, assignment, _waiting(words), unread=0, words=words))
    return [*found.values()]


def _rank(words: Sequence[Message]) -> tuple[bool, int]:
    return not _waiting(words), -words[-1].pk


def _waiting(words: Sequence[Message]) -> int:
    return sum(word.needs_answer for word in words)


def unanswered_threads() -> QuerySet[Message]:
    """The threads about places with a word that no researcher has dealt with, by the last such word of each."""
    waiting = Message.objects.filter(needs_answer=True)
    later = waiting.filter(assignment=OuterRef("assignment"), annotator=OuterRef("annotator"), pk__gt=OuterRef("pk"))
    return waiting.filter(~Exists(later), assignment__isnull=False)


def words_of_place() -> QuerySet[Message]:
    return Message.objects.filter(assignment=OuterRef("pk"))
