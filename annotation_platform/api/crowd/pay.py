"""Pay: what is agreed, and agreeing on something else; the budget, what each is owed, and what an hour pays."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.models import Approval, PayTerms
from annotation_platform.crowd.pay.money import amount_of, digits_of, plain
from annotation_platform.crowd.pay.rates import Rate, rates_of
from annotation_platform.crowd.pay.selectors import accounts_of, batches_for_bonus, count_to_credit
from annotation_platform.crowd.pay.services import set_terms
from annotation_platform.crowd.pay.services.setting_terms import MOST_BONUS, MOST_HOURS
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_admin

AMOUNT = "In the currency, such as 12.50."
LONGEST_AMOUNT = 40
AMOUNTS = ("reward", "hourly_floor", "budget", "second_above")


class TermsRead(Output):
    currency = serializers.CharField()
    reward = serializers.CharField(help_text=f"For a task. {AMOUNT}")
    bonus_percent = serializers.IntegerField(help_text="Of somebody's rewards in a batch, after it has closed.")
    returned_percent = serializers.IntegerField(
        help_text="Of the reward's part for the items done of unfinished tasks."
    )
    approval = choice(Approval.values, help_text="When submitted work counts as approved.")
    approval_hours = serializers.IntegerField(allow_null=True)
    hourly_floor = serializers.CharField(allow_null=True, help_text="What an hour should pay at least.")
    budget = serializers.CharField(allow_null=True, help_text="Of the whole study; no batch is opened beyond it.")
    second_above = serializers.CharField(
        allow_null=True, help_text="A payment of more is approved by an admin who did not make it."
    )
    number = serializers.IntegerField(help_text="Of this version of the terms.")
    made_at = serializers.DateTimeField()


class TermsSent(Input):
    """What is left out stays as it is; the first terms of a study need a currency and a reward."""

    currency = serializers.CharField(max_length=3, help_text="As ISO 4217 has it, such as USD.")
    reward = serializers.CharField(max_length=LONGEST_AMOUNT, help_text=f"For a task. {AMOUNT}")
    bonus_percent = serializers.IntegerField(required=False, min_value=0, max_value=MOST_BONUS)
    returned_percent = serializers.IntegerField(required=False, min_value=0, max_value=100)
    approval = choice(Approval.values, required=False)
    approval_hours = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_HOURS, help_text="For after_hours."
    )
    hourly_floor = serializers.CharField(required=False, allow_null=True, max_length=LONGEST_AMOUNT)
    budget = serializers.CharField(required=False, allow_null=True, max_length=LONGEST_AMOUNT)
    second_above = serializers.CharField(required=False, allow_null=True, max_length=LONGEST_AMOUNT)


class BudgetRead(Output):
    currency = serializers.CharField()
    limit = serializers.CharField(allow_null=True, help_text=AMOUNT)
    spent = serializers.CharField(help_text="Credited, paid or not.")
    committed = serializers.CharField(help_text="What open tasks and bonuses may still cost.")
    left = serializers.CharField(allow_null=True)


class AccountRead(Output):
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    currency = serializers.CharField()
    tasks = serializers.IntegerField(help_text="That were rewarded.")
    earned = serializers.CharField(help_text=AMOUNT)
    paid = serializers.CharField()
    owed = serializers.CharField()


class PayRead(Output):
    terms = TermsRead(allow_null=True, help_text="The newest; null: nothing was agreed.")
    budget = BudgetRead(allow_null=True)
    accounts = AccountRead(many=True, help_text="Everybody with an entry.")
    to_approve = serializers.IntegerField(
        help_text="Submitted tasks that have no reward yet, also approved ones of before any pay was agreed."
    )
    batches_for_bonus = serializers.ListField(
        child=serializers.IntegerField(), help_text="Numbers of batches in which somebody waits for a bonus."
    )


class RateRead(Output):
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    tasks = serializers.IntegerField(help_text="That were submitted and timed.")
    rewards = serializers.CharField(help_text=f"Promised for them. {AMOUNT}")
    seconds = serializers.FloatField(help_text="Of work on them.")
    hourly = serializers.CharField(help_text=AMOUNT)
    is_under_floor = serializers.BooleanField()


class RatesRead(Output):
    currency = serializers.CharField()
    floor = serializers.CharField(allow_null=True, help_text="What an hour should pay at least.")
    n = serializers.IntegerField(help_text="Annotators.")
    median = serializers.CharField(allow_null=True, help_text="null: nobody was timed yet.")
    quartiles = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="The lower and the upper one; null: of too few."
    )
    is_under_floor = serializers.BooleanField(help_text="Whether the median is.")
    reward_for_floor = serializers.CharField(
        allow_null=True, help_text="For a task, so that the annotator of median speed reaches the floor."
    )
    rates = RateRead(many=True, help_text="The lowest first.")


class Pay(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.ADMIN}

    @extend_schema(responses=PayRead, operation_id="pay_read")
    def get(self, request: Request, slug: str) -> Response:
        """What was agreed, what is spent and bound, and what each annotator earned, was paid and is owed.

        The ETag is that of the terms.
        """
        return _told(as_researcher(request, slug)[0])

    @extend_schema(request=TermsSent, responses=PayRead, parameters=[IF_MATCH], operation_id="pay_agree")
    def patch(self, request: Request, slug: str) -> Response:
        """Agree on other terms, if they are still those that were read; tasks that are taken keep theirs."""
        study = study_for_admin(request.user, slug)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            before = terms_of(study)
            check_version(request, _typed(before))
            change = sent(TermsSent, request, partial=before is not None)
            set_terms(study=study, actor=actor_of(request), **_agreed(_typed(before) | change))
        return _told(study)


class PayRates(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=RatesRead, operation_id="pay_rates")
    def get(self, request: Request, slug: str) -> Response:
        """What an hour of work pays by the time on task: each annotator's rate, the median, and what would be fair."""
        found = rates_of(as_researcher(request, slug)[0])
        if found is None:
            raise NotThereError("crowd.pay_no_terms")
        amounts = {name: getattr(found, name) for name in ("floor", "median", "reward_for_floor")}
        quartiles = found.quartiles and [plain(each, found.currency) for each in found.quartiles]
        told: dict[str, Any] = {name: _plain(each, found.currency) for name, each in amounts.items()}
        told |= {"currency": found.currency, "n": found.n, "is_under_floor": found.is_under_floor}
        told["quartiles"] = quartiles
        under = {each.member.pk for each in found.under_floor}
        return Response(told | {"rates": [_rate(each, found.currency, under) for each in found.rates]})


