"""Gwet's AC1, AC2 and percent agreement: irrCAC's printed numbers and the definition by brute force."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import Ratings, RatingsError, gwet_ac, percent_agreement
from tests.core.statistics_tables import LABELS, make, relabelled, tables
from tests.core.test_statistics_agreement import OBSERVERS

# irrCAC 0.4.4, CAC(observers, weights=…).gwet() on Krippendorff's four observers.
PRINTED = {"identity": 0.775444068127, "linear": 0.858739136433, "quadratic": 0.914000723552}


def observers() -> Ratings:
    rows = [
        (unit, observer, value)
        for observer, values in enumerate(OBSERVERS)
        for unit, value in enumerate(values)
        if value is not None
    ]
    return Ratings.from_arrays(*zip(*rows, strict=True), repeated="error")


@pytest.mark.parametrize("weights", list(PRINTED))
def test_ac_is_what_irrcac_prints(weights: str) -> None:
    ac = gwet_ac(observers(), weights=weights)
    assert ac.value == pytest.approx(PRINTED[weights], abs=1e-11)
    # The last unit has one rating, which says nothing about agreement but counts among the categories' shares.
    assert (ac.n_items, ac.n_raters, ac.n_ratings) == (12, 4, 41)


def test_ac_depends_on_categories_that_nobody_chose() -> None:
    ac = gwet_ac(observers(), scale=range(1, 8))
    assert ac.value == pytest.approx(0.791760186789, abs=1e-11)  # irrCAC, categories=[1, …, 7]
    assert ac.signature == "gwet-ac1|weights:identity|categories:7|repeated:error"


def test_percent_agreement_is_what_irrcac_prints() -> None:
    share = percent_agreement(observers())
    assert share.value == pytest.approx(0.818181818182, abs=1e-11)
    assert (share.n_items, share.n_ratings) == (11, 40)


@pytest.mark.parametrize("weights", list(PRINTED))
@given(ratings=tables(), seed=st.integers(0, 99))
def test_ac_equals_its_definition(weights: str, ratings: Ratings, seed: int) -> None:
    units = [ratings.values[ratings.items == item] for item in range(ratings.n_items)]
    units = [unit for unit in units if len(unit)]
    paired = [unit for unit in units if len(unit) > 1]
    ac = gwet_ac(ratings, scale=LABELS, weights=weights)
    if not paired:
        assert (ac.value, ac.undefined_because) == (None, "No item has two ratings.")
        return

    def alike(c: float, k: float) -> float:
        return {"identity": float(c == k), "linear": 1 - abs(c - k) / 100, "quadratic": 1 - (c - k) ** 2 / 1e4}[weights]

    observed = np.mean([np.mean([alike(c, k) for c, k in permutations(unit, 2)]) for unit in paired])
    shares = [np.mean([np.mean(unit == c) for unit in units]) for c in LABELS]
    total = sum(alike(c, k) for c in LABELS for k in LABELS)
    expected = total / 12 * sum(share * (1 - share) for share in shares)
    assert ac.value == pytest.approx((observed - expected) / (1 - expected), abs=1e-10)
    rng = np.random.default_rng(seed)
    other = relabelled(ratings, rng.permutation(ratings.n_items), rng.permutation(ratings.n_raters))
    assert gwet_ac(other, scale=LABELS, weights=weights).value == pytest.approx(ac.value, abs=1e-12)


def test_one_label_throughout_is_full_agreement_where_the_scale_has_others() -> None:
    same = make(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.full(4, 70.0), 2, 2)
    assert gwet_ac(same, scale=LABELS).value == 1
    assert gwet_ac(same).undefined_because == "The scale has a single value."


def test_refuses_unknown_weights_and_values_off_the_scale() -> None:
    with pytest.raises(ValueError, match="'cubic' are none of"):
        gwet_ac(observers(), weights="cubic")
    with pytest.raises(RatingsError, match="value 5, which the scale does not have"):
        gwet_ac(observers(), scale=[1, 2, 3, 4])
