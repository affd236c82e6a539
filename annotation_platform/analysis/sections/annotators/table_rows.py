"""Rows of the tables of annotators."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class OverItems(Estimate):
    """A figure of an annotator, and over how many items."""

    items: int | None

    def cells(self, key: str) -> Cells:
        return super().cells(key) | {f"{key}_items": self.items}


@dataclass(frozen=True, kw_only=True)
class MedianTime(OverItems):
    """Median seconds of a judgment between their quartiles, which are no interval and have no reason."""

    def cells(self, key: str) -> Cells:
        return {key: self.value, f"{key}_low": self.low, f"{key}_high": self.high, f"{key}_items": self.items}


@dataclass(frozen=True, kw_only=True)
class AnnotatorRow(TableRow):
    """Every figure of an annotator; ``shift_p`` is corrected, ``remark`` says in what the annotator stands apart."""

    name: str
    judgments: int
    leniency: OverItems
    leniency_rescaled: OverItems
    shift: OverItems
    tau: OverItems
    tau_rescaled: OverItems
    same_label: OverItems
    consistency: OverItems
    drift: OverItems
    vacuous: OverItems
    seconds: MedianTime
    shift_p: float | None
    remark: str


@dataclass(frozen=True, kw_only=True)
class OneFigureRow(TableRow):
    """A figure of one annotator as it reads, beside the median of all."""

    figure: str
    value: str
    interval: str
    median: str
    z: float | None
    items: int
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class WithOtherRow(TableRow):
    """τ of one annotator with another, before and after rescaling, with the change and its corrected p."""

    other: str
    n: int
    items: int
    p_holm: float | None
    raw: Estimate
    rescaled: Estimate
    change: Estimate
    undefined_because: str
