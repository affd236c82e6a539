"""The figures of a study that pages show with an interval or a test, each as a function of a world."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np
from scipy.special import logit

from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    Measure,
    PairTau,
    Ratings,
    Statistic,
    drift,
    fleiss_kappa,
    gwet_ac,
    icc2,
    krippendorff_alpha,
    krippendorff_alpha_of_sets,
    label_distributions,
    leniency,
    number_of_raters,
    paired_bootstrap,
    pairwise_agreement,
    pairwise_tau,
    percent_agreement,
    replacement,
    self_consistency,
    severity_shift,
    spearman,
    vote_curve,
)
from annotation_platform.core.statistics.alternative_annotator import alternative_annotator
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.clustered_means import clustered_difference
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.number_of_raters import VoteCurve
from annotation_platform.core.statistics.own_order import own_order
from annotation_platform.core.statistics.pairs import PairAgreement
from annotation_platform.core.statistics.shares import grouped_share
from annotation_platform.core.statistics.stepped_up import spearman_brown
from annotation_platform.core.statistics.with_others import agreement_with_others, tau_with_others
from tests.core.coverage.worlds import CUTS, LABELS, LENIENCY, World

ALL_RATERS, SOME_RATERS, NEEDED_FOR = len(LENIENCY), 3, 0.8
JUDGED_AGAIN = -0.5  # a normal number below it, so that three judgments of ten have a second one


@dataclass(frozen=True)
class Found:
    """A figure of one world: its value, its interval, and the p of a test of no difference where none is planted."""

    value: float | None
    interval: tuple[float, float] | None
    p_value: float | None = None


Figure = Callable[[World, Bootstrap | None], Found]


def of(found: Statistic) -> Found:
    return Found(found.value, found.interval and (found.interval.low, found.interval.high))


def _mean_votes(world: World) -> np.ndarray:
    ratings = world.ratings
    n = np.maximum(ratings.per_item(), 1)
    return np.bincount(ratings.items, ratings.values, minlength=ratings.n_items) / n


def _by_question(values: np.ndarray, world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of each system's answer to each question, and the question's article."""
    judged = world.ratings.per_item() > 0
    known = np.where(judged, values, np.nan)
    return known[world.system == 0], known[world.system == 1], world.article[world.system == 0]


def _system_mean(world: World, bootstrap: Bootstrap | None) -> Found:
    ratings = replace(world.ratings, ends=(0.0, 100.0))
    return of(scale_means(ratings, world.system[ratings.items], 2, bootstrap=bootstrap)[0])


def _difference(world: World, bootstrap: Bootstrap | None) -> Found:
    found = clustered_difference(*_by_question(_mean_votes(world), world))
    return Found(found.value, found.interval and (found.interval.low, found.interval.high), found.p_value)


def _preferred(world: World, bootstrap: Bootstrap | None) -> Found:
    """How often the second system's answer is called better, a tie as half, over judgments of one annotator each."""
    ratings = world.ratings
    wide = np.full((ratings.n_items, ratings.n_raters), np.nan)
    wide[ratings.items, ratings.raters] = ratings.values
    apart = wide[world.system == 1] - wide[world.system == 0]
    question, rater = np.nonzero(~np.isnan(apart))
    outcomes = (np.sign(apart[question, rater]) + 1) / 2
    found = grouped_share(outcomes, world.article[world.system == 0][question])
    return Found(found.value, found.interval, found.p_value)


def _best_label(world: World, bootstrap: Bootstrap | None) -> Found:
    return of(label_distributions(world.ratings, [0, 30, 70, 100])[0].shares[3].share)


def _best_label_of_annotator(world: World, bootstrap: Bootstrap | None) -> Found:
    raters = world.ratings.raters
    found = label_distributions(world.ratings, [0, 30, 70, 100], groups=raters, n_groups=5)
    return of(found[0].shares[3].share)


def _accuracy(world: World, bootstrap: Bootstrap | None) -> Found:
    right = (world.model >= 70) == (_mean_votes(world) >= 50)
    found = grouped_share(right.astype(float), world.unit)
    return Found(found.value, found.interval)


def _scores(world: World) -> Ratings:
    """The judgments as a rescaling leaves them: drawn half-way towards what the answer is worth."""
    ratings = world.ratings
    values = 0.5 * ratings.values + 50 * world.quality[ratings.items]
    return replace(ratings, numbers=values)


