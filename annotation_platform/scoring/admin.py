"""Model connections and budgets in Django's admin site. Keys are entered on the platform's own page, where they stay
encrypted."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.verbs import Verb
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.models import ModelConnection, ScoringSettings
from annotation_platform.studies.models import Study


@admin.register(ModelConnection)
class ModelConnectionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "base_url", "model", "is_active")
    list_filter = ("is_active",)
    search_fields = ("name", "model")
    readonly_fields = ("study", "created_by")  # a key goes to no other study than the one it was given for

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        save_connection(connection=obj, actor=Actor.of_request(request))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        change = {"name": (obj.name, None)}
        record(Actor.of_request(request), Verb.CONNECTION_DELETED, obj, study=obj.study, change=change)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ModelConnection]) -> None:
        for connection in queryset.select_related("study"):
            self.delete_model(request, connection)


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]
    budget = forms.DecimalField(
        required=False,
        max_digits=12,
        decimal_places=4,
        min_value=0,
        help_text=ScoringSettings._meta.get_field("budget").help_text,
    )

    class Meta:
        model = Study
        fields: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["budget"] = ScoringSettings.of(self.instance).budget


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """How much all its scoring runs together may cost, as on its own page of scoring settings."""

    form = BudgetForm
    list_display = ("name", "budget")
    list_select_related = ("scoring_settings",)
    fields = ("name", "budget")
    readonly_fields = ("name",)
    search_fields = ("name",)

    def budget(self, study: Study) -> Any:
        return ScoringSettings.of(study).budget

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        from annotation_platform.scoring import services  # every command loads this page

        services.set_budget(study=obj, budget=form.cleaned_data["budget"], actor=Actor.of_request(request))
        if form.cleaned_data["budget"] is not None and (beyond := services.runs_beyond_budgets(obj)):
            self.message_user(request, in_language(beyond), messages.WARNING)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
