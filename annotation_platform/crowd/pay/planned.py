"""What was agreed on pay, for plans; and making the pay of a plan what a study pays."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.analysis.sections.planning.pay import PaidBy, StudyPay
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.models import Approval, PayTerms
from annotation_platform.crowd.pay.money import SIGNS, amount_of, plain
from annotation_platform.crowd.pay.services import set_terms
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Role, Study

CODES = {sign: code for code, sign in SIGNS.items()} | {"円": "JPY"}
KEPT = ("returned_percent", "budget", "approval_hours", "second_above")
"""What a plan says nothing of, and what stays as it was agreed."""
AMOUNTS = ("hourly_floor", "budget", "second_above")
"""Of these the amounts of money, which another currency would make other ones."""


@dataclass(frozen=True)
class PlannedPay:
    """For a task, in the currency's smallest unit, with a bonus; ``hourly_floor`` where pay was planned by the hour."""

    currency: str
    reward: int
    bonus_percent: int
    hourly_floor: int | None = None


def agreed_pay(study: Study) -> StudyPay | None:
    """What plans start with; None where nothing was agreed."""
    terms = terms_of(study)
    if terms is None:
        return None
    amount = float(plain(terms.reward, terms.currency))
    return StudyPay(amount, "task", terms.currency, terms.bonus_percent, terms.number)


def planned_pay(
    amount: float, *, by: PaidBy, currency: str, minutes: float | None = None, bonus_percent: float = 0
) -> PlannedPay:
    """The terms that a plan's pay comes to: pay for an hour is that much for as long as a task takes, rounded up.

    Raises
    ------
    InvalidInputError
        When the currency is none, the amount has more digits than the currency, the bonus is no whole percent, or pay
        goes by the hour and nothing says how long a task takes.
    """
    code = CODES.get(currency, currency.upper())
    whole = amount_of(f"{Decimal(str(amount)):f}", code)
    if bonus_percent != int(bonus_percent):
        raise InvalidInputError("crowd.pay_bonus_not_whole")
    if by == "task":
        return PlannedPay(code, whole, int(bonus_percent))
    if not minutes:
        raise InvalidInputError("crowd.pay_hourly_without_minutes")
    reward = (whole * Decimal(str(minutes)) / 60).to_integral_value(ROUND_CEILING)
    return PlannedPay(code, int(reward), int(bonus_percent), hourly_floor=whole)


@transaction.atomic
def agree_as_planned(*, study: Study, pay: PlannedPay, actor: Actor) -> PayTerms:
    """Make the pay of a plan what the study pays: new terms, in which all that a plan says nothing of stays.

    They hold for tasks that are taken from now on: what was promised for those that are taken already stays, as with
    any new terms. And a plan never takes back what annotators have read: once there are any, it raises pay or leaves it
    as it is.

    Raises
    ------
    InvalidInputError
        When annotators were told of terms by which a task pays more, or in another currency; when amounts that stay are
        in another currency; or new terms cannot be.
    """
    Study.every.select_for_update(no_key=True).get(pk=study.pk)
    last = terms_of(study)
    floors = [floor for floor in (pay.hourly_floor, last.hourly_floor if last else None) if floor is not None]
    if last is not None and _takes_back(last, pay) and study.members.filter(role=Role.ANNOTATOR).exists():
        raise InvalidInputError(
            "crowd.pay_plan_pays_less",
            planned=plain(pay.reward, pay.currency),
            currency=pay.currency,
            planned_bonus=pay.bonus_percent,
            agreed=plain(last.reward, last.currency),
            agreed_currency=last.currency,
            bonus=last.bonus_percent,
        )
    if last is not None and pay.currency != last.currency and any(getattr(last, name) is not None for name in AMOUNTS):
        raise InvalidInputError("crowd.pay_plan_other_currency", currency=last.currency)
    return set_terms(
        study=study,
        currency=pay.currency,
        reward=pay.reward,
        bonus_percent=pay.bonus_percent,
        hourly_floor=max(floors, default=None),
        approval=Approval(last.approval) if last else Approval.BY_HAND,
        **({name: getattr(last, name) for name in KEPT} if last else {}),
        actor=actor,
    )


def _takes_back(last: PayTerms, pay: PlannedPay) -> bool:
    return pay.currency != last.currency or pay.reward < last.reward or pay.bonus_percent < last.bonus_percent
