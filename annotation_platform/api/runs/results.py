"""What a run found: scores of people's judgments, labels read from replies, and what it holds of each item."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, When
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import chosen_fields, page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.scoring.models import ItemLabel, ItemScore, RecordedReply, Score, Scorer, ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.studies.selectors import study_for_reader


class ReplyRead(Output):
    """A model's raw reply, and what it cost whoever was the first to need it."""

    text = serializers.CharField()
    model = serializers.CharField(help_text="As the server named it.")
    finish_reason = serializers.CharField(help_text="Why the server stopped, in its words; empty: it did not say.")
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    cost = serializers.FloatField(allow_null=True, help_text="US dollars.")
    signature = serializers.CharField(
        allow_null=True, help_text="SHA-256 of what was asked; null: the reply came with the study's data."
    )


REPLY = "What it was read from; null: it rests on no reply."


class RunScoreRead(Output):
    id = serializers.IntegerField()
    judgment = serializers.IntegerField()
    item = serializers.IntegerField()
    annotator = serializers.CharField(help_text="Pseudonym in the study.")
    aspect = serializers.CharField()
    value = serializers.FloatField(help_text="What the judgment's label was rescaled to.")
    explanation_score = serializers.FloatField(allow_null=True, help_text="f, before mixing; null: f gave nothing.")
    source = choice(Score.Source.values, help_text="Where the value comes from.")  # type: ignore[assignment]
    failure = serializers.CharField(help_text="Why no f was read: a code, or the server's words.")
    reply = ReplyRead(allow_null=True, help_text=REPLY)


class RunLabelRead(Output):
    id = serializers.IntegerField()
    item = serializers.IntegerField()
    candidate = serializers.IntegerField(help_text="Of the item; 0: the item as a whole.")
    aspect = serializers.CharField()
    variant = serializers.CharField(help_text="Of the prompt.")
    repetition = serializers.IntegerField()
    label = serializers.CharField(help_text="A choice's key; empty: the reply gives none.")  # type: ignore[assignment]
    is_not_applicable = serializers.BooleanField()
    source = choice(ItemLabel.Source.values, help_text="Who read it out of the reply.")  # type: ignore[assignment]
    reason = serializers.CharField(help_text="Why no label could be read: a code.")
    refusal = serializers.CharField(help_text="Why the server gives no reply, in its words.")
    decided_by = serializers.CharField(allow_null=True, help_text="Pseudonym of the person who read it.")
    decided_at = serializers.DateTimeField(allow_null=True)
    reply = ReplyRead(allow_null=True, help_text=REPLY)


class RunItemScoreRead(Output):
    id = serializers.IntegerField()
    item = serializers.IntegerField()
    candidate = serializers.IntegerField(help_text="Of the item; 0: the item as a whole.")
    aspect = serializers.CharField(help_text="An aspect's key, or the name of a measure.")
    label = serializers.CharField(help_text="A choice's key: the vote of several replies.")  # type: ignore[assignment]
    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(help_text="Why there is nothing: a code.")
    details = serializers.JSONField(allow_null=True, help_text="What it is made of: votes, parts, the rule.")


SCORE, LABEL, ITEM_SCORE = names_of(RunScoreRead), names_of(RunLabelRead), names_of(RunItemScoreRead)
Then = dict[str, type[int] | type[str]]
OF_LABELS: Then = {"candidate": int, "aspect": str, "variant": str, "repetition": int}
OF_ITEM_SCORES: Then = {"candidate": int, "aspect": str}


