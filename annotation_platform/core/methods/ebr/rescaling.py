"""Explanation-based rescaling (EBR): from scored explanations to one number a judgment.

Source: Wadhwa, Chen, Li and Durrett, "Using Natural Language Explanations to Rescale Human Judgments"
(COLM 2024), Algorithm 1 and equation 1. What happens where the paper is silent is said below.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Codes, Flags, Floats

LOWEST, HIGHEST = 0.0, 100.0


class RescalingError(ValueError):
    """The arrays given to `rescale` do not describe a set of judgments."""


class ScoreSource(StrEnum):
    """Where a rescaled value comes from."""

    MODEL = "model"
    """f: what a model read from this very label and explanation."""
    ANNOTATOR_MEAN = "g"
    """The mean of f over this annotator's judgments with this label."""
    LABEL_MEAN = "label_mean"
    """The mean of f over everybody's judgments with this label."""
    SCALE_NUMBER = "scale_number"
    """The number that the scale itself gives the label."""


_SOURCES = tuple(ScoreSource)


@dataclass(frozen=True, eq=False)
class Rescaling:
    """Rescaled judgments and the tables that they were made from.

    Attributes
    ----------
    values : (n,) float
        s', one per judgment, on 0..100.
    explanation_scores : (n,) float
        f, the model's scores as given; NaN where there was none.
    stand_ins : (n,) float
        ĝ, one per judgment: what stands in for f, and what f is mixed with.
    source_codes : (n,) int
        Where each value comes from, as a position in `ScoreSource`.
    annotators : (m,) int
        The annotator codes that occur, ascending: the rows of `annotator_means`.
    annotator_means : (m, k) float
        g, the mean of f per annotator and label; NaN where there is nothing to average.
    annotator_counts : (m, k) int
        How many judgments each of these means rests on.
    label_means, label_counts : (k,) float, (k,) int
        The same over all annotators.
    """

    values: Floats
    explanation_scores: Floats
    stand_ins: Floats
    source_codes: Codes
    annotators: Codes
    annotator_means: Floats
    annotator_counts: Codes
    label_means: Floats
    label_counts: Codes

    @cached_property
    def sources(self) -> list[ScoreSource]:
        """Where each value comes from."""
        return [_SOURCES[code] for code in self.source_codes.tolist()]

    def mixed(self, mixture: float) -> Floats:
        """The values for another λ: no table depends on it.

        Raises
        ------
        RescalingError
            λ outside [0, 1].
        """
        return _mixed(self.explanation_scores, self.stand_ins, mixture)

    def count_by_source(self) -> dict[ScoreSource, int]:
        """How many values come from each source; every source is listed."""
        counts = Counter(self.sources)
        return {source: counts[source] for source in ScoreSource}


def rescale(
    annotators: ArrayLike,
    labels: ArrayLike,
    has_explanation: ArrayLike,
    explanation_scores: ArrayLike | Sequence[float | None],
    scale_numbers: Sequence[float],
    *,
    mixture: float = 0.0,
) -> Rescaling:
    """Rescale ordinal judgments by their explanations (Algorithm 1).

    With f_i the model's score of judgment i by annotator j with label r::

        g(r, j) = mean of f over j's judgments with label r that have an explanation and a score
        s'_i    = λ·g(r, j) + (1 − λ)·f_i        where f_i exists
        s'_i    = ĝ(r, j)                        where it does not

    where ĝ is g; where g is undefined, the mean of f for label r over all annotators (explained and scored
    judgments only); where that is undefined too, the scale's own number for r.

    Parameters
    ----------
    annotators : (n,) int
        A code per annotator; any integers.
    labels : (n,) int
        Position of the chosen label in `scale_numbers`.
    has_explanation : (n,) bool
        Whether the annotator wrote an explanation.
    explanation_scores : (n,) float or None
        f, the model's score on 0..100; None or NaN where it gave nothing.
    scale_numbers : (k,) float
        The scale's own number of each label, on 0..100; see `hundred_point_numbers` for other scales.
    mixture : float, optional
        λ in [0, 1]. 0 is Algorithm 1; 1 replaces every score by the annotator's mean for the label.

    Returns
    -------
    Rescaling

    Raises
    ------
    RescalingError
        Lengths differ, a label is not on the scale, a score or a scale number lies outside 0..100, or λ
        outside [0, 1].

    Notes
    -----
    - A score for a judgment without an explanation stands as its value, but enters no mean. When λ > 0 and
      its g is undefined, ĝ takes g's place in the mixture.
    - The source of a mixed value is `MODEL`, because f is in it.
    - No judgments give empty arrays.
    - One pass of counting per table: O(n + m·k).
    """
    codes = _integers("annotators", annotators)
    label = _integers("labels", labels)
    explained = np.asarray(has_explanation, dtype=np.bool_)
    score = np.array(explanation_scores, dtype=np.float64)  # None becomes NaN; a copy, because the result keeps it
    numbers = np.asarray(scale_numbers, dtype=np.float64)
    _check(codes, label, explained, score, numbers)

    who, row = np.unique(codes, return_inverse=True)
    is_scored = ~np.isnan(score)
    counted = is_scored & explained
    shape = (len(who), len(numbers))
    cell = row * shape[1] + label
    cells = shape[0] * shape[1]
    counts = np.bincount(cell[counted], minlength=cells).astype(np.int64).reshape(shape)
    sums = np.bincount(cell[counted], score[counted], minlength=cells).astype(np.float64).reshape(shape)
    label_counts = counts.sum(axis=0)
    means = _mean(sums, counts)
    label_means = _mean(sums.sum(axis=0), label_counts)

    stand_in, stand_in_source = _stand_ins(means[row, label], label_means[label], numbers[label])
    return Rescaling(
        values=_mixed(score, stand_in, mixture),
        explanation_scores=score,
        stand_ins=stand_in,
        source_codes=np.where(is_scored, _SOURCES.index(ScoreSource.MODEL), stand_in_source),
        annotators=who,
        annotator_means=means,
        annotator_counts=counts,
        label_means=label_means,
        label_counts=label_counts,
    )


