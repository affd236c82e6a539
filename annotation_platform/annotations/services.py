"""Everything that writes judgments: drafts, submitted revisions, words to the researcher."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft, Message, Rating, SentenceReference
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import Scheme, check_judgment, cited_sentences, rated_choices
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Item, Member
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
    """What came of a submitted judgment: its revision, and whether the whole HIT is submitted now."""

    annotation: Annotation
    hit_is_complete: bool


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


def discard_draft(*, annotator: Member, item: Item) -> None:
    """Forget what was typed for one question; submitted revisions stay."""
    Draft.objects.filter(annotator=annotator, item=item).delete()


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

    Sending the same form twice (same ``submission_id``) stores once, and so does sending unchanged values.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept it.
    PlaceLostError, BatchClosedError
        When the place is no longer the annotator's, or the batch has closed.
    """
    values = check_judgment(scheme, raw, sentence_count=sentence_count)
    try:
        with transaction.atomic():
            _hold_place(assignment, annotator)
            current = Annotation.objects.filter(assignment=assignment, item=item, is_current=True).first()
            if current is None or (current.submission_id != submission_id and current.values != values):
                annotation = _store_revision(
                    Annotation(
                        assignment=assignment,
                        item=item,
                        annotator=annotator,
                        revision=_next_revision(assignment, item, annotator, current),
                        values=values,
                        seconds=seconds,
                        submission_id=submission_id,
                        created_at=timezone.now(),
                    ),
                    scheme=scheme,
                    replaces=current,
                )
            else:
                annotation = current
            discard_draft(annotator=annotator, item=item)
            complete = _submit_if_complete(assignment)
    except IntegrityError:
        if submission_id is None:
            raise
        # The same form arrived twice at the same moment, and the other one was stored.
        annotation = Annotation.objects.get(submission_id=submission_id, annotator=annotator)
        assignment.refresh_from_db()
        complete = assignment.state == AssignmentState.SUBMITTED
    return Submission(annotation, complete)


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


def _hold_place(assignment: Assignment, annotator: Member) -> None:
    """Lock the place for this transaction, and make sure that it is still the annotator's and may be filled."""
    held = Assignment.objects.select_for_update().filter(pk=assignment.pk).get()
    if held.annotator_id != annotator.pk:
        raise PlaceLostError(
            "Your time for this task ran out and somebody else has it now. What you wrote is kept in your drafts."
        )
    # Asked only after the lock: a batch that was closing has finished closing by now.
    if not Batch.objects.filter(hits=held.hit_id, state=BatchState.OPEN).exists():
        raise BatchClosedError("This batch has closed and takes no more judgments. What you wrote is kept.")
    if held.has_expired:
        renew_lease(assignment=held)


def _next_revision(assignment: Assignment, item: Item, annotator: Member, current: Annotation | None) -> int:
    if current is not None:
        return current.revision + 1
    earlier = Annotation.objects.filter(assignment=assignment, item=item, annotator=annotator)
    return max(earlier.values_list("revision", flat=True), default=0) + 1


def _store_revision(annotation: Annotation, *, scheme: Scheme, replaces: Annotation | None) -> Annotation:
    if replaces is not None:
        Annotation.objects.filter(pk=replaces.pk).update(is_current=False)
    annotation.save(force_insert=True)
    Rating.objects.bulk_create(_ratings(scheme, annotation))
    SentenceReference.objects.bulk_create(_references(scheme, annotation))
    return annotation


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


def _submit_if_complete(assignment: Assignment) -> bool:
    """Submit the HIT when every item has a current judgment on this place."""
    judged = Annotation.objects.filter(assignment=assignment, item=OuterRef("pk"), is_current=True)
    if Item.objects.filter(~Exists(judged), hit=assignment.hit_id).exists():
        return False
    Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.CLAIMED).update(
        state=AssignmentState.SUBMITTED, submitted_at=timezone.now()
    )
    return True
