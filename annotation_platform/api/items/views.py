"""What a study puts before its annotators."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.api.items.turns import BEFORE, JUDGED, TurnRead, told_turns
from annotation_platform.core.turns import turns_of
from annotation_platform.studies.models import Item
from annotation_platform.studies.selectors import study_for_reader


class AnswerRead(Output):
    number = serializers.IntegerField(help_text="Of the candidate; 1 where it stands alone.")
    system = serializers.CharField()
    text = serializers.CharField()
    rationale = serializers.CharField()
    metrics = serializers.JSONField(
        help_text="What automatic metrics said of it before it was imported: format of the file, name, value."
    )
    turns = TurnRead(many=True, help_text=JUDGED)


class ItemRead(Output):
    id = serializers.IntegerField()
    batch = serializers.IntegerField()
    task = serializers.IntegerField(help_text="Position of its HIT in the batch.")
    position = serializers.IntegerField(help_text="In the task.")
    article_id = serializers.CharField(help_text="Name in the corpus's file.")
    article_title = serializers.CharField()
    question_id = serializers.CharField()
    question = serializers.CharField()
    turns = TurnRead(many=True, help_text=BEFORE)
    choices = serializers.ListField(child=serializers.CharField())
    reference_answers = serializers.ListField(child=serializers.CharField())
    answers = AnswerRead(many=True)


class Items(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Item", ItemRead), parameters=LISTING, operation_id="items_list")
    def get(self, request: Request, slug: str) -> Any:
        """The items of a study, with the systems that annotators do not see."""
        rows = (
            Item.objects.filter(study=study_for_reader(request.user, slug))
            .select_related("hit__batch", "question__article")
            .prefetch_related("candidates__answer__system")
        )
        return page(request, rows, told, fields=names_of(ItemRead))


def told(item: Item) -> Mapping[str, Any]:
    question = item.question
    return {
        "id": item.pk,
        "batch": item.hit.batch.number,
        "task": item.hit.position,
        "position": item.position,
        "article_id": question.article.external_id,
        "article_title": question.article.title,
        "question_id": question.external_id,
        "question": question.text,
        "turns": told_turns(turns_of(question.turns)),
        "choices": question.choices,
        "reference_answers": question.reference_answers,
        "answers": [
            {
                "number": each.number,
                "system": each.answer.system.name,
                "text": each.answer.text,
                "rationale": each.answer.rationale,
                "metrics": each.answer.metrics or {},
                "turns": told_turns(turns_of(each.answer.turns)),
            }
            for each in item.candidates.all()
        ],
    }
