"""What is known of single items: how far their judgments lie apart, and how far a judge stands from people."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.judgment_table import AspectSpec
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.disagreement import item_disagreement

# Scores "meet" when two of them differ by at most 10 of 100 points on average; citations differ when two judgments
# share less than half of the sentences that they cite between them.
MEET = 0.1
CITES_OTHERS = 0.5
SCORE_SPAN = 100.0

SAME, DIFFERENTLY = "same", "differently"


@dataclass(frozen=True, eq=False)
class ItemRatings:
    """The judgments of some items under one aspect, an entry each.

    ``units`` codes what was judged (an item, or a candidate of one), ``item_of_unit`` the item that it belongs to.
    ``choices`` are codes of labels, ``numbers`` what they stand for and ``scores`` what they were rescaled to, NaN
    where there is none. ``judge_choices`` (-1: none) and ``judge_values`` (NaN: none) are a judge's, one a unit.
    """

    units: Codes
    item_of_unit: Codes
    annotations: Codes
    choices: Codes
    numbers: Floats
    scores: Floats
    judge_choices: Codes
    judge_values: Floats
    n_items: int


@dataclass(frozen=True, eq=False)
class FiguresOfItems:
    """One entry an item; NaN where a figure is not defined."""

    judgments: Codes
    mean: Floats
    raw: Floats
    rescaled: Floats
    judge_gap: Floats


def figures_of_items(given: ItemRatings, measure: AspectSpec) -> FiguresOfItems:
    """Disagreement before and after rescaling, the mean, and the judge's distance, in units of the scale's length.

    The judge's gap is |judge - mean of people's numbers| / span where labels are ordered, else the share of people
    who chose another label. Candidates of an item are averaged.
    """
    n_units = len(given.item_of_unit)
    numbered, scored = ~np.isnan(given.numbers), ~np.isnan(given.scores)
    mean_number = _means(given.units[numbered], given.numbers[numbered], n_units)
    if measure.is_ordered:
        span = float(np.ptp(measure.numbers)) or 1.0
        raw = item_disagreement(given.units[numbered], given.numbers[numbered], n_units, span=span)
        gap = np.abs(given.judge_values - mean_number) / span
    else:
        raw = item_disagreement(given.units, given.choices, n_units)
        others = given.choices != given.judge_choices[given.units]
        gap = np.where(given.judge_choices >= 0, _means(given.units, others, n_units), np.nan)
    rescaled = item_disagreement(given.units[scored], given.scores[scored], n_units, span=SCORE_SPAN)
    mean_score = _means(given.units[scored], given.scores[scored], n_units)
    mean = np.where(np.isnan(mean_score), mean_number, mean_score) if measure.is_rescaled else mean_number

    def by_item(values: Floats) -> Floats:
        known = ~np.isnan(values)
        return _means(given.item_of_unit[known], values[known], given.n_items)

    _, once = np.unique(given.annotations, return_index=True)  # of an item with candidates, each has several entries
    return FiguresOfItems(
        judgments=np.bincount(given.item_of_unit[given.units[once]], minlength=given.n_items),
        mean=by_item(mean),
        raw=by_item(raw),
        rescaled=by_item(rescaled),
        judge_gap=by_item(gap),
    )


def seen(raw: float | None, rescaled: float | None, citations: float | None) -> tuple[str, float | None]:
    """Whether people saw the same thing though their labels differ, or see it differently though labels meet.

    Scores decide where there are any, for they come from the explanations; else the sentences cited do. The number
    says how strongly: by how much rescaling brought judgments together, or how far apart they are.
    """
    if raw is None:
        return "", None
    if raw > 0 and rescaled is not None and rescaled <= MEET and rescaled < raw:
        return SAME, raw - rescaled
    apart = rescaled if rescaled is not None else citations
    if raw == 0 and apart is not None and apart > (MEET if rescaled is not None else CITES_OTHERS):
        return DIFFERENTLY, apart
    return "", None


def plain(values: Floats) -> list[float | None]:
    """NaN as None, and rounded so that differences of no meaning leave stored rows alone."""
    return [None if value != value else value for value in np.round(values, 9).tolist()]


def _means(codes: Codes, values: Any, n: int) -> Floats:
    counts = np.bincount(codes, minlength=n)
    return np.where(counts > 0, np.bincount(codes, values, minlength=n) / np.maximum(counts, 1), np.nan)
