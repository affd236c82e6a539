"""What can hold the next batches back: figures of a study, each beside the limit that the study has for it.

A *gate* reads figures of one kind. ``GATES`` lists them; a topic that watches something else adds its own line, and has
fields for its limits, verdicts and the attention list without another one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isclose
from typing import Any

from django.db.models import Count, Max, Q

from annotation_platform.analysis.sections.agreement.figures import KRIPPENDORFF_ALPHA
from annotation_platform.analysis.snapshots.stored import latest_snapshot, section_by_aspect
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.checks.models import Check, CheckResult
from annotation_platform.crowd.pacing.limits import AGREEMENT
from annotation_platform.crowd.pacing.models import Bound, Pacing
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.money import digits_of, plain
from annotation_platform.crowd.pay.rates import rates_of
from annotation_platform.studies.models import FINISHED_STATES, Study


class Unit(StrEnum):
    """How a figure and its limit are written: as they are, in percent, or in money of the study's own."""

    PLAIN = "plain"
    PERCENT = "percent"
    MONEY = "money"


@dataclass(frozen=True)
class GateFigure:
    """A figure as it is now; ``value`` is None where nothing is measured yet.

    ``title`` and ``rests_on``, what it is made of, are told in the reader's language. ``is_least``: the limit is the
    least that it may be, else the most.
    ``is_behind``: there is more to measure by now, and it is about to be. ``currency``: of what is in money.
    """

    key: str
    title: str
    value: float | None
    rests_on: str
    low: float | None = None
    high: float | None = None
    is_least: bool = True
    unit: Unit = Unit.PLAIN
    is_behind: bool = False
    currency: str = ""

    def at(self, bound: str) -> float | None:
        """The number that a limit is held against; the figure itself where it has no interval."""
        worse, better = (self.low, self.high) if self.is_least else (self.high, self.low)
        chosen = {Bound.LOW: worse, Bound.HIGH: better}.get(Bound(bound))
        return self.value if chosen is None else chosen


@dataclass(frozen=True)
class Verdict:
    """A reading against its limit.

    What has no limit holds nothing back, nor what there is nothing to measure of yet; what is behind does, until it
    is measured.
    """

    reading: GateFigure
    limit: float | None
    compared: float | None

    @property
    def holds_back(self) -> bool:
        if self.limit is None or self.reading.is_behind:
            return self.limit is not None
        if self.compared is None:
            return False
        return self.compared < self.limit if self.reading.is_least else self.compared > self.limit

    @property
    def reason(self) -> Reason:
        """Why it holds back, in words."""
        if self.reading.is_behind:
            return Reason("crowd.measured_before", figure=self.reading.title)
        code = "crowd.too_low" if self.reading.is_least else "crowd.too_high"
        value, limit = self._told_apart()
        return Reason(code, figure=self.reading.title, value=value, limit=limit)

    @property
    def shown(self) -> str:
        return self.written(self.reading.value)

    @property
    def shown_low(self) -> str:
        return self.written(self.reading.low)

    @property
    def shown_high(self) -> str:
        return self.written(self.reading.high)

    def written(self, number: float | None, more_digits: int = 0) -> str:
        """A number as people read it, with so many more digits than usual; money has those of its currency."""
        if number is None:
            return "–"
        if self.reading.unit == Unit.MONEY:
            return f"{number:.{digits_of(self.reading.currency)}f}"
        if self.reading.unit == Unit.PERCENT:
            return f"{100 * number:.{more_digits}f}%"
        return f"{number:.{2 + more_digits}f}"

    def _told_apart(self) -> tuple[str, str]:
        """What is compared and its limit, with as many digits as it takes to see which is more, and the limit whole."""
        limit = self.limit or 0.0
        for more in range(MOST_DIGITS_MORE):
            value, told = self.written(self.compared, more), self.written(limit, more)
            unit = 100 if self.reading.unit == Unit.PERCENT else 1
            numbers = [float(each.removesuffix("%")) for each in (value, told)]  # -0.00 is 0.00
            if numbers[0] != numbers[1] and isclose(numbers[1], unit * limit):
                break
        return value, told


MOST_DIGITS_MORE = 8
Gate = Callable[[Study], Iterable[GateFigure]]


