"""The outbox in Django's admin site: what waits, and why."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation_platform.jobs.models import OutgoingMail
from annotation_platform.jobs.outbox.mail import send_again


@admin.register(OutgoingMail)
class OutgoingMailAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("recipients", "subject", "state", "attempts", "error", "created_at", "due_at", "sent_at")
    list_filter = ("state",)
    exclude = ("content", "claim")
    actions = ("try_again_now",)

    @admin.action(description="Try to send again now")
    def try_again_now(self, request: HttpRequest, mails: QuerySet[OutgoingMail]) -> None:
        send_again(list(mails))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False