def _told(study: Study) -> Response:
    terms = terms_of(study)
    told = {
        "terms": None if terms is None else _typed(terms) | {"number": terms.number, "made_at": terms.made_at},
        "budget": _budget(study),
        "accounts": _accounts(study),
        "to_approve": 0 if terms is None else count_to_credit(study),
        "batches_for_bonus": [batch.number for batch in batches_for_bonus(study)],
    }
    return Response(told, headers={"ETag": tag_of(_typed(terms))})


def _typed(terms: PayTerms | None) -> dict[str, Any]:
    """Terms as they are sent; nothing of those that there are not."""
    if terms is None:
        return {}
    told = {name: getattr(terms, name) for name in names_of(TermsSent)}
    return told | {name: _plain(told[name], terms.currency) for name in AMOUNTS}


def _agreed(typed: dict[str, Any]) -> dict[str, Any]:
    """Terms with amounts in the smallest unit: what was typed for one currency is read anew for another.

    Raises
    ------
    ValidationError
        With each amount that cannot be.
    InvalidInputError
        When there is no such currency.
    """
    digits_of(typed["currency"])
    amounts: dict[str, int | None] = {}
    wrong: dict[str, list[str]] = {}
    for name in (each for each in AMOUNTS if each in typed):
        try:
            amounts[name] = None if typed[name] is None else amount_of(typed[name], typed["currency"])
        except InvalidInputError as error:
            wrong[name] = [in_language(error)]
    if wrong:
        raise serializers.ValidationError(wrong)
    approval = {"approval": Approval(typed["approval"])} if "approval" in typed else {}
    return typed | amounts | approval


def _plain(amount: int | None, currency: str) -> str | None:
    return None if amount is None else plain(amount, currency)


def _budget(study: Study) -> dict[str, Any] | None:
    found = budget_of(study)
    if found is None:
        return None
    amounts = {name: getattr(found, name) for name in ("limit", "spent", "committed", "left")}
    return {"currency": found.currency} | {name: _plain(each, found.currency) for name, each in amounts.items()}


def _accounts(study: Study) -> list[dict[str, Any]]:
    return [
        {
            "annotator": each.member.pk,
            "pseudonym": each.member.pseudonym,
            "currency": each.currency,
            "tasks": each.tasks,
            "earned": plain(each.earned, each.currency),
            "paid": plain(each.paid, each.currency),
            "owed": plain(each.balance, each.currency),
        }
        for each in accounts_of(study)
    ]


def _rate(each: Rate, currency: str, under: set[int]) -> dict[str, Any]:
    return {
        "annotator": each.member.pk,
        "pseudonym": each.member.pseudonym,
        "tasks": each.tasks,
        "rewards": plain(each.rewards, currency),
        "seconds": each.seconds,
        "hourly": plain(each.hourly, currency),
        "is_under_floor": each.member.pk in under,
    }
