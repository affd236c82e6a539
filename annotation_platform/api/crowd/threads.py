"""The threads of a whole study: what waits for an answer, what was said in one, answering and settling."""

from typing import Any

from django.db.models import Count, F, Max
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations.services import settle_thread
from annotation_platform.annotations.threads import Thread
from annotation_platform.api.crowd.entering import as_researcher, one_of
from annotation_platform.api.frame.pages import page, whole
from annotation_platform.api.frame.schema import LISTING, listed, listed_whole
from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.work.serializers import MessageRead
from annotation_platform.api.work.views import told_message
from annotation_platform.crowd.talk.selectors import thread_in, threads_of_study
from annotation_platform.crowd.talk.services.threads import write_in

FILTERS = [
    OpenApiParameter("only", str, enum=["waiting", "unread"], description="Only those that wait, or have news."),
    OpenApiParameter("about", str, enum=["task", "study"], description="Only those about tasks, or about none."),
    OpenApiParameter("q", str, description="A piece of what was said, or of a pseudonym."),
]


class ThreadRead(Output):
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    assignment = serializers.IntegerField(help_text="The task that it is about; 0: the study as a whole.")
    messages = serializers.IntegerField()
    waits = serializers.IntegerField(help_text="How many of them wait for an answer.")
    unread = serializers.IntegerField(help_text="How many of them you have not read on a page.")
    last_at = serializers.DateTimeField()
    address = serializers.CharField(help_text="Of what was said, and for an answer.")


class Threads(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Thread", ThreadRead), parameters=[*LISTING, *FILTERS], operation_id="threads_list")
    def get(self, request: Request, slug: str) -> Any:
        """The threads of a study and its rounds, those with the newest word first."""
        study, member = as_researcher(request, slug)
        rows = threads_of_study(
            study,
            member,
            only=one_of(request, "only", ["waiting", "unread"]),
            about=one_of(request, "about", ["task", "study"]),
            search=request.query_params.get("q", "").strip(),
        ).annotate(messages=Count("pk"), last_at=Max("created_at"), pseudonym=F("annotator__pseudonym"))
        fields = names_of(ThreadRead)
        return page(
            request, rows, lambda row: _told(request, slug, row), fields=fields, newest_first=True, key="last_pk"
        )


class TextSent(Input):
    text = serializers.CharField(max_length=5_000)


class OneThread(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed_whole("ThreadMessages", MessageRead), operation_id="thread_read")
    def get(self, request: Request, slug: str, annotator: int, assignment: int) -> Any:
        """What was said with an annotator about a task (0: about the study), oldest first; it stays unread."""
        words = _thread(request, slug, annotator, assignment).words
        return whole(request, words, told_message, fields=names_of(MessageRead))

    @extend_schema(request=TextSent, responses={201: MessageRead}, operation_id="thread_answer")
    def post(self, request: Request, slug: str, annotator: int, assignment: int) -> Response:
        """Write to the annotator; what waited for an answer has one then."""
        thread = _thread(request, slug, annotator, assignment)
        _, author = as_researcher(request, slug)
        text = sent(TextSent, request)["text"]
        return Response(told_message(write_in(thread, author=author, text=text, actor=actor_of(request))), status=201)


class SettleThread(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={204: None}, operation_id="thread_settle")
    def post(self, request: Request, slug: str, annotator: int, assignment: int) -> Response:
        """Let it wait for no answer, without one."""
        thread = _thread(request, slug, annotator, assignment)
        settle_thread(annotator=thread.annotator, assignment=thread.assignment, actor=actor_of(request))
        return Response(status=204)


def _thread(request: Request, slug: str, annotator: int, assignment: int) -> Thread:
    return thread_in(as_researcher(request, slug)[0], annotator, assignment)


def _told(request: Request, slug: str, row: dict[str, Any]) -> dict[str, Any]:
    place = row["assignment"] or 0
    address = reverse("api_thread", args=[slug, row["annotator"], place])
    told = {name: row[name] for name in names_of(ThreadRead) if name not in ("assignment", "address")}
    return told | {"assignment": place, "address": request.build_absolute_uri(address)}
