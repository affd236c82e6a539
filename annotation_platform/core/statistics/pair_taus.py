"""Kendall's τ of pairs of raters as it was found, with intervals or the reasons why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import Reason
from annotation_platform.core.statistics.resampling import Bootstrap, interval_or_reason
from annotation_platform.core.statistics.result import Interval, Statistic


class Setting(StrEnum):
    """Which joined rows enter a pair's τ, and what becomes of ties."""

    ALL = "all"
    INCOMPLETE = "incomplete"
    NO_TIES = "no_ties"


@dataclass(frozen=True, slots=True)
class Noise:
    """Gaussian noise that breaks ties.

    Attributes
    ----------
    sigma : float
        Standard deviation, in units of the ratings. The default is far below the distance of any two
        labels or scores, so that it orders tied values and leaves the others alone.
    draws, seed : int
        How many times noise is drawn, and the seed of ``numpy.random.default_rng``.
    """

    sigma: float = 1e-6
    draws: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.sigma <= 0 or self.draws < 1:
            raise ValueError(f"Noise needs sigma > 0 and draws >= 1, not {self.sigma} and {self.draws}.")


USUAL_NOISE = Noise()


class PairTau(NamedTuple):  # of which there are many: a dataclass takes twice as long to make
    """τ of two raters (codes ``rater_a < rater_b``) over ``n_rows`` joined rows from ``n_items`` items."""

    rater_a: int
    rater_b: int
    tau: float | None
    undefined_because: str | None
    n_rows: int
    n_items: int
    n_units: int
    interval: Interval | None
    no_interval_because: str | None


@dataclass(frozen=True, eq=False)
class PairwiseTau:
    """τ of the pairs of raters that judged an item together, in one setting, and its plain mean.

    Attributes
    ----------
    setting : Setting
    members : int array, shape (pairs, 2)
        Codes of the two raters, ordered by the first, then the second; also of pairs without a τ.
    values : float array, shape (pairs,)
        τ, NaN where undefined.
    n_rows, n_items, n_units : int arrays, shape (pairs,)
        Joined rows, the items that they are from, and the units of these.
    mean : Statistic
        Mean over the `n_defined` pairs that have a τ.
    n_defined, n_raters : int
        Pairs with a τ; raters, also those who share no item with anybody.
    noise : Noise or None
        What broke the ties, in the setting without ties; None there means the exact expectation.
    bootstrap : Bootstrap or None
        As it was used.
    n_items_resampled : int
        Number of items from which resamples were drawn.
    sample : float array, shape (pairs, resamples), or None
        τ in every resample, NaN where undefined; `tau_change` makes paired intervals of it.
    """

    setting: Setting
    members: Codes
    values: Floats
    n_rows: Codes
    n_items: Codes
    n_units: Codes
    mean: Statistic
    n_defined: int
    n_raters: int
    noise: Noise | None
    bootstrap: Bootstrap | None
    n_items_resampled: int
    sample: Floats | None = field(repr=False)
    _is_constant: Flags = field(repr=False)  # the values of each of the two
    _names: Sequence[str] | None = field(repr=False)

    @cached_property
    def pairs(self) -> tuple[PairTau, ...]:
        """Each pair with its interval, or the reasons why it has none and no τ; made when they are asked for."""
        values, n_units = [tau if tau == tau else None for tau in self.values.tolist()], self.n_units.tolist()
        if self.bootstrap is None or self.sample is None:
            intervals = [interval_or_reason(None, self.bootstrap, value=None, n_units=0)] * len(values)
        else:
            intervals = [
                interval_or_reason(of_pair, self.bootstrap, value=tau, n_units=units, scale="coefficient")
                for of_pair, tau, units in zip(self.sample, values, n_units, strict=True)
            ]
        columns = zip(
            *self.members.T.tolist(),
            values,
            [self._why_undefined(pair) if tau is None else None for pair, tau in enumerate(values)],
            self.n_rows.tolist(),
            self.n_items.tolist(),
            n_units,
            *zip(*intervals, strict=True),
            strict=True,
        )
        return tuple(map(PairTau._make, columns))

    def matrix(self) -> Floats:
        """τ as a symmetric matrix, shape (raters, raters): 1 on the diagonal, NaN where undefined."""
        matrix = np.full((self.n_raters, self.n_raters), np.nan)
        np.fill_diagonal(matrix, 1.0)
        first, second = self.members.T
        matrix[first, second] = matrix[second, first] = self.values
        return matrix

    def _why_undefined(self, pair: int) -> str:
        names = [str(code) if self._names is None else self._names[code] for code in self.members[pair]]
        both, rows = dict(zip(("first", "second"), names, strict=True)), int(self.n_rows[pair])
        some_left_out = self.setting is Setting.INCOMPLETE
        if rows == 0 and some_left_out:
            return Reason("statistics.pair_shares_nothing_left", **both)
        if rows == 0:
            return Reason("statistics.pair_shares_nothing", **both)
        if rows < 2 and some_left_out:
            return Reason("statistics.pair_shares_one_left", **both)
        if rows < 2:
            return Reason("statistics.pair_shares_one", **both)
        constant = [name for name, is_constant in zip(names, self._is_constant[pair], strict=True) if is_constant]
        if len(constant) == 1 and some_left_out:
            return Reason("statistics.rater_constant_left", name=constant[0], rows=rows)
        if len(constant) == 1:
            return Reason("statistics.rater_constant", name=constant[0], rows=rows)
        if some_left_out:
            return Reason("statistics.raters_constant_left", **both, rows=rows)
        return Reason("statistics.raters_constant", **both, rows=rows)