class Scores(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Score", RunScoreRead), parameters=LISTING, operation_id="run_scores_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """The scores that a run gave to people's judgments, in the order of these, with what each was read from."""
        rows = Score.objects.filter(run=_run(request, slug, pk)).select_related("annotation__annotator")
        rows = rows.defer("annotation__values")
        rows = with_replies(rows) if _wants_reply(request, SCORE) else rows
        return page(request, rows, told_score, fields=SCORE, key="annotation_id", then={"aspect": str})


class Labels(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Label", RunLabelRead), parameters=LISTING, operation_id="run_labels_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """What was read from each reply about each item, in the order of the items, with the reply."""
        rows = ItemLabel.objects.filter(run=_run(request, slug, pk))
        rows = with_completions(rows) if _wants_reply(request, LABEL) else rows.select_related("decided_by")
        return page(request, rows, told_label, fields=LABEL, key="item_id", then=OF_LABELS)


class ItemScores(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("ItemScore", RunItemScoreRead), parameters=LISTING, operation_id="run_item_scores_list"
    )
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """What a run holds of each aspect or measure of each item, in the order of the items.

        “labels” has the replies whose vote a label is.
        """
        rows = ItemScore.objects.filter(run=_run(request, slug, pk))
        return page(request, rows, told_item_score, fields=ITEM_SCORE, key="item_id", then=OF_ITEM_SCORES)


def with_replies(rows: QuerySet[Score]) -> QuerySet[Score]:
    """Scores with the replies that they were read from: a run's own, or such as came with the study's data."""
    came = RecordedReply.objects.filter(annotation=OuterRef("annotation"), aspect=OuterRef("aspect"))
    is_recorded = Q(run__scorer=Scorer.RECORDED)
    return (
        rows.select_related("completion")
        .defer("completion__request")
        .annotate(
            came_reply=Case(When(is_recorded, then=Subquery(came.values("reply")))),
            came_model=Case(When(is_recorded, then=Subquery(came.values("model")))),
        )
    )


def with_completions(rows: QuerySet[ItemLabel]) -> QuerySet[ItemLabel]:
    """Labels with the replies that they were read from."""
    return rows.select_related("decided_by", "completion").defer("completion__request")


def told_score(row: Score) -> dict[str, Any]:
    """A score of a judgment that was read before, with its reply if it is one of :func:`with_replies`."""
    own = {
        "id": row.pk,
        "judgment": row.annotation_id,
        "item": row.annotation.item_id,
        "annotator": row.annotation.annotator.pseudonym,
        "reply": _reply(row),
    }
    if own["reply"] is None and (came := getattr(row, "came_reply", None)) is not None:
        own["reply"] = dict.fromkeys(names_of(ReplyRead)) | {
            "text": came,
            "model": row.came_model,  # type: ignore[attr-defined]
            "finish_reason": "",
        }
    return {name: own[name] if name in own else getattr(row, name) for name in SCORE}


def told_label(row: ItemLabel) -> dict[str, Any]:
    """A label, with its reply if it is one of :func:`with_completions`."""
    decided_by = row.decided_by.pseudonym if row.decided_by else None
    own = {"id": row.pk, "item": row.item_id, "decided_by": decided_by, "reply": _reply(row)}
    return {name: own[name] if name in own else getattr(row, name) for name in LABEL}


def told_item_score(row: ItemScore) -> dict[str, Any]:
    own = {"id": row.pk, "item": row.item_id}
    return {name: own[name] if name in own else getattr(row, name) for name in ITEM_SCORE}


def _reply(row: Score | ItemLabel) -> dict[str, Any] | None:
    """The model's reply, where it was read together with the row; without it nobody wants it."""
    if "completion" not in row._state.fields_cache or (given := row.completion) is None:
        return None
    plain = ("model", "finish_reason", "prompt_tokens", "completion_tokens", "signature")
    return {
        "text": given.reply,
        "cost": None if given.cost is None else float(given.cost),
        **{name: getattr(given, name) for name in plain},
    }


def _wants_reply(request: Request, fields: Iterable[str]) -> bool:
    """Whether replies are told, which are mostly the larger part of what is read."""
    chosen = chosen_fields(request, fields)
    return chosen is None or "reply" in chosen


def _run(request: Request, slug: str, pk: int) -> ScoringRun:
    return run_of(study_for_reader(request.user, slug), pk)
