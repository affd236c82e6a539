"""A researcher's word in a thread, whatever it is about."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.models import Message
from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.annotations.threads import Thread
from annotation_platform.studies.models import Member


def write_in(thread: Thread, *, author: Member, text: str, actor: Actor) -> Message:
    """Write to the annotator of a thread about its task, or about the study; what waited for an answer has one then.

    Raises
    ------
    InvalidInputError
        When it is empty or too long.
    """
    if thread.assignment is None:
        return send_message_about_study(annotator=thread.annotator, author=author, text=text, actor=actor)
    return send_message(assignment=thread.assignment, annotator=thread.annotator, author=author, text=text, actor=actor)
