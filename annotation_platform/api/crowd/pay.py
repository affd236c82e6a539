"""Pay, to read: what was agreed, the budget, what each is owed, and the ledger entry by entry."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.models import Approval, EntryKind, LedgerEntry
from annotation_platform.crowd.pay.money import plain
from annotation_platform.crowd.pay.selectors import accounts_of, with_what_they_are_for
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Study

WHOSE = OpenApiParameter("annotator", int, description="Only the entries of this member.")
AMOUNT = "In the currency, such as 12.50."


class TermsRead(Output):
    currency = serializers.CharField()
    reward = serializers.CharField(help_text=f"For a task. {AMOUNT}")
    bonus_percent = serializers.IntegerField()
    returned_percent = serializers.IntegerField()
    approval = choice(Approval.values)
    made_at = serializers.DateTimeField()


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


class EntryRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    kind = choice(EntryKind.values)
    amount = serializers.CharField(help_text=f"Below zero: paid out. {AMOUNT}")
    currency = serializers.CharField()
    assignment = serializers.IntegerField(allow_null=True)
    batch = serializers.IntegerField(allow_null=True, help_text="Number of the batch that a bonus is for.")
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()


class Pay(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=PayRead, operation_id="pay_read")
    def get(self, request: Request, slug: str) -> Response:
        """What was agreed, what is spent and bound, and what each annotator earned, was paid and is owed."""
        study, _ = as_researcher(request, slug)
        return Response({"terms": _terms(study), "budget": _budget(study), "accounts": _accounts(study)})


class Entries(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Entry", EntryRead), parameters=[*LISTING, WHOSE], operation_id="ledger_entries_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """The ledger, oldest first; an entry never changes, and a balance is the sum of entries."""
        study, _ = as_researcher(request, slug)
        rows = with_what_they_are_for(LedgerEntry.objects.filter(study=study))
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(member=member)
        return page(request, rows, _entry, fields=names_of(EntryRead))


def _terms(study: Study) -> dict[str, Any] | None:
    terms = terms_of(study)
    if terms is None:
        return None
    told = {name: getattr(terms, name) for name in names_of(TermsRead)}
    return told | {"reward": plain(terms.reward, terms.currency)}


def _budget(study: Study) -> dict[str, Any] | None:
    found = budget_of(study)
    if found is None:
        return None
    amounts = {name: getattr(found, name) for name in ("limit", "spent", "committed", "left")}
    told = {name: None if each is None else plain(each, found.currency) for name, each in amounts.items()}
    return {"currency": found.currency} | told


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


def _entry(row: LedgerEntry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "annotator": row.member_id,
        "pseudonym": row.member.pseudonym,
        "kind": row.kind,
        "amount": plain(row.amount, row.currency),
        "currency": row.currency,
        "assignment": row.assignment_id,
        "batch": row.batch.number if row.batch else None,
        "reason": row.reason,
        "created_at": row.created_at,
    }
