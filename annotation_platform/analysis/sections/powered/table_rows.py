"""Rows of the tables of a part that people judged and all that a model judged."""

from dataclasses import dataclass
from typing import Protocol

from annotation_platform.analysis.tables.rows import Estimate, TableRow


class ModelBeside(Protocol):
    """A row of people alone and with the model; it says whether the model is reckoned with, and why not."""

    @property
    def people(self) -> Estimate: ...

    @property
    def both(self) -> Estimate: ...

    @property
    def is_off(self) -> bool: ...

    @property
    def remark(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class MeanRow(TableRow):
    """The mean of a system by people alone and with the model; ``effective``: worth so many judged."""

    judge: str
    system: str
    answers: int
    judged: int
    others: int
    people: Estimate
    both: Estimate
    effective: int | None
    is_off: bool
    remark: str
    effective_why: str

    @property
    def times(self) -> float | None:
        """How many times as many judged ones it is worth, where the model helps."""
        return self.effective / self.judged if self.effective else None


@dataclass(frozen=True, kw_only=True)
class DifferenceRow(TableRow):
    """The second of two systems minus the first, by people alone and with the model; ``answers`` where these are
    counted as judged, not questions."""

    judge: str
    pair: str
    judged: int
    questions: int
    answers: int | None
    people: Estimate
    both: Estimate
    p_value: float | None
    p_holm: float | None
    people_p_holm: float | None
    effective: int | None
    is_off: bool
    is_certain: bool
    is_certain_alone: bool
    remark: str
    effective_why: str

    @property
    def times(self) -> float | None:
        """How many times as many judged ones it is worth, where the model helps."""
        return self.effective / self.judged if self.effective else None
