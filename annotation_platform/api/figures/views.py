"""Snapshots, and every figure in them: its value, interval, n, where it comes from, and the tables behind it."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.history import comparison
from annotation_platform.analysis.snapshots.jobs import request_snapshot
from annotation_platform.api.figures.parameters import HOW, WHICH
from annotation_platform.api.figures.selectors import (
    asked_snapshot,
    aspects_of_both,
    figures_told,
    one_snapshot,
    other_snapshot,
    section_named,
    sections_there,
)
from annotation_platform.api.figures.serializers import (
    SNAPSHOT_FIELDS,
    FiguresRead,
    Provenance,
    SectionList,
    SnapshotChanges,
    SnapshotRead,
    told_provenance,
    told_snapshot,
    told_table,
)
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import JSON_SCHEMA, LISTING, listed
from annotation_platform.api.frame.views import ApiView, actor_of
from annotation_platform.api.jobs.serializers import JobRead, accepted
from annotation_platform.studies.selectors import study_for_reader
from workers.tasks import enqueue

ASPECT = OpenApiParameter("aspect", str, description="Only the figures of this aspect.")
BESIDE = OpenApiParameter("with", int, description="Key of another snapshot; otherwise the one before.")


class Snapshots(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Snapshot", SnapshotRead), parameters=LISTING, operation_id="snapshots_list")
    def get(self, request: Request, slug: str) -> Any:
        """The snapshots of a study, the newest first."""
        study = study_for_reader(request.user, slug)
        rows = AgreementSnapshot.objects.filter(study=study).select_related("study")
        return page(request, rows, lambda row: told_snapshot(request, row), fields=SNAPSHOT_FIELDS, newest_first=True)

    @extend_schema(request=None, responses={202: JobRead}, operation_id="snapshots_create")
    def post(self, request: Request, slug: str) -> Response:
        """Have the closed batches measured; the same data under the same code give the snapshot that is there."""
        job = request_snapshot(study=study_for_reader(request.user, slug), actor=actor_of(request))
        enqueue(job)
        return accepted(request, job)


class OneSnapshot(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=Provenance, operation_id="snapshot_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A snapshot: what it measured, from what and how, and whether it is out of date."""
        return Response(told_provenance(request, one_snapshot(study_for_reader(request.user, slug), pk)))


class SnapshotsCompared(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=SnapshotChanges, parameters=[BESIDE, ASPECT], operation_id="snapshot_changes")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What moved between two snapshots: what they rest on, and every figure with its interval, then and now.

        A row has `then`, `then_low`, `then_high`, `now`, `now_low`, `now_high`, `change` and `remark`.
        """
        one = one_snapshot(study_for_reader(request.user, slug), pk)
        then, now = sorted((other_snapshot(request, one), one), key=lambda each: (each.measured_at, each.pk))
        aspect = request.query_params.get("aspect") or next(iter(aspects_of_both(then, now)), None)
        figures = comparison.compared_table(then, now, aspect) if aspect else None
        return Response(
            {
                "then": told_snapshot(request, then),
                "now": told_snapshot(request, now),
                "differs": comparison.what_differs(then, now),
                "headline": told_table(comparison.headline_table(then, now)),
                "aspect": aspect,
                "figures": told_table(figures) if figures else None,
            }
        )


class Sections(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=SectionList, parameters=[WHICH], operation_id="figures_list")
    def get(self, request: Request, slug: str) -> Response:
        """The kinds of figures that a snapshot has: α, τ by pair, systems, consensus and so on."""
        snapshot = asked_snapshot(request, study_for_reader(request.user, slug))
        sections = [
            {
                "section": section.key,
                "title": section.title,
                "version": section.version,
                "per": per,
                "tables": tables,
                "address": request.build_absolute_uri(reverse("api_figures", args=[slug, section.key])),
            }
            for section, per, tables in sections_there(snapshot)
        ]
        return Response({"snapshot": told_provenance(request, snapshot), "sections": sections})


class Figures(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=FiguresRead, parameters=[ASPECT, *HOW], operation_id="figures_read")
    def get(self, request: Request, slug: str, section: str) -> Response:
        """The figures of one kind, of each aspect, with their intervals and n, and the tables that pages make of them.

        A figure has `value`, `interval`, `units` (n: what the interval draws) and, where one is missing, why.
        """
        snapshot = asked_snapshot(request, study_for_reader(request.user, slug))
        found = section_named(snapshot, section)
        return Response(
            {
                "section": found.key,
                "title": found.title,
                "version": found.version,
                "snapshot": told_provenance(request, snapshot),
                "results": figures_told(snapshot, found, request.query_params.dict()),
            }
        )


class FiguresSchema(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=JSON_SCHEMA, parameters=[WHICH], operation_id="figures_schema")
    def get(self, request: Request, slug: str, section: str) -> Response:
        """JSON Schema of the figures of one kind."""
        snapshot = asked_snapshot(request, study_for_reader(request.user, slug))
        schema = section_named(snapshot, section).json_schema()
        return Response(schema, content_type="application/schema+json")
