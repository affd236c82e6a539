"""A study, what it is made of, and who is in it."""

from datetime import datetime
from typing import Any

from annotation_client.models.record import Record


class StudyRecord(Record):
    """A study and its settings."""

    slug: str
    name: str
    corpus: int
    scheme: str
    scheme_version: int
    scheme_signature: str
    overlap: int
    questions_per_hit: int
    hits_per_batch: int
    time_limit_minutes: int
    created_at: datetime
    archived_at: datetime | None


class Corpus(Record):
    """Texts to judge."""

    id: int
    name: str
    language: str
    articles: int = 0
    questions: int = 0
    answers: int = 0
    warnings: list[str] = []


class Batch(Record):
    """A batch: its state and how far it is."""

    number: int
    state: str
    is_finishing: bool
    deadline_at: datetime | None
    tasks: int
    items: int
    places: int
    submitted: int


class Version(Record):
    """A version of a study's scheme."""

    key: str
    number: int
    signature: str
    is_current: bool
    definition: dict[str, Any]


class Migration(Record):
    """What became, or would become, of the judgments under another version of the scheme."""

    id: int
    wanted: str
    state: str
    before: str
    after: str | None
    counts: dict[str, Any] | None
    reasons: list[str]
    job: str


class Member(Record):
    """Somebody in a study."""

    id: int
    pseudonym: str
    role: str
    removed_at: datetime | None
    paused_at: datetime | None


class Excluded(Member):
    """Somebody who is out: how many of their tasks count no more, and how many of these wait in which closed batch."""

    tasks_set_aside: int = 0
    in_closed_batches: dict[int, int] = {}


class Readmitted(Member):
    """Somebody who takes part again: how many of their tasks count again, and how many stay aside."""

    tasks_restored: int = 0
    tasks_left_aside: int = 0


class Invitation(Record):
    """A way into a study; ``link`` is what to hand out."""

    id: int
    role: str
    state: str
    uses: int
    max_uses: int | None
    expires_at: datetime
    link: str | None


class Job(Record):
    """Long work; ``result`` is the address of what it made."""

    id: str
    kind: str
    state: str
    done: int
    total: int
    error: str | None
    error_code: str | None
    address: str
    resource: str | None
    result: str | None
    worker_is_running: bool
