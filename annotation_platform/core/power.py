"""What a study can find before there is one: standard error, power and smallest difference of a paired comparison.

Pages compute it while they are asked, so it is written without numpy; the variances come from
`core.statistics.planning`, or are stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import Literal

from annotation_platform.core.allocation import even_sizes
from annotation_platform.core.few_units import FEWEST_ARTICLES, UnitName

Way = Literal["apart", "same", "together"]
ALPHA, POWER = 0.05, 0.8
_PANELS = 400  # of Simpson's rule; errors of power are below 1e-5 with 1 degree of freedom, 1e-6 with more
_STEPS = 60  # of a bisection


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference between two systems' answers to a question, in the scale's numbers squared.

    Attributes
    ----------
    articles : float
        How much the true difference varies from article to article.
    questions : float
        How much it varies between questions of one article.
    annotators : float
        How much annotators vary in which of the two systems they like better.
    residual : float
        What is left of one annotator's difference on one question.
    strictness : float
        What is added to the difference of two judgments when different annotators gave them, since they are not
        equally strict: twice the covariance of one annotator's judgments of the two answers.
    """

    articles: float
    questions: float
    annotators: float
    residual: float
    strictness: float = 0.0

    def __post_init__(self) -> None:
        if not all(0 <= value < inf for value in astuple(self)):
            raise ValueError(f"Variances are finite and not below 0: {self}.")


@dataclass(frozen=True, slots=True)
class Design:
    """A study that is planned.

    Attributes
    ----------
    articles, questions : int
        How many articles, and questions about each.
    annotators : int
        How many judge each answer.
    people : int or None
        How many there are in all; None: so many that nobody is met twice.
    way : {'apart', 'same', 'together'}
        ``apart``: answers are judged one by one, by whoever comes; ``same``: by the same annotators of an article for
        both systems; ``together``: all answers to a question stand in one task.
    systems : int
        How many are judged; two of them are compared.
    per_task : int or None
        At most so many questions of an article come in one task; None: all.
    about_none : bool
        Whether questions are about no document. Then ``articles`` counts the questions, ``questions`` is 1, and a task
        has questions that share nothing.
    """

    articles: int
    questions: int
    annotators: int
    people: int | None = None
    way: Way = "apart"
    systems: int = 2
    per_task: int | None = None
    about_none: bool = False

    def __post_init__(self) -> None:
        if min(self.articles, self.questions, self.annotators, self.per_task or 1) < 1 or self.systems < 2:
            raise ValueError(f"A design has at least one of each, and two systems: {self}.")
        if self.people is not None and self.people < self.annotators:
            raise ValueError(f"{self.people} annotators cannot give {self.annotators} judgments of each answer.")
        if self.about_none and self.questions != 1:
            raise ValueError(f"Questions about no document stand by themselves: {self}.")

    @property
    def unit(self) -> UnitName:
        """What interval and test take for independent of each other, as `core.statistics.units.unit_of` will."""
        return "article" if self.articles >= FEWEST_ARTICLES and not self.about_none else "question"

    @property
    def units(self) -> int:
        return self.articles if self.unit == "article" else self.articles * self.questions

    @property
    def task_sizes(self) -> list[int]:
        """How many questions the tasks about one article have, or all tasks where questions are about none."""
        count = self.articles if self.about_none else self.questions
        return even_sizes(count, self.per_task or count)

    @property
    def tasks(self) -> int:
        """Places to fill: each task as often as it is judged; answers judged one by one make a task for each system."""
        sides = 1 if self.way == "together" else self.systems
        cut_apart = 1 if self.about_none else self.articles
        return cut_apart * len(self.task_sizes) * sides * self.annotators

    @property
    def uneven(self) -> float:
        """How many questions of an article strictness counts for, where answers are judged apart.

        A task has one system's answer to each question, in turn (`core.allocation`). Over as many questions as there
        are S systems each task has each of them once, so that its people's strictness cancels out; with ρ questions
        left over, what remains is that of ρ (S − ρ) / (S − 1) questions, on average over pairs of systems.
        """
        rest = (size % self.systems for size in self.task_sizes)
        return sum(left * (self.systems - left) / (self.systems - 1) for left in rest)


def weights(design: Design) -> tuple[float, float, float, float, float]:
    """How much each variance counts in the squared standard error of the mean difference.

    With a articles, q questions each, k annotators an answer, of K in all, and f = 1 − k / K (the part of the people
    who do not judge an answer; 0 where all judge all)::

        SE² = 1/a (V_articles + V_questions / q + r V_annotators + (V_residual + s V_strictness) / (k q))

        apart           r = f / (2 k),  s = f u / q
        same, together  r = f / k,      s = 0

    with u from `Design.uneven`. Annotators are taken as they are, as by the test itself: it speaks of other articles,
    judged by these people. Judged apart, an article has several groups of people, of whose mean liking each of two
    counts half; with more than two systems a little less.

    With fewer than five articles, questions are the units. Then the test sees among its units, of which there are
    a q, what articles vary, as far as there are several: V_articles and V_annotators count (a − 1) / (a q − 1) each;
    and it sees the strictness of each question, s = f.

    Returns
    -------
    tuple of float
        Of articles, questions, annotators, residual, strictness: SE² is the sum of each times its variance.
    """
    a, q, k = design.articles, design.questions, design.annotators
    left = 1.0 if design.people is None else 1 - k / design.people
    liking, strict = (left / (2 * k), left) if design.way == "apart" else (left / k, 0.0)
    n = a * q
    if design.unit == "article":
        strict *= design.uneven / q
    of_article = 1 / a if design.unit == "article" else (a - 1) / (a * max(n - 1, 1))
    return of_article, 1 / n, of_article * liking, 1 / (k * n), strict / (k * n)


