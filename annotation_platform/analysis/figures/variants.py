"""Prompt variants and mixtures side by side: what each run of a study, and each λ, makes of people's judgments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from annotation_platform.analysis.figures.counts import count
from annotation_platform.analysis.figures.plain import figure, interval_of
from annotation_platform.analysis.figures.table import MOST_SOURCES, Figures, Floats, JudgmentTable, Measure
from annotation_platform.core.methods.ebr import hundred_point_numbers, rescale
from annotation_platform.core.methods.rescaling_guard import LEAST_NUANCE, LEAST_SPREAD, MOST_REVERSED, guard_rescaling
from annotation_platform.core.statistics import (
    Bootstrap,
    PairwiseTau,
    Setting,
    Statistic,
    group_means,
    holm,
    mean_tau_change,
    pairwise_taus,
)
from annotation_platform.core.statistics.own_order import OwnOrder, own_order

MIXTURES = tuple(round(0.1 * step, 1) for step in range(11))
RAW = "raw"  # the labels as given, in comparisons
OTHER_JUDGMENTS = "The two runs do not cover the same judgments; score the study again with the older one's parameters."

NOT_COMPARED: Figures = {
    **{"value": None, "interval": None, "p_value": None, "items": 0},
    **{"undefined_because": OTHER_JUDGMENTS, "no_p_value_because": OTHER_JUDGMENTS},
}

Taus = dict[Setting, PairwiseTau]


@dataclass(frozen=True, eq=False)
class ScoredVariant:
    """One run's scores of one aspect. ``key`` names the run; ``mixture`` is the λ that it was made with."""

    key: str
    mixture: float
    table: JudgmentTable


def variants_figures(variants: Sequence[ScoredVariant], measure: Measure, bootstrap: Bootstrap) -> Figures:
    """Every figure of the comparison of runs on one rescaled aspect.

    What is kept of a run is no larger than its figures: the resamples of single pairs of annotators are let go.
    """
    read = [_Variant(variant, measure, bootstrap) for variant in variants]
    return {
        "aspect": measure.key,
        "title": measure.title,
        "labels": [label._asdict() for label in measure.labels],
        "limits": {"spread": LEAST_SPREAD, "nuance": LEAST_NUANCE, "reversed": MOST_REVERSED},
        "variants": [each.figures for each in read],
        "comparisons": _comparisons(read),
    }


@dataclass(frozen=True, eq=False)
class _Mixture:
    """What one λ makes of some judgments, without the single pairs of annotators.

    The own order of all annotators together comes first.
    """

    taus: dict[Setting, Statistic]
    changes: dict[Setting, Figures]
    own_order: tuple[OwnOrder, ...]


