"""Rows of the tables of systems."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


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
