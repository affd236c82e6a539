"""Annotators: their figures, the signs in their work that a person should look at, and how they were over time."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.annotators.over_time import in_snapshot, snapshots_with_annotators
from annotation_platform.api.crowd.entering import as_researcher, one_of
from annotation_platform.api.figures.serializers import as_json
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.crowd.monitor.jobs import look
from annotation_platform.crowd.monitor.models import AnnotatorFigures, Sign, SignKind
from annotation_platform.crowd.monitor.selectors import Case, annotator_in, annotators, signs_of
from annotation_platform.crowd.pay.money import plain
from annotation_platform.studies.models import Member, Study
from workers.tasks import enqueue

ONLY = OpenApiParameter("only", str, enum=["look", "work"], description="Only those with signs, or with a task.")


class SignRead(Output):
    kind = choice(SignKind.values)
    words = serializers.CharField(help_text="What was counted, by which rule.")
    cases = serializers.IntegerField(help_text="What it rests on.")


class AnnotatorRead(Output):
    id = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    judgments = serializers.IntegerField(help_text="That count.")
    done = serializers.IntegerField(help_text="Tasks submitted.")
    last_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True, help_text="Median time on task of an item.")
    seconds_n = serializers.IntegerField()
    agreement = serializers.FloatField(allow_null=True, help_text="Share of the others' labels equal to theirs.")
    agreement_n = serializers.IntegerField()
    adjudicated = serializers.FloatField(allow_null=True, help_text="Share of their labels equal to adjudicated ones.")
    adjudicated_n = serializers.IntegerField()
    hinted = serializers.IntegerField(help_text="Explanations that were hinted to say little.")
    hourly = serializers.CharField(allow_null=True, help_text="Reward of an hour on task, such as 12.50.")
    currency = serializers.CharField(allow_blank=True)
    signs = SignRead(many=True, help_text="What a person should look at; never a verdict.")


_OWN = ("id", "pseudonym", "hourly", "signs")


def _look(study: Study) -> None:
    if (first := look(study)) is not None:
        enqueue(first)


class Annotators(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Annotator", AnnotatorRead), parameters=[*LISTING, ONLY], operation_id="annotators_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """The annotators as the last measurement found them; being looked at, they are measured anew soon."""
        study, _ = as_researcher(request, slug)
        only = one_of(request, "only", ["look", "work"])
        _look(study)
        rows = annotators(study, sort="name", needs_look=only == "look", at_work=only == "work")
        return page(request, rows.prefetch_related("signs"), _told, fields=names_of(AnnotatorRead))


class CaseRead(Output):
    item = serializers.IntegerField(allow_null=True)
    batch = serializers.IntegerField(allow_null=True, help_text="Number of the item's batch.")
    judgment = serializers.IntegerField(allow_null=True)
    said = serializers.CharField(help_text="What was counted.")
    text = serializers.CharField(help_text="What they wrote, where the sign is about a text.")
    beside = serializers.CharField(help_text="What it is beside, where there are two.")
    whose = serializers.CharField(help_text="Pseudonym of who wrote that.")


class SignWithCases(SignRead):
    evidence = CaseRead(many=True)


class OneAnnotatorRead(AnnotatorRead):
    signs = SignWithCases(many=True, help_text="What a person should look at; never a verdict.")


class FiguresThen(Output):
    aspect = serializers.CharField()
    title = serializers.CharField()
    judgments = serializers.IntegerField()
    figures = serializers.JSONField(
        help_text="leniency, tau, same_label, consistency, drift, seconds, vacuous, and after a run shift and those"
        " ending in _rescaled: each with value, interval, units (n), and why not; median and z among all annotators."
    )
    far = serializers.ListField(child=serializers.CharField(), help_text="In which of them they stand apart.")


class AnnotatorThen(Output):
    id = serializers.IntegerField(help_text="Key of the snapshot.")
    measured_at = serializers.DateTimeField()
    batches = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers of its closed batches.")
    aspects = FiguresThen(many=True, help_text="Empty: they had judged nothing that it measured.")


class OneAnnotator(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=OneAnnotatorRead, operation_id="annotator_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One annotator, with the evidence for each sign in their work as it is now."""
        study, _ = as_researcher(request, slug)
        _look(study)
        member = annotator_in(study, pk)
        signs = [
            _told_sign(each.sign) | {"evidence": [_told_case(case) for case in each.cases]} for each in signs_of(member)
        ]
        return Response(_told(member) | {"signs": signs})


class AnnotatorHistory(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("AnnotatorThen", AnnotatorThen), parameters=LISTING, operation_id="annotator_history_list"
    )
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """One annotator over time: their figures in each snapshot of the study, the newest first."""
        study, _ = as_researcher(request, slug)
        name = annotator_in(study, pk).pseudonym
        rows = snapshots_with_annotators(study)
        return page(request, rows, lambda row: _told_then(row, name), fields=names_of(AnnotatorThen), newest_first=True)


def _told_then(snapshot: AgreementSnapshot, name: str) -> dict[str, Any]:
    aspects = [
        {
            "aspect": each.head.aspect,
            "title": each.head.title,
            "judgments": each.figures.judgments,
            "figures": as_json({key: dict(figure) for key, figure in each.figures.figures.items()}),
            "far": list(each.figures.far),
        }
        for each in in_snapshot(snapshot, name)
    ]
    head = snapshot.head
    return {
        "id": snapshot.pk,
        "measured_at": snapshot.measured_at,
        "batches": list(head.batches),
        "aspects": aspects,
    }


def _told_sign(sign: Sign) -> dict[str, Any]:
    return {"kind": sign.kind, "words": in_language(sign.words), "cases": len(sign.evidence)}


def _told_case(case: Case) -> dict[str, Any]:
    return {
        "item": case.item.pk if case.item else None,
        "batch": case.item.hit.batch.number if case.item else None,
        "judgment": case.annotation.pk if case.annotation else None,
        "said": case.said,
        "text": case.text,
        "beside": case.beside,
        "whose": case.whose,
    }


def _told(row: Member) -> dict[str, Any]:
    figures: AnnotatorFigures = getattr(row, "figures", None) or AnnotatorFigures()
    told = {name: getattr(figures, name) for name in names_of(AnnotatorRead) if name not in _OWN}
    return told | {
        "id": row.pk,
        "pseudonym": row.pseudonym,
        "hourly": None if figures.hourly is None else plain(figures.hourly, figures.currency),
        "signs": [_told_sign(each) for each in row.signs.all()],
    }