class _Part:
    """The judgments of a run, or of one source of its articles: as given, and under each λ, which is measured once."""

    def __init__(self, table: JudgmentTable, measure: Measure, bootstrap: Bootstrap) -> None:
        assert measure.better is not None  # a scale with two ends, or there is no 0 to 100
        self.table, self._bootstrap = table, bootstrap
        self._numbers = hundred_point_numbers(measure.numbers.tolist(), better=measure.better)
        self._is_best = table.choices == measure.best
        self._labels = np.asarray(self._numbers)[table.choices]
        self._kept: dict[float, _Mixture] = {}

    @cached_property
    def raw(self) -> Taus:
        return self._taus(self._labels, Setting)

    def at(self, mixture: float) -> _Mixture:
        """s' = λ·g + (1 − λ)·f with g from these judgments alone."""
        if mixture not in self._kept:
            values = self._mixed(mixture)
            before, after = (self.table.ratings(each, None) for each in (self._labels, values))
            taus = self._taus(values, Setting)
            self._kept[mixture] = _Mixture(
                {setting: tau.mean for setting, tau in taus.items()},
                {setting: _change(self.raw[setting], tau) for setting, tau in taus.items()},
                own_order(before, after, bootstrap=self._bootstrap),
            )
        return self._kept[mixture]

    def tau(self, mixture: float, setting: Setting) -> PairwiseTau:
        """What one λ makes of them in one setting, pair by pair."""
        return self._taus(self._mixed(mixture), [setting])[setting]

    def _mixed(self, mixture: float) -> Floats:
        table = self.table
        assert table.f is not None  # the run is done
        found = rescale(table.raters, table.choices, table.explained, table.f, self._numbers, mixture=mixture)
        return found.values

    def figures(self, source: str | None, mixtures: Sequence[float]) -> Figures:
        return {
            "source": source,
            "counts": count(self.table),
            "raw": {str(setting): figure(tau.mean) for setting, tau in self.raw.items()},
            "mixtures": [self._mixture(mixture) for mixture in mixtures],
        }

    def _mixture(self, mixture: float) -> Figures:
        at = self.at(mixture)
        pooled = at.own_order[0]
        verdict = guard_rescaling(at.own_order, self.table.annotators)
        return {
            "lambda": mixture,
            "tau": {str(setting): figure(mean) for setting, mean in at.taus.items()},
            "change": {str(setting): change for setting, change in at.changes.items()},
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

    def _taus(self, values: Floats, settings: Iterable[Setting]) -> Taus:
        return pairwise_taus(self.table.ratings(values, self._is_best), settings, noise=None, bootstrap=self._bootstrap)


class _Variant:
    """A run's judgments, and what its own λ makes of them."""

    def __init__(self, scored: ScoredVariant, measure: Measure, bootstrap: Bootstrap) -> None:
        self.key, self.mixture, self.table = scored.key, round(scored.mixture, 6), scored.table
        self._measure, self._bootstrap = measure, bootstrap
        whole = self._part(self.table)
        own, mixtures = whole.at(self.mixture), sorted({*MIXTURES, self.mixture})
        self.changes = own.changes
        self.figures = {
            "key": self.key,
            "lambda": self.mixture,
            "parts": [
                whole.figures(None, mixtures),
                *(self._part(table).figures(source, mixtures) for source, table in self._sources()),
            ],
            "classes": self._classes(),
            "own_order": [
                self._one_annotator(each)
                for each in own.own_order
                if each.rater is not None and each.reversed.n_ratings
            ],
        }

    def tau(self, setting: Setting) -> PairwiseTau:
        """What its own λ makes of the judgments, pair by pair; measured again, as its resamples are large."""
        return self._part(self.table).tau(self.mixture, setting)

    def _part(self, table: JudgmentTable) -> _Part:
        return _Part(table, self._measure, self._bootstrap)

    def _sources(self) -> Iterator[tuple[str, JudgmentTable]]:
        """Each part of the corpus where its articles come from a few sources."""
        if 2 <= len(self.table.sources) <= MOST_SOURCES:
            source_of_row = self.table.source_of_item[self.table.items]
            for code, name in enumerate(self.table.sources):
                yield name, self.table.part(source_of_row == code)

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


def _comparisons(variants: Sequence[_Variant]) -> list[Figures]:
    """Every run against the labels as given and against every other run, each with its own λ.

    Paired by resample. Within a setting the p-values of all comparisons are one family for Holm's correction.
    """
    found: list[Figures] = []
    for setting in Setting:
        pairs = [(RAW, each.key, each.changes[setting]) for each in variants]
        taus = {each.key: each.tau(setting) for each in variants} if len(variants) > 1 else {}
        for a, b in combinations(variants, 2):
            is_about_the_same = _same_judgments(a.table, b.table)
            pairs.append((a.key, b.key, _change(taus[a.key], taus[b.key]) if is_about_the_same else NOT_COMPARED))
        corrected = holm([change["p_value"] for *_, change in pairs])
        found += [
            {"first": a, "second": b, "setting": str(setting), **change, "p_holm": p}
            for (a, b, change), p in zip(pairs, corrected, strict=True)
        ]
    return found


def _same_judgments(a: JudgmentTable, b: JudgmentTable) -> bool:
    return all(
        np.array_equal(one, other) for one, other in ((a.items, b.items), (a.raters, b.raters), (a.choices, b.choices))
    ) and len(a.system_of_item) == len(b.system_of_item)


def _change(before: PairwiseTau, after: PairwiseTau) -> Figures:
    """Of mean τ, as on the overview: over the pairs that are defined on both sides."""
    mean, p_value = mean_tau_change(before, after)
    return {
        "value": mean.value,
        "interval": interval_of(mean.interval),
        "p_value": p_value,
        "items": mean.n_items,
        "undefined_because": mean.undefined_because,
        "no_p_value_because": mean.no_interval_because,
    }


def _mean(g: Statistic) -> Figures:
    return {
        "value": g.value,
        "interval": interval_of(g.interval),
        "judgments": g.n_ratings,
        "undefined_because": g.undefined_because,
    }
