"""How well a rescaler trained on some judgments stands in for a language model on others, which it has not seen."""

from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
from annotation_platform.core.methods.distilled.rescaler import OUTPUTS, decide
from annotation_platform.core.methods.distilled.texts import stands_elsewhere, text_codes
from annotation_platform.core.methods.distilled.training import Settings, train_on_used_labels
from annotation_platform.core.methods.ebr.rescaling import rescale
from annotation_platform.core.statistics.correlation import pairwise_tau
from annotation_platform.core.statistics.pair_taus import Setting
from annotation_platform.core.statistics.ratings import Ratings


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


def random_halves(groups: Codes, *, seed: int) -> Codes:
    """0 or 1 for each judgment, (n,): its group's half of all groups, drawn at random; the second may have one more.

    As the groups of `held_out`, each half is predicted by what the other teaches.
    """
    names, group = np.unique(groups, return_inverse=True)
    in_second = np.random.default_rng(seed).permutation(len(names)) >= len(names) // 2
    return in_second.astype(np.int64)[group]


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


def mean_taus(judgments: ScoredJudgments, explanation_scores: Floats) -> tuple[float, float]:
    """Mean pairwise τ-b after rescaling by these scores: over all items, and in the incomplete setting.

    NaN where no pair of annotators has a τ.
    """
    numbers = judgments.scale_numbers
    rescaled = rescale(judgments.annotators, judgments.labels, judgments.explained, explanation_scores, numbers)
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


def _mean_tau(ratings: Ratings, setting: Setting) -> float:
    mean = pairwise_tau(ratings, setting).mean.value
    return np.nan if mean is None else mean
