"""By which ways annotators come to a study, and how each stands."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.serializers import Output, choice
from annotation_platform.api.frame.views import ApiView
from annotation_platform.crowd.providers.registry import PROVIDERS, providers_of
from annotation_platform.studies.models import Role, Study


class SourceRead(Output):
    key = choice([provider.key for provider in PROVIDERS])
    title = serializers.CharField()
    people = serializers.IntegerField(help_text="Who came by it.")
    is_open = serializers.BooleanField(help_text="Whether somebody can come by it now.")
    note = serializers.CharField()
    annotators = serializers.ListField(
        child=serializers.IntegerField(), help_text="Keys of the members of today who came by it first."
    )


class Sources(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=inline_serializer("SourceList", {"results": SourceRead(many=True)}), operation_id="sources_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """Each way in which annotators come, how it stands, and who came by it."""
        study, _ = as_researcher(request, slug)
        return Response({"results": _told(study)})


def _told(study: Study) -> list[dict[str, Any]]:
    members = list(study.members.filter(role=Role.ANNOTATOR).select_related("user", "invitation").order_by("pk"))
    came_by = list(zip(members, providers_of(members), strict=True))
    found = []
    for provider in PROVIDERS:
        standing = provider.standing(study)
        found.append(
            {
                "key": provider.key,
                "title": str(provider.title),
                "people": standing.people,
                "is_open": standing.is_open,
                "note": in_language(standing.note),
                "annotators": [member.pk for member, by in came_by if by is provider],
            }
        )
    return found