def _changed(world: World, bootstrap: Bootstrap | None) -> Found:
    before, after = (pairwise_tau(each, bootstrap=bootstrap).mean for each in (world.ratings, _scores(world)))
    found = paired_bootstrap(before, after)
    return Found(found.value, found.interval and (found.interval.low, found.interval.high))


def tested(found: Difference) -> Found:
    return Found(found.value, found.interval and (found.interval.low, found.interval.high), found.p_value)


def _noise(world: World, size: int) -> np.ndarray:
    """Noise of the world's own, without which what follows would draw other worlds."""
    return np.random.default_rng(crc32(world.quality.tobytes())).normal(0, 1, size)


def _rescaled_twice(world: World) -> tuple[Ratings, Ratings]:
    """Two rescalings that differ by luck alone, so that no coefficient of theirs differs in truth."""
    scores = _scores(world)
    noise = _noise(world, 2 * len(scores)).reshape(2, -1)
    first, second = (replace(scores, numbers=scores.values + 15 * each) for each in noise)
    return first, second


def _no_change_of_tau(world: World, bootstrap: Bootstrap | None) -> Found:
    return tested(paired_bootstrap(*(pairwise_tau(each, bootstrap=bootstrap).mean for each in _rescaled_twice(world))))


def _no_change_of_alpha(world: World, bootstrap: Bootstrap | None) -> Found:
    both = (krippendorff_alpha(each, "interval", bootstrap=bootstrap) for each in _rescaled_twice(world))
    return tested(paired_bootstrap(*both))


def _no_shift(world: World, bootstrap: Bootstrap | None) -> Found:
    return tested(severity_shift(*_rescaled_twice(world), bootstrap=bootstrap)[0])


def _score_behind_label(world: World, bootstrap: Bootstrap | None) -> Found:
    label = np.searchsorted([0, 30, 70, 100], world.ratings.values)
    return of(scale_means(replace(_scores(world), ends=(0.0, 100.0)), label, 4, bootstrap=bootstrap)[2])


def _no_drift(world: World, bootstrap: Bootstrap | None) -> Found:
    """Items come to each annotator in random order, so that nothing rises or falls with it."""
    times = _noise(world, len(world.ratings))
    return of(drift(world.ratings, times, bootstrap=bootstrap)[0])


def _sets(world: World, bootstrap: Bootstrap | None) -> Found:
    """Sentences cited: the better an answer, the more."""
    codes = np.searchsorted([0, 30, 70, 100], world.ratings.values)
    sets = [frozenset(range(size)) for size in range(1, 5)]
    return of(krippendorff_alpha_of_sets(replace(world.ratings, numbers=codes), sets, "masi", bootstrap=bootstrap))


def _of_pair(found: PairTau | PairAgreement) -> Found:
    value = found.tau if isinstance(found, PairTau) else found.value
    return Found(value, found.interval and (found.interval.low, found.interval.high))


def _replaced(world: World, bootstrap: Bootstrap | None) -> Found:
    items = np.arange(world.ratings.n_items)
    model = Ratings.from_arrays(items, np.zeros_like(items), world.model, n_items=len(items), repeated="error")
    found = tested(replacement(world.ratings, model, "ordinal", draws=1, bootstrap=bootstrap).change)
    return replace(found, p_value=None)  # it does change, so that nothing true is rejected


@lru_cache(maxsize=1)  # two figures are read off it
def _votes_curve(world: World, bootstrap: Bootstrap | None) -> VoteCurve | None:
    """The vote of some beside that of all five, on the items that all five judged."""
    if not (world.ratings.per_item() == ALL_RATERS).any():
        return None
    return vote_curve(world.ratings, better="high", n_full=ALL_RATERS, draws=1, bootstrap=bootstrap)


def _vote_of_some(world: World, bootstrap: Bootstrap | None) -> Found:
    curve = _votes_curve(world, bootstrap)
    return of(curve.points[SOME_RATERS - 1].alone) if curve else Found(None, None)


def _raters_needed(world: World, bootstrap: Bootstrap | None) -> Found:
    curve = _votes_curve(world, bootstrap)
    found = number_of_raters(curve, NEEDED_FOR) if curve else None
    if found is None or found.low is None or found.high is None:
        return Found(found and found.n_raters, None)
    return Found(found.n_raters, (found.low, found.high))


def _judged_again(world: World) -> Ratings:
    """Some judgments of each annotator made a second time, without remembering the first."""
    ratings = world.ratings
    chosen, noise = _noise(world, 2 * len(ratings)).reshape(2, -1)
    again = chosen < JUDGED_AGAIN
    items, raters = ratings.items[again], ratings.raters[again]
    seen = logit(world.quality[items]) + LENIENCY[raters] + 0.8 * noise[again]
    return Ratings.from_arrays(
        np.r_[ratings.items, items],
        np.r_[ratings.raters, raters],
        np.r_[ratings.values, LABELS[np.searchsorted(CUTS, seen)]],
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        units=world.unit,
        ends=(0.0, 100.0),
        repeated="cross",
    )


