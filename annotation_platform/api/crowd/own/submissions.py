"""An annotator's submitted work: how it stands, and the appeal against a rejection."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.serializers import Input, Output, choice
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import LONGEST_APPEAL, ReviewState
from annotation_platform.crowd.review.selectors import Submission, own_submission, own_submissions

MOST_SHOWN = 200


class OwnSubmissionRead(Output):
    task = serializers.IntegerField()
    study = serializers.CharField(help_text="Its slug.")
    state = choice(ReviewState.values)
    counts = serializers.BooleanField(help_text="false: it was set aside.")
    submitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    because = serializers.CharField(help_text="Why it was rejected.")
    appeal = serializers.CharField(help_text="What one said to that.")
    appeal_note = serializers.CharField(help_text="The answer.")


class AppealSent(Input):
    words = serializers.CharField(max_length=LONGEST_APPEAL, help_text="A researcher looks at the task again.")


class OwnSubmissions(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(
        responses=inline_serializer("OwnSubmissionList", {"results": OwnSubmissionRead(many=True)}),
        operation_id="own_submissions_list",
    )
    def get(self, request: Request) -> Response:
        """What one has submitted last, the newest first, at most 200."""
        return Response({"results": [_told(each) for each in own_submissions(request.user, most=MOST_SHOWN)]})


class OwnAppeal(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=AppealSent, responses=OwnSubmissionRead, operation_id="own_appeal")
    def post(self, request: Request, pk: int) -> Response:
        """Appeal against the rejection of one's work in a task, once."""
        found = own_submission(request.user, pk)
        if found.review is None:
            raise ConflictError("crowd.cannot_appeal")
        services.appeal(review=found.review, words=sent(AppealSent, request)["words"], actor=actor_of(request))
        return Response(_told(own_submission(request.user, pk)))


def _told(found: Submission) -> dict[str, Any]:
    review = found.review
    return {
        "task": found.assignment.pk,
        "study": found.assignment.hit.batch.study.slug,
        "state": found.state.value,
        "counts": found.counts,
        "submitted_at": found.submitted_at,
        "decided_at": review.decided_at if review else None,
        "because": review.because if review else "",
        "appeal": review.appeal if review else "",
        "appeal_note": review.appeal_note if review else "",
    }
