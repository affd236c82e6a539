"""Rows of the tables of LLM-MATE."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.rows import CELL, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class CorrelationRow(TableRow):
    """Pearson's r of a measure with people's overall rating; ``group``: a baseline, or of a language model."""

    measure: str
    answers: int
    questions: int
    group: str
    r: Estimate
    undefined_because: str


@dataclass(frozen=True, kw_only=True)
class SystemRow(TableRow):
    """People's mean of a system, and that of each measure, by its place from 1; or in the last row each one's r."""

    system: str
    answers: int
    people: Estimate = field(metadata={CELL: "m0"})
    measures: Mapping[int, Estimate] = field(metadata={CELL: "m{}"})


@dataclass(frozen=True, kw_only=True)
class WeightRow(TableRow):
    """What an aspect weighs in people's overall rating, from so many judgments."""

    aspect: str
    answers: int
    weight: Estimate
    questions: int
    fitted_on: str
    remark: str


@dataclass(frozen=True, kw_only=True)
class BiasRow(TableRow):
    """The model's mean of an aspect minus people's, in the scale's numbers and as a share of its length."""

    aspect: str
    answers: int
    p_holm: float | None
    bias: Estimate
    share: Estimate
    is_certain: bool
    human: Estimate
    model: Estimate
    undefined_because: str
