"""Verdicts beside people's where right answers are more than wrong ones: macro-F1, and the area under the ROC curve.

Both weigh what people call right and what they call wrong alike, however many there are of each. They rest on the units
(articles, else questions) of the rarer one: of these there must be enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_UNITS, UnitName, units_in_words
from annotation_platform.core.reasons import Reason, gettext_noop
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Interval, Statistic, signature_line
from annotation_platform.core.statistics.wilson import LEVEL, freedom_of

NO_ANSWERS = gettext_noop("There are no answers.")
NONE_RIGHT = gettext_noop("Neither people nor the verdicts take any answer as right.")
NONE_WRONG = gettext_noop("Neither people nor the verdicts take any answer as wrong.")
ALL_RIGHT = gettext_noop("People take every answer as right, so that there is no wrong one to compare with.")
ALL_WRONG = gettext_noop("People take every answer as wrong, so that there is no right one to compare with.")
NOTHING_VARIES = gettext_noop(
    "All right answers stand alike to the wrong ones, so that nothing says how it would be for others."
)
UNDEFINED = gettext_noop("The statistic itself is undefined.")
_ROUNDING = 1e-20


def macro_f1(
    right: ArrayLike,
    said: ArrayLike,
    questions: ArrayLike,
    *,
    units: ArrayLike | None = None,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Mean of the F1 of *right* and the F1 of *wrong*.

    With tp and tn the counts of answers that both take as right, and as wrong, and d of those on which they differ::

        macro-F1 = (2 tp / (2 tp + d) + 2 tn / (2 tn + d)) / 2

    Its interval resamples units, on the scale of coefficients with fewest units (`resampling`).

    Parameters
    ----------
    right, said : array-like of bool, shape (n,)
        What people say of each answer, and what the verdict is.
    questions : array-like, shape (n,)
        What the answer is to.
    units : array-like, shape (n,), optional
        What questions are drawn together with, such as an article; by default the question itself.
    bootstrap : Bootstrap, optional

    Returns
    -------
    Statistic
        Undefined where neither people nor verdicts take any answer as right, or none as wrong: the F1 of that is 0/0.
        Without an interval where what people take as right, or as wrong, is in fewer than 8 units; ``n_units`` counts
        those of the rarer one.

    Raises
    ------
    ValueError
        Shapes differ.

    References
    ----------
    Opitz and Burst (2019), Macro F1 and Macro F1, arXiv 1911.03347 (the mean of F1s). Checked against `scikit-learn`
    (``f1_score(average="macro")``), which takes 0/0 as 0. Coverage: ``docs/reference/statistics/coverage.md``.
    """
    given = _Answers.of(right, questions, units)
    verdicts = np.asarray(said, dtype=np.bool_)
    if verdicts.shape != given.right.shape:
        raise ValueError(f"There are {given.right.shape} answers and {verdicts.shape} verdicts.")
    both = np.stack([given.by_unit(given.right & verdicts), given.by_unit(~given.right & ~verdicts)])
    apart = given.by_unit(given.right != verdicts)

    def of(weights: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # a resample without one of the two
            twice = 2 * both @ weights
            return np.asarray((twice / (twice + apart @ weights)).mean(axis=0))

    n, n_units = len(given.right), given.n_units
    few = given.too_few(bootstrap.unit if bootstrap else None)
    found = statistic(
        value=float(of(np.ones((both.shape[1], 1)))[0]) if n else None,
        undefined_because=(NONE_WRONG if (given.right | verdicts).all() else NONE_RIGHT) if n else NO_ANSWERS,
        n_items=given.n_questions,
        n_units=n_units,
        n_raters=2,
        n_ratings=n,
        sample=bootstrap.sample(of, both.shape[1]) if bootstrap and not few else None,
        bootstrap=bootstrap,
        signature=signature_line("macro-f1"),
        ends=(0.0, 1.0),
        n_items_resampled=given.n_questions,
    )
    return replace(found, no_interval_because=few) if bootstrap and few and found.value is not None else found


def area_under_curve(
    right: ArrayLike,
    scores: ArrayLike,
    questions: ArrayLike,
    *,
    units: ArrayLike | None = None,
    level: float = LEVEL,
    unit: UnitName | None = None,
) -> Statistic:
    """How often a right answer has a higher score than a wrong one, equal scores as half: the area under the ROC curve.

    With m right and n wrong answers and ψ(x, y) = 1 where x > y, ½ where x = y, else 0::

        V_i = Σ_j ψ(x_i, y_j) / n       of each right answer; V_j = Σ_i ψ(x_i, y_j) / m of each wrong one
        AUC = Σ_i V_i / m

    With a_g the sum of V_i − AUC over the right answers of unit g, b_g that of V_j − AUC over its wrong ones, K units,
    k of them with right answers and l with wrong ones::

        V   = k / (k − 1) Σ a² / m² + l / (l − 1) Σ b² / n² + 2 K / (K − 1) Σ a b / (m n)
        t   with min(k, l) − 1 degrees of freedom, or what the terms a / m + b / n tell where that is less (`wilson`)
        logit⁻¹(logit AUC ± t √V / (AUC (1 − AUC)))

    Parameters
    ----------
    right : array-like of bool, shape (n,)
        What people say of each answer.
    scores : array-like of float, shape (n,)
        The higher, the rather it is right.
    questions : array-like, shape (n,)
    units : array-like, shape (n,), optional
        What questions are drawn together with, such as an article; by default the question itself.
    level : float
        Confidence level.
    unit : {'article', 'question', 'item'}, optional
        How reasons call what is drawn.

    Returns
    -------
    Statistic
        Undefined where people take all answers as right, or all as wrong. Without an interval where the right or the
        wrong ones are in fewer than 8 units, and where V is not above 0: where all right answers stand above all wrong
        ones, or where what right and wrong answers of each unit add cancels out. ``n_units`` is min(k, l).

    Raises
    ------
    ValueError
        Shapes differ.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves, Biometrics 44; Obuchowski (1997), Nonparametric analysis of clustered ROC curve data,
    Biometrics 53 (V); Pepe (2003), The Statistical Evaluation of Medical Tests, 5.2 (logit). Checked against
    `scikit-learn` (``roc_auc_score``). Coverage: ``docs/reference/statistics/coverage.md``.
    """
    given = _Answers.of(right, questions, units)
    score = np.asarray(scores, dtype=np.float64)
    if score.shape != given.right.shape:
        raise ValueError(f"There are {given.right.shape} answers and {score.shape} scores.")
    why_not = _why_no_area(given.right)
    value: float | None = None
    told: tuple[Interval | None, str | None] = None, UNDEFINED
    if not why_not:
        value, above, below = _placed(given.right, score)
        told = _interval_of_area(given, value, above, below, level, unit)
    return Statistic(
        value=value,
        undefined_because=why_not,
        n_items=given.n_questions,
        n_raters=2,
        n_ratings=len(score),
        n_units=given.n_units,
        interval=told[0],
        no_interval_because=told[1],
        signature=signature_line("auc", interval="obuchowski", level=level),
    )


def _why_no_area(right: Flags) -> str | None:
    if not len(right):
        return NO_ANSWERS
    return ALL_RIGHT if right.all() else None if right.any() else ALL_WRONG


def _placed(right: Flags, score: Floats) -> tuple[float, Floats, Floats]:
    """The area, V of each right answer, and V of each wrong one."""
    above, below = _share_below(score[right], score[~right]), 1 - _share_below(score[~right], score[right])
    return float(above.mean()), above, below


def _share_below(scores: Floats, others: Floats) -> Floats:
    """Of each score, the share of the others that are lower, equal ones as half."""
    in_order = np.sort(others)
    lower, no_higher = (np.searchsorted(in_order, scores, side) for side in ("left", "right"))
    found: Floats = (lower + no_higher) / (2 * len(others))
    return found


def _interval_of_area(
    given: _Answers, value: float, above: Floats, below: Floats, level: float, unit: UnitName | None
) -> tuple[Interval | None, str | None]:
    if few := given.too_few(unit):
        return None, few
    of_right, of_wrong = given.units_of_each
    width = len(given.by_unit(given.right))
    a = np.bincount(given.unit[given.right], above - value, minlength=width) / len(above)
    b = np.bincount(given.unit[~given.right], below - value, minlength=width) / len(below)
    own = of_right / (of_right - 1) * a @ a + of_wrong / (of_wrong - 1) * b @ b
    variance = float(own + 2 * width / (width - 1) * a @ b)
    if variance <= _ROUNDING or not 0 < value < 1:
        return None, NOTHING_VARIES
    freedom = min(given.n_units - 1.0, freedom_of(a + b))
    half = float(stdtrit(freedom, (1 + level) / 2)) * sqrt(variance) / (value * (1 - value))
    low, high = (1 / (1 + exp(-(log(value / (1 - value)) + side * half))) for side in (-1, 1))
    return Interval(low, high, level), None


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """What people say of each answer, and the code of its unit."""

    right: Flags
    unit: Codes
    n_questions: int

    @classmethod
    def of(cls, right: ArrayLike, questions: ArrayLike, units: ArrayLike | None) -> _Answers:
        truth, question = np.asarray(right, dtype=np.bool_), np.asarray(questions)
        unit = question if units is None else np.asarray(units)
        if not truth.shape == question.shape == unit.shape:
            raise ValueError(f"There are {truth.shape} answers, {question.shape} questions, {unit.shape} units.")
        codes = np.unique(unit, return_inverse=True)[1].astype(np.int64)
        return cls(truth, codes, len(np.unique(question)))

    def by_unit(self, counted: Flags) -> Floats:
        n_units = int(self.unit.max(initial=-1)) + 1
        return np.bincount(self.unit, counted, minlength=n_units).astype(np.float64)

    @property
    def units_of_each(self) -> tuple[int, int]:
        """In how many units people take an answer as right, and in how many as wrong."""
        return int((self.by_unit(self.right) > 0).sum()), int((self.by_unit(~self.right) > 0).sum())

    @property
    def n_units(self) -> int:
        return min(self.units_of_each)

    def too_few(self, unit: UnitName | None) -> str | None:
        """Why there is no interval where one of the two is in too few units."""
        least, (right, wrong) = FEWEST_UNITS["coefficient"], self.units_of_each
        if min(right, wrong) >= least:
            return None
        return Reason(
            "statistics.too_few_of_a_verdict", right=right, wrong=wrong, units=units_in_words(unit), least=least
        )
