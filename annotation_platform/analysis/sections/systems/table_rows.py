"""Rows of the tables of systems."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.rows import CELL, Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class SystemRow(TableRow):
    """The mean of a system, as labelled and as rescaled, with its rank where an end of the scale is better."""

    system: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    raw: Estimate
    rescaled: Estimate
    raw_rank: int | None
    rescaled_rank: int | None


@dataclass(frozen=True, kw_only=True)
class DifferenceRow(TableRow):
    """The second of two systems minus the first."""

    pair: str
    questions: int
    units: int
    judgments: int
    difference: Estimate
    p_value: float | None
    p_holm: float | None
    answered_by_first: int
    answered_by_second: int
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class WeighedRow(SystemRow):
    """The weighed mean of all ``answers`` of a system, and the ranks that weighed pairs leave open."""

    answers: int
    possible: str


@dataclass(frozen=True, kw_only=True)
class WeighedDifferenceRow(DifferenceRow):
    """The second's weighed mean minus the first's; of ``questions`` so many answers of each count."""

    counted_of_first: int
    counted_of_second: int


@dataclass(frozen=True, kw_only=True)
class RankRow(TableRow):
    """A system's rank by its mean, the ranks that pairs leave open, and how often it takes each when items are
    resampled."""

    system: str
    rank: int
    items: int
    possible: str
    mean: Estimate
    shares: Mapping[int, float] = field(metadata={CELL: "rank_{}"})

    @property
    def share_of_own(self) -> float:
        """How often it takes the rank that it has."""
        return self.shares[self.rank]


@dataclass(frozen=True, kw_only=True)
class MeanOnAspect(Estimate):
    """The mean of a system on an aspect, which is called by its title, and how many judgments it rests on."""

    aspect: str
    judgments: int | None

    def cells(self, key: str) -> Cells:
        return super().cells(key) | {f"{key}_n": self.judgments}


@dataclass(frozen=True, kw_only=True)
class AspectsRow(TableRow):
    """The means of a system, by the keys of aspects."""

    system: str
    means: Mapping[str, MeanOnAspect] = field(metadata={CELL: "aspect_{}"})
