"""Rows of the tables of rationales."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class KindRow(TableRow):
    """What the rationales of one origin are worth, and what people say of them; of all together only REV, LAS and RQ
    are known."""

    kind: str
    rationales: int
    questions: int
    above_zero: float | None
    new_words: float | None
    says_answer: float | None
    justified: Estimate
    rev: Estimate
    people: Estimate
    people_of: int | None
    las: Estimate
    las_of: int
    rq: Estimate
    rq_of: int
    remark: str

    @property
    def is_of_all(self) -> bool:
        return self.above_zero is None


@dataclass(frozen=True, kw_only=True)
class StepRow(TableRow):
    """REV of one kind of rationales minus that of the next."""

    step: str
    questions: int
    p_value: float | None
    p_holm: float | None
    remark: str
    difference: Estimate


@dataclass(frozen=True, kw_only=True)
class PointRow(TableRow):
    """REV of one rationale, and people's score of it."""

    kind: str
    rev: float
    people: float
