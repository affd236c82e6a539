"""Model connections in Django's admin site. Keys are entered on the platform's own page, where they stay encrypted."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.models import ModelConnection


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
