"""Prolific's own file of participants: looked at, compared with what is here, and what of it is kept."""

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.crowd.prolific import connection_in
from annotation_platform.api.frame.files import digest_of_parts
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.providers.prolific.participants import services
from annotation_platform.crowd.providers.prolific.participants.comparing import Compared
from annotation_platform.crowd.providers.prolific.participants.models import ParticipantAttributes, ParticipantsFile
from annotation_platform.crowd.providers.prolific.participants.selectors import file_in, files_of, kept_of


class ParticipantsFileRead(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    rows = serializers.IntegerField(help_text="Submissions that could be read.")
    is_stored = serializers.BooleanField(help_text="If not, it waits, encrypted, for a day.")
    columns = serializers.ListField(child=serializers.CharField(), help_text="Those that were kept.")
    people = serializers.IntegerField(help_text="Of whom something was kept.")
    states = serializers.IntegerField(help_text="Submissions that stand otherwise by it.")
    created_at = serializers.DateTimeField()
    stored_at = serializers.DateTimeField(allow_null=True)


class NewParticipantsFile(Input):
    file = serializers.FileField(
        allow_empty_file=True, max_length=255, help_text="CSV, as Prolific's “Export demographic data” gives it."
    )


class ComparedParticipantRead(Output):
    line = serializers.IntegerField(help_text="Of the file.")
    submission = serializers.IntegerField(allow_null=True, help_text="Key of it here.")
    annotator = serializers.IntegerField(allow_null=True, help_text="Key of the member; null: nobody came so.")
    pseudonym = serializers.CharField(allow_null=True)
    there = serializers.CharField(help_text="How it stands by the file, as Prolific calls it.")
    here = serializers.CharField(allow_null=True, help_text="How it stands here.")
    done = serializers.IntegerField(help_text="Tasks that were submitted in the visit.")
    findings = serializers.ListField(child=serializers.CharField(), help_text="What differs, in sentences.")


class ComparisonRead(Output):
    columns = serializers.ListField(child=serializers.CharField(), help_text="About people, that can be kept.")
    found = serializers.IntegerField(help_text="Rows of people who came here.")
    differing = serializers.IntegerField(help_text="Rows in which something differs.")
    absent = serializers.ListField(
        child=serializers.IntegerField(), help_text="Keys of submissions here that the file does not have."
    )
    other_study = serializers.CharField(help_text="The study that its name tells, if people do not come here by it.")
    mistake_count = serializers.IntegerField()
    mistakes = serializers.ListField(child=serializers.CharField(), help_text="What cannot come; the first of them.")
    rows = ComparedParticipantRead(many=True)


class KeptSent(Input):
    columns = serializers.ListField(
        child=serializers.CharField(max_length=100), required=False, default=list, help_text="To keep of everybody."
    )
    agreed = serializers.BooleanField(
        required=False, default=False, help_text="Participants agreed to these columns being kept."
    )
    takes_states = serializers.BooleanField(
        required=False, default=False, help_text="Take over how submissions stand that are not over here."
    )


class ParticipantRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    values = serializers.DictField(child=serializers.CharField(), help_text="Column: what Prolific said.")
    missing = serializers.DictField(child=serializers.CharField(), help_text="Column: why it said nothing.")


class ParticipantsFiles(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=listed("ParticipantsFile", ParticipantsFileRead),
        parameters=LISTING,
        operation_id="participants_files_list",
    )
    def get(self, request: Request, slug: str) -> Any:
        """The files of participants that wait or were stored, the newest first."""
        connection = connection_in(as_researcher(request, slug)[0])
        return page(request, files_of(connection), _told, fields=names_of(ParticipantsFileRead), newest_first=True)

    @extend_schema(
        request={"multipart/form-data": NewParticipantsFile},
        responses={201: ParticipantsFileRead},
        operation_id="participants_files_create",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Send a file; it waits, encrypted, until it is said what of it is kept. Nothing is kept before that."""
        connection = connection_in(as_researcher(request, slug)[0])
        upload = sent(NewParticipantsFile, request)["file"]
        file = services.hold_file(connection=connection, upload=upload, actor=actor_of(request))
        return Response(_told(file), status=201)

    def body_digest(self, request: Request) -> str:
        return digest_of_parts(request)


class OneParticipantsFile(ApiView):
    scopes = {"GET": Scope.READ, "DELETE": Scope.MANAGE}

    @extend_schema(responses=ParticipantsFileRead, operation_id="participants_file_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A file, and what was kept of it."""
        return Response(_told(file_in(as_researcher(request, slug)[0], pk)))

    @extend_schema(responses={204: None}, operation_id="participants_file_delete")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Forget a file of which nothing was stored."""
        services.give_up(file=file_in(as_researcher(request, slug)[0], pk), actor=actor_of(request))
        return Response(status=204)


class ParticipantsComparison(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=ComparisonRead, operation_id="participants_comparison")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A file that waits, beside what is here: row by row, with what differs and what cannot come."""
        found, comparison = services.look_at(file_in(as_researcher(request, slug)[0], pk))
        told = {
            "columns": found.columns,
            "found": len(comparison.found),
            "differing": len(comparison.differing),
            "absent": [one.pk for one in comparison.absent],
            "other_study": comparison.other_study,
            "mistake_count": found.mistake_count,
            "mistakes": [in_language(each) for each in found.mistakes],
            "rows": [_told_row(each) for each in comparison.rows],
        }
        return Response(told)


class StoreParticipants(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=KeptSent, responses=ParticipantsFileRead, operation_id="participants_file_store")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Keep the named columns of everybody who came here, and forget the file; done again, nothing changes."""
        file = file_in(as_researcher(request, slug)[0], pk)
        return Response(_told(services.store(file=file, **sent(KeptSent, request), actor=actor_of(request))))


class Participants(ApiView):
    scopes = {"GET": Scope.READ, "DELETE": Scope.MANAGE}

    @extend_schema(
        responses=listed("Participant", ParticipantRead), parameters=LISTING, operation_id="participants_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """What was kept of annotators, by pseudonym; not of those who have withdrawn since."""
        study, _ = as_researcher(request, slug)
        return page(request, kept_of(study), _told_person, fields=names_of(ParticipantRead))

    @extend_schema(
        responses={200: inline_serializer("ParticipantsForgotten", {"people": serializers.IntegerField()})},
        operation_id="participants_forget",
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Forget what was kept of everybody, also in releases that are not frozen; a frozen one stays as it is."""
        connection = connection_in(as_researcher(request, slug)[0])
        return Response({"people": services.forget_kept(connection=connection, actor=actor_of(request))})


def _told(file: ParticipantsFile) -> dict[str, Any]:
    own = {"id": file.pk, "is_stored": file.stored_at is not None}
    return {name: own[name] if name in own else getattr(file, name) for name in names_of(ParticipantsFileRead)}


def _told_row(one: Compared) -> dict[str, Any]:
    member = one.known.member if one.known else None
    return {
        "line": one.row.line,
        "submission": one.submission.pk if one.submission else None,
        "annotator": member.pk if member else None,
        "pseudonym": member.pseudonym if member else None,
        "there": one.row.state.value,
        "here": one.submission.state if one.submission else None,
        "done": one.done,
        "findings": [in_language(each) for each in one.findings],
    }


def _told_person(row: ParticipantAttributes) -> dict[str, Any]:
    own = {"id": row.pk, "annotator": row.member_id, "pseudonym": row.member.pseudonym}
    return own | {"values": row.values, "missing": row.missing}
