"""Rows of the tables of plans."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow
from annotation_platform.core.few_units import FEWEST_ARTICLES


@dataclass(frozen=True, kw_only=True)
class DesignRow(TableRow):
    """A design with the smallest difference that it finds, and what it takes; ``hours`` of work."""

    articles: int
    questions: int
    about_none: bool
    annotators: int
    tasks: int
    cost: float | None
    hours: float | None
    is_chosen: bool
    smallest: Estimate


def speaks_of_these_alone(row: DesignRow) -> bool:
    """Whether the test of such a study is by question, and says nothing of other articles."""
    return row.articles < FEWEST_ARTICLES and not row.about_none


@dataclass(frozen=True, kw_only=True)
class VarianceRow(TableRow):
    """Where differences come from: a standard deviation, and its share of the whole variance."""

    source: str
    deviation: float
    share: float | None
    meaning: str
