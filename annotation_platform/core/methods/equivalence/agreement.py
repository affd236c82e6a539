"""How far verdicts on answers agree with people's: accuracy, F1 of telling right answers from wrong ones, macro-F1."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.statistics.ratings import Ratings
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.shares import group_shares
from annotation_platform.core.statistics.verdicts import NO_ANSWERS, NONE_RIGHT, macro_f1


@dataclass(frozen=True, slots=True)
class VerdictAgreement:
    """Accuracy, F1 of *right*, and its mean with that of *wrong*."""

    accuracy: Statistic
    f1: Statistic
    macro_f1: Statistic


def verdict_agreement(
    right: ArrayLike,
    said: ArrayLike,
    questions: ArrayLike,
    *,
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> VerdictAgreement:
    """Agreement of verdicts with people's. Questions, or their units, are those of both intervals: that of accuracy is
    Wilson's (`core.statistics.shares`), that of F1 resamples them. Macro-F1 is `core.statistics.verdicts.macro_f1`.

    With tp, fp, fn the counts of answers rightly and wrongly taken as right, and wrongly taken as wrong::

        accuracy = answers on which both agree / answers
        F1       = 2 · tp / (2 · tp + fp + fn)

    Parameters
    ----------
    right, said : array-like of bool, shape (n,)
        What people say of each answer, and what the verdict is.
    questions : array-like, shape (n,)
        What the answer is to: the answers to one question are resampled together, as they share its difficulty.
    units : array-like, shape (n,), optional
        What questions are drawn together with, such as an article.
    bootstrap : Bootstrap, optional

    Returns
    -------
    VerdictAgreement
        All undefined without answers; F1 where neither people nor verdicts take any answer as right.

    Raises
    ------
    ValueError
        Shapes differ.
    """
    truth, verdicts = np.asarray(right, dtype=np.bool_), np.asarray(said, dtype=np.bool_)
    names, first, question = np.unique(np.asarray(questions), return_index=True, return_inverse=True)
    if not truth.shape == verdicts.shape == question.shape:
        raise ValueError(f"There are {truth.shape} answers, {verdicts.shape} verdicts, {question.shape} questions.")

    def of_questions(counted: Flags) -> Floats:
        return np.bincount(question, weights=counted, minlength=len(names)).astype(np.float64)

    twice_tp, wrong = 2 * of_questions(truth & verdicts), of_questions(truth != verdicts)

    def f1_of(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # a resample in which neither takes anything as right
            return np.asarray((twice_tp @ weights) / (twice_tp @ weights + wrong @ weights))

    nobody = np.zeros_like(question)
    unit = None if units is None else np.unique(np.asarray(units)[first], return_inverse=True)[1].astype(np.int64)
    equal = (truth == verdicts).astype(np.float64)
    agreed = Ratings.from_arrays(question, nobody, equal, units=unit, repeated="cross")
    (accuracy,) = group_shares(agreed, nobody, 1, name="accuracy", undefined_because=NO_ANSWERS)
    f1 = statistic(
        value=float(f1_of(np.ones((len(names), 1)))[0]) if len(names) else None,
        undefined_because=NONE_RIGHT if len(truth) else NO_ANSWERS,
        n_items=len(names),
        n_units=agreed.n_units_of(question),
        n_raters=2,
        n_ratings=len(truth),
        sample=bootstrap.sample(f1_of, len(names), units=unit) if bootstrap and len(names) else None,
        bootstrap=bootstrap,
        signature=signature_line("f1"),
        ends=(0.0, 1.0),
        n_items_resampled=len(names),
    )
    both = macro_f1(truth, verdicts, questions, units=units, bootstrap=bootstrap)
    return VerdictAgreement(replace(accuracy, n_raters=2), f1, both)
