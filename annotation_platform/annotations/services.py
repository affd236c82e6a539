"""Everything that writes judgments: drafts, submitted revisions, words to the researcher."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import F, FilteredRelation, Q
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft, Message, Rating, SentenceReference
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.schemes import Scheme, check_judgment, cited_sentences, rated_choices
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Item, Member
from annotation_platform.studies.services import renew_lease

DRAFT_LIMIT = 200_000  # characters; a paste far beyond any explanation is still kept, a flood is not


class PlaceLostError(ConflictError):
    """The lease ran out and somebody else has the place now. What was typed stays in the draft."""


class BatchClosedError(ConflictError):
    """The batch takes no more judgments. What was typed stays in the draft."""


class DraftConflictError(ConflictError):
    """Another tab or device saved this question since the page was loaded. ``current`` is its draft."""

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__("This question was changed in another tab or on another device.")


@dataclass(frozen=True)
class Submission:
    """What came of a submitted judgment: its revision, and the first item of the HIT that still waits for one."""

    annotation: Annotation
    next_position: int | None

    @property
    def hit_is_complete(self) -> bool:
        return self.next_position is None


def save_draft(*, annotator: Member, item: Item, values: Mapping[str, Any], seconds: float, version: int) -> Draft:
    """Keep what somebody has typed so far. ``version`` is the draft's version that the page had (0: none).

    Raises
    ------
    DraftConflictError
        When the stored draft is newer than ``version`` and says something else.
    InvalidInputError
        When it is larger than any honest draft.
    """
    if sum(len(str(value)) for value in values.values()) > DRAFT_LIMIT:
        raise InvalidInputError(f"This is more than {DRAFT_LIMIT:,} characters; it cannot be saved as a draft.")
    fields = {"values": dict(values), "seconds": seconds}
    with transaction.atomic():
        changed = Draft.objects.filter(annotator=annotator, item=item, version=version).update(
            **fields, version=F("version") + 1, updated_at=timezone.now()
        )
        if changed:
            return Draft(annotator=annotator, item=item, version=version + 1, **fields)
        draft, is_new = Draft.objects.get_or_create(annotator=annotator, item=item, defaults=fields)
    if not is_new and draft.values != fields["values"]:
        raise DraftConflictError(draft)
    return draft


def submit_judgment(
    *,
    assignment: Assignment,
    annotator: Member,
    item: Item,
    scheme: Scheme,
    raw: Mapping[str, Any],
    sentence_count: int,
    seconds: float | None = None,
    submission_id: UUID | None = None,
) -> Submission:
    """Store one item's judgment as a new revision; the last missing one submits the HIT.

    Sending the same form twice (same ``submission_id``) stores once, and so does sending unchanged values. The
    draft is forgotten: its text is in the revision now.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept it.
    PlaceLostError, BatchClosedError
        When the place is no longer the annotator's, or the batch has closed.
    """
    annotation = Annotation(
        assignment=assignment,
        item=item,
        annotator=annotator,
        values=check_judgment(scheme, raw, sentence_count=sentence_count),
        seconds=seconds,
        submission_id=submission_id,
        created_at=timezone.now(),
    )
    try:
        return _submit(annotation, scheme)
    except IntegrityError:
        stored = Annotation.objects.filter(submission_id=submission_id).first() if submission_id else None
        if stored is None:
            raise
    if (stored.annotator_id, stored.item_id, stored.values) != (annotator.pk, item.pk, annotation.values):
        # A page that the browser brought back from its history still has the mark of the form sent before.
        annotation.submission_id = uuid4()
        return _submit(annotation, scheme)
    hit = _judged_so_far(assignment)
    return Submission(stored, _next_position(hit, after=next(row for row in hit if row.item_id == item.pk)))


def store_judgments(*, scheme: Scheme, annotations: Iterable[Annotation]) -> list[Annotation]:
    """Store many checked first revisions at once (imports), with their ratings and cited sentences."""
    stored = Annotation.objects.bulk_create(annotations, batch_size=1000)
    Rating.objects.bulk_create((r for a in stored for r in _ratings(scheme, a)), batch_size=2000)
    SentenceReference.objects.bulk_create((r for a in stored for r in _references(scheme, a)), batch_size=2000)
    return stored


def send_message(*, assignment: Assignment, author: Member, text: str) -> Message:
    """Add a word to the thread of an assignment."""
    text = text.strip()
    if not text:
        raise InvalidInputError("The message is empty. Write a word or two first.")
    if len(text) > 5_000:
        raise InvalidInputError(f"The message has {len(text):,} characters; at most 5,000 fit. Shorten it.")
    return Message.objects.create(assignment=assignment, author=author, text=text)


class _Judged(NamedTuple):
    """An item of a HIT beside one of its holder's revisions, or beside none."""

    item_id: int
    position: int
    batch_state: str
    annotation_id: int | None
    revision: int | None
    is_current: bool | None
    values: dict[str, Any] | None


