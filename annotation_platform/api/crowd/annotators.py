"""The monitor: each annotator's figures, and the signs in their work that a person should look at."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher, one_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.crowd.monitor.models import AnnotatorFigures, SignKind
from annotation_platform.crowd.monitor.selectors import annotators, watched
from annotation_platform.crowd.pay.money import plain
from annotation_platform.studies.models import Member

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


class Annotators(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Annotator", AnnotatorRead), parameters=[*LISTING, ONLY], operation_id="annotators_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """The annotators as the last measurement found them; being looked at, they are measured anew soon."""
        study, _ = as_researcher(request, slug)
        only = one_of(request, "only", ["look", "work"])
        watched(study)
        rows = annotators(study, sort="name", needs_look=only == "look", at_work=only == "work")
        return page(request, rows.prefetch_related("signs"), _told, fields=names_of(AnnotatorRead))


def _told(row: Member) -> dict[str, Any]:
    figures: AnnotatorFigures = getattr(row, "figures", None) or AnnotatorFigures()
    told = {name: getattr(figures, name) for name in names_of(AnnotatorRead) if name not in _OWN}
    return told | {
        "id": row.pk,
        "pseudonym": row.pseudonym,
        "hourly": None if figures.hourly is None else plain(figures.hourly, figures.currency),
        "signs": [
            {"kind": each.kind, "words": in_language(each.words), "cases": len(each.evidence)}
            for each in row.signs.all()
        ],
    }
