"""Adjudication: which items lie farthest apart, what was decided, deciding, and checks made of decisions."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.models import ItemFigures
from annotation_platform.api.crowd.checks import CheckRead, told_check
from annotation_platform.api.crowd.entering import as_researcher, one_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.adjudication.models import LONGEST_NOTE, Adjudication
from annotation_platform.crowd.adjudication.selectors import (
    QUEUES,
    decisions_that_count,
    item_to_decide,
    own_decision,
    queue,
)
from annotation_platform.crowd.adjudication.services import adjudicate, make_gold
from annotation_platform.crowd.adjudication.words import Said
from annotation_platform.crowd.checks.overview import check_lines

ASPECT = OpenApiParameter("aspect", str, description="By which they lie apart; otherwise the first one with labels.")
WHICH = OpenApiParameter("which", str, enum=[*QUEUES], description="open (usual): nobody decided on them.")


class ApartRead(Output):
    item = serializers.IntegerField()
    batch = serializers.IntegerField()
    question = serializers.CharField()
    aspect = serializers.CharField()
    disagreement = serializers.FloatField(help_text="Mean difference of two judgments, 0 to 1.")
    decisions = serializers.IntegerField(help_text="How many adjudicators decided on it.")


class AdjudicationRead(Output):
    id = serializers.IntegerField()
    item = serializers.IntegerField()
    adjudicator = serializers.CharField(help_text="Pseudonym.")
    scheme_version = serializers.IntegerField()
    values = serializers.DictField(help_text="As the study's judgment-schema says.")
    note = serializers.CharField()
    decided_at = serializers.DateTimeField()


class AdjudicationSent(Input):
    values = serializers.DictField(help_text="As the study's judgment-schema says.")
    scheme_signature = serializers.CharField(max_length=64, help_text="Of the scheme by which it was decided.")
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)


class ItemsApart(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Apart", ApartRead), parameters=[*LISTING, ASPECT, WHICH], operation_id="items_apart_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """Judged items with how far their judgments lie apart in the newest snapshot, in the order of their keys."""
        study, member = as_researcher(request, slug)
        aspects = [each.key for each in study.scheme().labelled_aspects]
        aspect = one_of(request, "aspect", aspects, usual=next(iter(aspects), ""))
        rows = queue(study, aspect, member, one_of(request, "which", [*QUEUES], usual="open"))
        return page(request, rows, _apart, fields=names_of(ApartRead))


class Adjudications(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Adjudication", AdjudicationRead), parameters=LISTING, operation_id="adjudications_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """What adjudicators decided, beside the judgments, which stay as they are.

        Decisions under an earlier version of the scheme count nowhere, until they are made again.
        """
        study, _ = as_researcher(request, slug)
        rows = decisions_that_count(study).select_related("adjudicator", "scheme_version")
        return page(request, rows, _told, fields=names_of(AdjudicationRead))


class SaidRead(Output):
    title = serializers.CharField(help_text="Of the aspect, after the candidate's letter where it is asked of each.")
    words = serializers.CharField()


class BlindRead(Output):
    name = serializers.CharField(help_text="A letter, drawn anew for each adjudicator; of a decision the pseudonym.")
    labels = SaidRead(many=True)
    texts = SaidRead(many=True)
    note = serializers.CharField()


class ToDecideRead(Output):
    item = serializers.IntegerField()
    scheme_signature = serializers.CharField(help_text="Send it back with the decision.")
    judgments = BlindRead(many=True, help_text="What counts, without whose it is and which system wrote an answer.")
    own = AdjudicationRead(allow_null=True, help_text="What you decided.")
    others = BlindRead(many=True, help_text="What others decided, once you have decided.")
    others_count = serializers.IntegerField()


class Adjudicate(ApiView):
    scopes = {"GET": Scope.READ, "PUT": Scope.MANAGE}

    @extend_schema(responses=ToDecideRead, operation_id="item_to_adjudicate")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An item as an adjudicator sees it: its judgments under letters, in an order drawn once for them."""
        study, member = as_researcher(request, slug)
        found = item_to_decide(study, pk, member)
        return Response(
            {
                "item": found.item.pk,
                "scheme_signature": study.scheme_version.signature,
                "judgments": [_said(each) for each in found.judgments],
                "own": _told(found.own) if found.own else None,
                "others": [_said(each) for each in found.others],
                "others_count": found.others_count,
            }
        )

    @extend_schema(request=AdjudicationSent, responses=AdjudicationRead, operation_id="item_adjudicate")
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Decide on an item; it takes the place of one's own earlier decision alone."""
        study, member = as_researcher(request, slug)
        new = sent(AdjudicationSent, request)
        made = adjudicate(
            item=item_to_decide(study, pk, member).item,
            adjudicator=member,
            raw=new["values"],
            scheme_signature=new["scheme_signature"],
            note=new["note"],
            actor=actor_of(request),
        )
        return Response(_told(made))


class MakeCheck(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={201: CheckRead}, operation_id="item_make_check")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make a check of what you decided about an item; then mix it into draft batches."""
        study, member = as_researcher(request, slug)
        made = make_gold(adjudication=own_decision(study, pk, member), actor=actor_of(request))
        (line,) = check_lines(study, [made.pk])
        return Response(told_check(line), status=201)


def _said(each: Said) -> dict[str, Any]:
    labels, texts = ([{"title": title, "words": words} for title, words in part] for part in (each.labels, each.texts))
    return {"name": each.name, "labels": labels, "texts": texts, "note": each.note}


def _apart(row: ItemFigures) -> dict[str, Any]:
    return {
        "item": row.item_id,
        "batch": row.item.hit.batch.number,
        "question": row.item.question.text,
        "aspect": row.aspect,
        "disagreement": row.raw_disagreement,
        "decisions": row.decisions,  # type: ignore[attr-defined]
    }


def _told(row: Adjudication) -> dict[str, Any]:
    return {
        "id": row.pk,
        "item": row.item_id,
        "adjudicator": row.adjudicator.pseudonym,
        "scheme_version": row.scheme_version.number,
        "values": row.values,
        "note": row.note,
        "decided_at": row.decided_at,
    }