@transaction.atomic
def _submit(annotation: Annotation, scheme: Scheme) -> Submission:
    """Write a checked judgment; few queries, since annotators wait for this one."""
    assignment, annotator = annotation.assignment, annotation.annotator
    held = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if held.annotator_id != annotator.pk:
        raise PlaceLostError(
            "Your time for this task ran out and somebody else has it now. What you wrote is kept in your drafts."
        )
    # Read only after the lock: a batch that was closing has finished closing by now.
    hit = _judged_so_far(held)
    revisions = [row for row in hit if row.item_id == annotation.item_id]
    if not revisions:
        raise NotThereError("This task has no such question.")
    last = revisions[-1]
    if last.batch_state != BatchState.OPEN:
        raise BatchClosedError("This batch has closed and takes no more judgments. What you wrote is kept.")
    if held.has_expired:
        renew_lease(assignment=held)

    current = last.annotation_id if last.is_current else None
    if current is not None and last.values == annotation.values:
        sent, annotation = annotation.submission_id, Annotation.objects.get(pk=current)
        is_repeated = sent is not None and sent == annotation.submission_id
    else:
        is_repeated = False
        if current is not None:
            Annotation.objects.filter(pk=current).update(is_current=False)
        annotation.revision = (last.revision or 0) + 1
        annotation.save(force_insert=True)
        Rating.objects.bulk_create(_ratings(scheme, annotation))
        SentenceReference.objects.bulk_create(_references(scheme, annotation))
    if not is_repeated:  # a late copy of the form must not take away what was typed since
        Draft.objects.filter(annotator=annotator, item=annotation.item_id).delete()

    next_position = _next_position(hit, after=last)
    if next_position is None and held.state == AssignmentState.CLAIMED:
        Assignment.objects.filter(pk=held.pk).update(state=AssignmentState.SUBMITTED, submitted_at=timezone.now())
    return Submission(annotation, next_position)


def _judged_so_far(held: Assignment) -> list[_Judged]:
    """Every item of a held HIT with its holder's revisions, oldest first."""
    mine = Q(annotations__assignment=held.pk, annotations__annotator=held.annotator_id)
    rows = (
        Item.objects.filter(hit=held.hit_id)
        .annotate(mine=FilteredRelation("annotations", condition=mine))
        .order_by("position", "mine__revision")
        .values_list(
            "pk",
            "position",
            "hit__batch__state",
            "mine__pk",
            "mine__revision",
            "mine__is_current",
            "mine__values",
        )
    )
    return [_Judged(*row) for row in rows]


def _next_position(hit: Sequence[_Judged], *, after: _Judged) -> int | None:
    """The next item without a judgment, going on from one that has just got its own; None when there is none."""
    judged = {row.item_id for row in hit if row.is_current} | {after.item_id}
    waiting = [row.position for row in hit if row.item_id not in judged]
    return next((position for position in waiting if position > after.position), min(waiting, default=None))


def _ratings(scheme: Scheme, annotation: Annotation) -> list[Rating]:
    return [
        Rating(annotation=annotation, aspect=rated.aspect, choice=rated.choice, number=rated.number)
        for rated in rated_choices(scheme, annotation.values)
    ]


def _references(scheme: Scheme, annotation: Annotation) -> list[SentenceReference]:
    return [
        SentenceReference(annotation=annotation, aspect=aspect, number=number)
        for aspect, number in cited_sentences(scheme, annotation.values)
    ]
