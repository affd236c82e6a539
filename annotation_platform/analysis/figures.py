"""All agreement figures of one rated aspect, from arrays to plain JSON data.

The structure made here is stored in snapshots and read by the pages, the report and the exports; every figure
stands with its n and its interval, and one that is undefined is None with the reason.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.methods.ebr import hundred_point_numbers, rescale
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import (
    Bootstrap,
    Distribution,
    Interval,
    PairwiseTau,
    Ratings,
    Setting,
    Statistic,
    TauChange,
    fleiss_kappa,
    krippendorff_alpha,
    label_distributions,
    pairwise_tau,
    tau_change,
)
from annotation_platform.core.statistics.means import group_means

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Figures = dict[str, Any]

MIXTURES = tuple(round(0.1 * step, 1) for step in range(11))
MOST_SOURCES = 12  # beyond that "source" is where each article came from, not a part of the study


class MeasuredLabel(NamedTuple):
    key: str
    label: str
    number: float | None


@dataclass(frozen=True)
class Measure:
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


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """One entry a judgment of one aspect: codes of item, annotator and choice, and what the run made of it.

    ``choices`` are positions in the aspect's scale; ``scores`` and ``f`` (None without a run) are the
    rescaled value and the score read from the explanation, NaN where the latter gave nothing.
    ``unscored`` counts closed judgments that the run does not cover; they are in none of the arrays.
    ``no_scores_because`` is the reason where there are no scores at all.
    """

    items: Codes
    raters: Codes
    choices: Codes
    explained: Flags
    scores: Floats | None
    f: Floats | None
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    system_of_item: Codes
    sources: tuple[str, ...]
    source_of_item: Codes
    unscored: int = 0
    no_scores_because: str | None = None

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
            f=None if self.f is None else self.f[rows],
            annotators=self.annotators,
            systems=self.systems,
            system_of_item=self.system_of_item,
            sources=self.sources,
            source_of_item=self.source_of_item,
        )

    def ratings(self, values: Floats, best: Flags | None) -> Ratings:
        """Every judgment counts; replicates of imported data are joined with each other, as published."""
        return Ratings.from_arrays(
            self.items,
            self.raters,
            values,
            best=best,
            n_items=len(self.system_of_item),
            rater_names=self.annotators,
            repeated="cross",
        )


def counts(table: JudgmentTable) -> Figures:
    """What there is: judgments, items, annotators, and how many items have how many judgments."""
    per_item = np.bincount(table.items)
    sizes, frequency = np.unique(per_item[per_item > 0], return_counts=True)
    return {
        "judgments": len(table),
        "items": int((per_item > 0).sum()),
        "annotators": len(np.unique(table.raters)),
        "systems": len(np.unique(table.system_of_item[table.items])),
        "items_by_number_of_judgments": {
            str(size): count for size, count in zip(sizes.tolist(), frequency.tolist(), strict=True)
        },
        "judgments_not_scored_yet": table.unscored,
    }


def aspect_figures(table: JudgmentTable, measure: Measure, bootstrap: Bootstrap) -> Figures:
    """Every figure of one aspect; see the module's docstring."""
    is_best = None if measure.best is None else table.choices == measure.best
    raw = table.ratings(measure.values[table.choices], is_best)
    rescaled = None if table.scores is None else table.ratings(table.scores, is_best)
    tau = _pairwise if measure.is_ordered else _no_order
    return {
        "aspect": measure.key,
        "title": measure.title,
        "level": str(measure.level),
        "labels": [label._asdict() for label in measure.labels],
        "best_label": None if measure.best is None else measure.labels[measure.best].key,
        "counts": counts(table),
        "label_distribution": _distributions(table, raw, measure, bootstrap),
        "pairwise_tau": {str(s): tau(raw, rescaled, s, table.annotators, bootstrap) for s in Setting},
        "fleiss_kappa": _kappa(table, raw, measure, is_best, bootstrap),
        "krippendorff_alpha": {
            "raw": {"level": str(measure.level), **_figure(_alpha(raw, measure.level, bootstrap))},
            "rescaled": None
            if rescaled is None
            else {"level": "interval", **_figure(_alpha(rescaled, Level.INTERVAL, bootstrap))},
        },
        "mean_by_label": _means_by_label(table, rescaled, measure, bootstrap),
        "mean_by_system": _means_by_system(table, rescaled, measure, bootstrap),
        "mixtures": _mixtures(table, measure, is_best),
        "by_source": _by_source(table, measure, is_best) if measure.is_ordered else None,
        "rescaled_undefined_because": table.no_scores_because,
        "is_rescaled": measure.is_rescaled,
    }


