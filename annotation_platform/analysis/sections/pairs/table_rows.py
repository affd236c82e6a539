"""Rows of the tables of pairs of annotators."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class PairRow(TableRow):
    """Two annotators, and over how much they are compared; ``n`` counts joined judgments."""

    first: str
    second: str
    pair: str
    n: int
    items: int
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class KappaRow(PairRow):
    """Cohen κ of two annotators."""

    raw: Estimate


@dataclass(frozen=True, kw_only=True)
class TauRow(PairRow):
    """τ of two annotators before and after rescaling, with the change and its p."""

    p_value: float | None
    p_holm: float | None
    raw: Estimate
    rescaled: Estimate
    change: Estimate


@dataclass(frozen=True, kw_only=True)
class JoinedRow(TableRow):
    """What each of two annotators, a and b, gave to the same item, or to the same candidate of it."""

    item: int
    question: str
    system: str
    candidate: int | None
    label_a: str
    score_a: float | None
    label_b: str
    score_b: float | None

    @property
    def labels(self) -> tuple[str, str]:
        return self.label_a, self.label_b

    @property
    def scores(self) -> tuple[float | None, float | None]:
        """As rescaled; None before any run."""
        return self.score_a, self.score_b


@dataclass(frozen=True, kw_only=True)
class ChangeRow(TableRow):
    """How many pairs' τ rises and falls in one setting, and on average by how much; ``above`` and ``below`` count
    changes that are large."""

    setting: str
    pairs: int
    unchanged: int
    rises: float | None
    rises_count: int
    falls: float | None
    falls_count: int
    above: int
    below: int
