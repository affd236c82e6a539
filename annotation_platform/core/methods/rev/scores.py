"""REV, LAS and RQ: three ways to score rationales from what an evaluator predicts with and without them.

All are pure functions of the evaluator's likelihoods or predictions; no model is needed here.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.differences import Difference, paired_bootstrap
from annotation_platform.core.statistics.means import group_means
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Ends, Statistic, signature_line

ENDS = (-1.0, 1.0)
"""Of `simulatability` and its means."""


@dataclass(frozen=True, slots=True)
class KindReport:
    """The scores of one kind of rationale.

    Attributes
    ----------
    kind : str
    mean : Statistic
        The corpus score of the kind.
    above_zero : float
        Share of its rationales with a score above 0.
    """

    kind: str
    mean: Statistic
    above_zero: float


@dataclass(frozen=True, slots=True)
class RationaleReport:
    """Corpus scores, overall and by kind of rationale.

    Attributes
    ----------
    overall : Statistic
    kinds : tuple of KindReport
        In the order in which the kinds first appear.
    steps : tuple of Difference
        Each kind's mean minus that of the kind after it, item by item.
    """

    overall: Statistic
    kinds: tuple[KindReport, ...]
    steps: tuple[Difference, ...]


def pointwise_rev(with_rationale: ArrayLike, baseline: ArrayLike) -> Floats:
    """REV of each rationale, in nats: log f[r, b](y) − log f[b](y).

    Parameters
    ----------
    with_rationale, baseline : array-like of float, shape (n,)
        Log-likelihood of the label y given the rationale r and the vacuous one b, and given b alone.

    Returns
    -------
    (n,) float
        Above 0: r adds information that supports y. About 0: it only says b again. Below 0: it speaks for something
        else. It says nothing about whether y is right.

    Raises
    ------
    ValueError
        Shapes differ, or a value is not a log-likelihood (above 0 or not finite).

    References
    ----------
    Chen, Brahman, Ren, Ji, Choi and Swayamdipta, REV, ACL 2023, equations 5 and 6.
    """
    given, without = np.asarray(with_rationale, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if given.shape != without.shape or given.ndim != 1:
        raise ValueError(f"There are likelihoods of shape {given.shape} and baselines of shape {without.shape}.")
    for values in (given, without):
        if not np.isfinite(values).all() or (values > 1e-6).any():
            raise ValueError("A log-likelihood is a finite number that is at most 0.")
    return np.asarray(given - without)


def simulatability(with_rationale: ArrayLike, without: ArrayLike) -> Floats:
    """1[ŷ | x, r] − 1[ŷ | x] of each rationale: −1, 0 or 1.

    Parameters
    ----------
    with_rationale, without : array-like of bool, shape (n,)
        Whether the evaluator predicts the label from input and rationale, and from the input alone. The label is the
        one that was predicted for LAS, and the gold one for RQ.
    """
    helped, alone = np.asarray(with_rationale, dtype=np.bool_), np.asarray(without, dtype=np.bool_)
    if helped.shape != alone.shape or helped.ndim != 1:
        raise ValueError(f"There are predictions of shape {helped.shape} and of shape {alone.shape}.")
    return helped.astype(np.float64) - alone


def rq(
    with_rationale: ArrayLike,
    without: ArrayLike,
    *,
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """RQ: the mean of `simulatability` with respect to the gold label; ``units`` as in `las`.

    References
    ----------
    Wiegreffe, Marasović and Smith, Measuring Association Between Labels and Free-Text Rationales, EMNLP 2021.
    """
    values = simulatability(with_rationale, without)
    return _mean(values, np.arange(len(values)), "rq", bootstrap, units, ENDS)


def las(
    with_rationale: ArrayLike,
    without: ArrayLike,
    leaks: ArrayLike,
    *,
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Leakage-adjusted simulatability: the mean of two means, over rationales that leak the label and that do not.

    ::

        LAS = ½ Σ_{k ∈ {0, 1}} mean of (1[ŷ | x, r] − 1[ŷ | x]) over the rationales with leak = k

    Parameters
    ----------
    with_rationale, without : array-like of bool, shape (n,)
        Whether the evaluator predicts ŷ from input and rationale, and from the input alone.
    leaks : array-like of bool, shape (n,)
        Whether it predicts ŷ from the rationale alone.
    units : array-like of int, shape (n,), optional
        What rationales are resampled together with, such as the article that they are about: codes from 0.

    Returns
    -------
    Statistic
        Undefined when all rationales leak or none does.

    References
    ----------
    Hase, Zhang, Xie and Bansal, Leakage-Adjusted Simulatability, Findings of EMNLP 2020, section 3.
    """
    values = simulatability(with_rationale, without)
    leak = np.asarray(leaks, dtype=np.bool_)
    codes = None if units is None else np.asarray(units, dtype=np.int64)
    if leak.shape != values.shape:
        raise ValueError(f"leaks has shape {leak.shape}; give one for each of {len(values)} rationales.")

    def of(weights: Floats) -> Floats:
        halves = []
        for group in (leak, ~leak):
            n = weights[group].sum(axis=0)
            halves.append(np.where(n > 0, values[group] @ weights[group] / np.where(n > 0, n, 1), np.nan))
        return np.asarray((halves[0] + halves[1]) / 2)

    whole = float(of(np.ones((len(values), 1)))[0])
    reason = None
    if np.isnan(whole):
        reason = (
            gettext_noop("There are no rationales.")
            if not len(values)
            else gettext_noop("All rationales leak.")
            if leak.all()
            else gettext_noop("No rationales leak.")
        )
    return statistic(
        value=None if reason else whole,
        undefined_because=reason,
        n_items=len(values),
        n_units=len(values if codes is None else np.unique(codes)),
        n_raters=1,
        n_ratings=len(values),
        sample=bootstrap.sample(of, len(values), units=codes) if bootstrap and len(values) else None,
        bootstrap=bootstrap,
        signature=signature_line("las"),
        n_items_resampled=len(values),
        scale="plain",
        ends=ENDS,
    )


