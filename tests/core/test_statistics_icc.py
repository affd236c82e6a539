"""ICC(2,1) and ICC(2,k): Shrout and Fleiss's worked example, pingouin's numbers, the analysis of variance."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.few_units import too_few_units
from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError, icc2
from tests.core.statistics_tables import make

# Six targets, four judges: Shrout and Fleiss (1979), Table 2; printed there as .29 and .62.
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def ratings_of(matrix: np.ndarray) -> Ratings:
    n, k = matrix.shape
    return make(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), matrix.ravel().astype(float), n, k)


def test_the_worked_example() -> None:
    icc = icc2(ratings_of(SHROUT_FLEISS), bootstrap=Bootstrap(100))
    # pingouin 0.6.1, intraclass_corr: ICC(A,1) and ICC(A,k).
    assert icc.single.value == pytest.approx(0.289763779528, abs=1e-11)
    assert icc.average.value == pytest.approx(0.620050547599, abs=1e-11)
    assert (icc.single.n_items, icc.single.n_raters, icc.single.n_ratings) == (6, 4, 24)
    assert icc.average.signature == "icc(2,k)|repeated:cross|resamples:100|seed:0"
    assert icc.single.no_interval_because == icc.average.no_interval_because == too_few_units(6, "kappa")
    thrice, often = (icc2(ratings_of(np.vstack([SHROUT_FLEISS] * n)), bootstrap=Bootstrap(100)).single for n in (3, 4))
    assert thrice.no_interval_because == too_few_units(18, "kappa")
    assert often.interval is not None
    assert often.value is not None
    assert often.interval.low < often.value < often.interval.high


@given(
    matrix=st.integers(2, 6).flatmap(
        lambda n: st.integers(2, 4).flatmap(
            lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=n, max_size=n).map(
                np.array
            )
        )
    ),
    shift=st.sampled_from([0.0, 1e5]),
)
def test_equals_the_analysis_of_variance(matrix: np.ndarray, shift: float) -> None:
    n, k = matrix.shape
    icc = icc2(ratings_of(matrix + shift))
    if len(np.unique(matrix)) < 2:
        assert icc.single.value is icc.average.value is None
        assert icc.single.undefined_because == "All values are equal."
        return
    residue = matrix - matrix.mean(axis=1, keepdims=True) - matrix.mean(axis=0) + matrix.mean()
    msr = k * matrix.mean(axis=1).var(ddof=1)
    msc = n * matrix.mean(axis=0).var(ddof=1)
    mse = (residue**2).sum() / ((n - 1) * (k - 1))
    below = msr + (k - 1) * mse + k * (msc - mse) / n
    if abs(below) > 1e-9:
        assert icc.single.value == pytest.approx((msr - mse) / below, abs=1e-6)
    below = msr + (msc - mse) / n
    if below > 1e-6:
        assert icc.average.value == pytest.approx((msr - mse) / below, abs=1e-4)
    elif below < -1e-6:
        assert icc.average.value is None


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1], [1, 0]],  # the denominator is nothing but rounding; by the formula some 1e16
        [[0, 2], [2, 0], [1, 1]],
        [[1, 5], [5, 1], [2, 4], [4, 2]],
    ],
)
def test_raters_who_contradict_each_other_have_no_reliability_of_their_mean(matrix: list[list[int]]) -> None:
    icc = icc2(ratings_of(np.array(matrix) + 0.1), bootstrap=Bootstrap(50))
    assert icc.single.value is None or icc.single.value < -0.5
    assert icc.average.value is None
    assert "the estimated variance of the values is not above zero" in str(icc.average.undefined_because)
    assert icc.average.interval is None


@pytest.mark.filterwarnings("ignore")  # of what it imports
def test_equals_pingouin() -> None:
    pingouin = pytest.importorskip("pingouin", reason="needs pingouin (requirements-dev.txt)")
    random = np.random.default_rng(8)
    for n, k in ((5, 2), (12, 3), (40, 6)):
        matrix = np.round(10 * (random.normal(size=(n, 1)) + random.normal(size=k) + random.normal(size=(n, k))))
        ratings = ratings_of(matrix)
        kept = ratings.where(np.arange(n * k) != n)  # a cell is missing, so that its item is left out
        rows = pd.DataFrame({"item": kept.items, "rater": kept.raters, "value": kept.values})
        rows = rows.set_index(["item", "rater"]).reindex(pd.MultiIndex.from_product([range(n), range(k)])).reset_index()
        told = pingouin.intraclass_corr(rows, "level_0", "level_1", "value", nan_policy="omit").set_index("Type")["ICC"]
        icc = icc2(kept)
        assert (icc.single.value, icc.average.value) == pytest.approx((told["ICC(A,1)"], told["ICC(A,k)"]), abs=1e-9)


def test_items_that_a_rater_lacks_are_left_out() -> None:
    whole = ratings_of(SHROUT_FLEISS)
    more = make(
        np.r_[whole.items, 6, 6], np.r_[whole.raters, 0, 1], np.r_[whole.values, 1, 9], 7, 6
    )  # and two raters who did nothing
    assert icc2(more).single.value == pytest.approx(icc2(whole).single.value, abs=1e-12)
    assert icc2(more).single.n_items == 6


def test_many_raters_who_share_few_items_take_little_memory() -> None:
    items = np.repeat(np.arange(20_000), 2)
    ratings = Ratings.from_arrays(items, (items * 7 + np.tile([0, 1], 20_000)) % 1_000, items % 3, repeated="error")
    tracemalloc.start()
    assert icc2(ratings).single.value is None
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_says_why_it_is_undefined() -> None:
    def reason(items: list[int], raters: list[int]) -> str | None:
        values = np.arange(len(items), dtype=float)
        return icc2(Ratings.from_arrays(items, raters, values, repeated="error")).single.undefined_because

    assert reason([0, 1], [0, 0]) == "There are fewer than two raters."
    assert reason([0, 1], [0, 1]) == "No item was judged by all 2 raters."
    assert reason([0, 0, 1], [0, 1, 1]) == "A single item was judged by all 2 raters."
    assert reason([], []) == "There are fewer than two raters."


def test_refuses_several_judgments_of_a_rater() -> None:
    with pytest.raises(RatingsError, match="more than once"):
        icc2(Ratings.from_arrays([0, 0, 0], [0, 0, 1], [1, 2, 3], repeated="cross"))
