"""What the platform's staff may change about any study, in Django's admin site."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from annotation_platform.studies.models import Study


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """How much all its scoring runs together may cost, as on its own page of scoring settings."""

    list_display = ("name", "scoring_budget")
    fields = ("name", "scoring_budget")
    readonly_fields = ("name",)
    search_fields = ("name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
