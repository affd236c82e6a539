"""Who did what in a study."""

from collections.abc import Mapping
from typing import Any

from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.actors import ActorKind
from annotation_platform.accounts.models import Event
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Output, choice, names_of
from annotation_platform.api.frame.views import ApiView
from annotation_platform.studies.models import Member
from annotation_platform.studies.selectors import study_for_reader

TOPIC = OpenApiParameter("topic", str, description="The part of “verb” before the point.")


class EventRead(Output):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = choice([each.value for each in ActorKind])
    who = serializers.CharField(allow_null=True, help_text="Pseudonym in the study.")
    via = serializers.CharField(help_text="The command, the job, or the token.")
    verb = serializers.CharField(help_text="topic.what; there will be more of them.")
    subject = serializers.CharField(help_text="What kind of row it was done to.")
    subject_id = serializers.IntegerField()
    change = serializers.DictField(help_text="Field: what it was, what it is.")


class Events(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Event", EventRead), parameters=[*LISTING, TOPIC], operation_id="events_list")
    def get(self, request: Request, slug: str) -> Any:
        """The history of a study, the newest first."""
        study = study_for_reader(request.user, slug)
        team = Member.objects.filter(study__in=[study.pk, study.qualifies_for_id or study.pk])
        known = Coalesce(
            NullIf("name", Value("")),
            Subquery(team.filter(user=OuterRef("user")).values("pseudonym")[:1]),
            Subquery(team.filter(former_user=OuterRef("user")).values("pseudonym")[:1]),
        )
        rows = Event.objects.filter(study=study.pk).annotate(who=known)
        if topic := request.query_params.get("topic"):
            rows = rows.filter(topic=topic)
        return page(request, rows, _told, fields=names_of(EventRead), newest_first=True)


def _told(row: Any) -> Mapping[str, Any]:
    return {
        "id": row.pk,
        "at": row.at,
        "actor": row.actor_kind,
        "who": row.who,
        "via": row.via,
        "verb": row.verb,
        "subject": row.subject_type,
        "subject_id": row.subject_id,
        "change": row.change,
    }
