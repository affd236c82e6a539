"""How many units an interval needs, and how they are called; here, since pages say it that load no statistics."""

from typing import Literal

from annotation_platform.core.reasons import Reason

Scale = Literal["plain", "coefficient", "kappa", "ratio"]
UnitName = Literal["article", "question", "item"]

FEWEST_UNITS: dict[Scale, int] = {"plain": 5, "coefficient": 8, "kappa": 20, "ratio": 8}
"""From how many units on a resampled interval holds about as often as it says, by the scale it is made on."""
FEWEST_ARTICLES = 5
"""Of fewer articles, those drawn anew are mostly the same ones: they cannot speak for others, and questions do."""
FEWEST_RATERS = 3
"""From how many raters on an interval can speak about others."""


def too_few_units(n: int, scale: Scale, unit: UnitName | None = None) -> str:
    """Why so few units give no interval."""
    return Reason("statistics.too_few_units", units=units_in_words(unit), count=n, least=FEWEST_UNITS[scale])


def too_few_raters(n: int) -> str:
    """Why so few raters say nothing about others."""
    return Reason("statistics.too_few_raters", count=n, least=FEWEST_RATERS)


def single_unit(unit: UnitName | None) -> str:
    """Why a single unit gives no interval of a share."""
    names = {
        "article": Reason("statistics.article"),
        "question": Reason("statistics.question"),
        "item": Reason("statistics.item"),
    }
    return Reason("statistics.single_unit", unit=names[unit] if unit else Reason("statistics.unit"))


def units_in_words(unit: UnitName | None) -> Reason:
    """As sentences call several of them, all kinds where it is not known which."""
    names = {
        "article": Reason("statistics.articles"),
        "question": Reason("statistics.questions"),
        "item": Reason("statistics.items"),
    }
    return names[unit] if unit else Reason("statistics.units")