def standard_error(components: Components, design: Design) -> float:
    """Standard error of the mean difference of two systems: the root of the sum in `weights`."""
    return sqrt(sum(w * v for w, v in zip(weights(design), astuple(components), strict=True)))


def power(difference: float, error: float, units: int, *, alpha: float = ALPHA) -> float:
    """How often a two-sided t-test finds a true difference.

    P(|T| > c) where T has the noncentral t distribution with ``units`` − 1 degrees of freedom and noncentrality
    difference / error, and c the 1 − α/2 quantile of the central one::

        P = ∫ f(s) (Φ(δ − c s) + Φ(−δ − c s)) ds

    with f the density of √(χ²_ν / ν).

    Parameters
    ----------
    difference : float
        True mean difference.
    error : float
        Its standard error; 0 finds any difference but 0.
    units : int
        At least 2.

    Raises
    ------
    ValueError
        With fewer than two units.

    References
    ----------
    Cohen (1988), Statistical Power Analysis, chapter 2. Checked against `scipy.stats.nct` and statsmodels' values.

    >>> round(power(0.5, 1 / 20**0.5, 20), 3)
    0.565
    """
    freedom = _freedom(units)
    if error <= 0:
        return 1.0 if difference else alpha
    return _beyond(abs(difference) / error, _critical(freedom, alpha), freedom)


def smallest_difference(error: float, units: int, *, wanted: float = POWER, alpha: float = ALPHA) -> float:
    """The true difference that a two-sided t-test finds as often as ``wanted``; see `power`.

    Raises
    ------
    ValueError
        With fewer than two units, or where ``wanted`` does not lie between α and 1.

    >>> round(smallest_difference(1 / 20**0.5, 20), 3)
    0.66
    """
    if not alpha < wanted < 1:
        raise ValueError(f"A power lies between {alpha} and 1, not at {wanted}.")
    return error * _noncentrality(_freedom(units), wanted, alpha)


def variance_interval(variance: float, spread: float, *, level: float = 0.95) -> tuple[float, float]:
    """Interval of an estimated sum of variances from the variance of its estimate.

    Satterthwaite: the estimate is taken for σ² χ²_ν / ν with ν = 2 variance² / spread, so that the interval is
    ν variance / χ²_ν at (1 ± level) / 2; quantiles by Wilson and Hilferty.

    Parameters
    ----------
    variance, spread : float
        The estimate, above 0, and the variance of it.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2; Wilson and Hilferty (1931), PNAS 17.
    """
    if spread <= 0:
        return variance, variance
    freedom = max(2 * variance**2 / spread, 1.0)
    ends = []
    for z in (NormalDist().inv_cdf((1 + side * level) / 2) for side in (1, -1)):
        root = 1 - 2 / (9 * freedom) + z * sqrt(2 / (9 * freedom))
        ends.append(variance / root**3 if root > 0 else inf)
    return ends[0], ends[1]


def spread_of(covariance: Sequence[Sequence[float]], factors: Sequence[float]) -> float:
    """Variance of a sum of estimates, each times a factor, from their covariances."""
    return sum(a * b * covariance[i][j] for i, a in enumerate(factors) for j, b in enumerate(factors))


def _freedom(units: int) -> int:
    if units < 2:
        raise ValueError("A test needs at least two units.")
    return units - 1


@lru_cache(maxsize=4096)
def _noncentrality(freedom: int, wanted: float, alpha: float) -> float:
    critical = _critical(freedom, alpha)
    low, high = 0.0, critical + 1
    while _beyond(high, critical, freedom) < wanted:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _beyond(middle, critical, freedom) >= wanted else (middle, high)
        if high - low < 1e-9 * high:
            break
    return high


@lru_cache(maxsize=4096)
def _critical(freedom: int, alpha: float) -> float:
    low, high = 0.0, 2.0
    while _beyond(0, high, freedom) > alpha:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _beyond(0, middle, freedom) <= alpha else (middle, high)
        if high - low < 1e-11 * high:
            break
    return high


def _beyond(noncentrality: float, critical: float, freedom: int) -> float:
    """P(|T| > critical)."""
    total = sum(
        weight * (_upper(critical * s - noncentrality) + _upper(critical * s + noncentrality))
        for s, weight in _nodes(freedom)
    )
    return min(total, 1.0)


@lru_cache(maxsize=512)
def _nodes(freedom: int) -> tuple[tuple[float, float], ...]:
    """Where Simpson's rule looks at √(χ²_ν / ν), and its density there times the rule's weight."""
    wide = 9 / sqrt(2 * freedom)
    low, high = max(0.0, 1 - wide), 1 + wide
    step = (high - low) / _PANELS
    constant = log(2) + freedom / 2 * log(freedom / 2) - lgamma(freedom / 2)
    nodes = []
    for place in range(_PANELS + 1):
        s = low + place * step
        if s == 0:
            density = exp(constant) if freedom == 1 else 0.0
        else:
            density = exp(constant + (freedom - 1) * log(s) - freedom * s * s / 2)
        times = 1 if place in (0, _PANELS) else 4 if place % 2 else 2
        nodes.append((s, density * times * step / 3))
    return tuple(nodes)


def _upper(z: float) -> float:
    return erfc(z / sqrt(2)) / 2
