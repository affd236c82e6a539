"""Qualification: the rounds with how they stand, who tried with what came of it, opening, ending, and verdicts."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.models import Attempt, Rule, Verdict
from annotation_platform.crowd.rounds.results import Overview, overview_of, results_of
from annotation_platform.crowd.rounds.selectors import attempt_in, attempts_in, round_in, rounds_of_study

STATES = ("draft", "open", "ended", "archived")
LONGEST_NOTE = 2_000


class RoundRead(Output):
    id = serializers.IntegerField()
    title = serializers.CharField()
    study = serializers.CharField(help_text="Slug of the study that is judged in it.")
    state = choice(STATES)
    rule = choice(Rule.values, help_text="Who passes.")
    least_percent = serializers.IntegerField(help_text="Of the accepted answers, to pass.")
    items = serializers.IntegerField()
    keyed = serializers.IntegerField(help_text="Items with accepted answers.")
    people = serializers.IntegerField(help_text="Who tried.")
    under_way = serializers.IntegerField(help_text="Attempts.")
    waiting = serializers.IntegerField(help_text="Attempts that a person decides.")
    passed = serializers.IntegerField(help_text="People.")
    failed = serializers.IntegerField(help_text="Attempts.")


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


class VerdictOnAttempt(Input):
    verdict = choice([Verdict.PASSED, Verdict.FAILED])
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)


class Rounds(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("RoundList", {"results": RoundRead(many=True)}), operation_id="rounds_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """The rounds that qualify for a study, in the order in which they are passed."""
        study, _ = as_researcher(request, slug)
        return Response({"results": [_round(overview_of(each)) for each in rounds_of_study(study.pk)]})


class OpenRound(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_open")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let people try, for the first time or again."""
        study, _ = as_researcher(request, slug)
        services.open_round(round_=round_in(study, pk), actor=actor_of(request))
        return Response(_round(overview_of(round_in(study, pk))))


class EndRound(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_end")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let nobody try any more; where the best pass, it is decided who they are."""
        study, _ = as_researcher(request, slug)
        services.end_round(round_=round_in(study, pk), actor=actor_of(request))
        return Response(_round(overview_of(round_in(study, pk))))


class Attempts(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Attempt", AttemptRead), parameters=LISTING, operation_id="attempts_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """All that was tried or decided in a round, the newest first."""
        study, _ = as_researcher(request, slug)
        rows = attempts_in(round_in(study, pk)).select_related("round")
        return page(request, rows, _attempt, fields=names_of(AttemptRead), newest_first=True)


class DecideAttempt(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=VerdictOnAttempt, responses=AttemptRead, operation_id="attempt_decide")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pass somebody or not, with what they read about it; one that was decided can be decided anew."""
        study, by = as_researcher(request, slug)
        said = sent(VerdictOnAttempt, request)
        services.decide(
            attempt=attempt_in(study, pk),
            verdict=Verdict(said["verdict"]),
            note=said["note"],
            by=by,
            actor=actor_of(request),
        )
        return Response(_attempt(attempt_in(study, pk)))


def _round(found: Overview) -> dict[str, Any]:
    row = found.round
    named = {"id": row.pk, "study": row.study.slug, "state": found.state}
    counted = {name: getattr(found, name) for name in names_of(RoundRead)[6:]}
    return named | {name: getattr(row, name) for name in ("title", "rule", "least_percent")} | counted


def _attempt(row: Attempt) -> dict[str, Any]:
    (result,) = results_of(row.round, [row])
    named = {"id": row.pk, "annotator": row.member_id, "pseudonym": row.member.pseudonym, "rule_says": result.rule_says}
    return {name: named[name] if name in named else getattr(row, name) for name in names_of(AttemptRead)}
