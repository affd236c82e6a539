"""Words between annotator and researcher."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Message
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Assignment, Item, Member, Role


@transaction.atomic
def send_message(
    *, assignment: Assignment, author: Member, text: str, item: Item | None = None, actor: Actor
) -> Message:
    """Add a word to the thread of an assignment, about one of its questions or about the task.

    A researcher's word without an ``item`` is about what the last one was about.
    """
    text = text.replace("\x00", "").strip()  # PostgreSQL takes no NUL
    if not text:
        raise InvalidInputError("annotations.message_empty")
    if len(text) > 5_000:
        raise InvalidInputError("annotations.message_too_long", length=len(text))
    if item is None and author.role != Role.ANNOTATOR:
        last = assignment.messages.select_related("item").order_by("created_at", "pk").last()
        item = last.item if last else None
    message = Message.objects.create(assignment=assignment, author=author, text=text, item=item)
    record(actor, Verb.TASK_MESSAGE_SENT, message, study=author.study)
    return message
