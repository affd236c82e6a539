"""Scoring runs, and figures with where they come from."""

from datetime import datetime
from typing import Any

from annotation_client.models.record import Record


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


class Alpha(float):
    """A number that is printed with its interval, how many units that draws, and where both come from."""

    told: str

    def __new__(cls, value: float, told: str) -> "Alpha":
        made = super().__new__(cls, value)
        made.told = told
        return made

    def __str__(self) -> str:
        return self.told


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
    def alpha(self) -> Alpha | None:
        """α of the labels, a number that prints with interval, n and provenance; None where it is not defined
        (``raw.undefined_because``)."""
        if self.raw.value is None:
            return None
        of, counted = self.snapshot, f"{self.raw.judgments:,} judgments, " if self.raw.judgments else ""
        come = f"{counted}measured {of.measured_at:%Y-%m-%d}, snapshot {of.signature[:12]}, code {of.code_version}"
        return Alpha(self.raw.value, f"{self.raw}; {come}")

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


class SnapshotChanges(Record):
    """Two snapshots beside each other: what differs in what they rest on, and every figure then and now."""

    then: Snapshot
    now: Snapshot
    differs: list[str]
    headline: dict[str, Any]
    aspect: str | None
    figures: dict[str, Any] | None


def _words(reason: Any) -> str:
    return str(reason.get("detail", reason)) if isinstance(reason, dict) else str(reason or "")
