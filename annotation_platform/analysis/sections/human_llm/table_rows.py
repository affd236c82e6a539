"""Rows of the tables of people and a language model."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import NOTHING, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class ReplacementRow(TableRow):
    """α of people on an aspect, and with the model in the place of one of them."""

    aspect: str
    p_value: float | None = None
    p_holm: float | None = None
    is_certain: bool = False
    mean_of_draws: float | None = None
    draws: tuple[float | None, ...] = ()
    without_label: int | None = None
    items: int | None = None
    judgments: int | None = None
    raters: Estimate = NOTHING
    expected: Estimate = NOTHING
    change: Estimate = NOTHING
    undefined_because: str | None
    level: str


@dataclass(frozen=True, kw_only=True)
class AlignmentRow(TableRow):
    """How far the model's labels of an aspect go with people's majority."""

    aspect: str
    items: int
    failures: int
    left_open: int
    undecided: int
    judgments: int
    rho: Estimate
    accuracy: Estimate
    remark: str
    has_order: bool


@dataclass(frozen=True, kw_only=True)
class AdditionalRow(TableRow):
    """The vote of so many people, without and with the model's, over aspects."""

    raters: int
    helps: int
    harms: int
    aspects: int
    items: int
    alone: Estimate
    with_model: Estimate
    change: Estimate
    p_value: float | None
    p_holm: float | None
    is_certain: bool


@dataclass(frozen=True, kw_only=True)
class ConfusionRow(TableRow):
    """On how many items, and in which share of those with a majority, the model gave a label."""

    majority: str
    model: str
    count: int
    of: int
    is_same: bool
    share: Estimate


@dataclass(frozen=True, kw_only=True)
class PreferenceRow(TableRow):
    """On how many items so many people prefer the same candidate."""

    aspect: str
    agreeing: int
    items: int


@dataclass(frozen=True, kw_only=True)
class AlternativeRow(TableRow):
    """How often the model agrees with others at least as well as a person, and ω at each ε."""

    aspect: str
    people: int
    items: int
    judgments: int
    remark: str
    advantage: Estimate
    winning_rate: Mapping[float, float | None]


@dataclass(frozen=True, kw_only=True)
class PersonRow(TableRow):
    """A person against the model, and p at each ε."""

    annotator: str
    person: float | None
    model: float | None
    items: int
    p_value: Mapping[float, float | None]
    lead: Estimate
    remark: str
