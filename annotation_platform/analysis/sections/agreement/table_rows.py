"""Rows of the tables of agreement."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class CoefficientRow(TableRow):
    """A coefficient of the labels and, where they are rescaled, of the scores, with the change."""

    statistic: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    raw: Estimate
    rescaled: Estimate
    change: Estimate
    p_value: float | None
    p_value_holm: float | None


@dataclass(frozen=True, kw_only=True)
class AspectRow(TableRow):
    """Krippendorff's α of an aspect at its own level."""

    aspect: str
    level: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    raw: Estimate
    rescaled: Estimate
