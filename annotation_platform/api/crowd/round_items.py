"""The items of a round with the answers that are accepted: to read, to write one by one, and many at once."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.pages import whole
from annotation_platform.api.frame.schema import IF_MATCH_IF_ANY, listed_whole
from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.key_files import WrittenKey
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.crowd.rounds.selectors import RoundItem, item_of, items_of, round_in
from annotation_platform.crowd.rounds.services.keys import LONGEST_EXPLANATION
from annotation_platform.studies.models import Study

ACCEPTED = "Aspect: a list of accepted answers, or the same as text; cited sentences as annotators type them."


class RoundItemRead(Output):
    number = serializers.IntegerField(help_text="In the round.")
    article = serializers.CharField()
    question = serializers.CharField()
    accepted = serializers.DictField(help_text="Aspect: accepted answers; what is not there is not compared.")
    must_pass = serializers.BooleanField(help_text="Who does not match all of it does not pass.")
    explanation = serializers.CharField()


class KeySent(Input):
    accepted = serializers.DictField(help_text=ACCEPTED)
    must_pass = serializers.BooleanField(required=False, default=False)
    explanation = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST_EXPLANATION, help_text="Shown afterwards."
    )


class NumberedKey(KeySent):
    number = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Of the item.")


class KeysSent(Input):
    items = NumberedKey(many=True, help_text="What is not named stays as it is.")


ITEMS = listed_whole("RoundItems", RoundItemRead)


class RoundItems(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=ITEMS, operation_id="round_items_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """The items of a round, in the order in which people meet them, with what is accepted."""
        items = items_of(round_in(as_researcher(request, slug)[0], pk))
        return whole(request, items, _told, fields=names_of(RoundItemRead))

    @extend_schema(request=KeysSent, responses=ITEMS, operation_id="round_items_accept")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Write what is accepted for many items, all or none; finished attempts are compared again, verdicts stay."""
        round_ = round_in(as_researcher(request, slug)[0], pk)
        services.import_key(round_=round_, written=_written(sent(KeysSent, request)["items"]), actor=actor_of(request))
        return Response({"results": [_told(each) for each in items_of(round_)]})


class RoundItemKey(ApiView):
    scopes = {"GET": Scope.READ, "PUT": Scope.MANAGE}

    @extend_schema(responses=RoundItemRead, operation_id="round_item_read")
    def get(self, request: Request, slug: str, pk: int, number: int) -> Response:
        """An item of a round with what is accepted for it."""
        return _one(round_in(as_researcher(request, slug)[0], pk), number)

    @extend_schema(
        request=KeySent, responses=RoundItemRead, parameters=[IF_MATCH_IF_ANY], operation_id="round_item_accept"
    )
    def put(self, request: Request, slug: str, pk: int, number: int) -> Response:
        """Write what is accepted for one item."""
        round_ = round_in(as_researcher(request, slug)[0], pk)
        said = sent(KeySent, request)
        raw = said.pop("accepted")
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=round_.study_id)
            item = item_of(round_, number)
            check_version(request, _told(item), needed=False)
            services.set_key(round_=round_, item=item, raw=raw, actor=actor_of(request), **said)
        return _one(round_, number)


def _written(rows: list[dict[str, Any]]) -> list[WrittenKey]:
    """
    Raises
    ------
    InvalidInputError
        When an item is named twice.
    """
    written = [
        WrittenKey(where=Reason("crowd.file_entry", number=place), **row) for place, row in enumerate(rows, start=1)
    ]
    numbers = [each.number for each in written]
    twice = [each for place, each in enumerate(written) if each.number in numbers[:place]]
    if twice:
        mistakes = [Reason("crowd.key_item_twice", where=each.where, number=each.number) for each in twice]
        raise InvalidInputError("crowd.file_wrong", mistakes)
    return written


def _one(round_: Round, number: int) -> Response:
    return tagged(_told(item_of(round_, number)))


def _told(each: RoundItem) -> dict[str, Any]:
    key, question = each.key, each.item.question
    about = {"number": each.number, "article": question.article.external_id, "question": question.text}
    return about | {
        "accepted": key.accepted if key else {},
        "must_pass": bool(key and key.must_pass),
        "explanation": key.explanation if key else "",
    }
