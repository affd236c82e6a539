"""Items that mirror each other, so that nobody judges two of one group."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.schema import IF_MATCH_IF_ANY
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import mirror_partner, mirror_partners, study_for_reader
from annotation_platform.studies.services import MirrorRow, declare_mirrored, declared_mirrors

LONGEST_NAME = 200


def _name(**how: object) -> serializers.CharField:
    return serializers.CharField(max_length=LONGEST_NAME, **how)  # type: ignore[arg-type]


class MirrorSent(Input):
    article = _name(help_text="As the corpus names it.")
    question = _name(help_text="As the corpus names it.")
    system = _name(required=False, default="", allow_blank=True, help_text="Empty: all items of the question.")
    group = _name(help_text="Any name; items of the same one are for one person once.")


class MirrorsSent(Input):
    rows = MirrorSent(many=True, help_text="All that there are: what was declared before goes.")
    shared_with = serializers.SlugField(
        required=False,
        allow_null=True,
        default=None,
        max_length=80,
        help_text="Slug of a study that you read, whose groups of the same names are the same ones.",
    )


class MirrorsRead(Output):
    items = serializers.IntegerField(help_text="How many are in a group.")
    groups = serializers.IntegerField(help_text="How many were declared; their names are not kept.")
    shared_with = serializers.ListField(
        child=serializers.CharField(), help_text="Slugs of studies that you read, whose groups are the same ones."
    )


class Mirrors(ApiView):
    scopes = {"GET": Scope.READ, "PUT": Scope.MANAGE}

    @extend_schema(responses=MirrorsRead, operation_id="mirrors_read")
    def get(self, request: Request, slug: str) -> Response:
        """How many items were declared to mirror each other; those with the same words are found without it."""
        return _told(request, study_for_reader(request.user, slug))

    @extend_schema(
        request=MirrorsSent, responses=MirrorsRead, parameters=[IF_MATCH_IF_ANY], operation_id="mirrors_declare"
    )
    def put(self, request: Request, slug: str) -> Response:
        """Declare which items mirror each other; rows that name nothing are told by their place, from 1."""
        study, new = study_for_reader(request.user, slug), sent(MirrorsSent, request)
        shared = mirror_partner(user_of(request), study, new["shared_with"])
        rows = [MirrorRow(place, **row) for place, row in enumerate(new["rows"], 1)]
        with transaction.atomic():
            study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            check_version(request, declared_mirrors(study)._asdict(), needed=False)
            declare_mirrored(study=study, rows=rows, shared_with=shared, actor=actor_of(request))
        return _told(request, study)


def _told(request: Request, study: Study) -> Response:
    found = declared_mirrors(study)
    partners = mirror_partners(user_of(request), study).filter(mirror_set=study.mirror_set)
    shared: list[Any] = [] if study.mirror_set is None else [*partners.order_by("slug").values_list("slug", flat=True)]
    told = {"items": found.items, "groups": found.groups, "shared_with": shared}
    return tagged(told, of=found._asdict())
