"""Model connections, of a study and of the platform: adding, changing, trying. Keys go in and never come out."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH, LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.forms import ConnectionForm
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.models.connections import HIGHEST_PRICE
from annotation_platform.scoring.selectors import connection_of, keeps_connections_of, may_change_connection
from annotation_platform.scoring.trials import request_trial
from workers.tasks import enqueue

_MOST = 2**31 - 1


class TrialRead(Output):
    state = choice(JobStatus.values)
    model = serializers.CharField(help_text="As the server named it.")
    answer = serializers.CharField(help_text="Its first words.")
    seconds = serializers.FloatField(allow_null=True)
    error = serializers.CharField(allow_null=True)


class ConnectionRead(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    base_url = serializers.CharField()
    model = serializers.CharField()
    has_key = serializers.BooleanField(help_text="Whether one is stored here.")
    price_in = serializers.FloatField(allow_null=True, help_text="US dollars for a million prompt tokens.")
    price_out = serializers.FloatField(allow_null=True, help_text="US dollars for a million tokens of replies.")
    requests_per_minute = serializers.IntegerField(allow_null=True)
    tokens_per_minute = serializers.IntegerField(allow_null=True)
    concurrency = serializers.IntegerField(help_text="Requests under way at a time.")
    timeout = serializers.FloatField(help_text="Seconds, at first.")
    structured = choice(ModelConnection.Structured.values)
    is_active = serializers.BooleanField(help_text="Whether new runs may use it.")
    trial = TrialRead(allow_null=True, help_text="The last one.")


class ConnectionChange(Input):
    """What is left out stays as it is. A key belongs to its address: a new address without a key has none."""

    name = serializers.CharField(required=False, max_length=80)
    base_url = serializers.CharField(required=False, max_length=300, help_text="With /v1 at its end.")
    model = serializers.CharField(required=False, max_length=200)
    key = serializers.CharField(required=False, allow_blank=True, max_length=500, help_text="Kept encrypted.")
    forget_key = serializers.BooleanField(required=False)
    price_in = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=HIGHEST_PRICE)
    price_out = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=HIGHEST_PRICE)
    requests_per_minute = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=_MOST)
    tokens_per_minute = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=_MOST)
    concurrency = serializers.IntegerField(required=False, min_value=1, max_value=256)
    timeout = serializers.FloatField(required=False, min_value=0.1, max_value=3600)
    structured = choice(ModelConnection.Structured.values, required=False)
    is_active = serializers.BooleanField(required=False)


class NewConnection(ConnectionChange):
    name = serializers.CharField(max_length=80)
    base_url = serializers.CharField(max_length=300, help_text="With /v1 at its end.")
    model = serializers.CharField(max_length=200)


KEY_NAME = "Name of the environment variable that holds the key, such as OPENAI_API_KEY; never its value."


class PlatformConnectionRead(ConnectionRead):
    key_variable = serializers.CharField(help_text=KEY_NAME)


class PlatformConnectionChange(ConnectionChange):
    key_variable = serializers.CharField(required=False, allow_blank=True, max_length=80, help_text=KEY_NAME)


class NewPlatformConnection(PlatformConnectionChange):
    name = serializers.CharField(max_length=80)
    base_url = serializers.CharField(max_length=300, help_text="With /v1 at its end.")
    model = serializers.CharField(max_length=200)


class Connections(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Connection", ConnectionRead), parameters=LISTING, operation_id="connections_list")
    def get(self, request: Request, slug: str) -> Any:
        """The study's own model connections; those of the platform are named by the methods' parameters."""
        return _listed(request, slug)

    @extend_schema(request=NewConnection, responses={201: ConnectionRead}, operation_id="connections_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new one; try it before a run needs it."""
        return _added(request, slug, sent(NewConnection, request))