def headline(figures: Figures) -> Figures:
    """The few numbers that the study's start page shows, so that it need not load the rest."""
    return {
        "counts": figures["counts"],
        "aspects": [
            {key: aspect[key] for key in ("aspect", "title", "is_rescaled")}
            | {"alpha": aspect["krippendorff_alpha"]["raw"]}
            | {side: mean and mean["mean"] for side, mean in sides(aspect, Setting.ALL).items()}
            for aspect in figures["aspects"]
        ],
    }


def sides(aspect: Figures, setting: str) -> Figures:
    tau = aspect["pairwise_tau"][str(setting)]
    return {side: tau[side] for side in ("raw", "rescaled", "change")}


def _figure(found: Statistic) -> Figures:
    return {
        "value": found.value,
        "interval": _interval(found.interval),
        "items": found.n_items,
        "annotators": found.n_raters,
        "judgments": found.n_ratings,
        "undefined_because": found.undefined_because,
        "no_interval_because": found.no_interval_because,
    }


def _undefined(reason: str) -> Figures:
    return _figure(Statistic(None, reason, 0, 0, 0, None, "The statistic itself is undefined."))


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _alpha(ratings: Ratings, level: Level, bootstrap: Bootstrap) -> Statistic:
    return krippendorff_alpha(ratings, str(level), bootstrap=bootstrap)


def _pairwise(
    raw: Ratings, rescaled: Ratings | None, setting: Setting, annotators: tuple[str, ...], bootstrap: Bootstrap
) -> Figures:
    """τ of all pairs in one setting, raw beside rescaled, with the paired change."""
    if setting is Setting.INCOMPLETE and raw.best is None:
        reason = "The scale does not say which label is the best one, so there is nothing to leave out."
        return {"raw": {"mean": _undefined(reason), "pairs_defined": 0}, "rescaled": None, "change": None, "pairs": []}
    before = pairwise_tau(raw, setting, bootstrap=bootstrap)
    after = None if rescaled is None else pairwise_tau(rescaled, setting, bootstrap=bootstrap)
    change = None if after is None else tau_change(before, after)
    return {
        "raw": {"mean": _figure(before.mean), "pairs_defined": before.n_defined},
        "rescaled": after and {"mean": _figure(after.mean), "pairs_defined": after.n_defined},
        "change": change and _change(change),
        "pairs": _pairs(before, after, change, annotators),
    }


def _no_order(*_: Any) -> Figures:
    """In place of τ where labels have no order."""
    reason = "The labels have no order (a nominal scale)."
    return {"raw": {"mean": _undefined(reason), "pairs_defined": 0}, "rescaled": None, "change": None, "pairs": []}


def _change(change: TauChange) -> Figures:
    return {
        "mean": _figure(change.mean),
        "rises": {"count": change.n_rises, "mean": change.mean_rise},
        "falls": {"count": change.n_falls, "mean": change.mean_fall},
        "unchanged": change.n_unchanged,
        "threshold": change.threshold,
        "rises_above_threshold": change.n_above,
        "falls_below_threshold": change.n_below,
    }


def _pairs(
    before: PairwiseTau, after: PairwiseTau | None, change: TauChange | None, annotators: tuple[str, ...]
) -> list[Figures]:
    rows = []
    for index, raw in enumerate(before.pairs):
        scored = after.pairs[index] if after else None
        difference = change.pairs[index] if change else None
        rows.append(
            {
                "annotators": [annotators[raw.rater_a], annotators[raw.rater_b]],
                "n": raw.n_rows,
                "items": raw.n_items,
                "raw": raw.tau,
                "raw_interval": _interval(raw.interval),
                "rescaled": scored.tau if scored else None,
                "rescaled_interval": _interval(scored.interval) if scored else None,
                "change": difference.change if difference else None,
                "change_interval": _interval(difference.interval) if difference else None,
                "undefined_because": difference.undefined_because if difference else raw.undefined_because,
            }
        )
    return rows


def _kappa(
    table: JudgmentTable, raw: Ratings, measure: Measure, is_best: Flags | None, bootstrap: Bootstrap
) -> Figures:
    """Fleiss' κ over the items with the most usual number of judgments.

    On an ordered scale of "best label or not"; on a nominal one of all labels.
    """
    per_item = np.bincount(table.items)
    frequency = np.bincount(per_item[per_item > 0])
    usual = len(frequency) - 1 - int(frequency[::-1].argmax()) if len(frequency) else 0
    best = measure.labels[measure.best].key if measure.is_ordered and measure.best is not None else None
    head = {"label": best, "judgments_per_item": usual}
    if measure.is_ordered and is_best is None:
        return head | _undefined("The scale does not say which label is the best one.")
    if usual < 2:
        return head | _undefined("Most items have a single judgment; κ compares at least two.")
    ratings = raw if best is None or is_best is None else table.ratings(is_best.astype(float), is_best)
    return head | _figure(fleiss_kappa(ratings, usual, bootstrap=bootstrap))


