"""What the platform sends to other programs."""

from typing import Any

from annotation_client.models.record import Record


class Webhook(Record):
    """An address that is told what happens; ``secret`` is there only when it was just made."""

    id: int
    address: str
    note: str
    kinds: list[str]
    is_on: bool
    failures: int
    switched_off_because: str
    secret: str | None = None


class Delivery(Record):
    """A message of a webhook, and what became of it."""

    id: int
    message_id: str
    kind: str
    state: str
    attempts: int
    status: int | None
    reply: str
    error: str


class ScoreDestination(Record):
    """A program that scores go back to; its key is never given."""

    program: str
    address: str
    has_secret: bool
    aspects: list[str]
    what: str
    with_comments: bool


class ScorePreview(Record):
    """What would be sent now: how many scores are ``new``, ``changed``, or ``there`` already."""

    traced: int
    untraced: int
    new: int
    changed: int
    there: int
    is_more: bool
    examples: list[dict[str, Any]]


class SentScore(Record):
    """A score as it was last sent, and what the program said to it."""

    id: int
    aspect: str
    annotator: str
    trace: str
    span: str
    value: float | None
    label: str
    state: str
    status: int | None
    reply: str
