"""When a difference is called one: the rule of every sentence that says so."""

from typing import Any

SURE_BELOW = 0.05


def is_certain(figure: dict[str, Any]) -> bool:
    """Whether a stored difference is not chance: its corrected p and its interval say so, as far as it has them."""
    p, interval = corrected_p(figure), figure.get("interval")
    if p is None and not interval:
        return False
    low, high = interval or (1, 1)
    return bool((low > 0 or high < 0) and (p is None or p < SURE_BELOW))


def corrected_p(figure: dict[str, Any]) -> float | None:
    """Corrected by Holm for the family that the difference was measured with."""
    p: float | None = figure.get("p_holm", figure.get("p_value_holm"))
    return p
