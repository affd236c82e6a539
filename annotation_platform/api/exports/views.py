"""Exports: the list, asking for one, how far it is, and its file. For a study's admins, as on the pages."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.exports.serializers import EXPORT_FIELDS, ExportRead, NewExport, told
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, RANGES, files_of, listed
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.core.errors import NotThereError
from annotation_platform.jobs.files import finished
from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.services import request_export
from annotation_platform.releases.views import CONTENT_TYPES
from annotation_platform.server.downloads import stored
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_admin
from workers.tasks import enqueue

FILES = files_of(*(kind.partition(";")[0] for kind in CONTENT_TYPES.values()))


class Exports(ApiView):
    scopes = {"GET": Scope.ADMIN, "POST": Scope.ADMIN}

    @extend_schema(responses=listed("Export", ExportRead), parameters=LISTING, operation_id="exports_list")
    def get(self, request: Request, slug: str) -> Any:
        """The exports of a study, the newest first."""
        study = study_for_admin(request.user, slug)
        rows = study.exports.all()
        return page(request, rows, lambda row: told(request, study, row), fields=EXPORT_FIELDS, newest_first=True)

    @extend_schema(request=NewExport, responses={202: JobRead}, operation_id="exports_create")
    def post(self, request: Request, slug: str) -> Response:
        """Have a file made of all judgments of closed batches; one that waits already is given again."""
        study, new = study_for_admin(request.user, slug), sent(NewExport, request)
        admin = membership(request.user, study, Role.ADMIN)
        export = request_export(study=study, requested_by=admin, actor=actor_of(request), **new)
        enqueue(export)
        return accepted(request, export)


class OneExport(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=ExportRead, operation_id="export_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An export, and where its file is."""
        study = study_for_admin(request.user, slug)
        if (export := study.exports.filter(pk=pk).first()) is None:
            raise NotThereError("jobs.no_file")
        return Response(told(request, study, export))


class ExportFile(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=FILES, parameters=RANGES, operation_id="export_file")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """The file of a finished export, streamed."""
        export, path = finished(study_for_admin(request.user, slug).exports.all(), pk)
        kind = CONTENT_TYPES[ExportFormat(export.format)]
        return stored(request, path, filename=export.filename, content_type=kind, digest=export.sha256)
