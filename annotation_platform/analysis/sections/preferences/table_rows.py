"""Rows of the tables of preferences."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class WinRow(TableRow):
    """How often the first of two systems was preferred, by judgments and by questions, and in which order they
    were shown."""

    units: int
    undefined_because: str
    judgments: int
    wins: int
    ties: int
    losses: int
    questions: int
    questions_won: int
    questions_tied: int
    questions_lost: int
    annotators: int
    shown_first: int
    shown_second: int
    p_holm: float | None
    pair: str
    win_rate: Estimate


@dataclass(frozen=True, kw_only=True)
class StrengthRow(TableRow):
    """How strong a system is among all, as it is and (``controlled``) at equal length and formatting."""

    system: str
    rank: int | None
    possible: str
    comparisons: int
    controlled_rank: int | None
    units: int
    undefined_because: str
    share: Estimate
    strength: Estimate
    controlled: Estimate


@dataclass(frozen=True, kw_only=True)
class EffectRow(TableRow):
    """How often an answer is preferred to an equally strong one because of its place, length or formatting."""

    effect: str
    p_value: float | None
    undefined_because: str
    share: Estimate
    units: int
