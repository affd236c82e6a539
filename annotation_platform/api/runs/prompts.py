"""The exact messages that a run would send about one item, to be read before it is started."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.views import ApiView, sent
from annotation_platform.api.runs.asked import scorer_asked
from annotation_platform.api.runs.serializers import LONGEST_NAME
from annotation_platform.scoring.estimates import MOST_REQUESTS
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.selectors import item_at_place
from annotation_platform.scoring.services import resolve_parameters, who_scores
from annotation_platform.studies.selectors import study_for_reader

PROMPTS = 20


class PromptAsked(Input):
    scorer = serializers.CharField(max_length=LONGEST_NAME, required=False, allow_null=True, default=None)
    parameters = serializers.DictField(required=False, default=dict, help_text="As the scorer's JSON Schema says.")
    item = serializers.IntegerField(
        required=False, default=1, min_value=1, max_value=2**31 - 1, help_text="Its place in the study, from 1."
    )


class PromptMessage(Output):
    role = serializers.CharField()
    content = serializers.CharField()


class PromptRead(Output):
    about = serializers.CharField(help_text="What it asks about.")
    messages = PromptMessage(many=True)
    schema = serializers.JSONField(allow_null=True, help_text="JSON Schema that the reply is asked for in.")


class PromptsRead(Output):
    item = serializers.IntegerField(help_text="Its key.")
    question = serializers.CharField()
    count = serializers.IntegerField(help_text="Prompts about it.")
    prompts = PromptRead(many=True, help_text=f"The first {PROMPTS}.")


class Prompts(ApiView):
    scopes = {"POST": Scope.READ}

    @extend_schema(request=PromptAsked, responses=PromptsRead, operation_id="prompts_read")
    def post(self, request: Request, slug: str, method: str) -> Response:
        """What such a run would send about one item; nothing is sent, and nothing kept."""
        study, asked = study_for_reader(request.user, slug), sent(PromptAsked, request)
        how, named = run_method(method), asked["scorer"] or None
        how.check(study)
        scorer_asked(study, how, named, asked["parameters"])
        scorer, given = who_scores(study, how, named, asked["parameters"])
        parameters = resolve_parameters(
            study=study, method=method, scorer=scorer, given=given, starter=user_of(request)
        )
        item = item_at_place(study, asked["item"])
        found = list(how.asked(study=study, parameters=parameters, limit=MOST_REQUESTS, item_id=item.pk))
        prompts = [{"about": each.about, "messages": each.messages, "schema": each.schema} for each in found[:PROMPTS]]
        about = {"item": item.pk, "question": item.question.text}
        return Response({**about, "count": len(found), "prompts": prompts})
