"""What the platform's staff may change about any study, in Django's admin site."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Study
from annotation_platform.studies.services import change_study


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """How much all its scoring runs together may cost, as on its own page of scoring settings."""

    list_display = ("name", "scoring_budget")
    fields = ("name", "scoring_budget")
    readonly_fields = ("name",)
    search_fields = ("name",)

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        changed = {field: form.cleaned_data[field] for field in form.changed_data}
        change_study(study=obj, actor=Actor.of_request(request), **changed)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
