"""Prompt variants and mixtures side by side: what each run of a study, and each λ, makes of people's judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotation_platform.analysis.figures.counts import count
from annotation_platform.analysis.figures.plain import figure, interval_of
from annotation_platform.analysis.figures.table import MOST_SOURCES, Figures, Floats, JudgmentTable, Measure
from annotation_platform.core.methods.ebr import hundred_point_numbers, rescale
from annotation_platform.core.methods.rescaling_guard import LEAST_NUANCE, LEAST_SPREAD, MOST_REVERSED, guard_rescaling
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    Setting,
    Statistic,
    group_means,
    holm,
    paired_bootstrap,
    pairwise_taus,
)
from annotation_platform.core.statistics.own_order import OwnOrder, own_order

MIXTURES = tuple(round(0.1 * step, 1) for step in range(11))
RAW = "raw"  # the labels as given, in comparisons
OTHER_JUDGMENTS = "The two runs do not cover the same judgments; score the study again with the older one's parameters."

Means = dict[Setting, Statistic]


@dataclass(frozen=True, eq=False)
class ScoredVariant:
    """One run's scores of one aspect. ``key`` names the run; ``mixture`` is the λ that it was made with."""

    key: str
    mixture: float
    table: JudgmentTable


def variants_figures(variants: Sequence[ScoredVariant], measure: Measure, bootstrap: Bootstrap) -> Figures:
    """Every figure of the comparison of runs on one rescaled aspect."""
    read = [_Variant(variant, measure, bootstrap) for variant in variants]
    return {
        "aspect": measure.key,
        "title": measure.title,
        "labels": [label._asdict() for label in measure.labels],
        "limits": {"spread": LEAST_SPREAD, "nuance": LEAST_NUANCE, "reversed": MOST_REVERSED},
        "variants": [each.figures() for each in read],
        "comparisons": _comparisons(read),
    }


class _Variant:
    """A run's judgments, with the figures of its own λ at hand for comparisons."""

    def __init__(self, scored: ScoredVariant, measure: Measure, bootstrap: Bootstrap) -> None:
        assert measure.better is not None  # a scale with two ends, or there is no 0 to 100
        assert scored.table.f is not None  # the run is done
        self.key, self.mixture, self.table = scored.key, round(scored.mixture, 6), scored.table
        self._measure, self._bootstrap = measure, bootstrap
        self._numbers = hundred_point_numbers(measure.numbers.tolist(), better=measure.better)
        self.raw = self._means(self.table, self._labels(self.table))
        self.own = self._means(self.table, self._mixed(self.table, self.mixture))
        self._own_order_of_own = self._own_order(self.table, self.mixture)

    def figures(self) -> Figures:
        return {
            "key": self.key,
            "lambda": self.mixture,
            "parts": [self._part(source, table) for source, table in self._parts()],
            "classes": self._classes(),
            "own_order": [
                self._one_annotator(each)
                for each in self._own_order_of_own
                if each.rater is not None and each.reversed.n_ratings
            ],
        }

    def _parts(self) -> list[tuple[str | None, JudgmentTable]]:
        """The whole, and each part of the corpus where its articles come from a few sources."""
        found: list[tuple[str | None, JudgmentTable]] = [(None, self.table)]
        if 2 <= len(self.table.sources) <= MOST_SOURCES:
            source_of_row = self.table.source_of_item[self.table.items]
            found += [(name, self.table.part(source_of_row == code)) for code, name in enumerate(self.table.sources)]
        return found

    def _part(self, source: str | None, table: JudgmentTable) -> Figures:
        raw = self.raw if source is None else self._means(table, self._labels(table))
        return {
            "source": source,
            "counts": count(table),
            "raw": {str(setting): figure(mean) for setting, mean in raw.items()},
            "mixtures": [self._mixture(table, mixture, raw) for mixture in sorted({*MIXTURES, self.mixture})],
        }

    def _mixture(self, table: JudgmentTable, mixture: float, raw: Means) -> Figures:
        is_known = mixture == self.mixture and table is self.table
        means = self.own if is_known else self._means(table, self._mixed(table, mixture))
        pooled, *_ = own = self._own_order_of_own if is_known else self._own_order(table, mixture)
        verdict = guard_rescaling(own, table.annotators)
        return {
            "lambda": mixture,
            "tau": {str(setting): figure(mean) for setting, mean in means.items()},
            "change": {str(s): _difference(paired_bootstrap(raw[s], means[s])) for s in means},
            "guard": {
                "sentence": verdict.sentence,
                "is_good": verdict.is_good,
                "merely_compresses": verdict.merely_compresses,
                "reverses_too_often": verdict.reverses_too_often,
                "reversed_annotators": list(verdict.reversed_annotators),
                "ordered_pairs": pooled.n_ordered,
                **{name: figure(getattr(pooled, name)) for name in ("reversed", "tied", "spread", "nuance")},
            },
        }

    def _classes(self) -> list[Figures]:
        """g and its count for each annotator and label, all annotators together first."""
        table, n = self.table, len(self._measure.labels)
        assert table.f is not None
        counted = table.explained & ~np.isnan(table.f)
        part = table.part(counted)
        ratings = part.ratings(table.f[counted], None)
        whole = group_means(ratings, part.choices, n, bootstrap=self._bootstrap)
        cells = part.raters * n + part.choices
        each = group_means(ratings, cells, n * len(table.annotators), bootstrap=self._bootstrap)
        rows = [(None, whole)] + [(name, each[i * n : (i + 1) * n]) for i, name in enumerate(table.annotators)]
        return [
            {
                "annotator": name,
                "labels": {label.key: _mean(g) for label, g in zip(self._measure.labels, row, strict=True)},
            }
            for name, row in rows
            if any(g.n_ratings for g in row)
        ]

    def _one_annotator(self, own: OwnOrder) -> Figures:
        assert own.rater is not None
        shares = {name: figure(getattr(own, name)) for name in ("reversed", "tied", "spread", "nuance")}
        return {"annotator": self.table.annotators[own.rater], "ordered_pairs": own.n_ordered} | shares

    def _labels(self, table: JudgmentTable) -> Floats:
        return np.asarray(self._numbers)[table.choices]

    def _mixed(self, table: JudgmentTable, mixture: float) -> Floats:
        """s' = λ·g + (1 − λ)·f with g from these judgments alone."""
        assert table.f is not None
        return rescale(table.raters, table.choices, table.explained, table.f, self._numbers, mixture=mixture).values

    def _own_order(self, table: JudgmentTable, mixture: float) -> tuple[OwnOrder, ...]:
        before, after = (table.ratings(v, None) for v in (self._labels(table), self._mixed(table, mixture)))
        return own_order(before, after, bootstrap=self._bootstrap)

    def _means(self, table: JudgmentTable, values: Floats) -> Means:
        """Mean τ in each setting; without ties the exact expectation over the noise."""
        ratings = table.ratings(values, table.choices == self._measure.best)
        found = pairwise_taus(ratings, noise=None, bootstrap=self._bootstrap)
        return {setting: tau.mean for setting, tau in found.items()}


