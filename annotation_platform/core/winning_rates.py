"""Against how many raters a candidate wins where each rater's work is worth some ε, from what is known of their leads.

Pages compute it for the ε that is asked for, so the libraries of statistics are loaded when there is something to
compute. The leads come from `core.statistics.alternative_annotator`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotation_platform.core.reasons import Reason

RatersAre = Literal["experts", "skilled", "crowd"]
RATERS_AT: dict[float, RatersAre] = {0.2: "experts", 0.15: "skilled", 0.1: "crowd"}
"""Which raters an ε is for (Calderon, Reichart and Dror, 2025)."""
USUAL_EPSILONS = (*RATERS_AT,)
FEWEST_ITEMS = 30
FEWEST_RATERS = 3
ALPHA = 0.05
PASSED = 0.5


@dataclass(frozen=True, slots=True)
class LeadTest:
    """What the test of one rater's lead over the candidate needs, whatever ε is.

    Attributes
    ----------
    lead : float
        Mean lead, between −1 and 1.
    standard_error, degrees_of_freedom : float or None
        Of Student's t; None where the lead is the same throughout.
    n_units : int
        Articles, or else questions or items, that the lead is known of.
    """

    lead: float
    standard_error: float | None
    degrees_of_freedom: float | None
    n_units: int

    def p_value(self, epsilon: float) -> float:
        """Of the hypothesis that the rater's lead is ``epsilon`` or more, one-sided: t = (lead − ε) / √V.

        Where the lead is c throughout, in G groups, t is not defined. Of all ways in which a lead between −1 and 1
        can have a mean of ε, c comes up at most with the chance (1 − ε) / (1 − c): p is that to the power of G, and 1
        where c is not below ε.
        """
        if self.standard_error is None or self.degrees_of_freedom is None:
            return 1.0 if self.lead >= epsilon else float(((1 - epsilon) / (1 - self.lead)) ** self.n_units)
        from scipy.special import stdtr

        return float(stdtr(self.degrees_of_freedom, (self.lead - epsilon) / self.standard_error))


@dataclass(frozen=True, slots=True)
class WinningRate:
    """How many raters the candidate wins against, where each rater's work is worth ``epsilon``.

    Attributes
    ----------
    epsilon : float
    value : float or None
        Share of the tested raters whose hypothesis falls.
    undefined_because : str or None
    p_values : tuple of float or None
        By rater, corrected by Benjamini and Yekutieli; None for one who was not tested.
    """

    epsilon: float
    value: float | None
    undefined_because: str | None
    p_values: tuple[float | None, ...]

    @property
    def is_passed(self) -> bool:
        return self.value is not None and self.value >= PASSED


def winning_rate(tests: Sequence[LeadTest | None], epsilon: float) -> WinningRate:
    """The share of raters whose H0 falls at .05: that the rater leads the candidate by ``epsilon`` or more.

    Parameters
    ----------
    tests : sequence of LeadTest or None
        By rater; None for one who cannot be tested. Fewer than three tests give no rate, and no p.
    epsilon : float

    Raises
    ------
    ValueError
        When ``epsilon`` is not between 0 and 1.

    References
    ----------
    Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge.

    >>> behind, ahead = LeadTest(-0.2, 0.05, 39, 40), LeadTest(0.3, 0.05, 39, 40)
    >>> found = winning_rate([behind, None, behind, ahead], 0.1)
    >>> round(found.value, 3), [p if p is None else round(p, 3) for p in found.p_values]
    (0.667, [0.0, None, 0.0, 1.0])
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon is {epsilon}; give a share from 0 to below 1, such as 0.15.")
    tested = [test for test in tests if test is not None]
    if len(tested) < FEWEST_RATERS:
        return WinningRate(epsilon, None, too_few_to_test(len(tested)), (None,) * len(tests))
    corrected = benjamini_yekutieli([test.p_value(epsilon) for test in tested])
    by_test = iter(corrected)
    p_values = tuple(None if test is None else next(by_test) for test in tests)
    return WinningRate(epsilon, sum(p <= ALPHA for p in corrected) / len(tested), None, p_values)


def benjamini_yekutieli(p_values: Sequence[float]) -> tuple[float, ...]:
    """p-values of a family of tests, raised so that of those at most α a share of at most α is false, on average and
    however the tests hang together.

    The i-th smallest of m becomes the least of p_(j) · m · (1 + 1/2 + … + 1/m) / j over j ≥ i, at most 1.

    References
    ----------
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing under dependency, Annals
    of Statistics 29. Checked against `scipy.stats.false_discovery_control`.

    >>> [round(p, 4) for p in benjamini_yekutieli([0.01, 0.04, 0.03])]
    [0.055, 0.0733, 0.0733]
    """
    m = len(p_values)
    times, least = m * sum(1 / k for k in range(1, m + 1)), 1.0
    corrected = [1.0] * m
    largest_first = sorted(range(m), key=p_values.__getitem__, reverse=True)
    for rank, place in zip(range(m, 0, -1), largest_first, strict=True):
        least = min(least, p_values[place] * times / rank)
        corrected[place] = least
    return tuple(corrected)


def too_few_to_test(tested: int) -> str:
    """Why so few raters that can be tested give no winning rate."""
    needed = {"people": FEWEST_RATERS, "items": FEWEST_ITEMS}
    if not tested:
        return Reason("statistics.nobody_to_test", **needed)
    return Reason("statistics.too_few_to_test", **needed, count=tested)
