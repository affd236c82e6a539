"""The hourly rates of all annotators as dots on a line, with the median and the floor."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation_platform.crowd.pay.rates import Rates

WIDTH, MARGIN, ROW, RADIUS = 480, 6, 9, 4
MOST_ROWS = 12


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    name: str
    hourly: int
    is_under: bool


@dataclass(frozen=True)
class RatesChart:
    """Where everything stands in a drawing of so many units."""

    width: int
    height: float
    base: float
    dots: Sequence[Dot]
    median: float
    floor: float | None
    right: int
    """The amount at the right end; the left one is zero."""


def rates_chart(rates: Rates) -> RatesChart | None:
    """None without annotators. Dots that would lie on each other are piled up."""
    if rates.median is None:
        return None
    right = max(rates.rates[-1].hourly, rates.floor or 0, 1)

    def at(amount: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * amount / right, 1)

    piles: dict[int, int] = {}
    placed: list[tuple[float, int, str, int, bool]] = []
    for rate in rates.rates:
        x = at(rate.hourly)
        column = round(x / (2 * RADIUS))
        level = piles[column] = piles.get(column, -1) + 1
        is_under = rates.floor is not None and rate.hourly < rates.floor
        placed.append((x, min(level, MOST_ROWS), rate.member.pseudonym, rate.hourly, is_under))
    base = 12 + ROW * max(level for _, level, *_ in placed)
    dots = [Dot(x, base - ROW * level, name, hourly, is_under) for x, level, name, hourly, is_under in placed]
    floor = None if rates.floor is None else at(rates.floor)
    return RatesChart(WIDTH, base + 8, base + 6, dots, at(rates.median), floor, right)
