# Written by client/scripts/make_sync.py from "_async"; change that.
"""What a study's researchers and annotators say to each other."""

from annotation_client._sync.transport import Transport
from annotation_client.models import Announcement, Message, Question, Thread


class Talk:
    """``study.talk``: threads with annotators, announcements, and frequent questions."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, study

    def threads(self, *, only: str | None = None, about: str | None = None, q: str | None = None) -> list[Thread]:
        """The threads, those with the newest word first.

        Parameters
        ----------
        only
            ``waiting`` for an answer, or ``unread``.
        about
            ``task`` or ``study``.
        q
            A piece of what was said, or of a pseudonym.
        """
        rows = self._transport.rows(f"{self._path}/threads", only=only, about=about, q=q)
        return [Thread.model_validate(row) for row in rows]

    def read(self, annotator: int, assignment: int = 0) -> list[Message]:
        """What was said with an annotator about a task, or about the study; oldest first."""
        reply = self._transport.get(self._thread(annotator, assignment))
        return [Message.model_validate(row) for row in reply["results"]]

    def answer(self, text: str, *, annotator: int, assignment: int = 0) -> Message:
        """Write to an annotator; what waited for an answer has one then."""
        return Message.model_validate(self._transport.post(self._thread(annotator, assignment), {"text": text}))

    def settle(self, annotator: int, assignment: int = 0) -> None:
        """Let a thread wait for no answer, without one."""
        self._transport.ask("POST", f"{self._thread(annotator, assignment)}/settle", json={})

    def announcements(self) -> list[Announcement]:
        """What annotators are told and were told, the newest first."""
        rows = self._transport.rows(f"{self._path}/announcements")
        return [Announcement.model_validate(row) for row in rows]

    def announce(self, text: str, *, audience: str = "all", by_mail: bool = False) -> Announcement:
        """Tell all annotators something; ``audience="at_work"``: those who have a task under way now."""
        body = {"text": text, "audience": audience, "by_mail": by_mail}
        return Announcement.model_validate(self._transport.post(f"{self._path}/announcements", body))

    def end_announcement(self, pk: int) -> Announcement:
        """Show it to nobody any more."""
        return Announcement.model_validate(self._transport.post(f"{self._path}/announcements/{pk}/end"))

    def questions(self) -> list[Question]:
        """The frequent questions, in the order in which annotators read them."""
        reply = self._transport.get(f"{self._path}/faq")
        return [Question.model_validate(row) for row in reply["results"]]

    def add_question(self, *, grown_from: int | None = None, **texts: str) -> Question:
        """A new one at the end: ``question_en`` with ``answer_en``, ``question_ja`` with ``answer_ja``, or all four."""
        body = {"grown_from": grown_from, **texts}
        return Question.model_validate(self._transport.post(f"{self._path}/faq", body))

    def change_question(self, pk: int, **texts: str) -> Question:
        """Give it other words; what is left out stays."""
        return Question.model_validate(self._transport.change(f"{self._path}/faq/{pk}", texts))

    def move_question(self, pk: int, *, up: bool) -> Question:
        """One place up or down."""
        way = "up" if up else "down"
        return Question.model_validate(self._transport.post(f"{self._path}/faq/{pk}/{way}"))

    def remove_question(self, pk: int) -> None:
        """Take it out of the list."""
        self._transport.ask("DELETE", f"{self._path}/faq/{pk}")

    def _thread(self, annotator: int, assignment: int) -> str:
        return f"{self._path}/threads/{annotator}/{assignment}"
