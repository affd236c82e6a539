"""How many judgments a language model must score before a rescaler that learns from them may score the rest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.distilled.held_out import mean_taus, pearson_or_nan
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError
from annotation_platform.core.methods.distilled.rescaler import OUTPUTS, decide
from annotation_platform.core.methods.distilled.selection import AT_RANDOM, Choice, PartlyPaid, pay_for_a_part
from annotation_platform.core.methods.distilled.training import Settings, train_on_used_labels
from annotation_platform.core.methods.distilled.uncertainty import LEVEL, Coverage, compare_intervals, learn_uncertainty

CHOICES: Mapping[str, Choice] = {"random": AT_RANDOM, "active": Choice()}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class Spread:
    """A figure over several seeds: mean, standard deviation (n − 1; None for one seed) and extremes."""

    mean: float
    deviation: float | None
    low: float
    high: float
    seeds: int


@dataclass(frozen=True)
class CurvePoint:
    """What paying for a share of the judgments gives.

    Attributes
    ----------
    choice : str
        How the judgments to pay for were chosen.
    share, n_paid : float
        Share of the judgments at hand, and their mean number (a fold's, where some are held out).
    pearson : Spread or None
        The rescaler's scores of judgments not paid for, against the language model's.
    tau, tau_incomplete : Spread or None
        Mean pairwise τ-b of the rescaled judgments, over all items and in the incomplete setting.
    kept : Spread or None
        Share of the language model's gain that is kept, in the incomplete setting::

            (τ − τ of the raw labels) / (τ of the language model − τ of the raw labels)

    covered, width : Spread or None
        Share of the language model's scores inside the intervals of judgments not paid for; mean width in points.

    A figure is None where it is undefined for every seed: no judgment is left, no pair has a τ, or the language
    model does not gain anything.
    """

    choice: str
    share: float
    n_paid: float
    pearson: Spread | None
    tau: Spread | None
    tau_incomplete: Spread | None
    kept: Spread | None
    covered: Spread | None
    width: Spread | None


@dataclass(frozen=True, eq=False)
class _Trial:
    """The scores of one seed, and which of them are predictions that can be compared."""

    n_paid: float
    explanation_scores: Floats
    predicted: Floats
    low: Floats
    high: Floats


def learning_curve(
    judgments: ScoredJudgments,
    *,
    shares: Sequence[float] = SHARES,
    seeds: Sequence[int] = (0, 1, 2),
    choices: Mapping[str, Choice] = CHOICES,
    unseen: Codes | None = None,
    folds: int | None = None,
    settings: Settings | None = None,
) -> Iterator[CurvePoint]:
    """What each share of paid judgments gives, by each way to choose them; points come as they are done.

    Without `unseen` the study is as it would be: the judgments to pay for are chosen among all, those paid for
    keep the language model's score, and the rescaler scores the rest. With it, whole groups are held out in
    turn, a share of the *other* judgments is paid for, and every judgment is scored by a rescaler that was trained on
    those paid for and to which its group is new; nobody keeps the language model's score.

    Parameters
    ----------
    judgments : ScoredJudgments
        Scored by the language model; those without a score are left out.
    shares : floats in (0, 1]
        At 1 there is nothing to choose: one choice and one seed stand for all.
    unseen : (n,) int, optional
        The group of each judgment (its article, say).
    folds : int, optional
        By default one for each group.

    Raises
    ------
    TrainingError
        No judgment has a score and an explanation, or there are fewer groups than two or than folds.
    """
    scored = np.flatnonzero(~np.isnan(judgments.scores) & judgments.explained)
    if not len(scored):
        raise TrainingError("training.no_judgments")
    usable = judgments.take(scored)
    groups = None if unseen is None else unseen[scored]
    numbers = np.asarray(usable.scale_numbers)
    references = mean_taus(usable, numbers[usable.labels])[1], mean_taus(usable, usable.scores)[1]
    for share in shares:
        for name, choice in list(choices.items())[: 1 if share >= 1 else None]:
            trials = [
                _trial(usable, share, seed, choice, groups, folds, settings)
                for seed in (seeds[:1] if share >= 1 else seeds)
            ]
            yield _point(usable, name, share, trials, references)


def _trial(
    judgments: ScoredJudgments,
    share: float,
    seed: int,
    choice: Choice,
    groups: Codes | None,
    folds: int | None,
    settings: Settings | None,
) -> _Trial:
    def pay(rows: ScoredJudgments) -> PartlyPaid:
        budget = max(1, round(share * len(rows)))
        return pay_for_a_part(rows, rows.scores.__getitem__, budget, seed=seed, choice=choice, settings=settings)

    if groups is None:
        done = pay(judgments)
        low, high = done.uncertainty.interval(judgments.labels, done.outputs)
        predicted = decide(done.outputs)
        predicted[done.paid] = np.nan
        return _Trial(len(done.paid), done.explanation_scores, predicted, low, high)

    outputs = np.full((len(judgments), OUTPUTS), np.nan)
    low, high = np.full(len(judgments), np.nan), np.full(len(judgments), np.nan)
    paid = []
    for seen, held_out in _folds(groups, folds):
        at_hand, rows = judgments.take(seen), judgments.take(held_out)
        paid_for = at_hand.take(np.sort(pay(at_hand).paid))
        model = train_on_used_labels(paid_for, settings)
        outputs[held_out] = model.outputs(rows.labels, rows.explanations, rows.scale_numbers)
        uncertainty = learn_uncertainty(paid_for, folds=choice.folds, settings=settings)
        low[held_out], high[held_out] = uncertainty.interval(rows.labels, outputs[held_out])
        paid.append(len(paid_for))
    return _Trial(float(np.mean(paid)), decide(outputs), decide(outputs), low, high)


def _folds(groups: Codes, folds: int | None) -> Iterator[tuple[Codes, Codes]]:
    from sklearn.model_selection import GroupKFold

    n_groups = len(np.unique(groups))
    if n_groups < (folds or 2):
        raise TrainingError("training.too_few_groups", groups=n_groups, needed=folds or 2)
    yield from GroupKFold(n_splits=folds or n_groups).split(groups, groups=groups)


def _point(
    judgments: ScoredJudgments, name: str, share: float, trials: Sequence[_Trial], references: tuple[float, float]
) -> CurvePoint:
    taus = [mean_taus(judgments, trial.explanation_scores) for trial in trials]
    raw, best = references
    kept = [(tau - raw) / (best - raw) if best > raw else np.nan for _, tau in taus]
    inside = [_coverage(judgments, trial) for trial in trials]
    return CurvePoint(
        choice=name,
        share=share,
        n_paid=float(np.mean([trial.n_paid for trial in trials])),
        pearson=spread([_pearson(trial.predicted, judgments.scores) for trial in trials]),
        tau=spread([tau for tau, _ in taus]),
        tau_incomplete=spread([tau for _, tau in taus]),
        kept=spread(kept),
        covered=spread([each.share for each in inside]),
        width=spread([each.mean_width for each in inside]),
    )


def _coverage(judgments: ScoredJudgments, trial: _Trial) -> Coverage:
    compared = np.flatnonzero(~np.isnan(trial.predicted))
    return compare_intervals(judgments.take(compared), trial.low[compared], trial.high[compared], level=LEVEL)


def _pearson(predicted: Floats, scores: Floats) -> float:
    compared = ~np.isnan(predicted)
    return pearson_or_nan(predicted[compared], scores[compared])


def spread(values: Sequence[float | None]) -> Spread | None:
    """Mean, standard deviation and extremes of the defined values; None where none is."""
    known = np.array([value for value in values if value is not None and value == value], dtype=np.float64)
    if not len(known):
        return None
    return Spread(
        mean=float(known.mean()),
        deviation=float(known.std(ddof=1)) if len(known) > 1 else None,
        low=float(known.min()),
        high=float(known.max()),
        seeds=len(known),
    )
