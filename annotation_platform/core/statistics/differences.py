"""Differences of two figures about the same items: paired bootstrap, permutation test, Holm's correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.joins import two_columns
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, interval_or_reason, p_value_of
from annotation_platform.core.statistics.result import Interval, Statistic, ends_of_difference, signature_line

Figure = Callable[[Ratings], float | None]

_CELLS_AT_ONCE = 4_000_000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first.

    Attributes
    ----------
    value : float or None
    undefined_because : str or None
        The reason, exactly where `value` is None.
    p_value : float or None
        Two-sided, for the hypothesis that the two do not differ.
    no_p_value_because : str or None
        The reason, exactly where `p_value` is None.
    interval : Interval or None
    no_interval_because : str or None
    n_items, n_units : int
    signature : str
    """

    value: float | None
    undefined_because: str | None
    p_value: float | None
    no_p_value_because: str | None
    interval: Interval | None
    no_interval_because: str | None
    n_items: int
    n_units: int
    signature: str


def paired_bootstrap(first: Statistic, second: Statistic) -> Difference:
    """The difference of two figures whose resamples drew the same items: raw and rescaled, with and without an LLM.

    The interval is that of `resampling` from the spread of the differences d* within each resample, so that what both
    figures owe to the draw cancels; it is cut at what the difference can be. The p-value inverts it:
    p = 2 T_{n−1}(−|d| / σ), with T the distribution function of Student's t, n the units that both rest on, and σ the
    standard error.

    Parameters
    ----------
    first, second : Statistic
        With intervals from an equal `Bootstrap`, over tables with the same items (give `n_items`).

    Raises
    ------
    ValueError
        When the two did not draw the same items.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 6 and 12.
    """
    signature = signature_line("difference", first=f"[{first.signature}]", second=f"[{second.signature}]")
    reasons = [side.undefined_because for side in (first, second) if side.undefined_because]
    n_items, n_units = (min(getattr(side, n) for side in (first, second)) for n in ("n_items", "n_units"))
    before, after = first.resampled, second.resampled
    if reasons or before is None or after is None or first.value is None or second.value is None:
        reason = reasons[0] if reasons else None
        missing = (
            gettext_noop("The difference itself is undefined.")
            if reason
            else gettext_noop("The two figures were not resampled.")
        )
        value = None if first.value is None or second.value is None else second.value - first.value
        return Difference(value, reason, None, missing, None, missing, n_items, n_units, signature)
    drawn = [(side.n_items, side.seed, len(side.values), side.level) for side in (before, after)]
    if drawn[0] != drawn[1]:
        raise ValueError(
            f"The two figures drew different items (of how many, seed, resamples, level): {drawn[0]} and {drawn[1]}."
        )
    sample = after.values - before.values
    bootstrap = Bootstrap(resamples=len(sample), seed=before.seed, level=before.level, unit=before.unit)
    value = second.value - first.value
    ends = ends_of_difference(before.ends, after.ends)
    interval, no_interval = interval_or_reason(sample, bootstrap, value=value, n_units=n_units, ends=ends)
    p_value = p_value_of(value, sample, n_units) if interval else None
    return Difference(value, None, p_value, no_interval, interval, no_interval, n_items, n_units, signature)


def permutation_test(
    first: Ratings, second: Ratings, figure: Figure, *, name: str, permutations: int = 999, seed: int = 0
) -> Difference:
    """Whether a figure differs between two tables of ratings of the same items, such as of two systems' answers.

    If it made no difference which of the two an item's ratings come from, they could be exchanged. So the
    ratings of each item change sides or not, with equal chance, and the figure is computed again on both
    sides; p = (1 + #{|d'| ≥ |d|}) / (1 + permutations). With so few items that all exchanges are no more than
    `permutations`, all of them are made, and p = #{|d'| ≥ |d|} / 2^items is exact.

    Values of the two sides mix, so both must be on one scale: for raw labels against rescaled scores use
    `paired_bootstrap`.

    Parameters
    ----------
    first, second : Ratings
        Of the same items under the same codes; raters may differ.
    figure : callable
        Takes a `Ratings`, returns the value or None; exchanges that leave it undefined count as no less
        extreme, which can only raise p.
    name : str
        What the figure is, for the signature.
    permutations, seed : int

    Raises
    ------
    RatingsError
        When the two tables have different items or treat repeated judgments differently.

    References
    ----------
    Good (2005), Permutation, Parametric and Bootstrap Tests of Hypotheses, chapter 3. Checked against
    `scipy.stats.permutation_test`.
    """
    if (first.n_items, first.repeated) != (second.n_items, second.repeated):
        raise RatingsError(
            f"The two tables differ: {first.n_items} items, repeated={first.repeated!r}, against "
            f"{second.n_items}, repeated={second.repeated!r}."
        )
    both = _Exchange(first, second)
    signature = signature_line(f"permutation-test-of-{name}", permutations=permutations, seed=seed)
    found = figure(first), figure(second)
    if found[0] is None or found[1] is None:
        reason = gettext_noop("The figure is undefined for the first of the two.")
        if found[0] is not None:
            reason = gettext_noop("The figure is undefined for the second of the two.")
        return _tested(None, reason, None, both.n_used, signature)
    value = found[1] - found[0]
    extreme, n = 0, 0
    is_exact = both.n_used < permutations.bit_length()  # 2^items is at most that many
    for exchanged in both.all() if is_exact else both.drawn(permutations, np.random.default_rng(seed)):
        sides = [figure(table) for table in both.exchanged(exchanged)]
        undefined = sides[0] is None or sides[1] is None
        n += 1
        extreme += undefined or bool(_no_less(abs((sides[1] or 0.0) - (sides[0] or 0.0)), abs(value)))
    p_value = extreme / n if is_exact else (1 + extreme) / (1 + n)
    return _tested(value, None, p_value, both.n_used, signature)


