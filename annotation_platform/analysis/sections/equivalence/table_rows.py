"""Rows of the tables of answer equivalence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.rows import CELL, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class WayRow(TableRow):
    """How often a way of judging answers says what most people say."""

    way: str
    answers: int
    questions: int
    accuracy: Estimate
    f1: Estimate
    macro_f1: Estimate
    auc: Estimate
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class SystemRow(TableRow):
    """Which share of a system's answers is right, by people and by the classifier; the accuracy of each way, by its
    place among them; and the classifier's macro-F1 and AUC."""

    system: str
    answers: int
    right: Estimate
    taken: Estimate
    ways: Mapping[int, Estimate] = field(metadata={CELL: "way_{}"})
    macro_f1: Estimate
    auc: Estimate
    remark: str

    @property
    def gap(self) -> float | None:
        """How far the two shares lie apart."""
        if self.right.value is None or self.taken.value is None:
            return None
        return abs(self.right.value - self.taken.value)


@dataclass(frozen=True, kw_only=True)
class ShareRow(TableRow):
    """The share of a system's answers that are right, by people alone and with the classifier; ``effective``: worth
    so many judged."""

    system: str
    judged: int
    others: int
    people: Estimate
    both: Estimate
    effective: int | None
    remark: str
    effective_why: str
    is_off: bool


@dataclass(frozen=True, kw_only=True)
class CalibrationRow(TableRow):
    """The answers whose probability lies in a range: how many, their mean probability, and the share that is right."""

    range: str
    answers: int
    probability: float | None
    right: Estimate
    remark: str


@dataclass(frozen=True, kw_only=True)
class RuleRow(TableRow):
    """How many answers a rule decided, and how often people agree with the verdict, and with the rule they name."""

    rule: str
    answers: int
    agreed: Estimate
    rule_named: int
    same_rule: Estimate
    remark: str
