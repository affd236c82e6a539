"""Prompt variants and mixtures side by side: what each run of a study, and each λ, makes of people's judgments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.counts import count
from annotation_platform.analysis.measuring.figures import CountedFigure, Label
from annotation_platform.analysis.measuring.judgment_table import MOST_SOURCES, SCORES, AspectSpec, JudgmentTable
from annotation_platform.analysis.measuring.plain import counted, interval_of, nothing
from annotation_platform.analysis.sections.variants.figures import (
    AnnotatorsOrder,
    BySetting,
    ClassMean,
    ClassMeans,
    Comparison,
    DifferenceOfTau,
    Guard,
    Limits,
    MixtureFigures,
    PartOfCorpus,
    VariantFigures,
    VariantsOfAspect,
)
from annotation_platform.core.arrays import Floats
from annotation_platform.core.methods.ebr.guard import LEAST_NUANCE, LEAST_SPREAD, MOST_REVERSED, guard_rescaling
from annotation_platform.core.methods.ebr.rescaling import hundred_point_numbers, rescale
from annotation_platform.core.statistics import (
    Bootstrap,
    PairwiseTau,
    Ratings,
    Setting,
    Statistic,
    holm,
    mean_tau_change,
    pairwise_taus,
    pairwise_taus_along,
)
from annotation_platform.core.statistics.equal_judgments import EqualJudgments
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.own_order import OwnOrder, own_order_along

MIXTURES = tuple(round(0.1 * step, 1) for step in range(11))
MOST_KEPT = 100_000  # pairs of annotators × resamples, of each run, λ and setting
RAW = "raw"  # the labels as given, in comparisons
OTHER_JUDGMENTS = gettext_noop(
    "The two runs do not cover the same judgments; score the study again with the older one's parameters."
)

Taus = dict[Setting, PairwiseTau]


@dataclass(frozen=True, eq=False)
class ScoredVariant:
    """One run's scores of one aspect. ``key`` names the run; ``mixture`` is the λ that it was made with."""

    key: str
    mixture: float
    table: JudgmentTable


def variants_figures(variants: Sequence[ScoredVariant], measure: AspectSpec, bootstrap: Bootstrap) -> VariantsOfAspect:
    """Every figure of the comparison of runs on one rescaled aspect.

    Runs that read the same scores, and differ in λ only, are measured once. What is kept of a run is no larger than its
    figures, unless its pairs of annotators are few.
    """
    mixtures: dict[str, set[float]] = {}
    scores = [_scores_digest(variant.table) for variant in variants]
    for digest, variant in zip(scores, variants, strict=True):
        mixtures.setdefault(digest, set(MIXTURES)).add(_own_mixture(variant))
    measured: dict[str, _Scores] = {}
    read = []
    for digest, variant in zip(scores, variants, strict=True):
        if digest not in measured:
            measured[digest] = _Scores(variant.table, measure, mixtures[digest], bootstrap)
        read.append(_Variant(variant.key, _own_mixture(variant), measured[digest]))
    return VariantsOfAspect(
        aspect=measure.key,
        title=measure.title,
        labels=tuple(Label(**label._asdict()) for label in measure.labels),
        limits=Limits(spread=LEAST_SPREAD, nuance=LEAST_NUANCE, reversed=MOST_REVERSED),
        variants=tuple(each.figures for each in read),
        comparisons=_comparisons(read),
    )


def _own_mixture(variant: ScoredVariant) -> float:
    return round(variant.mixture, 6)


def _scores_digest(table: JudgmentTable) -> str:
    assert table.explanation_scores is not None  # the run is done
    columns = (
        table.items,
        table.raters,
        table.choices,
        table.explained,
        table.explanation_scores,
        table.source_of_item,
    )
    found = sha256()
    for column in columns:
        found.update(column.data)
    return found.hexdigest()


@dataclass(frozen=True, eq=False)
class _Mixture:
    """What one λ makes of some judgments: figures for itself, against the labels, and of each annotator."""

    figures: MixtureFigures
    changes: dict[Setting, DifferenceOfTau]
    own_order: tuple[AnnotatorsOrder, ...]


@dataclass(frozen=True)
class _Path(Sequence[Ratings]):
    """The judgments under each λ (None: the labels), made whenever one is asked for: all together would take more
    memory than anything else."""

    step: Callable[[float | None], Ratings]
    mixtures: Sequence[float | None]

    def __len__(self) -> int:
        return len(self.mixtures)

    def __getitem__(self, place: int) -> Ratings:  # type: ignore[override]  # nobody takes slices
        return self.step(self.mixtures[place])


