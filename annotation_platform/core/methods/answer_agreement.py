"""How far verdicts on answers agree with people's: accuracy, and F1 of telling right answers from wrong ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class VerdictAgreement:
    """Accuracy, and F1 of *right*."""

    accuracy: Statistic
    f1: Statistic


def verdict_agreement(
    right: ArrayLike, said: ArrayLike, questions: ArrayLike, *, bootstrap: Bootstrap | None = None
) -> VerdictAgreement:
    """Agreement of verdicts with people's, with intervals from resampling whole questions.

    With tp, fp, fn the counts of answers rightly and wrongly taken as right, and wrongly taken as wrong::

        accuracy = answers on which both agree / answers
        F1       = 2 · tp / (2 · tp + fp + fn)

    Parameters
    ----------
    right, said : array-like of bool, shape (n,)
        What people say of each answer, and what the verdict is.
    questions : array-like, shape (n,)
        What the answer is to: the answers to one question are resampled together, as they share its difficulty.
    bootstrap : Bootstrap, optional

    Returns
    -------
    VerdictAgreement
        Both undefined without answers; F1 where neither people nor verdicts take any answer as right.

    Raises
    ------
    ValueError
        Shapes differ.
    """
    truth, verdicts = np.asarray(right, dtype=np.bool_), np.asarray(said, dtype=np.bool_)
    names, question = np.unique(np.asarray(questions), return_inverse=True)
    if not truth.shape == verdicts.shape == question.shape:
        raise ValueError(f"There are {truth.shape} answers, {verdicts.shape} verdicts, {question.shape} questions.")

    def of_questions(counted: NDArray[np.bool_]) -> FloatArray:
        return np.bincount(question, weights=counted, minlength=len(names)).astype(np.float64)

    agreed, n = of_questions(truth == verdicts), of_questions(np.ones_like(truth))
    twice_tp, wrong = 2 * of_questions(truth & verdicts), of_questions(truth != verdicts)

    def both(weights: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):  # a resample in which neither takes anything as right
            f1 = (twice_tp @ weights) / (twice_tp @ weights + wrong @ weights)
            return np.array([(agreed @ weights) / (n @ weights), f1])

    accuracy, f1 = both(np.ones((len(names), 1)))[:, 0] if len(names) else (np.nan, np.nan)
    samples = bootstrap.sample(both, len(names)) if bootstrap and len(names) else (None, None)

    def found(name: str, value: float, undefined_because: str, sample: FloatArray | None) -> Statistic:
        return statistic(
            value=value,
            undefined_because=undefined_because if len(truth) else "There are no answers.",
            n_items=len(names),
            n_raters=2,
            n_ratings=len(truth),
            sample=sample,
            bootstrap=bootstrap,
            signature=signature_line(name),
            n_items_resampled=len(names),
        )

    nothing = "Neither people nor the verdicts take any answer as right."
    return VerdictAgreement(found("accuracy", accuracy, "", samples[0]), found("f1", f1, nothing, samples[1]))
