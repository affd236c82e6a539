"""When a difference is called one: the rule of every sentence that says so."""

from typing import Any

SURE_BELOW = 0.05


def is_certain(figure: dict[str, Any]) -> bool:
    """Whether a stored difference is not chance: its corrected p says so, or where it has none, its interval."""
    p = corrected_p(figure)
    if p is not None:
        return p < SURE_BELOW
    low, high = figure.get("interval") or (0, 0)
    return bool(low > 0 or high < 0)


def corrected_p(figure: dict[str, Any]) -> float | None:
    """Corrected by Holm for the family that the difference was measured with."""
    p: float | None = figure.get("p_holm", figure.get("p_value_holm"))
    return p
