"""Which judgments to send to the language model, so that a distilled rescaler may score the rest.

The choice sees labels, explanations, who judged what, and the scores that were paid for already; never a score
that was not paid for.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
from annotation_platform.core.methods.distilled.rescaler import Distilled, decide
from annotation_platform.core.methods.distilled.training import OWN_READINGS, Settings, train_on_used_labels
from annotation_platform.core.methods.distilled.uncertainty import Uncertainty, learn_uncertainty
from annotation_platform.core.statistics.joins import join_raters
from annotation_platform.core.statistics.ratings import Ratings

Ask = Callable[[Codes], Floats]
"""Sends the judgments at these positions to the language model; returns their scores, NaN where it gave none."""


@dataclass(frozen=True)
class Choice:
    """How to choose.

    Attributes
    ----------
    rounds : int
        The budget is spent in so many parts of equal size; each learns from those before it.
    folds : int
        Folds by which a round's model is tried on judgments that it has not seen.
    sharpness : float
        A judgment's chance goes with the expected effect of paying for it to this power; 0 is at random.
    floor : float
        Share of the weight that all judgments get alike, so that none is without a chance.
    twins_once : bool
        Whether a judgment whose label and explanation (but for case and spacing) were sent already waits until
        no others are left: its twin has taught the rescaler the same.
    tolerance : float
        Points: a judgment whose expected error is known to be at most this is not sent, and when no other is
        left the rest of the budget is kept. 0 spends all of it.
    """

    rounds: int = 4
    folds: int = 3
    sharpness: float = 3.0
    floor: float = 0.1
    twins_once: bool = True
    tolerance: float = 0.0


AT_RANDOM = Choice(rounds=1, sharpness=0.0, twins_once=False)


@dataclass(frozen=True, eq=False)
class PartlyPaid:
    """Judgments of which a chosen part was scored by the language model, and the rest by what it taught.

    Attributes
    ----------
    paid : (p,) int
        Positions that were sent, in order.
    explanation_scores : (n,) float
        The language model's own score where it gave one, else the rescaler's; NaN where neither did.
    outputs : (n, 3) float
        The rescaler's outputs for every judgment; `distilled.decide` makes scores of them.
    uncertainty : Uncertainty
        Of the rescaler's scores.
    model : Distilled
        Trained on all that was paid for.
    """

    paid: Codes
    explanation_scores: Floats
    outputs: Floats
    uncertainty: Uncertainty
    model: Distilled


def pay_in_rounds(
    judgments: ScoredJudgments,
    budget: int,
    *,
    seed: int,
    choice: Choice = Choice(),
    settings: Settings | None = None,
) -> Generator[Codes, Floats, PartlyPaid]:
    """Choose at most `budget` judgments for the language model, and score the rest by what can be learned from them.

    A generator: it yields the positions to send in each round, none of them twice, and is to be sent their scores,
    NaN where the language model gave none; at its end it returns the result.

    The first round takes judgments of every label and annotator in turn. In each, judgment i comes in the
    order of a random key of rate::

        (w_i · σ_i) ^ sharpness      w_i its importance, σ_i the expected error of the rescaler's score of it

    with σ = 100 points before anything is known.

    Parameters
    ----------
    judgments : ScoredJudgments
        Their scores are not looked at.
    budget : int
        Judgments with a blank explanation are never sent.
    seed : int
        The same seed, judgments and scores make the same choice.
    settings : Settings, optional
        By default `OWN_READINGS`.

    Returns
    -------
    PartlyPaid
        Where the language model failed to give a score, the score is a prediction.

    Raises
    ------
    TrainingError
        Nothing was sent, or the language model scored nothing of it.
    """
    settings = settings or OWN_READINGS
    rng = np.random.default_rng(seed)
    known = replace(judgments, scores=np.full(len(judgments), np.nan))
    base = importance(judgments, floor=choice.floor)
    twins = _twins(judgments)
    open_ = judgments.explained.copy()
    sigma = np.full(len(judgments), 100.0)  # nothing is known yet
    paid = np.empty(0, dtype=np.int64)
    budget = min(budget, int(open_.sum()))
    ends = np.linspace(0, budget, min(choice.rounds, max(budget, 1)) + 1).astype(int)
    for end in ends[1:]:
        order = _order((base * sigma) ** choice.sharpness, open_ & (sigma > choice.tolerance), rng)
        if not len(paid) and choice.sharpness:
            order = _in_turn(order, judgments)
        if choice.twins_once:
            order = _twins_last(order, twins, paid)
        chosen = order[: end - len(paid)]
        if not len(chosen):
            break
        known.scores[chosen] = yield chosen
        open_[chosen] = False
        paid = np.concatenate([paid, chosen])
        if end < ends[-1] and not np.isnan(known.scores).all():
            sigma = _expected_errors(known, paid, choice, settings)
    return _finish(known, paid, choice, settings)


def pay_for_a_part(
    judgments: ScoredJudgments,
    ask: Ask,
    budget: int,
    *,
    seed: int,
    choice: Choice = Choice(),
    settings: Settings | None = None,
) -> PartlyPaid:
    """`pay_in_rounds` with a function that gives the scores of the positions it is called with."""
    rounds = pay_in_rounds(judgments, budget, seed=seed, choice=choice, settings=settings)
    try:
        chosen = next(rounds)
        while True:
            chosen = rounds.send(ask(chosen))
    except StopIteration as end:
        done: PartlyPaid = end.value
        return done


def importance(judgments: ScoredJudgments, *, floor: float = 0.0) -> Floats:
    """How much each judgment's score can move the mean τ of the incomplete setting: (n,), with mean 1.

    Over the joined rows of all pairs of annotators without those in which both chose the best label::

        w_i = Σ 1 / n_ab      over the rows that hold i, n_ab the number of rows of the row's pair a, b

    because τ of a pair is a mean over its rows, and all pairs count alike. When no two annotators share an item
    outside of those, all judgments are alike. `floor` mixes in so much of equal weights.
    """
    best = judgments.labels == len(judgments.scale_numbers) - 1
    ratings = Ratings.from_arrays(
        judgments.items, judgments.annotators, judgments.labels.astype(np.float64), repeated="cross", best=best
    )
    rows = join_raters(ratings)
    rows = rows.part(~(best[rows.first] & best[rows.second]))
    in_pair = np.bincount(rows.pair, minlength=len(rows.rater_a))
    weight = np.zeros(len(judgments))
    for side in (rows.first, rows.second):
        weight += np.bincount(side, 1 / in_pair[rows.pair], minlength=len(judgments))
    if not weight.any():
        return np.ones(len(judgments))
    mixed: Floats = (1 - floor) * weight / weight.mean() + floor
    return mixed


def _finish(known: ScoredJudgments, paid: Codes, choice: Choice, settings: Settings | None) -> PartlyPaid:
    model = train_on_used_labels(known.take(paid), settings)
    outputs = model.outputs(known.labels, known.explanations, known.scale_numbers)
    return PartlyPaid(
        paid=paid,
        explanation_scores=np.where(np.isnan(known.scores), decide(outputs), known.scores),
        outputs=outputs,
        uncertainty=learn_uncertainty(known.take(paid), folds=choice.folds, settings=settings),
        model=model,
    )


def _expected_errors(known: ScoredJudgments, paid: Codes, choice: Choice, settings: Settings | None) -> Floats:
    finished = _finish(known, paid, choice, settings)
    return finished.uncertainty.spread(known.labels, finished.outputs)


def _order(rates: Floats, eligible: Flags, rng: np.random.Generator) -> Codes:
    """The eligible positions in the order of exponential random keys with these rates; a rate of 0 is at infinity."""
    with np.errstate(over="ignore"):
        keys = rng.exponential(size=len(rates)) / np.maximum(rates, np.finfo(np.float64).tiny)
    order = np.argsort(keys, kind="stable")
    return order[eligible[order]]


def _in_turn(order: Codes, judgments: ScoredJudgments) -> Codes:
    """The same positions: one of each label, then one of each label and annotator in turn."""
    labels, annotators = judgments.labels[order], judgments.annotators[order]
    again = _occurrence(labels) > 0
    turn = _occurrence(labels * (judgments.annotators.max(initial=0) + 1) + annotators)
    return order[np.lexsort((turn, again))]


def _occurrence(codes: Codes) -> Codes:
    """How often each element's code came before it."""
    by_code = np.argsort(codes, kind="stable")
    is_first = np.r_[True, np.diff(codes[by_code]) != 0][: len(codes)]
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(codes)), 0))
    before = np.empty(len(codes), dtype=np.int64)
    before[by_code] = np.arange(len(codes)) - starts
    return before


def _twins(judgments: ScoredJudgments) -> Codes:
    """A code for each label and explanation, case and spacing aside."""
    known: dict[tuple[int, str], int] = {}
    texts = (" ".join(text.casefold().split()) for text in judgments.explanations)
    pairs = zip(judgments.labels.tolist(), texts, strict=True)
    return np.array([known.setdefault(pair, len(known)) for pair in pairs], dtype=np.int64)


def _twins_last(order: Codes, twins: Codes, paid: Codes) -> Codes:
    """The same positions: those without a twin among the paid or before them come first."""
    waits = (_occurrence(twins[order]) > 0) | np.isin(twins[order], twins[paid])
    return order[np.argsort(waits, kind="stable")]