def _f1(world: World, bootstrap: Bootstrap | None) -> Found:
    people, model = _mean_votes(world) >= 50, world.model >= 70
    return of(verdict_agreement(people, model, world.question, units=world.unit, bootstrap=bootstrap).f1)


FIGURES: dict[str, Figure] = {
    "share of a label": _best_label,
    "share of a label, one annotator": _best_label_of_annotator,
    "accuracy of a model": _accuracy,
    "share of judgments that prefer a system": _preferred,
    "same label as others, one annotator": lambda w, b: of(agreement_with_others(w.ratings)[0]),
    "percent agreement": lambda w, b: of(percent_agreement(w.ratings)),
    "mean of a system": _system_mean,
    "paired difference of two systems": _difference,
    "Krippendorff α, ordinal": lambda w, b: of(krippendorff_alpha(w.ratings, "ordinal", bootstrap=b)),
    "reliability of three (Spearman–Brown)": lambda w, b: of(
        spearman_brown(krippendorff_alpha(w.ratings, "interval", bootstrap=b), 3)
    ),
    "Fleiss κ": lambda w, b: of(fleiss_kappa(w.ratings, 4, bootstrap=b)),
    "Gwet AC2": lambda w, b: of(gwet_ac(w.ratings, scale=[0, 30, 70, 100], weights="quadratic", bootstrap=b)),
    "Cohen κ, quadratic, mean over pairs": lambda w, b: of(
        pairwise_agreement(w.ratings, Measure.COHEN_QUADRATIC, bootstrap=b).mean
    ),
    "Kendall τ-b, mean over pairs": lambda w, b: of(pairwise_tau(w.ratings, bootstrap=b).mean),
    "change of τ by rescaling": _changed,
    "ICC(2,1)": lambda w, b: of(icc2(w.ratings, bootstrap=b).single),
    "Spearman ρ with a model": lambda w, b: of(spearman(_mean_votes(w), w.model, units=w.unit, bootstrap=b)),
    "Pearson r with a model": lambda w, b: of(clustered_pearson(_mean_votes(w), w.model, w.unit, bootstrap=b)),
    "leniency of an annotator": lambda w, b: of(leniency(w.ratings, bootstrap=b)[0]),
    "Cohen κ of labels, mean over pairs": lambda w, b: of(
        pairwise_agreement(w.ratings, Measure.COHEN, bootstrap=b).mean
    ),
    "Cohen κ of labels, one pair": lambda w, b: _of_pair(
        pairwise_agreement(w.ratings, Measure.COHEN, bootstrap=b).pairs[0]
    ),
    "Kendall τ-b, one pair": lambda w, b: _of_pair(pairwise_tau(w.ratings, bootstrap=b).pairs[0]),
    "Kendall τ-b, one annotator": lambda w, b: of(tau_with_others(pairwise_tau(w.ratings, bootstrap=b))[0]),
    "Krippendorff α of sets, MASI": _sets,
    "change of α with a model in one's place": _replaced,
    "no change of τ": _no_change_of_tau,
    "no change of α": _no_change_of_alpha,
    "no shift of an annotator": _no_shift,
    "no drift of an annotator": _no_drift,
    "mean score behind a label": _score_behind_label,
    "ICC(2,k)": lambda w, b: of(icc2(w.ratings, bootstrap=b).average),
    "share of own pairs reversed": lambda w, b: of(own_order(w.ratings, _scores(w), bootstrap=b)[0].reversed),
    "variance left by rescaling": lambda w, b: of(own_order(w.ratings, _scores(w), bootstrap=b)[0].spread),
    "F1 of a model's verdicts": _f1,
    "ρ of the vote of three with that of five": _vote_of_some,
    "annotators needed for ρ = .8": _raters_needed,
    "same judgment again, one annotator": lambda w, b: of(self_consistency(_judged_again(w), bootstrap=b)[0].same),
    "distance when judged again, one annotator": lambda w, b: of(
        self_consistency(_judged_again(w), bootstrap=b)[0].distance
    ),
    "advantage probability of a model": lambda w, b: of(
        alternative_annotator(w.ratings, w.model, "ordinal", bootstrap=b).advantage
    ),
}
