"""How many units an interval needs, and how they are called; here, since pages say it that load no statistics."""

from math import ceil
from typing import Literal

from annotation_platform.core.reasons import Reason

Scale = Literal["plain", "coefficient", "kappa", "ratio"]
UnitName = Literal["article", "question", "item"]

FEWEST_UNITS: dict[Scale, int] = {"plain": 5, "coefficient": 8, "kappa": 20, "ratio": 8}
"""From how many units on a resampled interval holds about as often as it says, by the scale it is made on."""
FEWEST_BY_SKEWNESS = 50
"""Times the squared skewness of judgments: so many units κ and ICC need for an interval (`statistics.skewness`)."""
FEWEST_OF_PAIRS = 12
"""From how many units on, that pairs of raters share on average, the mean of their κ has an interval."""
FEWEST_ARTICLES = 5
"""From how many articles on they are the unit: of fewer, those drawn anew are mostly the same ones, so that figures
speak for other questions about the same articles."""
FEWEST_RATERS = 3
"""From how many raters on an interval can speak about others."""


def too_few_units(n: int, scale: Scale, unit: UnitName | None = None) -> str:
    """Why so few units give no interval.

    Articles are the unit from `FEWEST_ARTICLES` on, whatever a figure's scale needs: a study that grows by articles may
    lose an interval that it had by questions, and the sentence says so. To stay with the questions would make
    intervals of answers that are alike.
    """
    if unit == "article" and n >= FEWEST_ARTICLES:
        return Reason("statistics.too_few_articles", count=n, least=FEWEST_UNITS[scale], fewest=FEWEST_ARTICLES)
    return Reason("statistics.too_few_units", units=units_in_words(unit), count=n, least=FEWEST_UNITS[scale])


def too_skewed(n: int, skewness: float, unit: UnitName | None = None) -> str | None:
    """Why so few units give no interval where judgments are so skewed."""
    least = ceil(FEWEST_BY_SKEWNESS * skewness**2)
    if n >= least:
        return None
    return Reason("statistics.too_skewed", units=units_in_words(unit), count=n, least=least)


def pairs_share_too_few(shared: float, unit: UnitName | None = None) -> str | None:
    """Why pairs that share so few units on average give no interval of their mean."""
    if shared >= FEWEST_OF_PAIRS:
        return None
    told = f"{shared:.1f}"
    return Reason("statistics.pairs_share_too_few", units=units_in_words(unit), shared=told, least=FEWEST_OF_PAIRS)


def too_few_raters(n: int, least: int = FEWEST_RATERS) -> str:
    """Why so few raters say nothing about others."""
    return Reason("statistics.too_few_raters", count=n, least=least)


def single_unit(unit: UnitName | None) -> str:
    """Why a single unit gives no interval of a share."""
    return Reason("statistics.single_unit", unit=_unit_in_words(unit))


def units_in_words(unit: UnitName | None) -> Reason:
    """As sentences call several of them, all kinds where it is not known which."""
    match unit:
        case "article":
            return Reason("statistics.articles")
        case "question":
            return Reason("statistics.questions")
        case "item":
            return Reason("statistics.items")
    return Reason("statistics.units")


def _unit_in_words(unit: UnitName | None) -> Reason:
    match unit:
        case "article":
            return Reason("statistics.article")
        case "question":
            return Reason("statistics.question")
        case "item":
            return Reason("statistics.item")
    return Reason("statistics.unit")
