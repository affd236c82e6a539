"""Krippendorff's α of sets, such as the sentences that annotators cite: distances of Jaccard and MASI."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.alpha import alpha_by_distance
from annotation_platform.core.statistics.counts import ValueCounts, statistic_of_counts
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Statistic, signature_line

SetDistance = Literal["masi", "jaccard"]


def set_codes(sets: Iterable[Iterable[Hashable]]) -> tuple[Codes, tuple[frozenset[Hashable], ...]]:
    """Codes for `krippendorff_alpha_of_sets`: the position of each set among the distinct ones, and these.

    >>> set_codes([[1, 2], [3], [2, 1]])[0].tolist()
    [0, 1, 0]
    """
    positions: dict[frozenset[Hashable], int] = {}
    codes = [positions.setdefault(frozenset(elements), len(positions)) for elements in sets]
    return np.array(codes, dtype=np.int64), tuple(positions)


def krippendorff_alpha_of_sets(
    ratings: Ratings,
    sets: Sequence[frozenset[Hashable]],
    distance: SetDistance,
    *,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Krippendorff's α where each rating is a set; the formula is that of `krippendorff_alpha`.

    In the place of δ² stands, for the sets A and B::

        Jaccard  1 - |A ∩ B| / |A ∪ B|
        MASI     1 - |A ∩ B| / |A ∪ B| · M,  M = 1 for A = B, 2/3 where one contains the other,
                                             1/3 where they overlap otherwise

    and 0 between two empty sets. Time and memory: D_e compares every distinct set with every other.

    Parameters
    ----------
    ratings : Ratings
        The values are positions in `sets`; `set_codes` makes both.
    sets : sequence of frozenset
        Elements of different documents should differ (give pairs of document and sentence), or the third
        sentence of one counts as the third of another in D_e.
    distance : {'masi', 'jaccard'}
    bootstrap : Bootstrap, optional
        Resample items for an interval.

    Returns
    -------
    Statistic
        Undefined when no item has two ratings, or all of them are the same set.

    Raises
    ------
    ValueError
        For another distance.
    RatingsError
        When a value is no position in `sets`, or with ``repeated='mean'``.

    References
    ----------
    Passonneau (2006), Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation,
    LREC. Checked against `nltk.metrics.agreement` (which rounds 2/3 and 1/3 to 0.67 and 0.33).
    """
    if distance not in ("masi", "jaccard"):
        raise ValueError(f"The distance {distance!r} is neither 'masi' nor 'jaccard'.")
    if ratings.repeated == "mean":
        raise RatingsError("Sets have no mean; choose repeated='cross' or 'last'.")
    counts = ValueCounts.of(ratings)
    positions = counts.values.astype(np.int64)
    if (positions != counts.values).any() or (positions < 0).any() or (positions >= len(sets)).any():
        raise RatingsError(f"The values must be positions in the {len(sets)} sets, as set_codes makes them.")
    return statistic_of_counts(
        ratings,
        counts,
        alpha_by_distance(counts, _SetDistance([sets[position] for position in positions], distance)),
        width=len(sets),
        undefined_because=gettext_noop("No item has two ratings.")
        if not len(positions)
        else gettext_noop("All ratings of items with at least two are the same set."),
        signature=signature_line("krippendorff-alpha", sets=distance, repeated=ratings.repeated),
        bootstrap=bootstrap,
    )


class _SetDistance:
    def __init__(self, sets: Sequence[frozenset[Hashable]], distance: SetDistance) -> None:
        element_code: dict[Hashable, int] = {}
        codes = [element_code.setdefault(element, len(element_code)) for each in sets for element in each]
        self.size = np.array([len(each) for each in sets], dtype=np.float64)
        owner = np.repeat(np.arange(len(sets)), self.size.astype(np.int64))
        shape = (len(sets), len(element_code))
        self.holds = sparse.csr_array((np.ones(len(codes)), (owner, np.array(codes, dtype=np.int64))), shape=shape)
        self.is_masi = distance == "masi"

    def pairs(self, first: Codes, second: Codes) -> Floats:
        shared: Floats = np.asarray(self.holds[first].multiply(self.holds[second]).sum(axis=1)).reshape(-1)
        return self._distance(shared, self.size[first], self.size[second])

    def block(self, rows: slice) -> Floats:
        shared: Floats = (self.holds[rows] @ self.holds.T).toarray()
        return self._distance(shared, self.size[rows, None], self.size[None, :])

    def _distance(self, shared: Floats, first: Floats, second: Floats) -> Floats:
        union = first + second - shared
        likeness = np.where(union > 0, shared / np.where(union > 0, union, 1.0), 1.0)
        if self.is_masi:
            contained = shared == np.minimum(first, second)
            likeness *= np.where(shared == union, 1.0, np.where(contained, 2 / 3, 1 / 3))
        return 1.0 - likeness
