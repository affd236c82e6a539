"""What a study asks, in words: what annotators read before they judge."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.serializers import Output
from annotation_platform.api.frame.views import ApiView
from annotation_platform.api.work.entering import as_annotator
from annotation_platform.api.work.selectors import language


class AspectToRead(Output):
    key = serializers.CharField()
    title = serializers.CharField()
    guidelines = serializers.CharField(help_text="Markdown; may be empty.")


class InstructionsRead(Output):
    title = serializers.CharField()
    guidelines = serializers.CharField(help_text="Markdown.")
    aspects = AspectToRead(many=True)
    examples = serializers.ListField(
        child=serializers.DictField(), help_text="Worked examples as the scheme has them: texts, “values”, comments."
    )


class Instructions(ApiView):
    scopes = {"GET": Scope.ANNOTATE}

    @extend_schema(responses=InstructionsRead, operation_id="own_instructions_read")
    def get(self, request: Request, slug: str) -> Response:
        """The guidelines of a study and of its aspects with worked examples, in the language of Accept-Language."""
        scheme = as_annotator(request, slug).study.scheme(language())
        aspects = [{name: getattr(each, name) for name in ("key", "title", "guidelines")} for each in scheme.aspects]
        examples = [each.model_dump(mode="json", exclude_defaults=True) for each in scheme.examples]
        told = {"title": scheme.title, "guidelines": scheme.guidelines, "aspects": aspects, "examples": examples}
        return Response(told)
