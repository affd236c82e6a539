"""The ranks that comparisons of all pairs leave open."""

from collections.abc import Iterable


def rank_intervals(n: int, surely_above: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The best and the worst rank that each of n can have, given which pairs certainly differ.

    With a above b if the pair says so at 5 % after Holm's correction for all pairs::

        [1 + #{j : j above i},  n − #{j : i above j}]

    Then all intervals hold at once with 95 %, since no rank is outside its own unless a pair was judged falsely.

    Parameters
    ----------
    n : int
    surely_above : iterable of (int, int)
        Codes, the better first.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks, Review of Economic Studies 91.

    >>> rank_intervals(3, [(0, 1), (0, 2)])
    ((1, 1), (2, 3), (2, 3))
    """
    best, worst = [1] * n, [n] * n
    for above, below in set(surely_above):
        best[below] += 1
        worst[above] -= 1
    return tuple(zip(best, worst, strict=True))


def is_sole_first(ranks: Iterable[tuple[int, int]]) -> bool:
    """Whether one of them is above all others for certain; if only one *may* be first, it need not be.

    >>> is_sole_first(rank_intervals(3, [(0, 1), (0, 2)])), is_sole_first(rank_intervals(3, [(0, 1), (1, 2)]))
    (True, False)
    """
    return (1, 1) in ranks
