"""What is said with annotators."""

from datetime import datetime

from annotation_client.models.record import Record


class Thread(Record):
    """What is said with an annotator about a task, or (``assignment`` 0) about the study."""

    annotator: int
    pseudonym: str
    assignment: int
    messages: int
    waits: int
    unread: int
    last_at: datetime


class Message(Record):
    """A word in a thread."""

    id: int
    author: str
    role: str
    position: int | None
    text: str
    created_at: datetime


class Announcement(Record):
    """What annotators are told."""

    id: int
    text: str
    audience: str
    by_mail: bool
    author: str
    dismissed: int
    created_at: datetime
    ended_at: datetime | None


class Question(Record):
    """A frequent question with its answer, in English, Japanese or both."""

    id: int
    position: int
    question_en: str
    answer_en: str
    question_ja: str
    answer_ja: str
    changed_at: datetime
