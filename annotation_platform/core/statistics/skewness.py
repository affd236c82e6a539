"""How skewed judgments are, on which the number of units depends that an interval of κ or of an ICC needs.

Where most judgments are alike, such a figure rests on the few that are not. A sample with fewer of them than usual has
both a lower figure and a narrower interval, so that what it misses lies above. By Cochran's rule a mean is about
normally distributed from n > 25 γ² on, with γ the skewness of what is averaged; planted studies take twice as many
units (`few_units`).

Source: Cochran (1977), Sampling Techniques, 3rd edition, 2.15. Coverage: ``docs/reference/statistics/coverage.md``.
"""

from __future__ import annotations

import numpy as np

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.concordance import PairTables

_ROUNDING = 1e-12


def skewness_of_values(values: Floats, counts: Floats, groups: Codes, n_groups: int) -> Floats:
    """γ = Σ n (x − x̄)³ / N / (Σ n (x − x̄)² / N)^1.5 of each group, where all values are one it is 0.

    ``counts`` says how often each value is there, ``groups`` to which group it belongs.
    """
    n = np.maximum(np.bincount(groups, counts, minlength=n_groups), 1)
    apart = values - (np.bincount(groups, counts * values, minlength=n_groups) / n)[groups]
    second, third = (np.bincount(groups, counts * apart**power, minlength=n_groups) / n for power in (2, 3))
    largest = float(np.abs(values).max(initial=0.0)) ** 2
    varies = second > _ROUNDING * largest
    found: Floats = np.where(varies, third / np.where(varies, second, 1.0) ** 1.5, 0.0)
    return found


def skewness_of_pairs(tables: PairTables, values: Floats, defined: Flags, *, are_labels: bool) -> tuple[Floats, float]:
    """Of the judgments of each pair of raters, shape (pairs,), and of those of all pairs that are ``defined``: of
    having the usual label where ``are_labels`` alike or not, else of their values."""
    margins = tables.first, tables.second
    pair, level = (np.concatenate([getattr(margin, name) for margin in margins]) for name in ("pair", "level"))
    counts = np.concatenate([margin.from_cells @ tables.counts for margin in margins])

    def of(counts: Floats, groups: Codes, n_groups: int) -> Floats:
        if are_labels:
            return skewness_of_labels(level, counts, groups, n_groups)
        return skewness_of_values(values[level], counts, groups, n_groups)

    return of(counts, pair, tables.n_pairs), float(of(counts * defined[pair], np.zeros_like(pair), 1)[0])


def skewness_of_labels(labels: Codes, counts: Floats, groups: Codes, n_groups: int) -> Floats:
    """γ = (2 p − 1) / √(p (1 − p)) of each group, with p the share of its most frequent label: that of having it or
    not. 0 where p is at most ½, since no label is the usual one there, and where it is 1."""
    width = int(labels.max(initial=0)) + 1
    keys, place = distinct(groups * width + labels, n_groups * width)
    most = np.zeros(n_groups)
    np.maximum.at(most, keys // width, np.bincount(place, counts, minlength=len(keys)))
    p = most / np.maximum(np.bincount(groups, counts, minlength=n_groups), 1)
    is_skewed = (p > 0.5) & (p < 1)
    found: Floats = np.where(is_skewed, (2 * p - 1) / np.sqrt(np.where(is_skewed, p * (1 - p), 1.0)), 0.0)
    return found
