"""Sending scores back: the destinations, what would go, sending it, and what was sent. For a study's admins."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH_IF_ANY, IF_NONE_MATCH, LISTING, listed
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.api.scoreback.serializers import (
    FIELDS,
    SENT_FIELDS,
    DestinationRead,
    NewDestination,
    PreviewRead,
    SentScoreRead,
    changeable,
    told,
    told_preview,
    told_sent,
)
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoreback import services
from annotation_platform.scoreback.models import ScoreDestination
from annotation_platform.scoreback.previewing import preview_of
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin
from workers.tasks import enqueue


class Destinations(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(
        responses=listed("ScoreDestination", DestinationRead),
        parameters=LISTING,
        operation_id="score_destinations_list",
    )
    def get(self, request: Request, slug: str) -> Any:
        """The programs that the study's scores go back to."""
        study = study_for_admin(request.user, slug)
        return page(request, study.score_destinations.all(), told, fields=FIELDS)


class OneDestination(ApiView):
    scopes = {"GET": Scope.ADMIN, "PUT": Scope.ADMIN, "DELETE": Scope.ADMIN}

    @extend_schema(responses=DestinationRead, operation_id="score_destination_read")
    def get(self, request: Request, slug: str, program: str) -> Response:
        """One of them: langfuse, phoenix or langsmith."""
        return _tagged(_destination(request, slug, program))

    @extend_schema(
        request=NewDestination,
        responses=DestinationRead,
        parameters=[IF_MATCH_IF_ANY, IF_NONE_MATCH],
        operation_id="score_destination_save",
    )
    def put(self, request: Request, slug: str, program: str) -> Response:
        """Set it up, or change it."""
        study = study_for_admin(request.user, slug)
        new = sent(NewDestination, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            before = study.score_destinations.filter(program=program).first()
            check_version(request, changeable(before) if before else None, needed=False)
            saved = services.save_destination(study=study, program=program, actor=actor_of(request), **new)
        return _tagged(saved)

    @extend_schema(responses={204: None}, operation_id="score_destination_delete")
    def delete(self, request: Request, slug: str, program: str) -> Response:
        """Forget the key and the log; what was sent stays there."""
        destination = _destination(request, slug, program)
        services.delete_destination(destination=destination, actor=actor_of(request))
        return Response(status=204)


class PreviewOfScores(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=PreviewRead, operation_id="score_destination_preview")
    def get(self, request: Request, slug: str, program: str) -> Response:
        """What would be sent now: how many scores, and the first ones."""
        return Response(told_preview(preview_of(_destination(request, slug, program))))


class SendScores(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses={202: JobRead}, operation_id="score_destination_send")
    def post(self, request: Request, slug: str, program: str) -> Response:
        """Send what is new or has changed; one that has paused goes on, one under way is given again."""
        destination, actor = _destination(request, slug, program), actor_of(request)
        admin = membership(request.user, destination.study, Role.ADMIN)
        sending = services.request_sending(destination=destination, requested_by=admin, actor=actor)
        if sending.status == JobStatus.PAUSED:
            services.resume_sending(sending=sending, actor=actor)
            sending.refresh_from_db()
        enqueue(sending)
        return accepted(request, sending)


class StopSending(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses={204: None}, operation_id="score_destination_stop")
    def post(self, request: Request, slug: str, program: str) -> Response:
        """Stop sending; what was sent stays there. 422 where nothing is being sent."""
        sending = _destination(request, slug, program).sendings.first()
        if sending is None:
            raise InvalidInputError("scoreback.no_such_step")
        services.stop_sending(sending=sending, actor=actor_of(request))
        return Response(status=204)


class SentScores(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=listed("SentScore", SentScoreRead), parameters=LISTING, operation_id="sent_scores_list")
    def get(self, request: Request, slug: str, program: str) -> Any:
        """Every score as it was last sent, and what the program said to it, the newest first."""
        rows = _destination(request, slug, program).scores.all()
        return page(request, rows, told_sent, fields=SENT_FIELDS, newest_first=True)


def _tagged(destination: ScoreDestination) -> Response:
    return tagged(told(destination), of=changeable(destination))


def _destination(request: Request, slug: str, program: str) -> ScoreDestination:
    return services.destination_of(study_for_admin(request.user, slug), program)
