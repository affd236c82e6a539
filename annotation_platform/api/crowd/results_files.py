"""Files of results of marketplaces: sent, and what came of them; an import says what their columns are."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher
from annotation_platform.api.frame.files import digest_of_parts
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.providers.results_file.models import ImportedWork
from annotation_platform.crowd.providers.results_file.selectors import file_of, files_of, work_of
from annotation_platform.crowd.providers.results_file.services import (
    MOST_MEGABYTES,
    let_files_arrive,
    take_over_upload,
)

WHOSE = OpenApiParameter("annotator", int, description="Only what this member did.")


class ResultsFileRead(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    assignments = serializers.IntegerField(help_text="Rows of it.")
    workers = serializers.IntegerField()
    tasks = serializers.IntegerField(help_text="HITs of the marketplace.")
    approved = serializers.IntegerField(help_text="Assignments.")
    rejected = serializers.IntegerField(help_text="Assignments.")
    submitted = serializers.IntegerField(help_text="Assignments that the marketplace had not decided about.")
    left_out = serializers.ListField(child=serializers.CharField(), help_text="What does not come, in sentences.")
    imported = serializers.IntegerField(
        allow_null=True, help_text="Key of the import that has its judgments; null: it was forgotten."
    )
    study = serializers.CharField(allow_null=True, help_text="Slug of what the import made.")
    created_at = serializers.DateTimeField()


class NewResultsFile(Input):
    file = serializers.FileField(
        allow_empty_file=True,
        max_length=255,
        help_text=f"CSV of a batch with WorkerId, AssignmentId, Input.* and Answer.*; at most {MOST_MEGABYTES} MB.",
    )
    with_rejected = serializers.BooleanField(
        required=False, default=False, help_text="Also the judgments of rejected work; its times come in any case."
    )


class ImportedWorkRead(Output):
    id = serializers.IntegerField()
    file = serializers.IntegerField(help_text="Key of the file of results.")
    annotator = serializers.IntegerField(allow_null=True, help_text="Key of the member.")
    pseudonym = serializers.CharField()
    task = serializers.CharField(help_text="The marketplace's name of the HIT.")
    assignment = serializers.CharField(help_text="The marketplace's name of it.")
    status = choice(ImportedWork.Status.values)
    seconds = serializers.FloatField(allow_null=True)
    accepted_at = serializers.DateTimeField(allow_null=True)
    submitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True, help_text="Approved or rejected.")
    feedback = serializers.CharField(help_text="What the worker was told.")


class ResultsFiles(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=listed("ResultsFile", ResultsFileRead), parameters=LISTING, operation_id="results_files_list"
    )
    def get(self, request: Request) -> Any:
        """The files of results that you sent or uploaded, the newest first. For people who may create studies."""
        let_files_arrive()
        return page(
            request, files_of(study_creator(request)), _told, fields=names_of(ResultsFileRead), newest_first=True
        )

    @extend_schema(
        request={"multipart/form-data": NewResultsFile},
        responses={201: ResultsFileRead},
        operation_id="results_files_create",
    )
    def post(self, request: Request) -> Response:
        """Send the file of a batch. Its workers get pseudonyms; who they are is kept apart, as of everybody.

        Nothing is in a study before the import that “imported” names is: look at its preview, say what its columns
        are, check it and store it, as with files of other tools.
        """
        user, new = study_creator(request), sent(NewResultsFile, request)
        file = take_over_upload(
            upload=new["file"], with_rejected=new["with_rejected"], owner=user, actor=actor_of(request)
        )
        return Response(_told(file_of(user, file.pk)), status=201)

    def body_digest(self, request: Request) -> str:
        study_creator(request)
        return digest_of_parts(request)


class OneResultsFile(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=ResultsFileRead, operation_id="results_file_read")
    def get(self, request: Request, pk: int) -> Response:
        """What was found in a file, what of it does not come, and what became of it."""
        let_files_arrive()
        return Response(_told(file_of(study_creator(request), pk)))


class ImportedWorks(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("ImportedWork", ImportedWorkRead),
        parameters=[*LISTING, WHOSE],
        operation_id="imported_work_list",
    )
    def get(self, request: Request, slug: str) -> Any:
        """What came with files of results beside the judgments: times, approvals, what the worker was told."""
        let_files_arrive()
        study, _ = as_researcher(request, slug)
        rows = work_of(study)
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(member=member)
        return page(request, rows, _told_work, fields=names_of(ImportedWorkRead))


def _told(file: Any) -> dict[str, Any]:
    own = {
        "id": file.pk,
        "left_out": [in_language(line) for line in file.left_out],
        "imported": file.job_id,
        "study": file.study.slug if file.study else None,
    }
    return {name: own[name] if name in own else getattr(file, name) for name in names_of(ResultsFileRead)}


def _told_work(row: ImportedWork) -> dict[str, Any]:
    own = {"id": row.pk, "file": row.file_id, "annotator": row.member_id}
    return {name: own[name] if name in own else getattr(row, name) for name in names_of(ImportedWorkRead)}
