"""How a study is scored by itself when a batch closes: by whom, over which connection, at most at what cost."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.runs.serializers import LONGEST_NAME
from annotation_platform.scoring.forms import LEAST, MOST
from annotation_platform.scoring.models import ScoringSettings
from annotation_platform.scoring.services import runs_beyond_budgets, set_scoring
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import study_for_reader

LONGEST_PROMPT = 50_000


class ScoringRead(Output):
    scorer = serializers.CharField(help_text="Who reads the explanations; “methods” lists those of ebr.")
    connection = serializers.CharField(help_text="Name of a model connection; empty: the server's environment.")
    budget = serializers.FloatField(allow_null=True, help_text="US dollars that all runs together may cost.")
    prompt_template = serializers.CharField(help_text="The study's own prompt; empty: the platform's.")


class ScoringChanged(ScoringRead):
    warning = serializers.CharField(
        allow_null=True, help_text="Which runs at work cannot keep the budget, and so end under it."
    )


class ScoringChange(Input):
    """What is left out stays as it is."""

    scorer = serializers.CharField(required=False, max_length=LONGEST_NAME)
    connection = serializers.CharField(required=False, allow_blank=True, max_length=80)
    budget = serializers.DecimalField(
        required=False, allow_null=True, max_digits=12, decimal_places=4, min_value=LEAST, max_value=MOST
    )
    prompt_template = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_PROMPT)


class ScoringOfStudy(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=ScoringRead, operation_id="scoring_read")
    def get(self, request: Request, slug: str) -> Response:
        """How the explanations of a batch are scored when it closes."""
        return tagged(_told(study_for_reader(request.user, slug)))

    @extend_schema(
        request=ScoringChange, responses=ScoringChanged, parameters=[IF_MATCH], operation_id="scoring_change"
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change some of it for the next runs, if it is still as it was read."""
        study, change = study_for_reader(request.user, slug), sent(ScoringChange, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            chosen = ScoringSettings.of(study)
            check_version(request, _told(study))
            kept = {name: getattr(chosen, name) for name in names_of(ScoringRead)}
            set_scoring(study=study, actor=actor_of(request), **kept | change)
        told = _told(study_for_reader(request.user, slug))
        beyond = None if told["budget"] is None else runs_beyond_budgets(study)
        return tagged(told | {"warning": beyond and in_language(beyond)}, of=told)


def _told(study: Study) -> dict[str, Any]:
    chosen = ScoringSettings.of(study)
    told = {name: getattr(chosen, name) for name in ("scorer", "connection", "prompt_template")}
    return told | {"budget": None if chosen.budget is None else float(chosen.budget)}
