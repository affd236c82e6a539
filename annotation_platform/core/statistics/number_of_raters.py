"""How far the vote of k raters, or of k raters and an LLM, is from the vote of all: how many raters are needed?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.few_units import FEWEST_UNITS
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.codes import distinct
from annotation_platform.core.statistics.counts import ValueCounts
from annotation_platform.core.statistics.differences import Difference, paired_bootstrap
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.replacement import candidate_column
from annotation_platform.core.statistics.resampling import Bootstrap, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line
from annotation_platform.core.statistics.votes import Better, worth_of

_MOST_SUBSETS = 2_000_000


@dataclass(frozen=True, slots=True)
class VoteOfSome:
    """ρ with the vote of all raters, of the vote of `n_raters` random ones, without and with the candidate.

    Attributes
    ----------
    n_raters : int
        The k above.
    alone : Statistic
        ρ of the expected table, free of the chance of a draw; its interval resamples items.
    alone_in_draws : tuple of float
        ρ in each seeded draw of k raters for each item, as the paper has it; undefined ones are left out.
    with_candidate : Statistic or None
        The same with the candidate as one more rater; None where no candidate was given.
    with_candidate_in_draws : tuple of float
        The draws are those of `alone_in_draws`.
    change : Difference or None
        `with_candidate` minus `alone`, paired by resample.
    """

    n_raters: int
    alone: Statistic
    alone_in_draws: tuple[float, ...]
    with_candidate: Statistic | None
    with_candidate_in_draws: tuple[float, ...]
    change: Difference | None


@dataclass(frozen=True, slots=True)
class VoteCurve:
    """ρ for every number of raters from 1 to `n_full`, over the `n_items` items with exactly `n_full` ratings."""

    n_full: int
    n_items: int
    points: tuple[VoteOfSome, ...]


@dataclass(frozen=True, slots=True)
class NumberOfRaters:
    """The least number of raters whose vote reaches ρ ≥ `rho` with the vote of all.

    Attributes
    ----------
    rho : float
    n_raters : int or None
        None where no number up to all of them reaches it (with the candidate) or ρ is undefined.
    low, high : int or None
        Its interval: percentiles of the least number within each resample, outwards to whole numbers; a
        resample that never reaches `rho` counts as one more than all. None without resamples.
    level : float or None
    """

    rho: float
    n_raters: int | None
    low: int | None
    high: int | None
    level: float | None


def vote_curve(
    ratings: Ratings,
    candidate: Ratings | None = None,
    *,
    better: Better | None = None,
    best: float | None = None,
    n_full: int | None = None,
    draws: int = 20,
    seed: int = 0,
    bootstrap: Bootstrap | None = None,
) -> VoteCurve:
    """Spearman's ρ of the majority vote of k random raters of each item with the vote of all n of them.

    An item with the value counts n_c has the counts m_c ≤ n_c in a random subset of k of its ratings with chance
    Π C(n_c, m_c) / C(n, k). So the table of vote of all × vote of k, expected over all subsets, is exact and
    costs no draws; ρ is computed from it. Each k also has ρ in seeded draws, whose mean tends to the same with
    many items. With a candidate, its label joins the k votes, so that one sees what it is worth beside raters.

    Parameters
    ----------
    ratings : Ratings
        Labels as numbers. Items with exactly `n_full` ratings count, by default the most usual number.
    candidate : Ratings, optional
        One rating an item over the same items, such as an LLM's; items that it lacks are left out.
    better, best
        Which label wins a tie; as for `majority_vote`, but one of the two is needed.
    draws, seed : int
        Number of seeded draws for each k.
    bootstrap : Bootstrap, optional
        Resample items for intervals; then `number_of_raters` has one, too.

    Raises
    ------
    RatingsError
        When neither or both of `better` and `best` are given, no item has `n_full` ≥ 2 ratings, or so many
        ratings meet on so many labels that there are over two million different subsets.

    References
    ----------
    The ACORN paper, section 5, for k = 4, 3, 2 of 5 raters.
    """
    if better is None and best is None:
        raise RatingsError("Say which label wins a tie: give 'better' or 'best'.")
    worth = worth_of(better, best)
    per_item = ratings.per_item()
    given = None if candidate is None else candidate_column(candidate, ratings.n_items)
    usable = per_item > 1 if given is None else (per_item > 1) & ~np.isnan(given)
    if n_full is None:
        n_full = int(np.bincount(per_item[usable]).argmax()) if usable.any() else 2
    used = usable & (per_item == n_full)
    if not used.any() or n_full < 2:
        raise RatingsError(f"No item has exactly {n_full} ratings{'' if given is None else ' and a candidate'}.")
    kinds = _Kinds.of(ratings, used, given, worth)
    if kinds.n_subsets() > _MOST_SUBSETS:
        raise RatingsError(
            f"{n_full} ratings on {kinds.n_levels} labels have too many different subsets; "
            "take fewer ratings of each item, or group labels."
        )
    rng = np.random.default_rng(seed)
    signature = signature_line("rho-of-votes", of=n_full, better=better, best=best, repeated=ratings.repeated)
    subsets = [kinds.subsets(k) for k in range(1, n_full + 1)]
    drawn = [kinds.drawn(each, draws, rng) for each in subsets]
    alone = kinds.figures([each.alone for each in subsets], subsets, ratings, signature, bootstrap)
    alone_in_draws = [kinds.rho_in_draws(each.alone, times) for each, times in zip(subsets, drawn, strict=True)]
    if given is None:
        points = [
            VoteOfSome(k, figure, rhos, None, (), None)
            for k, (figure, rhos) in enumerate(zip(alone, alone_in_draws, strict=True), 1)
        ]
        return VoteCurve(n_full=n_full, n_items=int(used.sum()), points=tuple(points))
    joined = kinds.figures([each.joined for each in subsets], subsets, ratings, signature + "|and:1", bootstrap)
    joined_in_draws = [kinds.rho_in_draws(each.joined, times) for each, times in zip(subsets, drawn, strict=True)]
    points = [
        VoteOfSome(k, a, rhos, b, more_rhos, paired_bootstrap(a, b))
        for k, (a, rhos, b, more_rhos) in enumerate(zip(alone, alone_in_draws, joined, joined_in_draws, strict=True), 1)
    ]
    return VoteCurve(n_full=n_full, n_items=int(used.sum()), points=tuple(points))


def number_of_raters(curve: VoteCurve, rho: float, *, with_candidate: bool = False) -> NumberOfRaters:
    """The least number of raters whose vote (with the candidate's) reaches ρ ≥ `rho`, with its interval."""
    found = [point.with_candidate if with_candidate else point.alone for point in curve.points]
    figures = [figure for figure in found if figure is not None]
    reached = [k for k, figure in enumerate(figures, 1) if figure.value is not None and figure.value >= rho]
    low = high = level = None
    resampled = [figure.resampled for figure in figures if figure.resampled is not None]
    if len(resampled) == curve.n_full and min(figure.n_units for figure in figures) >= FEWEST_UNITS["coefficient"]:
        sample = np.stack([each.values for each in resampled])
        reaches = np.vstack([sample[:, ~np.isnan(sample).any(axis=0)] >= rho])
        if reaches.shape[1]:
            level = resampled[0].level
            least = np.where(reaches.any(axis=0), reaches.argmax(axis=0) + 1, curve.n_full + 1)
            low = int(np.quantile(least, (1 - level) / 2, method="lower"))
            high = int(np.quantile(least, (1 + level) / 2, method="higher"))
    return NumberOfRaters(rho=rho, n_raters=min(reached, default=None), low=low, high=high, level=level)


@dataclass(frozen=True, slots=True, eq=False)
class _Subsets:
    """All different subsets of k ratings: of which kind of item, with what chance, and which cell of the table
    (vote of all, vote of the subset) they fall into, alone and with the candidate."""

    k: int
    kind: Codes
    chance: Floats
    alone: Codes
    joined: Codes


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """Items that are alike: with equal counts of the levels and an equal label of the candidate.

    `counts` is (kinds, levels), `candidate` (kinds,) a level or -1; `rank` orders levels by worth. Items that
    do not count are the kind whose counts are 0.
    """

    n_full: int
    n_levels: int
    rank: Codes
    counts: Codes
    candidate: Codes
    sizes: Codes
    kind_of_item: Codes

    @classmethod
    def of(cls, ratings: Ratings, used: Flags, candidate: Floats | None, worth: Callable[[Floats], Floats]) -> _Kinds:
        counts = ValueCounts.of(ratings.where(used[ratings.items]), fewest=1)
        label = np.full(ratings.n_items, np.nan) if candidate is None else candidate
        levels = np.union1d(counts.values, label[used & ~np.isnan(label)])
        code = np.where(used & ~np.isnan(label), np.searchsorted(levels, label), -1)
        width = len(levels) + 1
        kinds, kind_of_item = distinct(counts.class_of_item * width + code + 1, counts.n_classes * width)
        by_class = np.zeros((counts.n_classes, len(levels)), dtype=np.int64)
        by_class[counts.entry_class, np.searchsorted(levels, counts.values)[counts.entry_value]] = counts.entry_count
        return cls(
            n_full=int(by_class.sum(axis=1).max()),
            n_levels=len(levels),
            rank=np.argsort(np.lexsort((levels, worth(levels)))),
            counts=by_class[kinds // width],
            candidate=kinds % width - 1,
            sizes=np.bincount(kind_of_item, minlength=len(kinds)),
            kind_of_item=kind_of_item,
        )

    def subsets(self, k: int) -> _Subsets:
        used = np.flatnonzero(self.counts.any(axis=1))
        parts = [_multisets(self.counts[kind], k) for kind in used]
        kind = np.repeat(used, [len(chance) for _, chance in parts])
        taken = np.concatenate([subset for subset, _ in parts])
        with_candidate = taken.copy()
        rows = np.flatnonzero(self.candidate[kind] >= 0)
        with_candidate[rows, self.candidate[kind[rows]]] += 1
        row_of_table = self._votes(self.counts)[kind] * self.n_levels
        return _Subsets(
            k=k,
            kind=kind,
            chance=np.concatenate([chance for _, chance in parts]),
            alone=row_of_table + self._votes(taken),
            joined=row_of_table + self._votes(with_candidate),
        )

    def _votes(self, counts: Codes) -> Codes:
        votes: Codes = (counts * (self.n_levels + 1) + self.rank).argmax(axis=1)
        return votes

    def drawn(self, subsets: _Subsets, draws: int, rng: np.random.Generator) -> Codes:
        """How often each subset is drawn when every item draws one, shape (subsets, draws)."""
        return np.concatenate(
            [
                rng.multinomial(self.sizes[kind], subsets.chance[subsets.kind == kind], size=draws).T
                for kind in np.unique(subsets.kind)
            ]
        )

    def rho_in_draws(self, cell: Codes, drawn: Codes) -> tuple[float, ...]:
        rhos = _rho(self._tables(sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell))))), drawn))
        return tuple(rhos[~np.isnan(rhos)].tolist())

    def figures(
        self,
        cells: Sequence[Codes],
        subsets: Sequence[_Subsets],
        ratings: Ratings,
        signature: str,
        bootstrap: Bootstrap | None,
    ) -> list[Statistic]:
        """ρ of the expected table of each number of raters, with intervals from the same resamples."""
        shape = (self.n_levels**2, len(self.sizes))
        expected = [
            sparse.csr_array((each.chance, (cell, each.kind)), shape=shape)
            for cell, each in zip(cells, subsets, strict=True)
        ]

        def rhos(sizes: Floats) -> Floats:
            return np.stack([_rho(self._tables(table, sizes)) for table in expected])

        values = rhos(self.sizes[:, None].astype(np.float64))[:, 0]
        sample = None
        if bootstrap:
            sample = bootstrap.sample(
                rhos, ratings.n_items, units=ratings.units, width=3 * shape[0], classes=self.kind_of_item
            )
        used: Flags = self.counts.sum(axis=1) > 0
        n_items = int(self.sizes[used].sum())
        n_raters = ratings.n_raters_of(used[self.kind_of_item])
        return [
            statistic(
                value=float(value),
                undefined_because=gettext_noop("The votes are the same for every item."),
                n_items=n_items,
                n_units=ratings.n_units_of(used[self.kind_of_item]),
                n_raters=n_raters,
                n_ratings=n_items * self.n_full,
                sample=None if sample is None else sample[index],
                bootstrap=bootstrap,
                signature=f"{signature}|raters:{subsets[index].k}",
                n_items_resampled=ratings.n_items,
            )
            for index, value in enumerate(values)
        ]

    def _tables(self, summing: sparse.csr_array, weights: Floats | Codes) -> Floats:
        """Contingency tables, (levels, levels, columns of weights), of which not all cells need occur."""
        cells = np.asarray(summing @ weights, dtype=np.float64)
        table = np.zeros((self.n_levels**2, cells.shape[1]))
        table[: len(cells)] = cells
        return table.reshape(self.n_levels, self.n_levels, -1)

    def n_subsets(self) -> int:
        """How many different subsets of half of the ratings there are at most; other sizes have fewer."""
        held = (self.counts > 0).sum(axis=1)
        return sum(comb(self.n_full // 2 + n - 1, n - 1) for n in held.tolist() if n)


def _multisets(counts: Codes, k: int) -> tuple[Codes, Floats]:
    """All m ≤ counts with Σ m = k, shape (subsets, levels), and the chance of each in a random subset."""
    found = np.zeros((1, 0), dtype=np.int64)
    for count in counts:
        found = np.concatenate(
            [np.column_stack([found, np.full(len(found), m)]) for m in range(int(min(count, k)) + 1)]
        )
        found = found[found.sum(axis=1) <= k]
    found = found[found.sum(axis=1) == k]
    return found, np.exp(_log_choose(counts, found).sum(axis=1) - _log_choose(counts.sum(), np.int64(k)))


def _log_choose(n: Codes | np.int64, k: Codes | np.int64) -> Floats:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def _rho(tables: Floats) -> Floats:
    """Spearman's ρ of contingency tables with real weights, shape (levels, levels, tables)."""
    n = tables.sum(axis=(0, 1))
    margins = tables.sum(axis=1), tables.sum(axis=0)
    varies: list[Flags] = [np.asarray((margin > 0).sum(axis=0) > 1) for margin in margins]
    first, second = (np.cumsum(margin, axis=0) - margin / 2 - n / 2 for margin in margins)
    squares = (margins[0] * first**2).sum(axis=0) * (margins[1] * second**2).sum(axis=0)
    shared = (tables * first[:, None] * second[None, :]).sum(axis=(0, 1))
    defined = varies[0] & varies[1]
    return np.where(defined, np.minimum(shared / np.sqrt(np.where(defined, squares, 1.0)), 1.0), np.nan)
