"""What a statistic returns: a value or the reason why there is none, with its n and its interval."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from annotation_platform.core.arrays import Floats
from annotation_platform.core.few_units import Scale, UnitName

Ends = tuple[float, float]
"""The lowest and the highest value that there can be, such as the ends of a scale; the highest may be infinite."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, from resampling or by a formula.

    Attributes
    ----------
    low, high : float
    level : float
        Confidence level, such as 0.95.
    resamples, seed : int
        How many resamples were drawn, and the seed that draws the same again; 0 where nothing was drawn.
    undefined_resamples : int
        In how many of them the statistic was undefined; these are left out.
    """

    low: float
    high: float
    level: float
    resamples: int = 0
    seed: int = 0
    undefined_resamples: int = 0

    def within(self, ends: Ends | None) -> Interval:
        """Cut at the ends of what is possible, which an interval by Student's t does not know.

        It holds what it held before: the truth lies between them.
        """
        return self if ends is None else replace(self, low=max(self.low, ends[0]), high=min(self.high, ends[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """A statistic in every resample, for the paired difference of two.

    Attributes
    ----------
    values : float array, shape (resamples,)
        NaN where the statistic was undefined.
    n_items, seed : int
        From how many items was drawn and with which seed: where both are equal, the same items were drawn.
    level : float
        Confidence level that was asked for.
    scale : {'plain', 'coefficient', 'kappa', 'ratio'}
        On which scale it has its interval (`resampling`).
    unit : {'article', 'question', 'item'}, optional
        What was drawn, where it is known.
    ends : tuple of two floats, optional
        What the statistic can be at least and at most.
    """

    values: Floats
    n_items: int
    seed: int
    level: float
    scale: Scale
    unit: UnitName | None = None
    ends: Ends | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """One figure with what it rests on.

    Attributes
    ----------
    value : float or None
        None where the statistic is undefined.
    undefined_because : str or None
        The reason, as a sentence for people, exactly where ``value`` is None.
    n_items, n_raters, n_ratings : int
        What entered the figure; ratings that could not enter it (such as an item's only rating, for an
        agreement) do not count.
    n_units : int
        How many units its items belong to, such as articles: on so many its interval rests.
    interval : Interval or None
        None where it was not asked for or cannot be had.
    no_interval_because : str or None
        The reason, exactly where ``interval`` is None.
    signature : str
        What was computed, with every setting that changes the figure: ``krippendorff-alpha|level:ordinal|
        repeated:cross|resamples:1000|seed:0``. Two figures can be compared when theirs are equal.
    resampled : Resampled or None
    """

    value: float | None
    undefined_because: str | None
    n_items: int
    n_raters: int
    n_ratings: int
    n_units: int
    interval: Interval | None
    no_interval_because: str | None
    signature: str = ""
    resampled: Resampled | None = field(default=None, repr=False, compare=False)


def ends_of_difference(first: Ends | None, second: Ends | None) -> Ends | None:
    """What second minus first can be, from what each of them can be."""
    return None if first is None or second is None else (second[0] - first[1], second[1] - first[0])


def signature_line(name: str, **settings: object) -> str:
    """A statistic's name and settings in one line; settings that are None are left out."""
    return "|".join([name, *(f"{key}:{value}" for key, value in settings.items() if value is not None)])
