"""Train the distilled rescaler on judgments that a language model has scored, and measure it on unseen ones."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.errors import CodedError
from annotation_platform.core.methods.distilled import FORMAT, OUTPUTS, Distilled, Vocabulary, decide, tokenise
from annotation_platform.core.methods.distilled_texts import stands_elsewhere, text_codes
from annotation_platform.core.methods.ebr import rescale
from annotation_platform.core.statistics.correlation import pairwise_tau
from annotation_platform.core.statistics.pair_taus import Setting
from annotation_platform.core.statistics.ratings import Ratings


class TrainingError(CodedError, ValueError):
    """The judgments cannot train a rescaler."""


@dataclass(frozen=True, eq=False)
class ScoredJudgments:
    """Judgments as columns, with the score that a language model gave each.

    Attributes
    ----------
    labels : (n,) int
        Position in `scale_numbers`.
    explanations : list of str
    scores : (n,) float
        0..100; NaN where the model gave none.
    annotators, items, articles, corpora : (n,) int
        Codes from 0.
    scale_numbers : tuple of float
        Ascending, 0..100.
    """

    labels: Codes
    explanations: list[str]
    scores: Floats
    annotators: Codes
    items: Codes
    articles: Codes
    corpora: Codes
    scale_numbers: tuple[float, ...]

    @classmethod
    def from_columns(
        cls,
        *,
        labels: Sequence[int],
        explanations: Sequence[str],
        scores: Sequence[float] | None,
        annotators: Sequence[Hashable],
        items: Sequence[Hashable],
        articles: Sequence[Hashable],
        scale_numbers: Sequence[float],
    ) -> Self:
        """Columns as they come: any names of people and things, the scale in any order, no scores (None) or all."""
        rank = np.argsort(np.argsort(scale_numbers))
        return cls(
            labels=rank[np.asarray(labels, dtype=np.int64)],
            explanations=list(explanations),
            scores=np.full(len(labels), np.nan) if scores is None else np.asarray(scores, dtype=np.float64),
            annotators=codes(annotators),
            items=codes(items),
            articles=codes(articles),
            corpora=np.zeros(len(labels), dtype=np.int64),
            scale_numbers=tuple(sorted(scale_numbers)),
        )

    def __len__(self) -> int:
        return len(self.explanations)

    @property
    def explained(self) -> Flags:
        return np.array([bool(text.strip()) for text in self.explanations], dtype=np.bool_)

    def take(self, rows: NDArray[Any]) -> Self:
        """The judgments at these positions."""
        return type(self)(
            labels=self.labels[rows],
            explanations=[self.explanations[row] for row in rows.tolist()],
            scores=self.scores[rows],
            annotators=self.annotators[rows],
            items=self.items[rows],
            articles=self.articles[rows],
            corpora=self.corpora[rows],
            scale_numbers=self.scale_numbers,
        )


@dataclass(frozen=True)
class Settings:
    """What is chosen before training.

    Attributes
    ----------
    alpha : float
        Ridge penalty.
    min_judgments, min_annotators : int
        An n-gram enters the vocabulary when at least so many judgments, by at least so many annotators, have
        it. The second keeps one person's habits, and whatever one person alone wrote, out of the artefact.
    """

    alpha: float = 1.0
    min_judgments: int = 3
    min_annotators: int = 2


@dataclass(frozen=True)
class Closeness:
    """How near predictions of ``n`` judgments come to the language model's scores.

    ``pearson`` is NaN where either side has fewer than two different values, and the error where there are none.
    """

    n: int
    pearson: float
    mean_absolute_error: float


@dataclass(frozen=True)
class HeldOut:
    """How well predictions for unseen judgments stand in for the language model's scores.

    Attributes
    ----------
    split : str
        What is unseen: each fold holds out whole articles, corpora or annotators.
    folds, n : int
        Number of folds; number of judgments with a score of the language model, each predicted once.
    pearson, mean_absolute_error : float
        Against the language model's scores; NaN where either side has fewer than two different values.
    tau, tau_incomplete : float
        Mean pairwise τ-b of the rescaled judgments, over all items and in the incomplete setting.
    own : Closeness
        Of the judgments whose text no other group has, case and spacing aside. The others may have been learned by
        heart.
    label_mean, label_mean_own : Closeness
        What the mean score of each label would reach without reading a word, of all judgments and of these.
    """

    split: str
    folds: int
    n: int
    pearson: float
    mean_absolute_error: float
    tau: float
    tau_incomplete: float
    own: Closeness
    label_mean: Closeness
    label_mean_own: Closeness


def train(judgments: ScoredJudgments, settings: Settings | None = None) -> Distilled:
    """Fit the rescaler.

    Ridge regression of three targets (the score, whether it is 100, whether it is 0) on the label (one-hot),
    the explanation (unit-length 1 + ln(count) of its word 1- to 3-grams), and the products of the two. What
    ridge finds for the n-grams alone and for their products with a label is added up, so that the artefact
    holds one weight for each n-gram, label and target.

    Judgments without a score or without an explanation are left out. Deterministic.

    Raises
    ------
    TrainingError
        A label of the scale has no judgment to learn from.
    """
    from sklearn.linear_model import Ridge  # only training needs it, and it is slow to import

    settings = settings or Settings()
    usable = judgments.take(np.flatnonzero(judgments.explained & ~np.isnan(judgments.scores)))
    k = len(judgments.scale_numbers)
    per_label = np.bincount(usable.labels, minlength=k)
    if not per_label.all():
        missing = judgments.scale_numbers[int(np.argmin(per_label))]
        raise TrainingError("training.label_missing", number=missing)

    vocabulary = build_vocabulary(usable.explanations, usable.annotators, settings)
    targets = np.column_stack([usable.scores, usable.scores == 100, usable.scores == 0]).astype(np.float64)
    ridge = Ridge(alpha=settings.alpha, solver="sparse_cg", tol=1e-6)
    ridge.fit(design_matrix(vocabulary.features(usable.explanations), usable.labels, k), targets)

    n_grams = len(vocabulary)
    for_label, shared, per_product = np.split(ridge.coef_.T, [k, k + n_grams])
    one_hot = np.eye(k)[usable.labels]
    return Distilled(
        vocabulary=vocabulary,
        weights=shared[:, None, :] + per_product.reshape(k, n_grams, OUTPUTS).transpose(1, 0, 2),
        intercepts=ridge.intercept_ + for_label,
        label_means=(one_hot.T @ targets) / per_label[:, None],
        scale_numbers=np.asarray(judgments.scale_numbers, dtype=np.float64),
        metadata={
            "format": FORMAT,
            "n_judgments": len(usable),
            "n_annotators": len(np.unique(usable.annotators)),
            "n_articles": len(np.unique(usable.articles)),
            "n_grams": n_grams,
            "settings": vars(settings),
        },
    )


def train_on_used_labels(judgments: ScoredJudgments, settings: Settings | None = None) -> Distilled:
    """`train` on a scale of those labels only that a scored and explained judgment has.

    For a small sample, or a scale whose labels are not all in use: the labels that are missing are interpolated
    by their numbers, as on any scale other than that of the training.

    Raises
    ------
    TrainingError
        No judgment has both a score and an explanation.
    """
    usable = judgments.take(np.flatnonzero(judgments.explained & ~np.isnan(judgments.scores)))
    if not len(usable):
        raise TrainingError("training.no_judgments")
    used, labels = np.unique(usable.labels, return_inverse=True)
    numbers = tuple(judgments.scale_numbers[label] for label in used.tolist())
    return train(replace(usable, labels=labels, scale_numbers=numbers), settings)


def build_vocabulary(texts: Sequence[str], annotators: Codes, settings: Settings) -> Vocabulary:
    """The word 1-, 2- and 3-grams that enough judgments and enough annotators share."""
    tokens = [tokenise(text) for text in texts]
    _, annotator = np.unique(annotators, return_inverse=True)
    bits = [1 << code for code in annotator.tolist()]

    def shared(grams_of: list[list[Any]]) -> list[Any]:
        judgments: dict[Any, int] = {}
        people: dict[Any, int] = {}
        for grams, bit in zip(grams_of, bits, strict=True):
            for gram in set(grams):
                judgments[gram] = judgments.get(gram, 0) + 1
                people[gram] = people.get(gram, 0) | bit
        return sorted(
            gram
            for gram, count in judgments.items()
            if count >= settings.min_judgments and people[gram].bit_count() >= settings.min_annotators
        )

    # A shared n-gram's parts are shared too, so each length is looked for among what the last one left.
    words = shared(tokens)
    code = {word: position for position, word in enumerate(words)}
    coded = [[code.get(token, -1) for token in text] for text in tokens]
    pairs = shared([[a * len(words) + b for a, b in pairwise(text) if a >= 0 and b >= 0] for text in coded])
    place = {pair: position for position, pair in enumerate(pairs)}
    triples = shared(
        [
            [
                place[a * len(words) + b] * len(words) + c
                for a, b, c in zip(text, text[1:], text[2:], strict=False)
                if a >= 0 and b >= 0 and c >= 0 and a * len(words) + b in place
            ]
            for text in coded
        ]
    )
    return Vocabulary(tuple(words), np.array(pairs, dtype=np.int64), np.array(triples, dtype=np.int64))


def design_matrix(features: sparse.csr_array, labels: Codes, k: int) -> sparse.csr_array:
    """One-hot label, n-grams, and n-grams × label side by side: (n, k + F + k·F)."""
    one_hot = sparse.csr_array(np.eye(k)[labels])
    products = [features.multiply(one_hot[:, [label]]) for label in range(k)]
    return sparse.csr_array(sparse.hstack([one_hot, features, *products]))


def held_out(
    judgments: ScoredJudgments,
    groups: Codes,
    *,
    split: str,
    folds: int | None = None,
    settings: Settings | None = None,
    with_texts: bool = False,
) -> HeldOut:
    """Predict every judgment by a model that has not seen its group, and compare.

    Parameters
    ----------
    groups : (n,) int
        No group is on both sides of a fold.
    split : str
        What the groups are, for the report.
    folds : int, optional
        By default one for each group.
    with_texts : bool
        Whether the model has not seen the judgment's text either: those who wrote the same in another group are left
        out of its training.
    """
    folds = folds or len(np.unique(groups))
    texts = text_codes(judgments.explanations)
    found = _unseen(judgments, groups, folds=folds, settings=settings, texts=texts if with_texts else None)
    predicted, by_label = decide(found[0]), found[1]
    is_own = ~stands_elsewhere(texts, groups)
    everything = np.ones(len(judgments), dtype=np.bool_)
    close = _closeness(predicted, judgments.scores, everything)
    tau, tau_incomplete = mean_taus(judgments, predicted)
    return HeldOut(
        split=split,
        folds=folds,
        n=close.n,
        pearson=close.pearson,
        mean_absolute_error=close.mean_absolute_error,
        tau=tau,
        tau_incomplete=tau_incomplete,
        own=_closeness(predicted, judgments.scores, is_own),
        label_mean=_closeness(by_label, judgments.scores, judgments.explained),
        label_mean_own=_closeness(by_label, judgments.scores, is_own & judgments.explained),
    )


def outputs_unseen(
    judgments: ScoredJudgments, groups: Codes, *, folds: int, settings: Settings | None = None
) -> Floats:
    """`Distilled.outputs` of each judgment, (n, 3), by a model trained on the folds that do not hold its group.

    A label that no other fold has is interpolated (`train_on_used_labels`).
    """
    return _unseen(judgments, groups, folds=folds, settings=settings)[0]


def _unseen(
    judgments: ScoredJudgments,
    groups: Codes,
    *,
    folds: int,
    settings: Settings | None,
    texts: Codes | None = None,
) -> tuple[Floats, Floats]:
    """The same, and the mean score of each judgment's label in the same training, (n,); neither has seen judgments
    with any of the held-out ``texts``."""
    from sklearn.model_selection import GroupKFold

    outputs = np.full((len(judgments), OUTPUTS), np.nan)
    by_label = np.full(len(judgments), np.nan)
    for seen, unseen in GroupKFold(n_splits=folds).split(groups, groups=groups):
        rows = judgments.take(unseen)
        learned = seen if texts is None else seen[~np.isin(texts[seen], texts[unseen])]
        model = train_on_used_labels(judgments.take(learned), settings)
        outputs[unseen] = model.outputs(rows.labels, rows.explanations, judgments.scale_numbers)
        means = np.interp(judgments.scale_numbers, model.scale_numbers, model.label_means[:, 0])
        by_label[unseen] = means[rows.labels]
    return outputs, by_label


def _closeness(predicted: Floats, scores: Floats, among: Flags) -> Closeness:
    compared = among & ~np.isnan(predicted) & ~np.isnan(scores)
    ours, theirs = predicted[compared], scores[compared]
    error = float(np.abs(ours - theirs).mean()) if len(ours) else np.nan
    return Closeness(int(compared.sum()), pearson_or_nan(ours, theirs), error)


def mean_taus(judgments: ScoredJudgments, f: Floats) -> tuple[float, float]:
    """Mean pairwise τ-b after rescaling by the scores f: over all items, and in the incomplete setting.

    NaN where no pair of annotators has a τ.
    """
    numbers = judgments.scale_numbers
    rescaled = rescale(judgments.annotators, judgments.labels, judgments.explained, f, numbers)
    ratings = Ratings.from_arrays(
        judgments.items,
        judgments.annotators,
        rescaled.values,
        repeated="cross",
        best=judgments.labels == len(numbers) - 1,
    )
    return _mean_tau(ratings, Setting.ALL), _mean_tau(ratings, Setting.INCOMPLETE)


def pearson_or_nan(first: Floats, second: Floats) -> float:
    """Pearson's correlation; NaN where either column has fewer than two different values."""
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.nan
    return float(np.corrcoef(first, second)[0, 1])


def codes(names: Sequence[Hashable]) -> Codes:
    """A code from 0 for each distinct name, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _mean_tau(ratings: Ratings, setting: Setting) -> float:
    mean = pairwise_tau(ratings, setting).mean.value
    return np.nan if mean is None else mean
