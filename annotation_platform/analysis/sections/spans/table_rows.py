"""Rows of the tables of marked words."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class AgreementRow(TableRow):
    """How far people agree on the marks of a label, by one measure."""

    aspect: str
    label: str
    measure: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    raw: Estimate


@dataclass(frozen=True, kw_only=True)
class LabelRow(TableRow):
    """How many marks a label has, how many in a text that one person read, and in which share of these any."""

    aspect: str
    label: str
    spans: int
    per_reading: float | None
    share: Estimate