class _Part:
    """The judgments of a run, or of one source of its articles: as given, and under each λ.

    They are measured along one path: the labels, then every λ from 1 down to 0, each much like the one before it.
    """

    def __init__(
        self,
        source: str | None,
        table: JudgmentTable,
        measure: AspectSpec,
        mixtures: Iterable[float],
        bootstrap: Bootstrap,
    ) -> None:
        assert measure.better is not None  # a scale with two ends, or there is no 0 to 100
        self.source, self._table, self._bootstrap = source, table, bootstrap
        self.undefined = {each: why for each in Setting if (why := measure.no_tau_because(each))}
        numbers = hundred_point_numbers(measure.numbers.tolist(), better=measure.better)
        self._is_best = table.choices == measure.best
        labels = np.asarray(numbers)[table.choices]
        downwards = sorted(mixtures, reverse=True)
        assert table.explanation_scores is not None  # the run is done
        # g is from these judgments alone.
        self._rescaled = rescale(table.raters, table.choices, table.explained, table.explanation_scores, numbers)
        path = _Path(lambda mixture: self._ratings(labels) if mixture is None else self._mixed(mixture), downwards)
        given = path.step(None)
        equal = EqualJudgments.of(given, path)
        defined = [setting for setting in Setting if setting not in self.undefined]
        taus = pairwise_taus_along(_Path(path.step, [None, *downwards]), defined, bootstrap=bootstrap, equal=equal)
        own_orders = own_order_along(given, path, bootstrap=bootstrap, equal=equal)
        self._taus: dict[float, Taus] = {}
        raw = next(taus)
        self.raw = self._means(raw)
        self.at = {
            mixture: self._at(mixture, raw, tau, own)
            for mixture, tau, own in zip(downwards, taus, own_orders, strict=True)
        }

    def figures(self, mixtures: Iterable[float]) -> PartOfCorpus:
        return PartOfCorpus(
            source=self.source,
            counts=count(self._table),
            raw=self.raw,
            mixtures=tuple(self.at[mixture].figures for mixture in mixtures),
        )

    def tau(self, mixture: float, setting: Setting) -> PairwiseTau:
        """What one λ makes of them in one setting, pair by pair; measured again where its resamples are large."""
        if mixture in self._taus:
            return self._taus[mixture][setting]
        return pairwise_taus(self._mixed(mixture), [setting], noise=None, bootstrap=self._bootstrap)[setting]

    def _at(self, mixture: float, raw: Taus, taus: Taus, own: tuple[OwnOrder, ...]) -> _Mixture:
        if all(tau.sample is None or tau.sample.size <= MOST_KEPT for tau in taus.values()):
            self._taus[mixture] = taus
        pooled, *each = own
        verdict = guard_rescaling(own, self._table.annotators)
        undefined = {setting: _not_compared(why) for setting, why in self.undefined.items()}
        changes = {setting: _change(raw[setting], tau) for setting, tau in taus.items()} | undefined
        figures = MixtureFigures(
            mixture=mixture,
            tau=self._means(taus),
            change=BySetting[DifferenceOfTau](**{str(setting): change for setting, change in changes.items()}),
            guard=Guard(
                sentence=verdict.sentence,
                is_good=verdict.is_good,
                merely_compresses=verdict.merely_compresses,
                reverses_too_often=verdict.reverses_too_often,
                reversed_annotators=tuple(verdict.reversed_annotators),
                ordered_pairs=pooled.n_ordered,
                **_shares(pooled),
            ),
        )
        annotators = tuple(
            AnnotatorsOrder(annotator=self._table.annotators[one.rater], ordered_pairs=one.n_ordered, **_shares(one))
            for one in each
            if one.rater is not None and one.reversed.n_ratings
        )
        return _Mixture(figures, changes, annotators)

    def _means(self, taus: Taus) -> BySetting[CountedFigure]:
        undefined = {str(setting): nothing(why) for setting, why in self.undefined.items()}
        return BySetting[CountedFigure](**{str(each): counted(tau.mean) for each, tau in taus.items()} | undefined)

    def _mixed(self, mixture: float) -> Ratings:
        """s' = λ·g + (1 − λ)·f."""
        return self._ratings(self._rescaled.mixed(mixture))

    def _ratings(self, values: Floats) -> Ratings:
        return self._table.ratings(values, self._is_best)


def _shares(own: OwnOrder) -> dict[str, CountedFigure]:
    return {name: counted(getattr(own, name)) for name in ("reversed", "tied", "spread", "nuance")}


