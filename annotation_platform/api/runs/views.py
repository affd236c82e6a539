"""Scoring runs: by which methods, the list, starting, estimating, pausing and going on."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.api.runs.asked import scorer_asked
from annotation_platform.api.runs.serializers import (
    RUN_FIELDS,
    Budget,
    MethodRead,
    NewRun,
    RunRead,
    RunWithCounts,
    told,
    told_method,
    told_with_counts,
)
from annotation_platform.scoring import services
from annotation_platform.scoring.methods import METHODS, run_method
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.studies.selectors import study_for_reader
from workers.tasks import enqueue, enqueue_snapshot


class Methods(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("MethodList", {"results": MethodRead(many=True)}), operation_id="methods_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """The methods by which a study can be scored, with the JSON Schema of their parameters."""
        study = study_for_reader(request.user, slug)
        return Response({"results": [told_method(how, study) for how in METHODS]})


class Runs(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Run", RunRead), parameters=LISTING, operation_id="runs_list")
    def get(self, request: Request, slug: str) -> Any:
        """The scoring runs of a study, the newest first."""
        rows = study_for_reader(request.user, slug).scoring_runs.defer("counts")
        return page(request, rows, lambda run: told(request, run), fields=RUN_FIELDS, newest_first=True)

    @extend_schema(request=NewRun, responses={202: JobRead}, operation_id="runs_create")
    def post(self, request: Request, slug: str) -> Response:
        """Put a run into the queue, or its estimate; the same one that waits or is at work already is given again."""
        study, new = study_for_reader(request.user, slug), sent(NewRun, request)
        how = run_method(new["method"])
        scorer = new["scorer"] or None
        scorer_asked(study, how, scorer, new["parameters"])
        with transaction.atomic():
            run = services.start_run(
                study=study,
                method=how.name,
                scorer=scorer,
                parameters=new["parameters"],
                budget=new["budget"],
                dry_run=new["estimate"],
                actor=actor_of(request),
            )
        enqueue(run)
        return accepted(request, run)


class OneRun(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=RunWithCounts, operation_id="run_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A run: how far it is, what it cost, what it was told and what it counted."""
        return Response(told_with_counts(request, _run(request, slug, pk)))


class PauseRun(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RunWithCounts, operation_id="run_pause")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have it pause after the step that it is at; all that came is kept, and it can be resumed."""
        run = _run(request, slug, pk)
        services.pause_run(run=run, actor=actor_of(request))
        return Response(told_with_counts(request, _run(request, slug, pk)))


class StopRun(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RunWithCounts, operation_id="run_stop")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """End a run that waits, is under way or has paused, at once; the replies that it got are kept."""
        run = _run(request, slug, pk)
        services.stop_run(run=run, actor=actor_of(request))
        return Response(told_with_counts(request, _run(request, slug, pk)))


class ResumeRun(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Budget, responses={202: JobRead}, operation_id="run_resume")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Go on with a run that has paused, failed or was estimated; no reply that it has is asked for again."""
        run, asked = _run(request, slug, pk), sent(Budget, request)
        budget = asked.get("budget")
        is_lifted = "budget" in asked and budget is None
        services.resume_run(run=run, budget=budget, without_budget=is_lifted, actor=actor_of(request))
        enqueue(run)
        run.refresh_from_db()
        return accepted(request, run)


class ChooseRun(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RunWithCounts, operation_id="run_choose")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have the study's figures use this finished run instead of the newest; they are measured anew."""
        run = _run(request, slug, pk)
        services.choose_run(run=run, actor=actor_of(request))
        enqueue_snapshot(run.study, actor=actor_of(request))
        return Response(told_with_counts(request, _run(request, slug, pk)))


def _run(request: Request, slug: str, pk: int) -> ScoringRun:
    return run_of(study_for_reader(request.user, slug), pk)
