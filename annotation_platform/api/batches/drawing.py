"""Choosing tasks for people: by chance, or by how uncertain a run is; first what it would do, then doing it."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.batches.selectors import batch_of
from annotation_platform.api.batches.serializers import BatchRead, told
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.services import draw_and_open, plan_draw
from annotation_platform.scoring.uncertainty import Measure, UncertainRun, uncertain_run, uncertain_runs
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.studies.services import tasks_to_draw_from

USUAL_FLOOR, MOST_DRAWN = 30, 2**31 - 1
WHAT = [
    OpenApiParameter("n", int, description="How many tasks are to be drawn; without it there is no plan."),
    OpenApiParameter("run", int, description="By the uncertainty of this run; otherwise all have the same chance."),
    OpenApiParameter("floor_percent", int, description="Of a task's chance, at least so much is the same for all."),
]


class DrawSent(Input):
    n = serializers.IntegerField(min_value=1, max_value=MOST_DRAWN, help_text="Tasks.")
    run = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=LARGEST_KEY, help_text="null: by chance."
    )
    floor_percent = serializers.IntegerField(required=False, default=USUAL_FLOOR, min_value=1, max_value=100)


class UncertainRunRead(Output):
    run = serializers.IntegerField()
    measure = choice(Measure, help_text="By what: its probabilities, its replies, or how far two judges lie apart.")
    replies = serializers.IntegerField(help_text="To the same question.")
    other = serializers.IntegerField(allow_null=True, help_text="The run that it is compared with.")


class PlanRead(Output):
    items = serializers.IntegerField(help_text="To be expected.")
    least = serializers.FloatField(help_text="The smallest chance of a task, from 0 to 1.")
    most = serializers.FloatField(help_text="The greatest.")
    certain = serializers.IntegerField(help_text="Tasks that are drawn in any case.")


class DrawRead(Output):
    left = serializers.IntegerField(help_text="Tasks that nobody has yet.")
    runs = UncertainRunRead(many=True, help_text="Those by whose uncertainty it can be drawn.")
    plan = PlanRead(allow_null=True)


class Draw(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=DrawRead, parameters=WHAT, operation_id="draw_plan")
    def get(self, request: Request, slug: str) -> Response:
        """From what tasks can be drawn, and with “n” what a draw would do."""
        study = study_for_reader(request.user, slug)
        plan = None
        if "n" in request.query_params:
            asked = DrawSent(data={name: request.query_params[name] for name in request.query_params})
            asked.is_valid(raise_exception=True)
            found = plan_draw(study=study, **_how(study, asked.validated_data))
            plan = {name: getattr(found, name) for name in names_of(PlanRead)}
        runs = [_told(each) for each in uncertain_runs(study)]
        return Response({"left": tasks_to_draw_from(study).count(), "runs": runs, "plan": plan})

    @extend_schema(request=DrawSent, responses={201: BatchRead}, operation_id="draw")
    def post(self, request: Request, slug: str) -> Response:
        """Draw tasks into a new batch, which is open: annotators can take them at once."""
        study = study_for_reader(request.user, slug)
        batch = draw_and_open(study=study, actor=actor_of(request), **_how(study, sent(DrawSent, request)))
        return Response(told(batch_of(study, batch.number)), status=201)


def _how(study: Study, asked: dict[str, Any]) -> dict[str, Any]:
    source = uncertain_run(study, asked["run"]) if asked["run"] else None
    left = tasks_to_draw_from(study).count()
    if asked["n"] > left:
        raise InvalidInputError("studies.draw_size_wrong" if left else "studies.nothing_to_draw", most=left)
    return {"tasks": asked["n"], "source": source, "floor": asked["floor_percent"] / 100 if source else 1.0}


def _told(each: UncertainRun) -> dict[str, Any]:
    other = each.other.pk if each.other else None
    return {"run": each.run.pk, "measure": each.measure.value, "replies": each.replies, "other": other}
