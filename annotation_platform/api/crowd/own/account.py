"""A person's own data as a file, and which mails they want."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.schema import RANGES, files_of
from annotation_platform.api.frame.serializers import Input, Output, choice
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.takeout.models import Takeout
from annotation_platform.crowd.takeout.services import request_takeout
from annotation_platform.crowd.talk.services.wishes import mail_wishes_of, wish_for_mail
from annotation_platform.jobs.files import finished
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.server.downloads import stored
from workers.tasks import enqueue


class MailWishesRead(Output):
    messages = serializers.BooleanField(help_text="Of new messages.")
    announcements = serializers.BooleanField()


class MailWishesSent(Input):
    messages = serializers.BooleanField()
    announcements = serializers.BooleanField()


class OwnDataRead(Output):
    id = serializers.IntegerField()
    state = choice(JobStatus.values)
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    file = serializers.CharField(allow_null=True, help_text="Address of the ZIP file, once it is there.")


class OwnMailWishes(ApiView):
    scopes = {"GET": Scope.ANNOTATE, "PUT": Scope.ANNOTATE}

    @extend_schema(responses=MailWishesRead, operation_id="own_mail_wishes_read")
    def get(self, request: Request) -> Response:
        """Which mails one wants."""
        return Response(_wishes(user_of(request)))

    @extend_schema(request=MailWishesSent, responses=MailWishesRead, operation_id="own_mail_wishes_save")
    def put(self, request: Request) -> Response:
        """Say which mails one wants."""
        wish_for_mail(user=user_of(request), actor=actor_of(request), **sent(MailWishesSent, request))
        return Response(_wishes(user_of(request)))


class OwnData(ApiView):
    """With all rights only: whoever finds a program's token for annotating reads nothing else of its owner by it."""

    scopes = {"GET": Scope.ADMIN, "POST": Scope.ADMIN}

    @extend_schema(
        responses=inline_serializer("OwnDataList", {"results": OwnDataRead(many=True)}), operation_id="own_data_list"
    )
    def get(self, request: Request) -> Response:
        """The files of one's own data that were asked for, the newest first, until they are forgotten."""
        return Response({"results": [_told(request, each) for each in user_of(request).takeouts.all()]})

    @extend_schema(request=None, responses={202: OwnDataRead}, operation_id="own_data_ask")
    def post(self, request: Request) -> Response:
        """Have everything that is known of one made into a file; one that is under way is given again."""
        made = request_takeout(user=user_of(request), actor=actor_of(request))
        enqueue(made)
        return Response(_told(request, made), status=202)


class OwnDataFile(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses=files_of("application/zip"), parameters=RANGES, operation_id="own_data_file")
    def get(self, request: Request, pk: int) -> Any:
        """The file, streamed, to whom it is about."""
        takeout, path = finished(Takeout.objects.filter(user=user_of(request)), pk)
        response = stored(
            request, path, filename=takeout.filename, content_type="application/zip", digest=takeout.sha256
        )
        response["Cache-Control"] = "private, no-store"
        return response


def _wishes(user: User) -> dict[str, bool]:
    wishes = mail_wishes_of(user)
    return {"messages": wishes.wants_messages, "announcements": wishes.wants_announcements}


def _told(request: Request, row: Takeout) -> dict[str, Any]:
    file = request.build_absolute_uri(reverse("api_own_data_file", args=[row.pk]))
    return {
        "id": row.pk,
        "state": row.status,
        "error": in_language(row.error) if row.error else None,
        "created_at": row.created_at,
        "file": file if row.status == JobStatus.DONE else None,
    }
