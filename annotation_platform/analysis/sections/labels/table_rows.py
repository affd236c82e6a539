"""Rows of the tables of labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class ShareOfLabel(Estimate):
    """Which share of a group's judgments has a label, and how many."""

    count: int

    def cells(self, key: str) -> Cells:
        return {f"{key}_count": self.count} | super().cells(key)


@dataclass(frozen=True, kw_only=True)
class GroupRow(TableRow):
    """An annotator, a system or a family of systems: each label by its key."""

    name: str
    judgments: int
    items: int
    label: Mapping[str, ShareOfLabel]


@dataclass(frozen=True, kw_only=True)
class AllRow(GroupRow):
    """All groups together; a chart always has them."""

    is_all: bool = True


@dataclass(frozen=True, kw_only=True)
class MeanRow(TableRow):
    """The mean score behind a label, and the label's own number."""

    label: str
    number: float | None
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    mean: Estimate
