"""How many units an interval needs; here, since pages say it that load no statistics."""

from typing import Literal

Scale = Literal["plain", "coefficient", "ratio"]

FEWEST_UNITS: dict[Scale, int] = {"plain": 5, "coefficient": 8, "ratio": 8}
"""From how many units on a resampled interval holds about as often as it says, by the scale it is made on."""


def too_few_units(n: int, scale: Scale) -> str:
    """Why so few units give no interval."""
    least = FEWEST_UNITS[scale]
    return f"It rests on too few items (or questions, or articles) for an interval: {n}; from {least} on there is one."
