"""Rows of the tables of explanations."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import TableRow


@dataclass(frozen=True, kw_only=True)
class WordRow(TableRow):
    """A word that sets a group apart: ``documents`` of the group's explanations have it, and ``others`` outside.

    ``example`` is of ``item``; ``z_without_one`` is the least z when any one annotator is left out.
    """

    group: str
    term: str
    documents: int
    of: int
    others: int
    of_others: int
    log_odds: float
    z: float
    p_holm: float
    z_without_one: float | None
    wordings: int
    example: str
    item: int


@dataclass(frozen=True, kw_only=True)
class ThemeRow(TableRow):
    """A theme: how many explanations are mostly about it, and which share of those of each label, by its key."""

    theme: str
    words: str
    documents: int
    share: float
    example: str
    of: Mapping[str, float]
