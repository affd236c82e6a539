"""Words between annotator and researcher."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Message
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Assignment, Item, Member, Role

LONGEST = 5_000
MOST_AT_ONCE, WITHIN = 10, timedelta(minutes=5)


@transaction.atomic
def send_message(
    *,
    assignment: Assignment,
    author: Member,
    text: str,
    item: Item | None = None,
    annotator: Member | None = None,
    actor: Actor,
) -> Message:
    """Add a word to the thread of an assignment, about one of its questions or about the task.

    A researcher's word goes to ``annotator``, by default the holder, and settles what waited for an answer. Without
    an ``item`` it is about what the last one was about.

    Raises
    ------
    InvalidInputError
        When it is empty or too long, an annotator wrote many just now, or there is nobody to write to.
    """
    other = author if author.role == Role.ANNOTATOR else annotator or assignment.annotator
    if other is None:
        raise InvalidInputError("annotations.message_to_nobody")
    if item is None and author.pk != other.pk:
        last = assignment.messages.filter(annotator=other).select_related("item").order_by("pk").last()
        item = last.item if last else None
    message = _store(annotator=other, author=author, text=text, assignment=assignment, item=item)
    record(actor, Verb.TASK_MESSAGE_SENT, message, study=author.study)
    return message


@transaction.atomic
def send_message_about_study(*, annotator: Member, author: Member, text: str, actor: Actor) -> Message:
    """Add a word to the thread that an annotator has with the researchers about no task; refused as above."""
    message = _store(annotator=annotator, author=author, text=text)
    record(actor, Verb.MEMBER_MESSAGE_SENT, message, study=annotator.study)
    return message


@transaction.atomic
def settle_thread(*, annotator: Member, assignment: Assignment | None, actor: Actor) -> None:
    """Let a thread wait for no answer, without one; nothing happens when it does not wait."""
    waiting = Message.objects.filter(annotator=annotator, assignment=assignment, needs_answer=True)
    if waiting.update(needs_answer=False):
        record(actor, Verb.MEMBER_THREAD_SETTLED, annotator, study=annotator.study)


def _store(
    *, annotator: Member, author: Member, text: str, assignment: Assignment | None = None, item: Item | None = None
) -> Message:
    text = text.replace("\x00", "").strip()  # PostgreSQL takes no NUL
    if not text:
        raise InvalidInputError("annotations.message_empty")
    if len(text) > LONGEST:
        raise InvalidInputError("annotations.message_too_long", length=len(text))
    is_annotators = author.pk == annotator.pk
    if is_annotators:
        _check_pace(author)
    else:
        Message.objects.filter(annotator=annotator, assignment=assignment, needs_answer=True).update(needs_answer=False)
    return Message.objects.create(
        annotator=annotator,
        assignment=assignment,
        author=author,
        text=text,
        item=item,
        needs_answer=is_annotators,
    )


def _check_pace(author: Member) -> None:
    Member.objects.select_for_update(no_key=True).get(pk=author.pk)  # so that two requests are counted one by one
    recent = Message.objects.filter(author=author, created_at__gte=timezone.now() - WITHIN).count()
    if recent >= MOST_AT_ONCE:
        minutes = int(WITHIN.total_seconds()) // 60
        raise InvalidInputError("annotations.too_many_messages", count=recent, minutes=minutes)