def report(
    values: ArrayLike,
    items: Sequence[Hashable],
    kinds: Sequence[str],
    *,
    name: str = "rev",
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> RationaleReport:
    """The corpus score, which is the mean, overall and by kind of rationale, with the steps from kind to kind.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        Of `pointwise_rev` or `simulatability`.
    items : sequence of hashable, length n
        What the rationale is about. The rationales of one item are resampled together, so that the steps are paired.
    kinds : sequence of str, length n
        Where it comes from: people, a model, a vacuous one.
    units : array-like of int, shape (n,), optional
        What items are resampled together with, such as an article: codes from 0, one a rationale.
    name : str
        Of the score, for the signature, with the evaluator: ``rev|evaluator:…``.

    References
    ----------
    Chen and others, REV, ACL 2023, equation 7 and figure 2.
    """
    scores = np.asarray(values, dtype=np.float64)
    if not len(scores) == len(items) == len(kinds):
        raise ValueError(f"There are {len(scores)} values, {len(items)} items and {len(kinds)} kinds.")
    codes, names = _codes(items), list(dict.fromkeys(kinds))
    kind = np.array([names.index(each) for each in kinds], dtype=np.int64)
    means = _means(scores, codes, kind, len(names), name, bootstrap, units)
    return RationaleReport(
        overall=_mean(scores, codes, name, bootstrap, units),
        kinds=tuple(
            KindReport(each, mean, float((scores[kind == place] > 0).mean()))
            for place, (each, mean) in enumerate(zip(names, means, strict=True))
        ),
        steps=tuple(paired_bootstrap(after, before) for before, after in pairwise(means)),
    )


def _codes(items: Sequence[Hashable]) -> Codes:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(item, len(known)) for item in items], dtype=np.int64)


def _mean(
    values: Floats,
    items: Codes,
    name: str,
    bootstrap: Bootstrap | None,
    units: ArrayLike | None,
    ends: Ends | None = None,
) -> Statistic:
    return _means(values, items, np.zeros(len(values), dtype=np.int64), 1, name, bootstrap, units, ends)[0]


def _means(
    values: Floats,
    items: Codes,
    kinds: Codes,
    n: int,
    name: str,
    bootstrap: Bootstrap | None,
    units: ArrayLike | None,
    ends: Ends | None = None,
) -> tuple[Statistic, ...]:
    of_item = None
    if units is not None:
        of_item = np.zeros(int(items.max(initial=-1)) + 1, dtype=np.int64)
        of_item[items] = units
    ratings = Ratings.from_arrays(items, kinds, values, units=of_item, ends=ends, repeated="cross")
    means = group_means(ratings, kinds, n, bootstrap=bootstrap)
    return tuple(replace(mean, signature=f"{name}|{mean.signature}") for mean in means)
