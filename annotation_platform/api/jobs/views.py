"""Long work, whatever it is: how far, how it ended, and where its result is."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.api.jobs.kinds import job_named
from annotation_platform.api.jobs.serializers import JobRead, told


class OneJob(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=JobRead, operation_id="job_read")
    def get(self, request: Request, name: str) -> Response:
        """A job: ask again until it is done, failed or paused."""
        return Response(told(request, job_named(user_of(request), name)))
