"""Rows of the tables of runs of rescaling."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.rows import CELL, Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class TauRow(TableRow):
    """Mean τ of a run in each setting; ``items`` and so on are those of all of them. Labels as given have no λ."""

    name: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    all: Estimate
    incomplete: Estimate
    no_ties: Estimate
    mixture: float | None = field(metadata={CELL: "lambda"})
    remark: str

    @property
    def by_setting(self) -> dict[str, Estimate]:
        return {"all": self.all, "incomplete": self.incomplete, "no_ties": self.no_ties}


@dataclass(frozen=True, kw_only=True)
class MixtureRow(TauRow):
    """The same of a run under one λ, with the change from the labels by setting, and what the guard measures."""

    mixture: float = field(metadata={CELL: "lambda"})
    is_good: bool
    spread: Estimate
    nuance: Estimate
    reversed: Estimate
    change: Mapping[str, Estimate]


@dataclass(frozen=True, kw_only=True)
class ComparisonRow(TableRow):
    """Mean τ of one of two runs minus that of the other, in one setting."""

    setting: str
    items: int
    difference: Estimate
    p_value: float | None
    p_holm: float | None
    is_certain: bool
    remark: str


@dataclass(frozen=True, kw_only=True)
class MeanOfLabel(Estimate):
    """The mean score behind a label, and of how many judgments."""

    count: int

    def cells(self, key: str) -> Cells:
        return super().cells(key) | {f"{key}_count": self.count}


@dataclass(frozen=True, kw_only=True)
class ClassRow(TableRow):
    """The mean score behind each label, by its key: of an annotator, or of all of them."""

    name: str
    is_all: bool
    label: Mapping[str, MeanOfLabel]


@dataclass(frozen=True, kw_only=True)
class OwnOrderRow(TableRow):
    """An annotator's scores beside their own labels: shares of the pairs of judgments that the labels order, and of
    the variance."""

    name: str
    ordered_pairs: int
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    reversed: Estimate
    tied: Estimate
    spread: Estimate
    nuance: Estimate
