"""What one has earned: by study, and entry by entry."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.pay import AMOUNT
from annotation_platform.api.frame.pages import page, whole
from annotation_platform.api.frame.schema import LISTING, listed, listed_whole
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry
from annotation_platform.crowd.pay.money import plain
from annotation_platform.crowd.pay.selectors import Account, own_accounts, own_entries
from annotation_platform.crowd.pay.wording import what_for


class OwnAccountRead(Output):
    study = serializers.CharField(help_text="Its slug.")
    currency = serializers.CharField()
    tasks = serializers.IntegerField(help_text="With a reward.")
    earned = serializers.CharField(help_text=AMOUNT)
    paid = serializers.CharField(help_text=f"What did not come back. {AMOUNT}")
    balance = serializers.CharField(help_text=f"What is owed. {AMOUNT}")


class OwnEntryRead(Output):
    id = serializers.IntegerField()
    study = serializers.CharField(help_text="Its slug.")
    kind = choice(EntryKind.values)
    what_for = serializers.CharField(help_text="In a few words.")
    amount = serializers.CharField(help_text=f"Below zero: paid out. {AMOUNT}")
    currency = serializers.CharField()
    created_at = serializers.DateTimeField()


class OwnEarnings(ApiView):
    """With all rights only, as one's own data: a program's token for annotating says nothing of its owner's money."""

    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=listed_whole("OwnEarnings", OwnAccountRead), operation_id="own_earnings_read")
    def get(self, request: Request) -> Any:
        """What one earned, was paid and is owed in each study, also in those that one has left."""
        return whole(request, own_accounts(request.user), _account, fields=names_of(OwnAccountRead))


class OwnEntries(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=listed("OwnEntry", OwnEntryRead), parameters=LISTING, operation_id="own_entries_list")
    def get(self, request: Request) -> Any:
        """Each entry of one's own in the ledgers, the newest first."""
        return page(request, own_entries(request.user), _entry, fields=names_of(OwnEntryRead), newest_first=True)


def _account(each: Account) -> dict[str, Any]:
    amounts = {name: plain(getattr(each, name), each.currency) for name in ("earned", "paid", "balance")}
    return {"study": each.member.study.slug, "currency": each.currency, "tasks": each.tasks, **amounts}


def _entry(row: LedgerEntry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "study": row.study.slug,
        "kind": row.kind,
        "what_for": what_for(row),
        "amount": plain(row.amount, row.currency),
        "currency": row.currency,
        "created_at": row.created_at,
    }
