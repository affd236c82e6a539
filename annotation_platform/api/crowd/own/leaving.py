"""Leaving a study."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.api.work.entering import as_annotator
from annotation_platform.crowd.endings import leave


class LeaveStudy(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses={204: None}, operation_id="own_study_leave")
    def post(self, request: Request, slug: str) -> Response:
        """Leave it: what was submitted stays under the pseudonym, tasks under way go to others."""
        leave(member=as_annotator(request, slug), actor=actor_of(request))
        return Response(status=204)