class OneConnection(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=ConnectionRead, operation_id="connection_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A connection, and what came of its last trial; the ETag is that of its settings."""
        return _tagged(_one(request, slug, pk))

    @extend_schema(
        request=ConnectionChange, responses=ConnectionRead, parameters=[IF_MATCH], operation_id="connection_change"
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change it, if it is still as it was read; for whoever made it, and the study's admins."""
        return _changed(request, slug, pk, sent(ConnectionChange, request))


class TryConnection(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=ConnectionRead, operation_id="connection_try")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have the worker ask its server one small thing; “trial” says what it answered, once it is done."""
        return _tried(request, slug, pk)


class PlatformConnections(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.ADMIN}

    @extend_schema(
        responses=listed("PlatformConnection", PlatformConnectionRead),
        parameters=LISTING,
        operation_id="platform_connections_list",
    )
    def get(self, request: Request) -> Any:
        """The platform's model connections, which every study may use. For the platform's staff."""
        return _listed(request)

    @extend_schema(
        request=NewPlatformConnection,
        responses={201: PlatformConnectionRead},
        operation_id="platform_connections_create",
    )
    def post(self, request: Request) -> Response:
        """A new one for all studies; try it before a run needs it."""
        return _added(request, "", sent(NewPlatformConnection, request))


class OnePlatformConnection(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.ADMIN}

    @extend_schema(responses=PlatformConnectionRead, operation_id="platform_connection_read")
    def get(self, request: Request, pk: int) -> Response:
        """One of the platform's connections, and what came of its last trial; the ETag is that of its settings."""
        return _tagged(_one(request, "", pk))

    @extend_schema(
        request=PlatformConnectionChange,
        responses=PlatformConnectionRead,
        parameters=[IF_MATCH],
        operation_id="platform_connection_change",
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change it for all studies, if it is still as it was read."""
        return _changed(request, "", pk, sent(PlatformConnectionChange, request))


class TryPlatformConnection(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=None, responses=PlatformConnectionRead, operation_id="platform_connection_try")
    def post(self, request: Request, pk: int) -> Response:
        """Have the worker ask its server one small thing; “trial” says what it answered, once it is done."""
        return _tried(request, "", pk)


def _listed(request: Request, slug: str = "") -> Any:
    study = keeps_connections_of(request.user, slug)
    rows = ModelConnection.objects.filter(study=study).prefetch_related("trials")
    return page(request, rows, _told, fields=names_of(PlatformConnectionRead if study is None else ConnectionRead))


def _added(request: Request, slug: str, said: dict[str, Any]) -> Response:
    new = ModelConnection(study=keeps_connections_of(request.user, slug), created_by=user_of(request))
    return _tagged(_saved(request, new, said), status=201)


def _one(request: Request, slug: str, pk: int) -> ModelConnection:
    return connection_of(keeps_connections_of(request.user, slug), pk)


def _changed(request: Request, slug: str, pk: int, change: dict[str, Any]) -> Response:
    found = _one(request, slug, pk)
    if not may_change_connection(user_of(request), found):
        raise NotThereError("scoring.may_not_change_connection")
    with transaction.atomic():
        locked = ModelConnection.objects.select_for_update(no_key=True).get(pk=found.pk)
        check_version(request, _settings(locked))
        saved = _saved(request, locked, change)
    return _tagged(saved)


def _tried(request: Request, slug: str, pk: int) -> Response:
    found = _one(request, slug, pk)
    enqueue(request_trial(connection=found, actor=actor_of(request)))
    return Response(_told(found))


def _saved(request: Request, connection: ModelConnection, change: dict[str, Any]) -> ModelConnection:
    """Checked by the form of the page, so that both refuse the same."""
    fields = ConnectionForm(instance=connection).fields
    kept = {name: getattr(connection, name) for name in fields if hasattr(connection, name)}
    form = ConnectionForm(kept | change, instance=connection)
    if not form.is_valid():
        raise serializers.ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
    return save_connection(
        connection=form.instance,
        key=form.cleaned_data["key"],
        forget_key=form.cleaned_data.get("forget_key", False),
        actor=actor_of(request),
    )


def _tagged(row: ModelConnection, *, status: int = 200) -> Response:
    return tagged(_told(row), of=_settings(row), status=status)


def _settings(row: ModelConnection) -> dict[str, Any]:
    """What a change may set, which the ETag is of: a trial ends while somebody reads."""
    told = _told(row) | {"key": row.encrypted_key}
    return {name: told[name] for name in told if name not in ("id", "trial")}


def _told(row: ModelConnection) -> dict[str, Any]:
    trial = next(iter(row.trials.all()), None)
    own = {
        "id": row.pk,
        "has_key": bool(row.encrypted_key),
        "trial": None
        if trial is None
        else {
            "state": trial.status,
            "model": trial.model,
            "answer": trial.answer,
            "seconds": trial.seconds,
            "error": in_language(trial.error) if trial.error else None,
        },
    }
    known = names_of(PlatformConnectionRead if row.study_id is None else ConnectionRead)
    return {name: own[name] if name in own else getattr(row, name) for name in known}
