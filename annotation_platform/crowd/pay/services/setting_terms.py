"""Agreeing what a study pays: each change is a new version."""

from typing import Any

from django.db import transaction
from django.forms.models import model_to_dict
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.models import Approval, LedgerEntry, PayTerms
from annotation_platform.crowd.pay.money import MOST, digits_of
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Study
from annotation_platform.studies.service_accounts import is_service_account

MOST_BONUS, MOST_HOURS = 1_000, 24 * 90
NOT_AGREED = {"id", "study", "number", "made_at"}


@transaction.atomic
def set_terms(
    *,
    study: Study,
    currency: str,
    reward: int,
    returned_percent: int = 0,
    bonus_percent: int = 0,
    hourly_floor: int | None = None,
    budget: int | None = None,
    approval: Approval = Approval.BY_HAND,
    approval_hours: int | None = None,
    second_above: int | None = None,
    actor: Actor,
) -> PayTerms:
    """Store new terms, unless they say what the newest say; tasks that are taken already keep theirs.

    Raises
    ------
    InvalidInputError
        When a value cannot be, the currency is another one than that of entries that are there, or a program of the
        study lifts the limit above which it may not approve.
    """
    digits_of(currency)
    agreed: dict[str, Any] = {
        "currency": currency,
        "reward": reward,
        "returned_percent": returned_percent,
        "bonus_percent": bonus_percent,
        "hourly_floor": hourly_floor,
        "budget": budget,
        "approval": approval,
        "approval_hours": approval_hours if approval == Approval.AFTER_HOURS else None,
        "second_above": second_above,
    }
    _check(agreed)
    Study.every.select_for_update(no_key=True).get(pk=study.pk)
    last = terms_of(study)
    _check_currency(last, currency)
    if _lifts_limit(last, currency, second_above) and is_service_account(actor.user_id):
        raise InvalidInputError("crowd.pay_limit_of_people")
    change = differences(_agreed(last), agreed)
    if last is not None and not change:
        return last
    number = 1 if last is None else last.number + 1
    terms = PayTerms.objects.create(study=study, number=number, made_at=timezone.now(), **agreed)
    record(actor, Verb.PAY_TERMS_SET, terms, study=study, change=change)
    return terms


def _agreed(terms: PayTerms | None) -> dict[str, Any]:
    return {name: value for name, value in model_to_dict(terms).items() if name not in NOT_AGREED} if terms else {}


def _check_currency(last: PayTerms | None, currency: str) -> None:
    if last is not None and last.currency != currency and LedgerEntry.objects.filter(study=last.study_id).exists():
        raise InvalidInputError("crowd.pay_currency_fixed", currency=last.currency)


def _lifts_limit(last: PayTerms | None, currency: str, second_above: int | None) -> bool:
    """Whether more may be approved by one person than before; what another currency does to that is not known."""
    if last is None or last.second_above is None:
        return False
    return second_above is None or second_above > last.second_above or currency != last.currency


def _check(agreed: dict[str, Any]) -> None:
    amounts = [agreed[name] for name in ("reward", "hourly_floor", "budget", "second_above")]
    if any(amount is not None and not 0 <= amount <= MOST for amount in amounts):
        raise InvalidInputError("crowd.pay_amount_out_of_range")
    if not 0 <= agreed["returned_percent"] <= 100:
        raise InvalidInputError("crowd.pay_returned_wrong")
    if not 0 <= agreed["bonus_percent"] <= MOST_BONUS:
        raise InvalidInputError("crowd.pay_bonus_wrong", most=MOST_BONUS)
    hours = agreed["approval_hours"]
    if agreed["approval"] == Approval.AFTER_HOURS and (hours is None or not 1 <= hours <= MOST_HOURS):
        raise InvalidInputError("crowd.pay_hours_wrong", most=MOST_HOURS)
