"""Items that mirror each other, so that nobody judges two of one group."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.studies.selectors import mirror_partner, study_for_reader
from annotation_platform.studies.services import MirrorRow, declare_mirrored

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
    items = serializers.IntegerField(help_text="How many mirror others.")


class Mirrors(ApiView):
    scopes = {"PUT": Scope.MANAGE}

    @extend_schema(request=MirrorsSent, responses=MirrorsRead, operation_id="mirrors_declare")
    def put(self, request: Request, slug: str) -> Response:
        """Declare which items mirror each other; rows that name nothing are told by their place, from 1."""
        study, new = study_for_reader(request.user, slug), sent(MirrorsSent, request)
        shared = mirror_partner(user_of(request), study, new["shared_with"])
        rows = [MirrorRow(place, **row) for place, row in enumerate(new["rows"], 1)]
        count = declare_mirrored(study=study, rows=rows, shared_with=shared, actor=actor_of(request))
        return Response({"items": count})
