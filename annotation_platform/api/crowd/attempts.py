"""Who tried a round with what came of it: verdicts on attempts, on people picked by hand, and as the rule proposes."""

from functools import partial
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.crowd.rounds import RoundRead, told_round
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.comparison import ComparedItem, compared_items
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.crowd.rounds.results import RuleNow
from annotation_platform.crowd.rounds.selectors import attempt_in, attempts_in, round_in
from annotation_platform.studies.models import Role

LONGEST_NOTE, MOST_PICKED, MOST_NOTES = 2_000, 500, 1_000


class AttemptRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member of the study.")
    pseudonym = serializers.CharField()
    number = serializers.IntegerField(help_text="0: decided by hand, without an attempt.")
    verdict = choice(Verdict.values)
    rule_says = choice(Verdict.values, allow_null=True, help_text="With the accepted answers as they are now.")
    matched = serializers.IntegerField(allow_null=True, help_text="Answers that match accepted ones.")
    compared = serializers.IntegerField(allow_null=True, help_text="Answers that were compared.")
    failed = serializers.IntegerField(allow_null=True, help_text="Items failed that must be passed.")
    note = serializers.CharField(help_text="What the annotator reads about it.")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class ComparedRead(Output):
    title = serializers.CharField(help_text="Of the aspect.")
    said = serializers.CharField()
    accepted = serializers.CharField(help_text="Empty: it is not compared.")
    matches = serializers.BooleanField(allow_null=True)


class ItemOfAttemptRead(Output):
    number = serializers.IntegerField(help_text="In the round.")
    item = serializers.IntegerField(help_text="Names it in “item_notes”.")
    question = serializers.CharField()
    is_judged = serializers.BooleanField()
    cannot = serializers.CharField(help_text="Why they could not judge it, when they said so.")
    lines = ComparedRead(many=True)
    note = serializers.CharField(help_text="What the annotator reads about this item.")


class AttemptWithItems(AttemptRead):
    items = ItemOfAttemptRead(many=True)


class VerdictOnAttempt(Input):
    verdict = choice([Verdict.PASSED, Verdict.FAILED])
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)
    item_notes = serializers.DictField(
        required=False,
        child=serializers.CharField(allow_blank=True, max_length=LONGEST_NOTE),
        help_text="Key of an item: what to write about it; an empty note goes.",
    )

    def validate_item_notes(self, notes: dict[str, str]) -> dict[int, str]:
        known = {item: text for key, text in notes.items() if (item := typed_number(key)) is not None}
        if len(known) != len(notes) or len(notes) > MOST_NOTES:
            raise serializers.ValidationError("These are no keys of items.")
        return known


class VerdictByHand(Input):
    annotators = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_KEY),
        min_length=1,
        max_length=MOST_PICKED,
        help_text="Keys of members of the study.",
    )
    verdict = choice([Verdict.PASSED, Verdict.FAILED])
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)


class Attempts(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Attempt", AttemptRead), parameters=LISTING, operation_id="attempts_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """All that was tried or decided in a round, the newest first."""
        study, _ = as_researcher(request, slug)
        round_ = round_in(study, pk)
        told = partial(_told, rule=RuleNow(round_))
        return page(request, attempts_in(round_), told, fields=names_of(AttemptRead), newest_first=True)


class OneAttempt(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=AttemptWithItems, operation_id="attempt_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An attempt item by item: what was said beside what is accepted."""
        attempt = attempt_in(as_researcher(request, slug)[0], pk)
        about = _told(attempt, rule=RuleNow(attempt.round))
        return Response(about | {"items": [_item(each) for each in compared_items(attempt)]})


class DecideAttempt(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=VerdictOnAttempt, responses=AttemptRead, operation_id="attempt_decide")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pass somebody or not, with what they read about it; one that was decided can be decided anew."""
        study, by = as_researcher(request, slug)
        said = sent(VerdictOnAttempt, request)
        said["verdict"] = Verdict(said["verdict"])
        services.decide(attempt=attempt_in(study, pk), by=by, actor=actor_of(request), **said)
        decided = attempt_in(study, pk)
        return Response(_told(decided, rule=RuleNow(decided.round)))


class ConfirmProposals(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_confirm")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give all who wait the verdict that the rule proposes; whom it leaves to a person waits on."""
        study, by = as_researcher(request, slug)
        services.confirm_proposals(round_=round_in(study, pk), by=by, actor=actor_of(request))
        return told_round(round_in(study, pk))


class DecideByHand(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(
        request=VerdictByHand,
        responses=inline_serializer("AttemptsDecided", {"results": AttemptRead(many=True)}),
        operation_id="round_by_hand",
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pass named annotators, or bar them, whatever they tried; all of them or none."""
        study, by = as_researcher(request, slug)
        round_, said = round_in(study, pk), sent(VerdictByHand, request)
        chosen = set(said["annotators"])
        members = list(study.members.filter(role=Role.ANNOTATOR, pk__in=chosen).select_related("study").order_by("pk"))
        if len(members) != len(chosen):
            raise NotThereError("studies.no_member")
        about = {"verdict": Verdict(said["verdict"]), "note": said["note"], "by": by, "actor": actor_of(request)}
        with transaction.atomic():
            decided = [services.decide_without_attempt(round_=round_, member=each, **about) for each in members]
        rule = RuleNow(round_)
        return Response({"results": [_told(each, rule=rule) for each in decided]})


def _told(row: Attempt, *, rule: RuleNow) -> dict[str, Any]:
    says = rule.result_of(row).rule_says
    named = {"id": row.pk, "annotator": row.member_id, "pseudonym": row.member.pseudonym, "rule_says": says}
    return {name: named[name] if name in named else getattr(row, name) for name in names_of(AttemptRead)}


def _item(each: ComparedItem) -> dict[str, Any]:
    item = each.item.item
    about = {"number": each.item.number, "item": item.pk, "question": item.question.text}
    said = {"is_judged": each.judgment is not None, "cannot": each.cannot, "note": each.note}
    lines = [{name: getattr(line, name) for name in names_of(ComparedRead)} for line in each.lines]
    return about | said | {"lines": lines}
