"""A plan: what a design finds and costs, and how that changes with more or fewer articles and annotators."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from math import ceil, sqrt

from django.utils.translation import gettext_noop

from annotation_platform.analysis.sections.planning.pay import PaidBy
from annotation_platform.analysis.sections.planning.table_rows import DesignRow
from annotation_platform.analysis.tables.rows import Estimate
from annotation_platform.analysis.tables.words import number
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.power import (
    Components,
    Design,
    smallest_difference,
    spread_of,
    standard_error,
    variance_interval,
    weights,
)

COMPARED = (1, 2, 3, 5)  # annotators per answer
POINTS = 14  # of a curve
FEWEST_ON_CURVE, MOST_ON_CURVE = 5, 100


@dataclass(frozen=True)
class Price:
    """What work costs in money and time, as far as it was said: ``pay`` for a task or, ``by`` the hour, for that; a
    bonus, and a provider's fee on both, in percent."""

    pay: float | None = None
    currency: str = ""
    minutes: float | None = None
    by: PaidBy = "task"
    bonus: float = 0
    fee: float = 0

    @property
    def told_minutes(self) -> int | None:
        """Whole ones, rounded up: these are told to whoever is invited, and pay for an hour is for these."""
        return ceil(self.minutes) if self.minutes else None

    @property
    def reward(self) -> float | None:
        """For a task, without what comes on top."""
        if self.pay is None or self.by == "task":
            return self.pay
        return None if self.told_minutes is None else self.pay * self.told_minutes / 60

    @property
    def of_task(self) -> float | None:
        """What a task costs in all: reward × (1 + bonus) × (1 + fee)."""
        return None if self.reward is None else self.reward * (1 + self.bonus / 100) * (1 + self.fee / 100)

    def in_words(self, amount: float | None) -> str:
        return f"{number(amount, 'money')} {self.currency}".strip()


@dataclass(frozen=True)
class Basis:
    """What the plan rests on: the variances and, of a pilot, their covariance, from so many units."""

    components: Components
    covariance: tuple[tuple[float, ...], ...] | None = None
    no_interval_because: str = ""
    unit: UnitName | None = None
    units: int | None = None


@dataclass(frozen=True)
class Plan:
    basis: Basis
    design: Design
    price: Price

    def row(self, design: Design) -> DesignRow | None:
        """One design with what it finds and costs; None where it has a single unit, or too few people."""
        if design.units < 2:
            return None
        tasks, price = design.tasks, self.price
        error = standard_error(self.basis.components, design)
        value = smallest_difference(error, design.units)
        return DesignRow(
            articles=design.articles,
            questions=design.questions,
            about_none=design.about_none,
            annotators=design.annotators,
            tasks=tasks,
            cost=None if price.of_task is None else tasks * price.of_task,
            hours=None if price.minutes is None else tasks * price.minutes / 60,
            is_chosen=design == self.design,
            smallest=self._smallest(design, value, error),
        )

    def _smallest(self, design: Design, value: float, error: float) -> Estimate:
        basis = self.basis
        if basis.covariance is None or not error:
            return Estimate(value, why=basis.no_interval_because)
        low, high = variance_interval(error**2, spread_of(basis.covariance, weights(design)))
        if high == float("inf"):
            return Estimate(value, why=NO_UPPER_END)
        return Estimate(value, value * sqrt(low) / error, value * sqrt(high) / error, units=basis.units)

    @property
    def chosen(self) -> DesignRow:
        found = self.row(self.design)
        assert found is not None  # the form lets no other pass
        return found

    @property
    def grid(self) -> list[DesignRow]:
        """Half, all and twice the articles, with one, two, three, five and the chosen number of annotators."""
        a = self.design.articles
        return self._rows(sorted({max(1, a // 2), a, 2 * a}))

    @property
    def curve(self) -> list[DesignRow]:
        """The same over many numbers of articles."""
        a = self.design.articles
        last = max(MOST_ON_CURVE, 2 * a)
        first = min(FEWEST_ON_CURVE, max(a, 2))
        steps = [round(first * (last / first) ** (place / (POINTS - 1))) for place in range(POINTS)]
        return self._rows(sorted({*steps, a}))

    def _rows(self, articles: Iterable[int]) -> list[DesignRow]:
        most = self.design.people
        numbers = [k for k in sorted({*COMPARED, self.design.annotators}) if most is None or k <= most]
        designs = (replace(self.design, articles=a, annotators=k) for a in articles for k in numbers)
        return [row for design in designs if (row := self.row(design)) is not None]


NO_UPPER_END = gettext_noop("The pilot says too little about the variances for an upper end.")


def shares(components: Components) -> list[float]:
    """Standard deviations, in the order of the fields."""
    return [sqrt(value) for value in astuple(components)]