def hundred_point_numbers(numbers: Sequence[float], *, better: Literal["high", "low"] = "high") -> list[float]:
    """The numbers of a scale's labels on 0..100, where 0 is the worst label and 100 the best.

    Linear: ``100 · (x − worst) / (best − worst)``. A scale that already runs from 0 to 100 is left as it is.

    Raises
    ------
    RescalingError
        All labels have the same number, or one is not finite.
    """
    given = np.asarray(numbers, dtype=np.float64)
    if not given.size or not np.isfinite(given).all() or given.min() == given.max():
        raise RescalingError("A scale needs at least two labels with different, finite numbers.")
    worst, best = (given.min(), given.max()) if better == "high" else (given.max(), given.min())
    rescaled: list[float] = (HIGHEST * (given - worst) / (best - worst)).tolist()
    return rescaled


def _mixed(scores: Floats, stand_in: Floats, mixture: float) -> Floats:
    if not 0 <= mixture <= 1:
        raise RescalingError(f"mixture (λ) is {mixture}; it lies between 0 and 1.")
    mixed = scores if mixture == 0 else mixture * stand_in + (1 - mixture) * scores
    return np.where(np.isnan(scores), stand_in, mixed)


def _stand_ins(annotator_mean: Floats, label_mean: Floats, number: Floats) -> tuple[Floats, Codes]:
    """ĝ of each judgment, and the index of its source."""
    has_none = np.isnan(annotator_mean)
    no_mean = np.isnan(label_mean)
    value = np.where(has_none, np.where(no_mean, number, label_mean), annotator_mean)
    fallback = np.where(no_mean, _SOURCES.index(ScoreSource.SCALE_NUMBER), _SOURCES.index(ScoreSource.LABEL_MEAN))
    return value, np.where(has_none, fallback, _SOURCES.index(ScoreSource.ANNOTATOR_MEAN))


def _mean(sums: Floats, counts: Codes) -> Floats:
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _integers(name: str, values: ArrayLike) -> Codes:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise RescalingError(f"{name} must be integers, not {array.dtype}.")
    return array.astype(np.int64)


def _check(
    codes: Codes,
    label: Codes,
    explained: Flags,
    score: Floats,
    numbers: Floats,
) -> None:
    n = len(codes)
    for name, array in (("labels", label), ("has_explanation", explained), ("explanation_scores", score)):
        if array.shape != (n,):
            raise RescalingError(f"{name} has shape {array.shape}; each of {n} judgments needs one value.")
    if not numbers.size or not np.all((numbers >= LOWEST) & (numbers <= HIGHEST)):
        raise RescalingError("scale_numbers must give each label a number from 0 to 100.")
    if n and (label.min() < 0 or label.max() >= len(numbers)):
        raise RescalingError(f"labels must be positions 0..{len(numbers) - 1} on the scale.")
    outside = (score < LOWEST) | (score > HIGHEST)  # NaN compares false: no score is not a wrong score
    if outside.any():
        first = int(np.argmax(outside))
        raise RescalingError(f"explanation_scores[{first}] is {score[first]}; scores lie between 0 and 100.")
