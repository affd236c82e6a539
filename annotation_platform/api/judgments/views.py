"""The judgments of a study, and the assignments in which they are made."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.models import Annotation
from annotation_platform.api.frame.pages import NDJSON, after_of, chosen_fields, page, wants_lines
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.judgments.lines import lines_of
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.server.downloads import passing
from annotation_platform.studies.models import FINISHED_STATES, Assignment, AssignmentState
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.studies.services import extend_lease, return_assignment
from annotation_platform.studies.services.claiming import MOST_MINUTES

WHICH = OpenApiParameter(
    "which", str, enum=["closed", "current", "all"], description="Of closed batches (usual); also of open ones; all."
)


class JudgmentRead(Output):
    id = serializers.IntegerField()
    item = serializers.IntegerField()
    batch = serializers.IntegerField()
    assignment = serializers.IntegerField()
    annotator = serializers.CharField(help_text="Pseudonym in the study.")
    revision = serializers.IntegerField()
    is_current = serializers.BooleanField()
    scheme_version = serializers.IntegerField()
    values = serializers.DictField(help_text="As the study's judgment-schema says.")
    presented = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Candidates in the order that was shown."
    )
    seconds = serializers.FloatField(allow_null=True)
    created_at = serializers.DateTimeField()


_NAMED = {
    "batch": F("item__hit__batch__number"),
    "pseudonym": F("annotator__pseudonym"),
    "version": F("scheme_version__number"),
}
_PLAIN = ("id", "revision", "is_current", "values", "presented", "seconds", "created_at")


class Judgments(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Judgment", JudgmentRead), parameters=[*LISTING, WHICH], operation_id="judgments_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """The judgments that count, of closed batches; or of all batches, or with the revisions before."""
        study = study_for_reader(request.user, slug)
        rows = Annotation.objects.filter(item__study=study)
        which = request.query_params.get("which", "closed")
        if which not in ("closed", "current", "all"):
            raise InvalidInputError("api.choice_wrong", field="which", known=["closed", "current", "all"])
        if which != "all":
            rows = rows.filter(is_current=True)
        if which == "closed":
            rows = rows.filter(item__hit__batch__state__in=FINISHED_STATES)
        if wants_lines(request):
            fields = names_of(JudgmentRead)
            chosen = chosen_fields(request, fields) or frozenset(fields)
            after = after_of(request) or 0
            named = [name for name in fields if name in chosen]
            return passing(lines_of(rows.filter(pk__gt=after), named), content_type=NDJSON)
        found = rows.values(*_PLAIN, "item_id", "assignment_id", **_NAMED)
        return page(request, found, _told, fields=names_of(JudgmentRead))


def _told(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "id": row["id"],
        "item": row["item_id"],
        "batch": row["batch"],
        "assignment": row["assignment_id"],
        "annotator": row["pseudonym"],
        "revision": row["revision"],
        "is_current": row["is_current"],
        "scheme_version": row["version"],
        "values": row["values"],
        "presented": row["presented"],
        "seconds": row["seconds"],
        "created_at": row["created_at"],
    }


class AssignmentRead(Output):
    id = serializers.IntegerField()
    batch = serializers.IntegerField()
    task = serializers.IntegerField(help_text="Position of its HIT in the batch.")
    place = serializers.IntegerField()
    state = choice(AssignmentState.values)
    annotator = serializers.CharField(allow_null=True)
    claimed_at = serializers.DateTimeField(allow_null=True)
    lease_expires_at = serializers.DateTimeField(allow_null=True)
    submitted_at = serializers.DateTimeField(allow_null=True)


class Assignments(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Assignment", AssignmentRead), parameters=LISTING, operation_id="assignments_list")
    def get(self, request: Request, slug: str) -> Any:
        """The places of a study's tasks, and who has them."""
        study = study_for_reader(request.user, slug)
        rows = Assignment.objects.filter(hit__batch__study=study).select_related("hit__batch", "annotator")
        return page(request, rows, _assignment, fields=names_of(AssignmentRead))


class Minutes(Input):
    minutes = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES, help_text="From the end of the lease.")


class ExtendLease(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Minutes, responses=AssignmentRead, operation_id="assignment_extend")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Give whoever holds a task more time."""
        place = _place(request, slug, pk)
        extend_lease(assignment=place, actor=actor_of(request), **sent(Minutes, request))
        return Response(_assignment(_place(request, slug, pk)))


class FreeAssignment(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=AssignmentRead, operation_id="assignment_free")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Free a task that is held and not submitted; its holder keeps what they typed as drafts."""
        place = _place(request, slug, pk)
        if place.annotator is None or not return_assignment(
            assignment=place, annotator=place.annotator, actor=actor_of(request)
        ):
            raise InvalidInputError("studies.assignment_not_held")
        return Response(_assignment(_place(request, slug, pk)))


def _place(request: Request, slug: str, pk: int) -> Assignment:
    places = Assignment.objects.filter(hit__batch__study=study_for_reader(request.user, slug))
    if (place := places.filter(pk=pk).select_related("hit__batch__study", "annotator").first()) is None:
        raise NotThereError("api.no_assignment")
    return place


def _assignment(row: Assignment) -> Mapping[str, Any]:
    return {
        "id": row.pk,
        "batch": row.hit.batch.number,
        "task": row.hit.position,
        "place": row.place,
        "state": row.state,
        "annotator": row.annotator.pseudonym if row.annotator else None,
        "claimed_at": row.claimed_at,
        "lease_expires_at": row.lease_expires_at,
        "submitted_at": row.submitted_at,
    }