def _comparisons(variants: Sequence[_Variant]) -> list[Figures]:
    """Every run against the labels as given and against every other run, each with its own λ.

    Paired by resample. Within a setting the p-values of all comparisons are one family for Holm's correction.
    """
    found: list[Figures] = []
    for setting in Setting:
        pairs: list[tuple[str, str, Difference | None]] = [
            (RAW, each.key, paired_bootstrap(each.raw[setting], each.own[setting])) for each in variants
        ]
        for a, b in combinations(variants, 2):
            if _same_judgments(a.table, b.table):
                pairs.append((a.key, b.key, paired_bootstrap(a.own[setting], b.own[setting])))
            else:
                pairs.append((a.key, b.key, None))
        corrected = holm([pair.p_value if pair else None for *_, pair in pairs])
        found += [
            {"first": a, "second": b, "setting": str(setting), **_difference(pair), "p_holm": p}
            for (a, b, pair), p in zip(pairs, corrected, strict=True)
        ]
    return found


def _same_judgments(a: JudgmentTable, b: JudgmentTable) -> bool:
    return all(
        np.array_equal(one, other) for one, other in ((a.items, b.items), (a.raters, b.raters), (a.choices, b.choices))
    ) and len(a.system_of_item) == len(b.system_of_item)


def _difference(found: Difference | None) -> Figures:
    if found is None:
        reason = {"undefined_because": OTHER_JUDGMENTS, "no_p_value_because": OTHER_JUDGMENTS}
        return {"value": None, "interval": None, "p_value": None, "items": 0} | reason
    return {
        "value": found.value,
        "interval": interval_of(found.interval),
        "p_value": found.p_value,
        "items": found.n_items,
        "undefined_because": found.undefined_because,
        "no_p_value_because": found.no_p_value_because,
    }


def _mean(g: Statistic) -> Figures:
    return {
        "value": g.value,
        "interval": interval_of(g.interval),
        "judgments": g.n_ratings,
        "undefined_because": g.undefined_because,
    }
