"""What annotators read and write beside their tasks: announcements, frequent questions, words about the study."""

from typing import Any

from django.db.models import Count, Max
from django.db.models.functions import Coalesce
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.services import send_message_about_study
from annotation_platform.annotations.threads import Thread
from annotation_platform.api.crowd.threads import TextSent
from annotation_platform.api.frame.pages import page, whole
from annotation_platform.api.frame.schema import LISTING, listed, listed_whole
from annotation_platform.api.frame.serializers import Output, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.work.selectors import language
from annotation_platform.api.work.serializers import MessageRead
from annotation_platform.api.work.views import told_message
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.models import Announcement
from annotation_platform.crowd.talk.selectors import (
    announcements_for,
    announcements_to,
    as_annotator_now_or_before,
    faq_of,
    threads_of_annotator,
)
from annotation_platform.crowd.talk.services.announcements import dismiss_announcement
from annotation_platform.studies.models import Member

SEARCH = OpenApiParameter("q", str, description="Only those with all of these words.")


class ToldRead(Output):
    id = serializers.IntegerField()
    study = serializers.CharField(help_text="Its slug.")
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class QuestionRead(Output):
    id = serializers.IntegerField()
    question = serializers.CharField()
    answer = serializers.CharField()
    language = serializers.CharField(help_text="That of Accept-Language, or the one that it was written in.")


class OwnThreadRead(Output):
    study = serializers.CharField(help_text="Its slug; of a round that of the study it qualifies for.")
    assignment = serializers.IntegerField(help_text="The task that it is about; 0: the study as a whole.")
    messages = serializers.IntegerField()
    waits = serializers.IntegerField(help_text="How many of them wait for an answer.")
    unread = serializers.IntegerField(help_text="How many of them one has not read on a page.")
    last_at = serializers.DateTimeField()
    address = serializers.CharField(help_text="Of what was said, and for a word of one's own.")


class OwnThreads(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=listed("OwnThread", OwnThreadRead), parameters=LISTING, operation_id="own_threads_list")
    def get(self, request: Request) -> Any:
        """All threads of one's own, about tasks and about studies, those with the newest word first.

        What a program reads stays unread for the person.
        """
        rows = threads_of_annotator(request.user).annotate(
            messages=Count("pk"),
            last_at=Max("created_at"),
            study=Coalesce("annotator__study__qualifies_for__slug", "annotator__study__slug"),
        )
        fields = names_of(OwnThreadRead)
        return page(
            request, rows, lambda row: _told_thread(request, row), fields=fields, newest_first=True, key="last_pk"
        )


class OwnAnnouncements(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=listed("Told", ToldRead), parameters=LISTING, operation_id="own_announcements_list")
    def get(self, request: Request) -> Any:
        """What researchers tell one, and one has yet to put away."""
        return page(request, announcements_for(request.user), _told, fields=names_of(ToldRead))


class DismissAnnouncement(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=None, responses={204: None}, operation_id="own_announcement_dismiss")
    def post(self, request: Request, pk: int) -> Response:
        """Put it away."""
        found = announcements_to(request.user).filter(pk=pk).first()
        if found is None:
            raise NotThereError("crowd.no_announcement")
        member = Member.objects.get(study=found.study_id, user=request.user.pk)
        dismiss_announcement(announcement=found, member=member)
        return Response(status=204)


class OwnFaq(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(
        responses=inline_serializer("QuestionList", {"results": QuestionRead(many=True)}),
        parameters=[SEARCH],
        operation_id="own_faq_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The frequent questions of a study that one annotates."""
        study = as_annotator_now_or_before(request.user, slug).study
        found = faq_of(study, language(), request.query_params.get("q", "").strip())
        return Response(
            {
                "results": [
                    {"id": each.pk, "question": each.question, "answer": each.answer, "language": each.language}
                    for each in found
                ]
            }
        )


class OwnStudyMessages(ApiView):
    scopes = {"GET": Scope.ANNOTATE, "POST": Scope.ANNOTATE}

    @extend_schema(responses=listed_whole("OwnMessages", MessageRead), operation_id="own_study_messages_list")
    def get(self, request: Request, slug: str) -> Any:
        """What one and the researchers said to each other about the study; open to who left, too."""
        member = as_annotator_now_or_before(request.user, slug)
        return whole(request, Thread(member).words, told_message, fields=names_of(MessageRead))

    @extend_schema(request=TextSent, responses={201: MessageRead}, operation_id="own_study_message_send")
    def post(self, request: Request, slug: str) -> Response:
        """Write to the researchers about the study as a whole."""
        member = as_annotator_now_or_before(request.user, slug)
        text = sent(TextSent, request)["text"]
        message = send_message_about_study(annotator=member, author=member, text=text, actor=actor_of(request))
        return Response(told_message(message), status=201)


def _told(row: Announcement) -> dict[str, Any]:
    return {"id": row.pk, "study": row.study.slug, "text": row.text, "created_at": row.created_at}


def _told_thread(request: Request, row: dict[str, Any]) -> dict[str, Any]:
    task = row["assignment"]
    address = reverse("api_messages", args=[task]) if task else reverse("api_own_study_messages", args=[row["study"]])
    told = {name: row[name] for name in names_of(OwnThreadRead) if name not in ("assignment", "address")}
    return told | {"assignment": task or 0, "address": request.build_absolute_uri(address)}