def _distributions(table: JudgmentTable, raw: Ratings, measure: Measure, bootstrap: Bootstrap) -> Figures:
    def of(groups: Codes | None, names: tuple[str, ...]) -> list[Figures]:
        found = label_distributions(
            raw, measure.values.tolist(), groups=groups, n_groups=len(names), bootstrap=bootstrap
        )
        return [_distribution(d, names[d.group], measure) for d in found if d.n_ratings]

    return {
        "overall": of(None, ("All",)),
        "by_system": of(table.system_of_item[table.items], table.systems) if any(table.systems) else [],
        "by_annotator": of(table.raters, table.annotators),
    }


def _distribution(found: Distribution, name: str, measure: Measure) -> Figures:
    return {
        "name": name,
        "judgments": found.n_ratings,
        "items": found.n_items,
        "annotators": found.n_raters,
        "labels": {
            each.key: {
                "count": label.count,
                "share": label.share.value,
                "interval": _interval(label.share.interval),
            }
            for each, label in zip(measure.labels, found.shares, strict=True)
        },
    }


def _means_by_label(
    table: JudgmentTable, rescaled: Ratings | None, measure: Measure, bootstrap: Bootstrap
) -> list[Figures] | None:
    """Mean rescaled score of each label, in the scale's order."""
    if rescaled is None:
        return None
    means = group_means(rescaled, table.choices, len(measure.labels), bootstrap=bootstrap)
    return [label._asdict() | _figure(mean) for label, mean in zip(measure.labels, means, strict=True)]


def _means_by_system(
    table: JudgmentTable, rescaled: Ratings | None, measure: Measure, bootstrap: Bootstrap
) -> list[Figures]:
    """Mean number, as labelled and as rescaled; labels without a number ("not applicable") are left out."""
    numbers = measure.numbers[table.choices]
    numbered = ~np.isnan(numbers)
    if not any(table.systems) or not numbered.any():
        return []
    part = table.part(numbered)
    n = len(table.systems)
    before = group_means(part.ratings(numbers[numbered], None), part.system_of_item[part.items], n, bootstrap=bootstrap)
    groups = table.system_of_item[table.items]
    after = [None] * n if rescaled is None else group_means(rescaled, groups, n, bootstrap=bootstrap)
    return [
        {"system": name, "raw": _figure(number), "rescaled": score and _figure(score)}
        for name, number, score in zip(table.systems, before, after, strict=True)
        if number.n_ratings
    ]


def _mixtures(table: JudgmentTable, measure: Measure, is_best: Flags | None) -> list[Figures] | None:
    """Mean τ of s' = λ·g + (1 − λ)·f for λ = 0, 0.1, … 1, with g from these judgments alone."""
    if table.f is None or is_best is None or measure.better is None:
        return None
    numbers = hundred_point_numbers(measure.numbers.tolist(), better=measure.better)
    rows: list[Figures] = []
    for mixture in MIXTURES:
        mixed = rescale(table.raters, table.choices, table.explained, table.f, numbers, mixture=mixture)
        ratings = table.ratings(mixed.values, is_best)
        means: Figures = {str(s): _mean_tau(ratings, s) for s in (Setting.ALL, Setting.INCOMPLETE)}
        rows.append({"lambda": mixture} | means)
    return rows


def _mean_tau(ratings: Ratings, setting: Setting) -> float | None:
    return pairwise_tau(ratings, setting).mean.value


def _by_source(table: JudgmentTable, measure: Measure, is_best: Flags | None) -> list[Figures] | None:
    """Mean τ and mixtures for each part of the corpus, where its articles come from a few sources."""
    if not 2 <= len(table.sources) <= MOST_SOURCES:
        return None
    parts = []
    for code, source in enumerate(table.sources):
        rows = table.source_of_item[table.items] == code
        part, best = table.part(rows), None if is_best is None else is_best[rows]
        settings = [s for s in Setting if best is not None or s is not Setting.INCOMPLETE]
        raw = part.ratings(measure.values[part.choices], best)
        rescaled = None if part.scores is None else part.ratings(part.scores, best)
        parts.append(
            {
                "source": source,
                "counts": counts(part),
                "mean_tau": {
                    str(s): {
                        "raw": _mean_tau(raw, s),
                        "rescaled": None if rescaled is None else _mean_tau(rescaled, s),
                    }
                    for s in settings
                },
                "mixtures": _mixtures(part, measure, best),
            }
        )
    return parts
