"""Figures for a paper: a bundle of every chart and table of the newest snapshot, asked for and downloaded."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.models import PaperBundle
from annotation_platform.analysis.paper.bundles import request_bundle
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, RANGES, files_of, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.api.jobs.serializers import JobRead, accepted, address_of
from annotation_platform.jobs.files import finished
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.server.downloads import stored
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue


class BundleRead(Output):
    id = serializers.IntegerField()
    snapshot = serializers.IntegerField(help_text="Whose figures it has.")
    state = choice(JobStatus.values)
    size = serializers.IntegerField(help_text="Bytes; 0 until it is done.")
    sha256 = serializers.CharField(help_text="Of the file; empty until it is done.")
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    job = serializers.CharField(help_text="Address of its job.")
    file = serializers.CharField(allow_null=True, help_text="Address of the ZIP file, once it is there.")


class Bundles(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Bundle", BundleRead), parameters=LISTING, operation_id="bundles_list")
    def get(self, request: Request, slug: str) -> Any:
        """The bundles of a study, the newest first."""
        rows = study_for_reader(request.user, slug).paper_bundles.select_related("study")
        return page(request, rows, lambda row: _told(request, row), fields=names_of(BundleRead), newest_first=True)

    @extend_schema(request=None, responses={202: JobRead}, operation_id="bundles_create")
    def post(self, request: Request, slug: str) -> Response:
        """Have one made of the newest snapshot; the one that is there or under way is given again."""
        study = study_for_reader(request.user, slug)
        member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
        bundle = request_bundle(study=study, requested_by=member, actor=actor_of(request))
        enqueue(bundle)
        return accepted(request, bundle)


class BundleFile(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=files_of("application/zip"), parameters=RANGES, operation_id="bundle_file")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """The file of a finished bundle, streamed."""
        bundle, path = finished(study_for_reader(request.user, slug).paper_bundles.all(), pk)
        kind = "application/zip"
        return stored(request, path, filename=bundle.filename, content_type=kind, digest=bundle.sha256)


def _told(request: Request, bundle: PaperBundle) -> dict[str, Any]:
    file = request.build_absolute_uri(reverse("api_bundle_file", args=[bundle.study.slug, bundle.pk]))
    own = {
        "snapshot": bundle.snapshot_id,
        "state": bundle.status,
        "error": in_language(bundle.error) if bundle.error else None,
        "job": address_of(request, bundle),
        "file": file if bundle.status == JobStatus.DONE else None,
    }
    return {name: own[name] if name in own else getattr(bundle, name) for name in names_of(BundleRead)}
