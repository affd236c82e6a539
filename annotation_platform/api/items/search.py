"""The explorer's search: items by what people and judges made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.explorer.forms import SearchForm
from annotation_platform.analysis.explorer.search import (
    FLAG_NAMES,
    ITEMS_PER_PAGE,
    SORTS,
    Choices,
    ItemSearch,
    ListedItem,
    choices_of,
    find_items,
    is_mark,
)
from annotation_platform.analysis.models import AgreementPattern, ItemFlag
from annotation_platform.api.frame.pages import MOST, Told, choosing, following, limit_of, lines, wants_lines
from annotation_platform.api.frame.schema import as_lines
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_reader

FILTERS = [
    OpenApiParameter("q", str, description="Words in the question, the article's title or the names of systems."),
    OpenApiParameter("said", str, description="A word in an explanation."),
    OpenApiParameter("aspect", str, description="Key of the aspect that labels and figures are about."),
    OpenApiParameter("label", str, description="A label that somebody gave."),
    OpenApiParameter("theme", str, description="Number of a theme of explanations."),
    OpenApiParameter("system", str, description="Name of a system that answered."),
    OpenApiParameter("annotator", str, description="Pseudonym of somebody who judged it."),
    OpenApiParameter("flag", str, enum=[*FLAG_NAMES], description="What a person should look at."),
    OpenApiParameter("seen", str, enum=AgreementPattern.values, description="How labels and scores stand."),
    OpenApiParameter("sort", str, enum=[*SORTS], description="Otherwise in the order of keys."),
    OpenApiParameter("cursor", str, description="Where to go on; “next” of the page before has it."),
    OpenApiParameter("limit", int, description=f"Entries of a page: 1 to 500, usually {ITEMS_PER_PAGE}."),
]


class LabelGiven(Output):
    text = serializers.CharField()
    times = serializers.IntegerField()


class ItemFound(Output):
    id = serializers.IntegerField()
    batch = serializers.IntegerField()
    article_title = serializers.CharField()
    question = serializers.CharField()
    systems = serializers.ListField(child=serializers.CharField())
    labels = LabelGiven(many=True, help_text="Of the aspect, best first.")
    mean_score = serializers.FloatField(allow_null=True)
    raw_disagreement = serializers.FloatField(allow_null=True, help_text="Mean difference of two judgments, 0 to 1.")
    rescaled_disagreement = serializers.FloatField(allow_null=True)
    judge_label = serializers.CharField(allow_null=True)
    judge_gap = serializers.FloatField(allow_null=True, help_text="From the judge's label to people's mean.")
    flags = serializers.ListField(child=choice(ItemFlag.Flag.values))


class ItemsFound(Output):
    results = ItemFound(many=True)
    next = serializers.CharField(allow_null=True, help_text="Address.")
    count = serializers.IntegerField(allow_null=True, help_text="How many there are; null: more than are counted.")
    aspect = serializers.CharField(allow_null=True, help_text="That the labels and figures are about.")


class Search(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=as_lines("ItemsFound", ItemsFound), parameters=FILTERS, operation_id="items_search")
    def get(self, request: Request, slug: str) -> Any:
        """Items found as on the explorer's page, by the same filters in the same orders."""
        study = study_for_reader(request.user, slug)
        choices = choices_of(study)
        asked = _asked(request, choices)
        told = choosing(request, _told, names_of(ItemFound))
        if wants_lines(request):
            return lines(_all_found(study, asked, choices, told))
        found = find_items(study, asked, choices, size=limit_of(request, usual=ITEMS_PER_PAGE))
        return following(
            request,
            [*map(told, found.listed)],
            found.page.later,
            count=found.count,
            aspect=found.aspect.key if found.aspect else None,
        )


def _all_found(study: Study, asked: ItemSearch, choices: Choices, told: Told) -> Iterator[Mapping[str, Any]]:
    while True:
        found = find_items(study, asked, choices, size=MOST)
        yield from map(told, found.listed)
        if not found.page.later:
            return
        asked = replace(asked, after=found.page.later)


def _asked(request: Request, choices: Choices) -> ItemSearch:
    """
    Raises
    ------
    InvalidInputError
        When a filter cannot be: on a page such a one counts as none, and a program would not notice.
    """
    sent = request.query_params.dict()
    form = SearchForm(sent)
    if not form.is_valid():
        name = next(iter(form.errors))
        raise InvalidInputError("api.filter_wrong", field=name)
    asked = ItemSearch(**{**form.cleaned_data, "after": sent.get("cursor", ""), "before": ""})
    known: Mapping[str, list[str]] = {
        "aspect": [key for key, _ in choices.aspects],
        "system": [name for _, name in choices.systems],
        "flag": [*FLAG_NAMES],
        "seen": AgreementPattern.values,
        "sort": [*SORTS],
    }
    for name, values in known.items():
        if (value := getattr(asked, name)) and value not in values:
            raise InvalidInputError("api.choice_wrong", field=name, known=values)
    if asked.after and not is_mark(asked):
        raise InvalidInputError("api.cursor_wrong")
    return asked


def _told(each: ListedItem) -> dict[str, Any]:
    item, figures = each.item, each.figures
    return {
        "id": item.pk,
        "batch": item.hit.batch.number,
        "article_title": item.question.article.title,
        "question": item.question.text,
        "systems": [candidate.answer.system.name for candidate in item.candidates.all()],
        "labels": [{"text": label, "times": times} for label, times in each.labels],
        "mean_score": each.mean_score,
        "raw_disagreement": figures.raw_disagreement if figures else None,
        "rescaled_disagreement": figures.rescaled_disagreement if figures else None,
        "judge_label": each.judge_label or None,
        "judge_gap": figures.judge_gap if figures else None,
        "flags": each.flags,
    }
