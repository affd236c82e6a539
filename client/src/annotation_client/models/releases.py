"""Files of judgments: exports, frozen releases, and who may download them."""

from datetime import date, datetime

from annotation_client.models.record import Record


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
    participant_columns: list[str] = []


class Moved(Record):
    """A figure that ``moved`` from one release to another, or is ``new``, or ``gone``."""

    aspect: str
    figure: str
    change: str
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
    gone_because: dict[str, int]
    items_added: int
    items_gone: int
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
