"""Rows of the tables of consensus labels."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


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
