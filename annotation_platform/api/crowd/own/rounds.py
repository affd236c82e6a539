"""An annotator's qualification: the rounds of their studies, beginning one, and what came of an attempt."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.selectors import held_assignment
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.api.work.selectors import language, task_with_items
from annotation_platform.api.work.serializers import TaskWithItems
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.comparison import ComparedItem
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.crowd.rounds.own_result import own_result
from annotation_platform.crowd.rounds.selectors import own_attempt, own_round, rounds_of
from annotation_platform.crowd.rounds.standing import Standing, State
from annotation_platform.studies.models import Member


class OwnRoundRead(Output):
    study = serializers.CharField(help_text="Slug of the study that it qualifies for.")
    round = serializers.IntegerField()
    title = serializers.CharField()
    state = choice(
        State, help_text="ready: it can be begun; under_way: beginning goes on in it; ended before it was finished."
    )
    tries_left = serializers.IntegerField()
    valid_until = serializers.DateTimeField(allow_null=True, help_text="When a pass ends, or ended.")
    attempt = serializers.IntegerField(allow_null=True, help_text="The last one, by which the state came about.")


class OwnAttemptRead(Output):
    id = serializers.IntegerField()
    study = serializers.CharField(help_text="Slug of the study that the round qualifies for.")
    round = serializers.IntegerField()
    title = serializers.CharField(help_text="Of the round.")
    number = serializers.IntegerField(help_text="0: decided without an attempt.")
    verdict = choice(Verdict.values)
    note = serializers.CharField(help_text="What a researcher wrote about it.")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class OwnAspectRead(Output):
    title = serializers.CharField(help_text="Of the aspect.")
    said = serializers.CharField()
    accepted = serializers.CharField(allow_null=True, help_text="null: it was not compared, or is not shown.")


class OwnItemRead(Output):
    number = serializers.IntegerField(help_text="In the round.")
    question = serializers.CharField()
    note = serializers.CharField(help_text="What a researcher wrote about it.")
    lines = OwnAspectRead(many=True)
    explanation = serializers.CharField(help_text="Of the accepted answers, where they are shown.")


class OwnAttemptWithItems(OwnAttemptRead):
    items = OwnItemRead(many=True, help_text="What one said; empty until it is decided.")


class OwnRounds(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(
        responses=inline_serializer("OwnRoundList", {"results": OwnRoundRead(many=True)}),
        operation_id="own_rounds_list",
    )
    def get(self, request: Request) -> Response:
        """The rounds of the studies that one annotates, in the order in which they are passed."""
        found = [(own.member, standing) for own in rounds_of(request.user) for standing in own.standings]
        return Response({"results": [_told(member, standing) for member, standing in found]})


class BeginRound(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses=TaskWithItems, operation_id="own_round_begin")
    def post(self, request: Request, pk: int) -> Response:
        """Begin a round, or go on in it: its task, which is judged as every other one."""
        round_, member = own_round(user_of(request), pk)
        place = services.begin_attempt(round_=round_, member=member, actor=actor_of(request))
        return Response(task_with_items(held_assignment(request.user, place.pk)))


class OwnAttempt(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=OwnAttemptWithItems, operation_id="own_attempt_read")
    def get(self, request: Request, pk: int) -> Response:
        """What came of an attempt of one's own, item by item once it is decided."""
        attempt = own_attempt(request.user, pk)
        found = own_result(attempt, language())
        return Response(_attempt(attempt) | {"items": [_item(each, found.shows_answers) for each in found.items]})


def _told(member: Member, standing: Standing) -> dict[str, Any]:
    return {
        "study": member.study.slug,
        "round": standing.round.pk,
        "title": standing.round.title,
        "state": standing.state.value,
        "tries_left": standing.tries_left,
        "valid_until": standing.valid_until,
        "attempt": standing.last.pk if standing.last else None,
    }


def _item(each: ComparedItem, shows_answers: bool) -> dict[str, Any]:
    key = each.item.key
    lines = [
        {
            "title": line.title,
            "said": line.said,
            "accepted": line.accepted if shows_answers and line.matches is not None else None,
        }
        for line in each.lines
    ]
    about = {"number": each.item.number, "question": each.item.item.question.text, "note": each.note}
    return about | {"lines": lines, "explanation": key.explanation if shows_answers and key else ""}


def _attempt(row: Attempt) -> dict[str, Any]:
    team = row.round.study.qualifies_for
    assert team is not None  # it is a round's
    own = {"id": row.pk, "study": team.slug, "round": row.round_id, "title": row.round.title}
    return own | {name: getattr(row, name) for name in names_of(OwnAttemptRead) if name not in own}
