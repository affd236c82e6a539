"""Frequent questions: the list in its order, adding, changing, moving and removing entries."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.talk.models import FaqEntry
from annotation_platform.crowd.talk.selectors import answer_in, faq_entry_in
from annotation_platform.crowd.talk.services import faq as services
from annotation_platform.crowd.talk.services.faq import TEXTS

LONGEST_QUESTION, LONGEST_ANSWER = 300, 5_000


def _text(most: int) -> serializers.CharField:
    return serializers.CharField(required=False, allow_blank=True, max_length=most)


class FaqEntryRead(Output):
    id = serializers.IntegerField()
    position = serializers.IntegerField(
        help_text="The list is in its order; where one was removed, a number is missing."
    )
    question_en = serializers.CharField()
    answer_en = serializers.CharField()
    question_ja = serializers.CharField()
    answer_ja = serializers.CharField()
    changed_at = serializers.DateTimeField()


class FaqEntryChange(Input):
    """What is left out stays as it is. A language has both a question and an answer, or neither."""

    question_en = _text(LONGEST_QUESTION)
    answer_en = _text(LONGEST_ANSWER)
    question_ja = _text(LONGEST_QUESTION)
    answer_ja = _text(LONGEST_ANSWER)


class NewFaqEntry(FaqEntryChange):
    """A language has both a question and an answer, or neither; one of them has."""

    grown_from = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=LARGEST_KEY,
        help_text="Key of the message that it comes from: a researcher's answer in a thread of the study.",
    )


class Entries(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(
        responses=inline_serializer("FaqList", {"results": FaqEntryRead(many=True)}), operation_id="faq_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """The frequent questions of a study, in the order in which annotators read them."""
        study, _ = as_researcher(request, slug)
        return Response({"results": [_told(each) for each in study.faq.all()]})

    @extend_schema(request=NewFaqEntry, responses={201: FaqEntryRead}, operation_id="faq_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new entry at the end; annotators find it with the instructions and on their start page."""
        study, _ = as_researcher(request, slug)
        new = sent(NewFaqEntry, request)
        answer = answer_in(study, new["grown_from"]) if new["grown_from"] else None
        if new["grown_from"] and answer is None:
            raise NotThereError("crowd.no_answer")
        texts = {name: new.get(name, "") for name in TEXTS}
        made = services.add_entry(study=study, grown_from=answer, actor=actor_of(request), **texts)
        return _given(made, status=201)


class OneEntry(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE, "DELETE": Scope.MANAGE}

    @extend_schema(responses=FaqEntryRead, operation_id="faq_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An entry; the ETag is that of its words."""
        return _given(_entry(request, slug, pk))

    @extend_schema(request=FaqEntryChange, responses=FaqEntryRead, parameters=[IF_MATCH], operation_id="faq_change")
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Give it other words, if they are still those that were read."""
        found, change = _entry(request, slug, pk), sent(FaqEntryChange, request)
        with transaction.atomic():
            entry = FaqEntry.objects.select_for_update(of=("self",)).select_related("study").get(pk=found.pk)
            check_version(request, _words(entry))
            services.change_entry(entry=entry, actor=actor_of(request), **_words(entry) | change)
        return _given(entry)

    @extend_schema(responses={204: None}, operation_id="faq_delete")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take it out of the list."""
        services.remove_entry(entry=_entry(request, slug, pk), actor=actor_of(request))
        return Response(status=204)


class MoveEntryUp(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=FaqEntryRead, operation_id="faq_up")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let it stand before the one that it follows; the first one stays where it is."""
        services.move_entry(entry=_entry(request, slug, pk), up=True, actor=actor_of(request))
        return _given(_entry(request, slug, pk))


class MoveEntryDown(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=FaqEntryRead, operation_id="faq_down")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let it follow the next one; the last one stays where it is."""
        services.move_entry(entry=_entry(request, slug, pk), up=False, actor=actor_of(request))
        return _given(_entry(request, slug, pk))


def _entry(request: Request, slug: str, pk: int) -> FaqEntry:
    return faq_entry_in(as_researcher(request, slug)[0], pk)


def _words(entry: FaqEntry) -> dict[str, str]:
    return {name: getattr(entry, name) for name in TEXTS}


def _told(entry: FaqEntry) -> dict[str, Any]:
    return {name: entry.pk if name == "id" else getattr(entry, name) for name in names_of(FaqEntryRead)}


def _given(entry: FaqEntry, *, status: int = 200) -> Response:
    return Response(_told(entry), status=status, headers={"ETag": tag_of(_words(entry))})
