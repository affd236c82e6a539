"""One item with everything that was said about it, as the explorer's page shows it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.explorer.item import CitedSentence, ItemView, view_item
from annotation_platform.annotations.models import Annotation
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.api.items.views import ItemRead, told
from annotation_platform.api.judgments.views import JudgmentRead
from annotation_platform.api.runs.results import (
    OF_ITEM_SCORES,
    OF_LABELS,
    RunItemScoreRead,
    RunLabelRead,
    RunScoreRead,
    told_item_score,
    told_label,
    told_score,
    with_completions,
    with_replies,
)
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemLabel, ItemScore, Score, ScoringRun
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_reader


class SentenceRead(Output):
    number = serializers.IntegerField()
    text = serializers.CharField()
    cited_by = serializers.ListField(child=serializers.CharField(), help_text="Pseudonyms.")


class DocumentRead(Output):
    number = serializers.IntegerField(help_text="0: the article; otherwise R1, R2, ….")
    title = serializers.CharField()
    url = serializers.CharField()
    sentences = SentenceRead(many=True, help_text="Empty where the publisher withholds the text.")


class JudgmentOfItem(JudgmentRead):
    remarks = serializers.ListField(
        child=serializers.CharField(), help_text="What a person should look at, as sentences."
    )
    earlier = JudgmentRead(many=True, help_text="The revisions before it, the newest first.")


class ScoredByRun(Output):
    run = serializers.IntegerField()
    method = serializers.CharField()
    scorer = serializers.CharField()
    state = choice(JobStatus.values)
    is_outdated = serializers.BooleanField(help_text="It counts in no figure since the scheme migrated.")
    scores = RunScoreRead(many=True, help_text="Of the item's judgments.")
    labels = RunLabelRead(many=True, help_text="One for each reply.")
    item_scores = RunItemScoreRead(many=True)


class ItemWithJudgments(ItemRead):
    documents = DocumentRead(many=True, help_text="What the answers are judged by, with who cites which sentence.")
    judgments = JudgmentOfItem(many=True, help_text="Those that count, by annotator.")
    runs = ScoredByRun(many=True, help_text="What each run found, the newest first.")
    previous = serializers.IntegerField(allow_null=True, help_text="Key of the item before it.")
    next = serializers.IntegerField(allow_null=True, help_text="Key of the one after it.")


class OneItem(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=ItemWithJudgments, operation_id="item_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An item with what everybody said about it and what every run found, as the explorer's page shows it."""
        study = study_for_reader(request.user, slug)
        view = view_item(study, pk, with_runs=False)
        return Response(
            {
                **told(view.item),
                "documents": [*_documents(view)],
                "judgments": _judgments(view),
                "runs": _runs(study, view),
                "previous": view.previous_id,
                "next": view.next_id,
            }
        )


def _documents(view: ItemView) -> Iterable[Mapping[str, Any]]:
    if view.has_article:
        title = view.item.question.article.title
        yield {"number": 0, "title": title, "url": "", "sentences": _sentences(view.sentences)}
    for cited in view.documents:
        about = {"number": cited.document.number, "title": cited.document.title, "url": cited.document.url}
        yield about | {"sentences": _sentences(cited.sentences)}


def _sentences(sentences: Iterable[CitedSentence]) -> list[dict[str, Any]]:
    return [{name: getattr(each, name) for name in names_of(SentenceRead)} for each in sentences]


def _judgments(view: ItemView) -> list[dict[str, Any]]:
    def revision(row: Annotation, annotator: str) -> dict[str, Any]:
        own = {
            "id": row.pk,
            "item": row.item_id,
            "batch": view.item.hit.batch.number,
            "assignment": row.assignment_id,
            "annotator": annotator,
            "scheme_version": row.scheme_version.number,
        }
        return {name: own[name] if name in own else getattr(row, name) for name in names_of(JudgmentRead)}

    return [
        revision(each.annotation, each.annotator)
        | {"remarks": each.remarks, "earlier": [revision(row, each.annotator) for row in each.earlier]}
        for each in view.judgments
    ]


def _runs(study: Study, view: ItemView) -> list[dict[str, Any]]:
    """What each run of the study found about an item, the newest first; one that found nothing is left out."""
    runs = ScoringRun.objects.filter(study=study).order_by("-pk").only("method", "scorer", "status", "is_outdated")
    if not runs:
        return []
    item, judgments = view.item, {each.annotation.pk: each.annotation for each in view.judgments}

    def of_judgment(score: Score) -> dict[str, Any]:
        score.annotation = judgments[score.annotation_id]
        return told_score(score)

    scores = with_replies(Score.objects.filter(run__in=[*runs], annotation__in=[*judgments]))
    labels = with_completions(ItemLabel.objects.filter(run__in=[*runs], item=item))
    item_scores = ItemScore.objects.filter(run__in=[*runs], item=item)
    found = {
        "scores": _by_run(scores.order_by("annotation_id", "aspect"), of_judgment),
        "labels": _by_run(labels.order_by(*OF_LABELS), told_label),
        "item_scores": _by_run(item_scores.order_by(*OF_ITEM_SCORES), told_item_score),
    }
    return [
        {"run": run.pk, "state": run.status}
        | {name: getattr(run, name) for name in ("method", "scorer", "is_outdated")}
        | {name: rows.get(run.pk, []) for name, rows in found.items()}
        for run in runs
        if any(run.pk in rows for rows in found.values())
    ]


def _by_run(rows: QuerySet[Any], told: Callable[[Any], dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.run_id, []).append(told(row))
    return found
