"""Rows of the tables of judges."""

from dataclasses import dataclass

from annotation_platform.analysis.sections.human_llm.table_rows import AlternativeRow
from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class JudgeRow(TableRow):
    """A judge: how far its labels are those of most people, what is missing, and what 1,000 items cost."""

    judge: str
    prompt: str
    labels: int
    aspects: int
    items: int
    failures: float | None
    cost: float | None
    tokens: int | None
    same: Estimate
    remark: str


@dataclass(frozen=True, kw_only=True)
class InsteadRow(AlternativeRow):
    """A judge in the place of a person on an aspect."""

    judge: str


@dataclass(frozen=True, kw_only=True)
class BiasRow(TableRow):
    """A bias of a judge on an aspect; ``measured`` says of what, by which it is told."""

    judge: str
    aspect: str
    title: str
    measured: str
    own: str
    p_holm: float | None
    items: int
    units: int
    points: float | None
    bias: Estimate
    is_certain: bool
    is_tested: bool
    remark: str

    @property
    def is_beside_zero(self) -> bool:
        """Whether the interval lies on one side of 0, as a chart shows it."""
        return self.bias.is_above or self.bias.is_below
