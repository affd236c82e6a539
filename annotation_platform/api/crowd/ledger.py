"""The ledger: its entries, corrections, and what approval and bonuses add to it."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher
from annotation_platform.api.crowd.pay import AMOUNT, LONGEST_AMOUNT
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.pay import services
from annotation_platform.crowd.pay.approving import APPROVED_AT_ONCE, approve_oldest
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry
from annotation_platform.crowd.pay.money import amount_of, plain
from annotation_platform.crowd.pay.selectors import count_to_credit, member_for, with_what_they_are_for
from annotation_platform.crowd.pay.terms import terms_of

WHOSE = OpenApiParameter("annotator", int, description="Only the entries of this member.")


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


class CorrectionSent(Input):
    annotator = serializers.IntegerField(min_value=1, max_value=LARGEST_KEY, help_text="Key of the member.")
    amount = serializers.CharField(max_length=LONGEST_AMOUNT, help_text=f"Below zero: to take something back. {AMOUNT}")
    reason = serializers.CharField(max_length=500, help_text="What the annotator reads.")


class ApprovedRead(Output):
    approved = serializers.IntegerField(help_text=f"Tasks, at most {APPROVED_AT_ONCE} at once.")
    left = serializers.IntegerField(help_text="Tasks that still have no reward.")


class BonusOfBatch(Input):
    batch = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Its number.")


class BonusesRead(Output):
    people = serializers.IntegerField(help_text="Who have a bonus of this batch by this call.")


class Entries(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    pays_each_time = True

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

    @extend_schema(request=CorrectionSent, responses={201: EntryRead}, operation_id="ledger_correct")
    def post(self, request: Request, slug: str) -> Response:
        """Correct what somebody is owed: an entry with its reason, for nothing in the ledger is changed."""
        study, _ = as_researcher(request, slug)
        said = sent(CorrectionSent, request)
        member, terms = member_for(study, said["annotator"]), terms_of(study)
        if terms is None:
            raise InvalidInputError("crowd.pay_no_terms")
        amount = amount_of(said["amount"], terms.currency)
        made = services.correct(member=member, amount=amount, reason=said["reason"], actor=actor_of(request))
        return Response(_entry(made), status=201)


class ApproveWaiting(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=ApprovedRead, operation_id="pay_approve")
    def post(self, request: Request, slug: str) -> Response:
        """Approve and credit submitted tasks that have no reward yet, the oldest first; a task is rewarded once."""
        study, by = as_researcher(request, slug)
        made = approve_oldest(study=study, by=by, actor=actor_of(request))
        return Response({"approved": made, "left": count_to_credit(study)})


class CreditBonuses(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=BonusOfBatch, responses=BonusesRead, operation_id="pay_bonuses")
    def post(self, request: Request, slug: str) -> Response:
        """Credit everybody with the bonus on their rewards in a batch that has closed; each gets it once."""
        study, _ = as_researcher(request, slug)
        batch = study.batches.filter(number=sent(BonusOfBatch, request)["batch"]).first()
        if batch is None:
            raise NotThereError("crowd.pay_no_batch")
        return Response({"people": services.credit_bonus(batch=batch, actor=actor_of(request))})


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