def mean_difference_test(first: ArrayLike, second: ArrayLike, *, permutations: int = 9999, seed: int = 0) -> Difference:
    """`permutation_test` of the mean of two columns, one row an item: signs of differences change, all at once.

    p is exact where 2^items is at most `permutations`. Undefined without rows. Checked against
    `scipy.stats.permutation_test`.
    """
    ratings = two_columns(first, second)
    n = ratings.n_items
    apart = ratings.values[n:] - ratings.values[:n]
    signature = signature_line("permutation-test-of-mean", permutations=permutations, seed=seed)
    if not n:
        return _tested(None, gettext_noop("There are no items."), None, 0, signature)
    rng = np.random.default_rng(seed)
    value = float(apart.mean())
    if n < permutations.bit_length():  # 2^n is at most that many
        signs = np.array(list(product((1, -1), repeat=n)), dtype=np.float64)
        extreme = int(_no_less(np.abs(signs @ apart) / n, abs(value)).sum())
        return _tested(value, None, extreme / len(signs), n, signature)
    extreme = 0
    at_once = max(1, _CELLS_AT_ONCE // n)
    for done in range(0, permutations, at_once):
        size = min(at_once, permutations - done)
        flipped = rng.integers(0, 2, size=(size, n), dtype=np.int8)
        extreme += int(_no_less(np.abs(apart.sum() - 2 * (flipped @ apart)) / n, abs(value)).sum())
    return _tested(value, None, (1 + extreme) / (1 + permutations), n, signature)


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down correction: p-values of a family of tests, raised so that α holds for all of them together.

    The i-th smallest of m becomes the greatest of (m - j + 1) p_(j) over j ≤ i, at most 1. None stays None and
    does not count in m.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    Checked against `statsmodels.stats.multitest.multipletests`.

    >>> holm([0.01, None, 0.04, 0.03])
    (0.03, None, 0.06, 0.06)
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    given = np.array([p for p in p_values if p is not None])
    order = np.argsort(given, kind="stable")
    raised = np.minimum(np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1)), 1.0)
    corrected: list[float | None] = [None] * len(p_values)
    for rank, index in enumerate(order):
        corrected[places[index]] = float(raised[rank])
    return tuple(corrected)


def _tested(value: float | None, reason: str | None, p_value: float | None, n_items: int, signature: str) -> Difference:
    no_p_value = None if p_value is not None else gettext_noop("The difference itself is undefined.")
    no_interval = gettext_noop("A permutation test gives no interval; paired_bootstrap does.")
    return Difference(value, reason, p_value, no_p_value, None, no_interval, n_items, n_items, signature)


def _no_less(found: Floats | float, than: float) -> Flags:
    """At least as large, also where rounding says a little less."""
    return np.asarray(found >= than * (1 - _ROUNDING))


class _Exchange:
    """Two tables as one column, of which the ratings of single items can change sides."""

    def __init__(self, first: Ratings, second: Ratings) -> None:
        self.first, self.second = first, second
        self.items = np.concatenate([first.items, second.items])
        self.raters = np.concatenate([first.raters, second.raters])
        self.values = np.concatenate([first.values, second.values])
        self.is_second = np.repeat([False, True], [len(first), len(second)])
        self.used = np.unique(self.items)
        self.n_raters = max(first.n_raters, second.n_raters)

    @property
    def n_used(self) -> int:
        return len(self.used)

    def all(self) -> Iterator[Flags]:
        return (np.array(flags, dtype=np.bool_) for flags in product((False, True), repeat=self.n_used))

    def drawn(self, permutations: int, rng: np.random.Generator) -> Iterator[Flags]:
        return (rng.integers(0, 2, size=self.n_used, dtype=np.int8).astype(np.bool_) for _ in range(permutations))

    def exchanged(self, flags: Flags) -> tuple[Ratings, Ratings]:
        changes = np.zeros(self.first.n_items, dtype=np.bool_)
        changes[self.used] = flags
        is_second = self.is_second ^ changes[self.items]
        first, second = (
            Ratings.from_arrays(
                self.items[side],
                self.raters[side],
                self.values[side],
                n_items=self.first.n_items,
                n_raters=self.n_raters,
                repeated=self.first.repeated,
            )
            for side in (~is_second, is_second)
        )
        return first, second
