"""Rows of the tables of consensus labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.rows import CELL, Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class ShareWithLabel(Estimate):
    """Which share of the items that get a label get this one, and how many do."""

    count: int

    def cells(self, key: str) -> Cells:
        return {f"{key}_count": self.count} | super().cells(key)


@dataclass(frozen=True, kw_only=True)
class WayRow(TableRow):
    """What one way makes of the items: how many get each label, by its key, and how many are tied."""

    name: str
    items: int
    undecided: int
    posterior: Estimate
    labels: Mapping[str, ShareWithLabel] = field(metadata={CELL: "label_{}"})


@dataclass(frozen=True, kw_only=True)
class TwoWaysRow(TableRow):
    """How many items get the same label in two ways."""

    name: str
    items: int
    different: int
    same: Estimate
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class CompetenceRow(TableRow):
    """How often an annotator knows the label (MACE), and gives the true one (Dawid–Skene)."""

    name: str
    judgments: int
    items: int
    mace: Estimate
    dawid_skene: Estimate
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class UncertainRow(TableRow):
    """An item that a model is not sure of, with the labels of each way and how sure the models are."""

    item: int
    text: str
    article: str
    question: str
    system: str
    majority: str
    dawid_skene: str
    dawid_skene_posterior: float
    mace: str
    mace_posterior: float

    @property
    def least(self) -> float:
        """How sure the less certain of the two models is."""
        return min(self.dawid_skene_posterior, self.mace_posterior)
