"""Schemes: the presets, and the check of one's own."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.views import ApiView, sent
from annotation_platform.api.schemes.reading import definition_of, preset_named
from annotation_platform.api.schemes.serializers import SchemeChecked, SchemeRead, SchemeSent
from annotation_platform.core.schemes import build_scheme, presets
from annotation_platform.core.schemes.judgment_schema import judgment_schema
from annotation_platform.core.schemes.summary import summary


class Schemes(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("SchemeList", {"results": SchemeRead(many=True)}), operation_id="schemes_list"
    )
    def get(self, request: Request) -> Response:
        """The presets that come with the platform."""
        return Response({"results": [_told(preset_named(key)) for key in presets()]})


class Preset(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses={200: dict}, operation_id="scheme_read")
    def get(self, request: Request, key: str) -> Response:
        """The definition of a preset, to begin with."""
        return Response(preset_named(key))


class CheckScheme(ApiView):
    scopes = {"POST": Scope.READ}

    @extend_schema(request=SchemeSent, responses=SchemeChecked, operation_id="scheme_check")
    def post(self, request: Request) -> Response:
        """Every mistake with its line, or what is in the scheme. Nothing is stored."""
        definition = definition_of(sent(SchemeSent, request))
        scheme = build_scheme(definition)
        told = {"summary": list(summary(scheme)), "judgment_schema": judgment_schema(scheme)}
        return Response(_told(definition) | told)


def _told(definition: dict[str, Any]) -> dict[str, Any]:
    scheme = build_scheme(definition)
    return {"key": scheme.key, "title": scheme.title, "description": scheme.description}
