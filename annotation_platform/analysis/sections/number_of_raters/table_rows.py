"""Rows of the tables of numbers of raters."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class VoteRow(TableRow):
    """What the vote of so many raters is worth, without and with a language model."""

    raters: int
    items: int
    items_with_model: int
    alone: Estimate
    gain: Estimate
    with_model: Estimate
    change: Estimate
    p_value: float | None
    p_holm: float | None
    is_certain: bool
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class OneMoreRow(TableRow):
    """How reliable the mean of so many raters is, and what they cost; ``per_point``: US$ for each 0.01 more."""

    raters: int
    items: int
    reliability: Estimate
    gain: Estimate
    cost: float | None
    per_point: float | None
    undefined_because: str
