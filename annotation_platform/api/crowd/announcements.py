"""Announcements: what annotators are told, one more, and the end of one."""

from typing import Any

from django.db.models import Count, Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.models import Announcement, Audience
from annotation_platform.crowd.talk.services.announcements import LONGEST, announce, end_announcement
from annotation_platform.studies.models import Study


class AnnouncementRead(Output):
    id = serializers.IntegerField()
    text = serializers.CharField()
    audience = choice(Audience.values)
    by_mail = serializers.BooleanField()
    author = serializers.CharField(help_text="Pseudonym.")
    dismissed = serializers.IntegerField(help_text="How many annotators have put it away.")
    created_at = serializers.DateTimeField()
    mailed_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class AnnouncementSent(Input):
    text = serializers.CharField(max_length=LONGEST)
    audience = choice(Audience.values, required=False, default=Audience.ALL.value)
    by_mail = serializers.BooleanField(required=False, default=False)


class Announcements(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(
        responses=listed("Announcement", AnnouncementRead), parameters=LISTING, operation_id="announcements_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """What annotators are told and were told, the newest first."""
        rows = _rows(as_researcher(request, slug)[1].study)
        return page(request, rows, _told, fields=names_of(AnnouncementRead), newest_first=True)

    @extend_schema(request=AnnouncementSent, responses={201: AnnouncementRead}, operation_id="announcements_create")
    def post(self, request: Request, slug: str) -> Response:
        """Tell all annotators something, or those who have a task under way now."""
        _, author = as_researcher(request, slug)  # of a round: its study, whose annotators are told
        new = sent(AnnouncementSent, request)
        new["audience"] = Audience(new["audience"])
        made = announce(author=author, actor=actor_of(request), **new)
        return Response(_told(_rows(made.study).get(pk=made.pk)), status=201)


class EndAnnouncement(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=AnnouncementRead, operation_id="announcement_end")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Show it to nobody any more."""
        rows = _rows(as_researcher(request, slug)[1].study)
        if (found := rows.filter(pk=pk).first()) is None:
            raise NotThereError("crowd.no_announcement")
        end_announcement(announcement=found, actor=actor_of(request))
        return Response(_told(rows.get(pk=pk)))


def _rows(study: Study) -> Any:
    dismissed = Count("receipts", filter=Q(receipts__dismissed_at__isnull=False))
    return study.announcements.select_related("author").annotate(dismissed=dismissed)


def _told(row: Announcement) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in names_of(AnnouncementRead) if name not in ("id", "author")}
    return {"id": row.pk} | told | {"author": row.author.pseudonym}
