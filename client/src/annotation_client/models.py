"""What the platform gives, as frozen types. Fields that this version does not know are left out."""

from datetime import date, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A row that was read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


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


class ImportRecord(Record):
    """Files that were sent: what was chosen for them, what a check found or what is wrong, and what was made."""

    id: int
    state: str
    files: list[dict[str, Any]]
    target: str
    name: str
    format: str
    scheme: str
    scheme_text: str
    language: str
    columns: dict[str, str]
    values: dict[str, dict[str, str]]
    sheet: str
    overlap: int | None
    hits_per_batch: int | None
    found: dict[str, Any] | None
    mistakes: list[dict[str, Any]]
    mistake_count: int
    study: str | None
    corpus: int | None
    job: str


class ImportColumn(Record):
    """A column of a file: the field that it is taken for ("": it is left out), and what its first rows say."""

    name: str
    field: str
    first: list[str]
    values: dict[str, str]


class ImportPreview(Record):
    """The first rows of files, what columns can be taken for, and what is ``wrong`` with how they are taken now."""

    columns: list[ImportColumn]
    known_fields: list[dict[str, Any]]
    wrong: list[dict[str, Any]]
    warnings: list[str]
    sheets: list[str]

    def mapping(self) -> dict[str, str]:
        """Column → field."""
        return {each.name: each.field for each in self.columns}


class Run(Record):
    """A scoring run."""

    id: int
    method: str
    scorer: str
    state: str
    done: int
    total: int
    error: str | None
    parameters: dict[str, Any]
    budget: float | None
    spent: float
    estimate: dict[str, Any] | None
    signature: str
    job: str


class Snapshot(Record):
    """Where figures come from: the data, the code, how intervals were made, and whether it is out of date."""

    id: int
    signature: str
    data_signature: str
    code_version: str
    scheme: str
    batches: list[int]
    run: int | None
    intervals: dict[str, Any]
    counts: dict[str, Any]
    aspects: list[str]
    measured_at: datetime
    stale_because: str | None = None


class Figure(Record):
    """One number: its interval and how many units that draws (n), or why there is none."""

    value: float | None
    interval: tuple[float, float] | None
    units: int
    undefined_because: Any = None
    no_interval_because: Any = None
    items: int | None = None
    annotators: int | None = None
    judgments: int | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"not defined: {_words(self.undefined_because)}"
        if self.interval is None:
            return f"{self.value:.3f} (no interval: {_words(self.no_interval_because)})"
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}], n = {self.units}"


class Agreement(Record):
    """Krippendorff's α of one aspect: of the labels, and of the scores where it is rescaled."""

    aspect: str
    title: str
    level: str
    raw: Figure
    rescaled: Figure | None
    snapshot: Snapshot

    @property
    def alpha(self) -> float | None:
        """α of the labels; None where it is not defined (``raw.undefined_because``)."""
        return self.raw.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of α, at the level that ``snapshot.intervals`` says."""
        return self.raw.interval

    @property
    def n(self) -> int:
        """How many units the interval draws."""
        return self.raw.units

    def __str__(self) -> str:
        scores = f"; of the scores {self.rescaled}" if self.rescaled else ""
        return f"α of {self.title}: {self.raw}{scores}"


class Figures(Record):
    """A section of figures as the platform has it: for each aspect its numbers and tables."""

    section: str
    title: str
    version: int
    snapshot: Snapshot
    results: list[dict[str, Any]]

    def of(self, aspect: str | None = None) -> dict[str, Any]:
        """The numbers of an aspect; of the study as a whole without one.

        Raises
        ------
        KeyError
            When there are none.
        """
        for each in self.results:
            if each["aspect"] == aspect:
                numbers: dict[str, Any] = each["figures"]
                return numbers
        raise KeyError(aspect)


class Member(Record):
    """Somebody in a study."""

    id: int
    pseudonym: str
    role: str
    removed_at: datetime | None
    paused_at: datetime | None


class Invitation(Record):
    """A way into a study; ``link`` is what to hand out."""

    id: int
    role: str
    state: str
    uses: int
    max_uses: int | None
    expires_at: datetime
    link: str | None


class Export(Record):
    """A file of judgments."""

    id: int
    format: str
    state: str
    filename: str
    size: int
    sha256: str
    file: str | None


class Finding(Record):
    """What may say who somebody is, in a release that is not frozen yet."""

    id: int
    kind: str
    text: str
    times: int
    example: str
    verdict: str


class Release(Record):
    """A study frozen into files."""

    number: int
    title: str
    licence: str
    state: str
    error: str | None
    digest: str
    size: int
    withdrawn_because: str
    job: str
    file: str | None
    findings: list[Finding] = []


class Moved(Record):
    """A figure that is in two releases, and how it moved."""

    aspect: str
    figure: str
    before: float | None
    after: float | None
    before_interval: tuple[float, float] | None = None
    after_interval: tuple[float, float] | None = None


class ReleaseChanges(Record):
    """What the release ``after`` has that ``before`` had not."""

    before: int
    after: int
    added: int
    changed: int
    gone: int
    moved: list[Moved]


class Link(Record):
    """Lets anybody who has it download a release; ``link`` is what to hand out, while it lets somebody in."""

    id: int
    note: str
    downloads: int
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    link: str | None


class Right(Record):
    """Lets a person (``email``), or everybody with a ``role`` in the study ``team``, download a release."""

    id: int
    email: str | None
    team: str | None
    role: str | None
    downloads: int
    created_at: datetime
    revoked_at: datetime | None


class GivenRelease(Record):
    """A release of a study that one is not in, which one may download; ``file`` while it can be had."""

    study: str
    study_name: str
    number: int
    title: str
    description: str
    authors: list[str]
    licence: str
    digest: str
    size: int
    frozen_at: datetime | None
    embargo_until: date | None
    withdrawn_at: datetime | None
    withdrawn_because: str
    file: str | None


class SnapshotChanges(Record):
    """Two snapshots beside each other: what differs in what they rest on, and every figure then and now."""

    then: Snapshot
    now: Snapshot
    differs: list[str]
    headline: dict[str, Any]
    aspect: str | None
    figures: dict[str, Any] | None


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


def _words(reason: Any) -> str:
    return str(reason.get("detail", reason)) if isinstance(reason, dict) else str(reason or "")