class _Scores:
    """The scores of one or several runs: all judgments and those of each source, under every λ."""

    def __init__(
        self, table: JudgmentTable, measure: AspectSpec, mixtures: Iterable[float], bootstrap: Bootstrap
    ) -> None:
        self.table, self._measure, self._bootstrap = table, measure, bootstrap
        sources: list[tuple[str | None, JudgmentTable]] = [(None, table), *self._sources()]
        self.parts = [_Part(source, part, measure, mixtures, bootstrap) for source, part in sources]
        self.classes = self._classes()

    def _sources(self) -> Iterator[tuple[str, JudgmentTable]]:
        """Each part of the corpus where its articles come from a few sources."""
        if 2 <= len(self.table.sources) <= MOST_SOURCES:
            source_of_row = self.table.source_of_item[self.table.items]
            for code, name in enumerate(self.table.sources):
                yield name, self.table.part(source_of_row == code)

    def _classes(self) -> tuple[ClassMeans, ...]:
        """g and its count for each annotator and label, all annotators together first."""
        table, n = self.table, len(self._measure.labels)
        assert table.explanation_scores is not None
        explained = table.explained & ~np.isnan(table.explanation_scores)
        part = table.part(explained)
        ratings = part.ratings(table.explanation_scores[explained], None, ends=SCORES)
        whole = scale_means(ratings, part.choices, n, bootstrap=self._bootstrap)
        cells = part.raters * n + part.choices
        each = scale_means(ratings, cells, n * len(table.annotators), bootstrap=self._bootstrap)
        rows: list[tuple[str | None, tuple[Statistic, ...]]] = [(None, whole)]
        rows += [(name, each[i * n : (i + 1) * n]) for i, name in enumerate(table.annotators)]
        return tuple(
            ClassMeans(
                annotator=name,
                labels={label.key: _mean(g) for label, g in zip(self._measure.labels, row, strict=True)},
            )
            for name, row in rows
            if any(g.n_ratings for g in row)
        )


class _Variant:
    """A run: its scores, and what its own λ makes of them."""

    def __init__(self, key: str, mixture: float, scores: _Scores) -> None:
        self.key, self.mixture, self.table = key, mixture, scores.table
        self._whole = scores.parts[0]
        self.undefined, own = self._whole.undefined, self._whole.at[mixture]
        self.changes = own.changes
        self.figures = VariantFigures(
            key=key,
            mixture=mixture,
            parts=tuple(part.figures(sorted({*MIXTURES, mixture})) for part in scores.parts),
            classes=scores.classes,
            own_order=own.own_order,
        )

    def tau(self, setting: Setting) -> PairwiseTau:
        return self._whole.tau(self.mixture, setting)


def _comparisons(variants: Sequence[_Variant]) -> tuple[Comparison, ...]:
    """Every run against the labels as given and against every other run, each with its own λ.

    Paired by resample. Within a setting the p-values of all comparisons are one family for Holm's correction.
    """
    found: list[Comparison] = []
    for setting in Setting:
        pairs = [(RAW, each.key, each.changes[setting]) for each in variants]
        undefined = next((each.undefined.get(setting) for each in variants), None)  # the same for all
        taus = {} if undefined or len(variants) < 2 else {each.key: each.tau(setting) for each in variants}
        for a, b in combinations(variants, 2):
            why = undefined or (None if _same_judgments(a.table, b.table) else OTHER_JUDGMENTS)
            pairs.append((a.key, b.key, _not_compared(why) if why else _change(taus[a.key], taus[b.key])))
        corrected = holm([change.p_value for *_, change in pairs])
        found += [
            Comparison(first=a, second=b, setting=str(setting), p_holm=p, **change.model_dump(exclude_unset=True))
            for (a, b, change), p in zip(pairs, corrected, strict=True)
        ]
    return tuple(found)


def _same_judgments(a: JudgmentTable, b: JudgmentTable) -> bool:
    return all(
        np.array_equal(one, other) for one, other in ((a.items, b.items), (a.raters, b.raters), (a.choices, b.choices))
    ) and len(a.system_of_item) == len(b.system_of_item)


def _not_compared(reason: str) -> DifferenceOfTau:
    return DifferenceOfTau(
        value=None,
        interval=None,
        units=0,
        p_value=None,
        items=0,
        undefined_because=reason,
        no_p_value_because=reason,
    )


def _change(before: PairwiseTau, after: PairwiseTau) -> DifferenceOfTau:
    """Of mean τ, as on the overview: over the pairs that are defined on both sides."""
    mean, p_value = mean_tau_change(before, after)
    return DifferenceOfTau(
        value=mean.value,
        interval=interval_of(mean.interval),
        units=mean.n_units,
        p_value=p_value,
        items=mean.n_items,
        undefined_because=mean.undefined_because,
        no_p_value_because=mean.no_interval_because,
    )


def _mean(g: Statistic) -> ClassMean:
    return ClassMean(
        value=g.value,
        interval=interval_of(g.interval),
        units=g.n_units,
        judgments=g.n_ratings,
        undefined_because=g.undefined_because,
        no_interval_because=g.no_interval_because,
    )