def _judgments_of(judgments: int, items: int) -> Reason:
    return Reason(
        "crowd.rests_on_judgments",
        judgments=Reason("crowd.rests_on_judgments_count", count=judgments),
        items=Reason("crowd.rests_on_items_count", count=items),
    )


def agreement(study: Study) -> list[GateFigure]:
    """Krippendorff α of the labels of each aspect, from the newest snapshot."""
    snapshot = latest_snapshot(study)
    is_behind = has_closed_since_measured(study)
    measured: dict[str, Any] = section_by_aspect(snapshot, KRIPPENDORFF_ALPHA) if snapshot else {}
    readings = []
    for aspect in study.scheme().labelled_aspects:
        alpha = measured[aspect.key].raw if aspect.key in measured else None
        low, high = alpha.interval if alpha and alpha.interval else (None, None)
        readings.append(
            GateFigure(
                key=AGREEMENT + aspect.key,
                title=Reason("crowd.gate_agreement", aspect=aspect.title),
                value=alpha.value if alpha else None,
                rests_on=_judgments_of(alpha.judgments, alpha.items) if alpha else Reason("crowd.rests_on_nothing"),
                low=low,
                high=high,
                is_behind=is_behind,
            )
        )
    return readings


def has_closed_since_measured(study: Study) -> bool:
    """Whether a batch has closed since agreement was measured last; the sweep finds that, and has it measured."""
    measured_at = study.snapshots.aggregate(at=Max("measured_at"))["at"]
    closed = study.batches.filter(state__in=FINISHED_STATES, closed_at__isnull=False)
    return (closed if measured_at is None else closed.filter(closed_at__gt=measured_at)).exists()


def hourly_pay(study: Study) -> list[GateFigure]:
    """What an hour of work pays the median annotator, in the study's currency."""
    rates = rates_of(study)
    if rates is None:
        return []
    pay = None if rates.median is None else float(plain(rates.median, rates.currency))
    return [
        GateFigure(
            key="pay.hourly",
            title=Reason("crowd.gate_hourly", currency=rates.currency),
            value=pay,
            rests_on=Reason("crowd.rests_on_annotators", count=rates.n),
            unit=Unit.MONEY,
            currency=rates.currency,
        )
    ]


def attention(study: Study) -> list[GateFigure]:
    """The share of all judgments of checks that were accepted; where the study mixes checks in."""
    from annotation_platform.crowd.checks.figures import Share  # numpy: only where it is needed

    if not Check.objects.filter(study=study).exists():
        return []
    results = CheckResult.objects.filter(check_item__study=study, is_repeated=False, check_item__retired_at=None)
    judged = results.aggregate(n=Count("pk"), passed=Count("pk", filter=Q(passed=True)))
    share = Share(judged["passed"], judged["n"])
    low, high = share.interval or (None, None)
    return [
        GateFigure(
            key="attention",
            title=Reason("crowd.gate_checks"),
            value=None if share.percent is None else share.percent / 100,
            rests_on=Reason("crowd.rests_on_checks", judgments=share.n),
            low=None if low is None else low / 100,
            high=None if high is None else high / 100,
            unit=Unit.PERCENT,
        )
    ]


def budget_left(study: Study) -> list[GateFigure]:
    """What is neither spent nor bound; where the study has a budget."""
    budget = budget_of(study)
    if budget is None or budget.left is None:
        return []
    left = float(plain(budget.left, budget.currency))
    title, rests_on = Reason("crowd.gate_budget", currency=budget.currency), Reason("crowd.rests_on_ledger")
    return [
        GateFigure(
            key="pay.budget",
            title=title,
            value=left,
            rests_on=rests_on,
            unit=Unit.MONEY,
            currency=budget.currency,
        )
    ]


GATES: tuple[Gate, ...] = (agreement, attention, hourly_pay, budget_left)


def verdicts_of(pacing: Pacing) -> list[Verdict]:
    """Every figure that can hold batches back, beside its limit."""
    readings = [reading for gate in GATES for reading in gate(pacing.study)]
    return [Verdict(each, pacing.limits.get(each.key), each.at(pacing.bound)) for each in readings]
