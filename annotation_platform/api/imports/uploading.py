"""Files in parts, so that one that breaks off goes on where it was: begun, appended to, and named in an import."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.bodies import BodyParser
from annotation_platform.api.frame.files import PartParser
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.imports.models import Upload
from annotation_platform.imports.uploads import KEPT_FOR, append_part, begin_upload, give_up_upload, own_upload

OFFSET = "Upload-Offset"
PART_SIZE = 4 * 1024 * 1024  # bytes; a part that breaks off is sent again, so not too many
DIGEST = "SHA-256 of the whole file"


class NewUpload(Input):
    name = serializers.RegexField(r"^[^/\\\x00-\x1f]+$", max_length=255, help_text="Of the file, without folders.")
    size = serializers.IntegerField(min_value=0, max_value=LARGEST_KEY, help_text="Bytes of the whole file.")
    sha256 = serializers.RegexField(
        "^[0-9a-f]{64}$", required=False, help_text=f"{DIGEST}; with it, the same file goes on where it was."
    )


class UploadRead(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes of the whole file.")
    sha256 = serializers.CharField(help_text=f"{DIGEST}; empty: not announced.")
    offset = serializers.IntegerField(help_text="Bytes that are surely stored: where the next part begins.")
    part_size = serializers.IntegerField(help_text="Bytes that a part is best to have; at most a quarter more.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(help_text="When it is forgotten, if no other part comes.")


FIELDS = names_of(UploadRead)


def told(upload: Upload) -> dict[str, Any]:
    special = {"id": upload.pk, "part_size": PART_SIZE, "expires_at": upload.changed_at + KEPT_FOR}
    return {name: special[name] if name in special else getattr(upload, name) for name in FIELDS}


class Uploads(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Upload", UploadRead), parameters=LISTING, operation_id="uploads_list")
    def get(self, request: Request) -> Any:
        """Your files that come in parts and that no import has taken, the newest first."""
        rows = Upload.objects.filter(owner=study_creator(request))
        return page(request, rows, told, fields=FIELDS, newest_first=True)

    @extend_schema(request=NewUpload, responses={201: UploadRead, 200: UploadRead}, operation_id="uploads_create")
    def post(self, request: Request) -> Response:
        """Begin a file. With its SHA-256, the same one of yours that is there is given, with where it goes on (200)."""
        user, new = study_creator(request), sent(NewUpload, request)
        upload, is_new = begin_upload(
            owner=user, name=new["name"], size=new["size"], digest=new.get("sha256", ""), actor=actor_of(request)
        )
        reply = _given(upload, status=201 if is_new else 200)
        reply["Location"] = request.build_absolute_uri(f"{request.path}/{upload.pk}")
        return reply


class OneUpload(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE, "DELETE": Scope.MANAGE}
    parser_classes = [PartParser, BodyParser]

    @extend_schema(responses=UploadRead, operation_id="upload_read")
    def get(self, request: Request, pk: int) -> Response:
        """How far it is; the header Upload-Offset says so, too, also to HEAD."""
        return _given(own_upload(study_creator(request), pk))

    @extend_schema(
        request={PartParser.media_type: bytes},
        responses=UploadRead,
        operation_id="upload_append",
        parameters=[
            OpenApiParameter(
                OFFSET, int, OpenApiParameter.HEADER, required=True, description="Where in the file this part begins."
            )
        ],
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Send the next part as the body. It counts whole or not at all.

        409 with “offset” among the parameters: the next part begins there.
        """
        upload = own_upload(study_creator(request), pk)
        at = _offset(request)
        if not isinstance(part := request.data, bytes):
            raise InvalidInputError("imports.part_missing", media_type=PartParser.media_type)
        if len(part) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig
        append_part(upload=upload, at=at, part=part)
        return _given(upload)

    @extend_schema(responses={204: None}, operation_id="upload_delete")
    def delete(self, request: Request, pk: int) -> Response:
        """Give it up: what came is forgotten."""
        give_up_upload(upload=own_upload(study_creator(request), pk), actor=actor_of(request))
        return Response(status=204)


def _given(upload: Upload, status: int = 200) -> Response:
    return Response(told(upload), status=status, headers={OFFSET: str(upload.offset), "Cache-Control": "no-store"})


def _offset(request: Request) -> int:
    said = request.headers.get(OFFSET, "")
    if not said.isascii() or not said.isdigit() or len(said) > 18:
        raise InvalidInputError("imports.offset_missing")
    return int(said)
