"""When a difference is called one, and when an interval is called rough: the rules of all sentences that say so."""

from typing import Any, get_args

from annotation_platform.analysis.measuring.figures import Figure
from annotation_platform.core.few_units import UnitName, units_in_words
from annotation_platform.core.reasons import Reason, from_data

SURE_BELOW = 0.05
UNITS = get_args(UnitName)
FEW_UNITS = 20  # so few articles, questions or items say little about others: intervals from them are rough


def is_certain(figure: Figure) -> bool:
    """Whether a stored difference is not chance: its corrected p and its interval say so, as far as it has them."""
    p, interval = figure.corrected_p, figure.interval
    if p is None and not interval:
        return False
    low, high = interval or (1, 1)
    return bool((low > 0 or high < 0) and (p is None or p < SURE_BELOW))


def is_rough(interval: Any, units: int | None) -> bool:
    """Whether there is an interval and it rests on few units."""
    return interval is not None and units is not None and units < FEW_UNITS


def rough(unit: UnitName | None) -> Reason:
    """What is said beside intervals that rest on few units."""
    return Reason("statistics.rough", few=FEW_UNITS, units=units_in_words(unit))


def unit_called(name: str) -> UnitName | None:
    """The unit that figures were stored with, as sentences know it."""
    return next((unit for unit in UNITS if unit == name), None)


def with_cautions(stored: Any, unit: UnitName | None = None) -> Any:
    """Plain data with the caution beside each stored figure whose interval is rough, and reasons as sentences.

    ``unit`` is what the intervals draw; what has a unit of its own, as an aspect has, is told by that.
    """
    if isinstance(stored, list):
        return [with_cautions(each, unit) for each in stored]
    if not isinstance(stored, dict):
        return stored
    if stored.keys() == {"code", "parameters"}:
        return from_data(stored)
    if stored.get("unit") in UNITS:
        unit = stored["unit"]
    found = {key: with_cautions(value, unit) for key, value in stored.items()}
    intervals = (value for key, value in stored.items() if key == "interval" or key.endswith("_interval"))
    if any(is_rough(interval, stored.get("units")) for interval in intervals):
        found["caution"] = f"{rough(unit)}."
    return found
