"""Late work: what was submitted when the time had run out, to be accepted into a free place or declined."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.late import decline_late_work
from annotation_platform.annotations.models import LateJudgment
from annotation_platform.api.crowd.entering import annotator_named, as_researcher, number_in, one_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.late.selectors import late_work_in, late_work_of, waiting_work
from annotation_platform.crowd.late.services import accept
from annotation_platform.studies.models import Hit, Member
from workers.tasks import sweep

STATES = LateJudgment.State.values
FILTERS = [
    OpenApiParameter("annotator", int, description="Only what this member judged."),
    OpenApiParameter("task", int, description="Only what was judged in this task."),
    OpenApiParameter("state", str, enum=STATES, description="Only what waits, or was decided so."),
]


class LateWorkRead(Output):
    task = serializers.IntegerField(help_text="With the annotator it names late work in addresses.")
    batch = serializers.IntegerField(help_text="Number of its batch.")
    position = serializers.IntegerField(help_text="Of the task in the batch.")
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    late = serializers.IntegerField(help_text="Items that were judged too late.")
    judged = serializers.IntegerField(help_text="Items that were judged, too late or in time.")
    items = serializers.IntegerField(help_text="Of the task.")
    free = serializers.IntegerField(help_text="Places of the task that nobody holds; without one it is not accepted.")
    submitted_at = serializers.DateTimeField()


class LateJudgmentRead(Output):
    id = serializers.IntegerField()
    task = serializers.IntegerField()
    item = serializers.IntegerField()
    position = serializers.IntegerField(help_text="Of the item in the task.")
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    state = choice(STATES)
    values = serializers.DictField(help_text="By the key of the aspect.")
    seconds = serializers.FloatField(allow_null=True)
    submitted_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    declined_because = serializers.CharField()


class Declined(Input):
    because = serializers.CharField(max_length=500, help_text="The annotator reads it.")


class AllLateWork(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("LateWork", LateWorkRead), parameters=LISTING, operation_id="late_work_list")
    def get(self, request: Request, slug: str) -> Any:
        """What waits to be decided, each task of an annotator once, the oldest first."""
        study, _ = as_researcher(request, slug)
        return page(request, waiting_work(study), _told_work, fields=names_of(LateWorkRead))


class LateJudgments(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("LateJudgment", LateJudgmentRead),
        parameters=[*LISTING, *FILTERS],
        operation_id="late_judgments_list",
    )
    def get(self, request: Request, slug: str) -> Any:
        """The judgments that came too late, decided or not; those that were accepted count as others do, too."""
        study, _ = as_researcher(request, slug)
        rows = LateJudgment.objects.filter(item__study=study).select_related("item", "annotator")
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(annotator=member)
        if (task := number_in(request, "task")) is not None:
            rows = rows.filter(item__hit=task)
        if state := one_of(request, "state", STATES):
            rows = rows.filter(state=state)
        return page(request, rows, _told, fields=names_of(LateJudgmentRead))


class AcceptLateWork(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={204: None}, operation_id="late_work_accept")
    def post(self, request: Request, slug: str, task: int, annotator: int) -> Response:
        """Let it count, in a free place of the task; where none is free, give the batch more places first."""
        hit, member = _named(request, slug, task, annotator)
        if accept(hit=hit, annotator=member, actor=actor_of(request)):
            sweep.delay_on_commit()
        return Response(status=204)


class DeclineLateWork(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Declined, responses={204: None}, operation_id="late_work_decline")
    def post(self, request: Request, slug: str, task: int, annotator: int) -> Response:
        """Leave it uncounted, for a reason that the annotator reads; it stays kept."""
        hit, member = _named(request, slug, task, annotator)
        because = sent(Declined, request)["because"]
        decline_late_work(hit=hit, annotator=member, because=because, actor=actor_of(request))
        return Response(status=204)


def _named(request: Request, slug: str, task: int, annotator: int) -> tuple[Hit, Member]:
    return late_work_in(as_researcher(request, slug)[0], task, annotator)


def _told_work(row: LateJudgment) -> dict[str, Any]:
    work = late_work_of(row)
    return {
        "task": work.hit.pk,
        "batch": work.hit.batch.number,
        "position": work.hit.position,
        "annotator": work.annotator.pk,
        "pseudonym": work.annotator.pseudonym,
    } | {name: getattr(work, name) for name in ("late", "judged", "items", "free", "submitted_at")}


def _told(row: LateJudgment) -> dict[str, Any]:
    own = {
        "id": row.pk,
        "task": row.item.hit_id,
        "item": row.item_id,
        "position": row.item.position,
        "annotator": row.annotator_id,
        "pseudonym": row.annotator.pseudonym,
    }
    return own | {name: getattr(row, name) for name in names_of(LateJudgmentRead) if name not in own}
