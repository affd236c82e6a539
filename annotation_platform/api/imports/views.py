"""Importing other tools' files: sent, looked at, mapped, checked, and stored as a study or a corpus."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.models import User
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.bodies import BodyParser
from annotation_platform.api.frame.files import digest_of_parts
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH_IF_ANY, LISTING, listed
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.imports.previewing import ImportPreviewRead, told_preview
from annotation_platform.api.imports.serializers import (
    FIELDS,
    ImportFormatRead,
    ImportMapping,
    ImportRead,
    NewImport,
    NewImportOfUploads,
    chosen,
    told,
    told_format,
)
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.api.schemes.reading import preset_named
from annotation_platform.core.errors import NotThereError
from annotation_platform.corpus.importers import FORMATS
from annotation_platform.imports.drafts import arrived, choose, discard_job, receive_files
from annotation_platform.imports.jobs import request_job
from annotation_platform.imports.models import ImportJob
from annotation_platform.imports.previews import looks_later
from annotation_platform.imports.uploads import import_uploads
from workers.tasks import enqueue


class Formats(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("ImportFormatList", {"results": ImportFormatRead(many=True)}),
        operation_id="import_formats_list",
    )
    def get(self, request: Request) -> Response:
        """The formats that can be imported. For people who may create studies."""
        _importer(request)
        return Response({"results": [told_format(key) for key in FORMATS]})


class Imports(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    parser_classes = [MultiPartParser, BodyParser]

    @extend_schema(responses=listed("Import", ImportRead), parameters=LISTING, operation_id="imports_list")
    def get(self, request: Request) -> Any:
        """The files that you sent or uploaded, the newest first, and what came of them."""
        rows = arrived(_importer(request)).select_related("study").defer("first_rows")
        return page(request, rows, lambda job: told(request, job), fields=FIELDS, newest_first=True)

    @extend_schema(
        request={"multipart/form-data": NewImport, "application/json": NewImportOfUploads},
        responses={201: ImportRead},
        operation_id="imports_create",
    )
    def post(self, request: Request) -> Response:
        """Send files as a form's parts named “files”, or name uploads; nothing is stored of them yet.

        Of large ones a worker reads the first rows: while the state is “pending” or “running”, there is no preview.
        """
        user, actor = _importer(request), actor_of(request)
        new = sent(NewImport if _is_form(request) else NewImportOfUploads, request)
        _check_preset(new)
        target = new.get("target", ImportJob.Target.STUDY)
        if uploads := new.pop("uploads", []):
            job = import_uploads(owner=user, pks=uploads, target=target, actor=actor)
        else:
            job = receive_files(owner=user, uploads=new.pop("files"), target=target, actor=actor)
        choose(job=job, **new)
        _look(request, job)
        return _tagged(request, job, status=201)

    def body_digest(self, request: Request) -> str:
        """Of what the parts say, for their boundary is another one each time. They are taken in here."""
        _importer(request)
        return digest_of_parts(request) if _is_form(request) else super().body_digest(request)


class OneImport(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE, "DELETE": Scope.MANAGE}

    @extend_schema(responses=ImportRead, operation_id="import_read")
    def get(self, request: Request, pk: int) -> Response:
        """What was chosen, what a check found or what is wrong, and what was made; the ETag is of what was chosen."""
        return _tagged(request, _own(request, pk))

    @extend_schema(
        request=ImportMapping, responses=ImportRead, parameters=[IF_MATCH_IF_ANY], operation_id="import_change"
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Choose format, scheme, what columns are taken for, and so on; the first rows are read anew where needed."""
        job, changes = _own(request, pk), sent(ImportMapping, request)
        _check_preset(changes)
        with transaction.atomic():
            ImportJob.objects.select_for_update().filter(pk=pk).first()
            check_version(request, chosen(_own(request, pk)), needed=False)
            choose(job=job, **changes)
        _look(request, job)
        return _tagged(request, job)

    @extend_schema(responses={204: None}, operation_id="import_delete")
    def delete(self, request: Request, pk: int) -> Response:
        """Give up: the files are forgotten. What was made of them stays."""
        discard_job(job=_own(request, pk), actor=actor_of(request))
        return Response(status=204)


class Preview(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=ImportPreviewRead, operation_id="import_preview")
    def get(self, request: Request, pk: int) -> Response:
        """The first rows, and what each column is taken for as it is chosen now."""
        return Response(told_preview(_own(request, pk)))


class Check(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: JobRead}, operation_id="import_check")
    def post(self, request: Request, pk: int) -> Response:
        """Go through all of it and store nothing; the import has what was found, or what is wrong, afterwards."""
        return _begin(request, _own(request, pk), ImportJob.Wanted.CHECK)


class Store(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: JobRead}, operation_id="import_store")
    def post(self, request: Request, pk: int) -> Response:
        """Store all of it as a study of yours or a corpus, or nothing, if something is wrong."""
        return _begin(request, _own(request, pk), ImportJob.Wanted.IMPORT)


def _begin(request: Request, job: ImportJob, wanted: str) -> Response:
    request_job(job=job, wanted=wanted, actor=actor_of(request))
    enqueue(job)
    job.refresh_from_db()
    return accepted(request, job)


def _look(request: Request, job: ImportJob) -> None:
    """Let the worker read the first rows where that takes long."""
    if looks_later(job):
        request_job(job=job, wanted=ImportJob.Wanted.LOOK, actor=actor_of(request))
        enqueue(job)
        job.refresh_from_db()


def _check_preset(chosen: dict[str, Any]) -> None:
    if chosen.get("scheme"):
        preset_named(chosen["scheme"])


def _tagged(request: Request, job: ImportJob, *, status: int = 200) -> Response:
    return tagged(told(request, job), of=chosen(job), status=status)


def _is_form(request: Request) -> bool:
    return str(request.content_type).startswith(MultiPartParser.media_type)


def _importer(request: Request) -> User:
    return study_creator(request)


def _own(request: Request, pk: int) -> ImportJob:
    own = arrived(_importer(request)).select_related("study").defer("first_rows")
    if (job := own.filter(pk=pk).first()) is None:
        raise NotThereError("imports.no_import")
    return job
