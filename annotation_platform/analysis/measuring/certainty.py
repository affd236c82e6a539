"""When a difference is called one, and when an interval is called rough: the rules of all sentences that say so."""

from typing import Any

from annotation_platform.analysis.measuring.figures import Figure

SURE_BELOW = 0.05
FEW_UNITS = 20  # so few articles, questions or items say little about others: intervals from them are rough
FEW = (
    f"Rough intervals, from fewer than {FEW_UNITS} items (or questions, or articles), which may miss the true value "
    "more often than they say"
)


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


def with_cautions(stored: Any) -> Any:
    """Plain data with the caution beside each stored figure whose interval is rough."""
    if isinstance(stored, list):
        return [with_cautions(each) for each in stored]
    if not isinstance(stored, dict):
        return stored
    found = {key: with_cautions(value) for key, value in stored.items()}
    intervals = (value for key, value in stored.items() if key == "interval" or key.endswith("_interval"))
    if any(is_rough(interval, stored.get("units")) for interval in intervals):
        found["caution"] = f"{FEW}."
    return found
