"""The languages that a study asks for."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import Input, Output, choice
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.languages.models import RequiredLanguages
from annotation_platform.crowd.languages.services import NAMES, require_languages
from annotation_platform.studies.models import Study


class LanguagesRead(Output):
    codes = serializers.ListField(child=choice(NAMES), help_text="ISO 639. Who takes tasks reads all of them.")


class LanguagesSent(Input):
    codes = serializers.ListField(child=choice(NAMES), max_length=len(NAMES), help_text="ISO 639; empty: anybody.")


class Languages(ApiView):
    scopes = {"GET": Scope.READ, "PUT": Scope.MANAGE}

    @extend_schema(responses=LanguagesRead, operation_id="languages_read")
    def get(self, request: Request, slug: str) -> Response:
        """The languages that a study asks of its annotators."""
        return tagged(_told(as_researcher(request, slug)[0]))

    @extend_schema(
        request=LanguagesSent, responses=LanguagesRead, parameters=[IF_MATCH], operation_id="languages_change"
    )
    def put(self, request: Request, slug: str) -> Response:
        """Ask for these, if they are still those that were read; it holds for tasks that are taken from now on."""
        study, _ = as_researcher(request, slug)
        codes = sent(LanguagesSent, request)["codes"]
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            check_version(request, _told(study))
            require_languages(study=study, codes=codes, actor=actor_of(request))
        return tagged(_told(study))


def _told(study: Study) -> dict[str, Any]:
    return {"codes": RequiredLanguages.objects.filter(study=study).values_list("codes", flat=True).first() or []}
