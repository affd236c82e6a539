"""What agreement is measured on: one aspect's labels, and its judgments as arrays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.ebr.rescaling import HIGHEST, LOWEST
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import Ratings, Setting
from annotation_platform.core.statistics.ratings import Repeated
from annotation_platform.core.statistics.result import Ends
from annotation_platform.core.statistics.units import Unit

SCORES: Ends = (LOWEST, HIGHEST)
"""The ends of what a rescaling gives."""
MOST_SOURCES = 12  # beyond that "source" is where each article came from, not a part of the study


class MeasuredLabel(NamedTuple):
    key: str
    label: str
    number: float | None


@dataclass(frozen=True)
class AspectSpec:
    """What agreement is measured on: one aspect with the labels that a unit can get.

    A unit is an item, or a candidate where the aspect is asked per candidate. ``best`` is the position of the best
    label; ``better`` the better end of the numbers, where there is one.
    """

    key: str
    title: str
    level: Level
    labels: tuple[MeasuredLabel, ...]
    best: int | None = None
    better: Literal["high", "low"] | None = None
    is_rescaled: bool = False
    per: Literal["item", "candidate"] = "item"

    @property
    def is_ordered(self) -> bool:
        return self.level is not Level.NOMINAL

    @property
    def values(self) -> Floats:
        """What stands for each label in statistics: its number, or on a nominal scale its position."""
        if self.is_ordered:
            return self.numbers
        return np.arange(len(self.labels), dtype=np.float64)

    @property
    def numbers(self) -> Floats:
        """The labels' numbers, NaN where there is none."""
        return np.array([np.nan if each.number is None else each.number for each in self.labels], dtype=np.float64)

    @property
    def ends(self) -> Ends | None:
        """The lowest and the highest number of a label; None where none has one."""
        known = [each.number for each in self.labels if each.number is not None]
        return (min(known), max(known)) if known else None

    def no_tau_because(self, setting: Setting) -> str | None:
        """Why τ says nothing in a setting, of labels or of what is made of them; None where it does."""
        if not self.is_ordered:
            return gettext_noop("The labels have no order (a nominal scale).")
        if setting is Setting.INCOMPLETE and self.best is None:
            return gettext_noop("The scale does not say which label is the best one, so there is nothing to leave out.")
        if setting is Setting.INCOMPLETE and len(set(self.numbers[~np.isnan(self.numbers)])) < 3:
            return gettext_noop(
                "The scale has two steps: without the items where both chose the better one, τ is at or below 0 "
                "however people judge."
            )
        return None


class Among(NamedTuple):
    """Units of the study, ascending, of which a table may have some only; and what figures about all speak for."""

    units: Codes
    unit: Unit


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """One entry a judgment of one aspect: codes of item, annotator and choice, and what the run made of it.

    ``annotations`` are the keys of the judgments' rows; no figure depends on them.
    ``choices`` are positions in the aspect's scale; ``scores`` and ``explanation_scores`` (None without a run) are the
    rescaled value and the score read from the explanation, NaN where the latter gave nothing.
    ``units`` says which of the study's units each item code stands for (`units.Units`), ascending.
    ``question_of_item`` says which items share a question, ``unit`` what figures speak for.
    ``families`` are systems that are also counted together, by their common name: their positions in ``systems``.
    ``unscored`` counts closed judgments that the run does not cover; they are in none of the arrays.
    ``no_scores_because`` is the reason where there are no scores at all.
    """

    items: Codes
    raters: Codes
    choices: Codes
    explained: Flags
    scores: Floats | None
    explanation_scores: Floats | None
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    system_of_item: Codes
    sources: tuple[str, ...]
    source_of_item: Codes
    question_of_item: Codes
    unit: Unit
    units: Codes
    unscored: int = 0
    no_scores_because: str | None = None
    annotations: Codes | None = None
    families: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    def part(self, rows: Flags) -> "JudgmentTable":
        """The table with only these rows; codes keep their meaning."""
        return JudgmentTable(
            items=self.items[rows],
            raters=self.raters[rows],
            choices=self.choices[rows],
            explained=self.explained[rows],
            scores=None if self.scores is None else self.scores[rows],
            explanation_scores=None if self.explanation_scores is None else self.explanation_scores[rows],
            annotators=self.annotators,
            systems=self.systems,
            system_of_item=self.system_of_item,
            sources=self.sources,
            source_of_item=self.source_of_item,
            question_of_item=self.question_of_item,
            unit=self.unit,
            units=self.units,
            families=self.families,
        )

    @property
    def groups_of_items(self) -> Iterator[tuple[tuple[str, ...], Codes]]:
        """The systems, and the families that there are, each with the code of every item; -1: in none."""
        yield self.systems, self.system_of_item
        family_of_system = np.full(len(self.systems), -1)
        for code, systems in enumerate(self.families.values()):
            family_of_system[list(systems)] = code
        if self.families:
            yield tuple(self.families), family_of_system[self.system_of_item]

    def ratings(
        self,
        values: Floats,
        best: Flags | None,
        among: Among | None = None,
        *,
        ends: Ends | None = None,
        repeated: Repeated = "cross",
    ) -> Ratings:
        """Every judgment counts; replicates of imported data are joined with each other, as published.

        ``ends`` are the lowest and the highest value that there can be, `SCORES` for rescaled ones.
        Items are those of the table, or all of the units ``among`` which its own are.
        """
        return Ratings.from_arrays(
            self.items if among is None else np.searchsorted(among.units, self.units)[self.items],
            self.raters,
            values,
            best=best,
            n_items=len(self.system_of_item) if among is None else len(among.units),
            rater_names=self.annotators,
            units=(self if among is None else among).unit.of_item,
            ends=ends,
            repeated=repeated,
        )
