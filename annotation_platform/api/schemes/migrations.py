"""A study's way to another version of its scheme: which it had, what would become of its judgments, and going there."""

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.migrating import request_migration
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.jobs.serializers import JobRead, accepted, address_of
from annotation_platform.api.schemes.reading import definition_of
from annotation_platform.api.schemes.serializers import SchemeSent
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.reasons import from_data
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.studies.models import Role, SchemeVersion, Study
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader
from workers.tasks import enqueue

MOST_RENAMINGS, LONGEST_RENAMING = 200, 200


class VersionRead(Output):
    key = serializers.CharField()
    number = serializers.IntegerField()
    signature = serializers.CharField()
    is_current = serializers.BooleanField()
    definition = serializers.DictField()


class Versions(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("VersionList", {"results": VersionRead(many=True)}),
        operation_id="scheme_versions_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The versions of its scheme that a study has and had, the newest first."""
        study = study_for_reader(request.user, slug)
        had = SchemeMigration.objects.filter(study=study, wanted=SchemeMigration.Wanted.MIGRATE, status=JobStatus.DONE)
        versions = SchemeVersion.objects.filter(Q(pk=study.scheme_version_id) | Q(pk__in=had.values("before")))
        return Response({"results": [_version(each, study) for each in versions.order_by("-number")]})


def _version(version: SchemeVersion, study: Study) -> dict[str, Any]:
    return {
        "key": version.key,
        "number": version.number,
        "signature": version.signature,
        "is_current": version.pk == study.scheme_version_id,
        "definition": version.definition,
    }


class MigrationSent(Input):
    scheme = SchemeSent(help_text="The edited scheme, of the same key.")
    renamings = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_RENAMING),
        required=False,
        default=list,
        max_length=MOST_RENAMINGS,
        help_text="What has another name now, as in “completeness = fullness”.",
    )
    wanted = choice(
        SchemeMigration.Wanted.values,
        required=False,
        default=SchemeMigration.Wanted.COUNT.value,
        help_text="count: only say what would become of the judgments; migrate: do it.",
    )


class MigrationRead(Output):
    id = serializers.IntegerField()
    wanted = choice(SchemeMigration.Wanted.values)
    state = choice(JobStatus.values)
    before = serializers.CharField(help_text="Version of the scheme.")
    after = serializers.CharField(allow_null=True)
    counts = serializers.DictField(allow_null=True, help_text="What became, or would become, of the judgments.")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Why it failed.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    job = serializers.CharField(help_text="Address of its job.")


class Migrations(ApiView):
    scopes = {"GET": Scope.ADMIN, "POST": Scope.ADMIN}

    @extend_schema(
        responses=listed("Migration", MigrationRead), parameters=LISTING, operation_id="scheme_migrations_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """What was asked for, the newest first. For the study's admins."""
        rows = study_for_admin(request.user, slug).scheme_migrations.select_related("before", "after")
        return page(request, rows, lambda row: _told(request, row), fields=names_of(MigrationRead), newest_first=True)

    @extend_schema(request=MigrationSent, responses={202: JobRead}, operation_id="scheme_migrations_create")
    def post(self, request: Request, slug: str) -> Response:
        """Have counted what an edited scheme does to the judgments, or give it to the study. For its admins."""
        study, asked = study_for_admin(request.user, slug), sent(MigrationSent, request)
        job = request_migration(
            study=study,
            text=write_scheme(definition_of(asked["scheme"])),
            renamings="\n".join(asked["renamings"]),
            wanted=asked["wanted"],
            requested_by=membership(request.user, study, Role.ADMIN),
            actor=actor_of(request),
        )
        enqueue(job)
        return accepted(request, job)


class OneMigration(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=MigrationRead, operation_id="scheme_migration_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What it counted, or why it failed. For the study's admins."""
        rows = study_for_admin(request.user, slug).scheme_migrations.select_related("before", "after")
        if (job := rows.filter(pk=pk).first()) is None:
            raise NotThereError("api.no_migration")
        return Response(_told(request, job))


def _told(request: Request, job: SchemeMigration) -> dict[str, Any]:
    return {
        "id": job.pk,
        "wanted": job.wanted,
        "state": job.status,
        "before": str(job.before),
        "after": str(job.after) if job.after else None,
        "counts": _counts(job.counts),
        "reasons": [in_language(each) for each in from_data(job.reasons)],
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "job": address_of(request, job),
    }


def _counts(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """``lost`` as rows: what, and how many values."""
    if stored is None:
        return None
    lost = [{"what": in_language(what), "values": times} for what, times in from_data(stored["lost"])]
    return {**stored, "lost": lost}
