"""Exports as they are sent and given."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.jobs.serializers import address_of
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import Export, ExportFormat
from annotation_platform.studies.models import Study


class ExportRead(Output):
    id = serializers.IntegerField()
    format = choice(ExportFormat.values)
    all_revisions = serializers.BooleanField()
    state = choice(JobStatus.values)
    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes; 0 until it is done.")
    sha256 = serializers.CharField(help_text="Of the file; empty until it is done.")
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    job = serializers.CharField(help_text="Address of its job.")
    file = serializers.CharField(allow_null=True, help_text="Address of the file, once it is there.")


EXPORT_FIELDS = names_of(ExportRead)
_OWN = {"state", "error", "job", "file"}


def told(request: Request, study: Study, export: Export) -> dict[str, Any]:
    row = {field: getattr(export, field) for field in EXPORT_FIELDS if field not in _OWN}
    file = request.build_absolute_uri(reverse("api_export_file", args=[study.slug, export.pk]))
    return row | {
        "state": export.status,
        "error": in_language(export.error) if export.error else None,
        "job": address_of(request, export),
        "file": file if export.status == JobStatus.DONE else None,
    }


class NewExport(Input):
    format = choice(ExportFormat.values, required=False, default=ExportFormat.JSONL.value)
    all_revisions = serializers.BooleanField(
        required=False, default=False, help_text="Also judgments that a newer one replaced."
    )
