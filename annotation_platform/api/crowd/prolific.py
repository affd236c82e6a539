"""A study's connection with Prolific: its settings, secrets that only go in, and asking how submissions stand."""

from typing import Any

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.connecting import connect, connection_for
from annotation_platform.crowd.providers.prolific.forms import LONGEST_CODE
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.prolific.offering import address_for
from annotation_platform.crowd.providers.prolific.polling import ask_soon
from annotation_platform.studies.models import Study
from workers.tasks import enqueue_calls

LONGEST_SECRET, MOST_STUDIES, MOST_TASKS = 200, 1_000, 10_000
CODES = {ending: f"code_{ending.value}" for ending in Ending}
SETTINGS = ("is_open", "checks_signature", "tasks_wanted", *CODES.values(), "external_studies")
SECRETS = ("token", "hook_secret")


def _code(ending: str) -> serializers.CharField:
    return serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_CODE, help_text=f"As in Prolific's list: {ending}."
    )


class ProlificRead(Output):
    is_connected = serializers.BooleanField()
    is_open = serializers.BooleanField(help_text="People are let in by the address.")
    checks_signature = serializers.BooleanField(help_text="Only those are let in who come with Prolific's signature.")
    tasks_wanted = serializers.IntegerField(help_text="Tasks that make a submission done.")
    code_done = serializers.CharField()
    code_screened_out = serializers.CharField()
    code_timed_out = serializers.CharField()
    code_no_consent = serializers.CharField()
    external_studies = serializers.ListField(
        child=serializers.CharField(), help_text="Identifiers on Prolific by which people may come; none: any."
    )
    has_token = serializers.BooleanField(help_text="The token itself is never told.")
    has_hook_secret = serializers.BooleanField()
    address = serializers.CharField(allow_null=True, help_text="For Prolific's field “Study URL”.")
    hook_address = serializers.CharField(allow_null=True, help_text="For Prolific's messages.")
    asked_at = serializers.DateTimeField(allow_null=True, help_text="When submissions were last asked for.")
    ask_error = serializers.CharField(help_text="What went wrong then; empty: nothing.")
    unclear = serializers.IntegerField(help_text="Orders without a clear answer, which a person settles.")


class ProlificSent(Input):
    """What is left out stays as it is; a new connection needs at least “code_done”."""

    is_open = serializers.BooleanField(required=False)
    checks_signature = serializers.BooleanField(required=False)
    tasks_wanted = serializers.IntegerField(required=False, min_value=1, max_value=MOST_TASKS)
    code_done = _code("done")
    code_screened_out = _code("screened out")
    code_timed_out = _code("timed out")
    code_no_consent = _code("no consent")
    external_studies = serializers.ListField(
        child=serializers.CharField(max_length=64), required=False, max_length=MOST_STUDIES, help_text="All of them."
    )
    token = serializers.CharField(
        required=False, max_length=LONGEST_SECRET, help_text="Of Prolific's API; it is stored encrypted."
    )
    hook_secret = serializers.CharField(required=False, max_length=LONGEST_SECRET, help_text="Of Prolific's hooks.")


class Prolific(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=ProlificRead, operation_id="prolific_read")
    def get(self, request: Request, slug: str) -> Response:
        """How a study is connected with Prolific; the ETag is that of the settings. Secrets are never told."""
        return _told(request, as_researcher(request, slug)[0])

    @extend_schema(request=ProlificSent, responses=ProlificRead, parameters=[IF_MATCH], operation_id="prolific_connect")
    def patch(self, request: Request, slug: str) -> Response:
        """Connect a study with Prolific, or change how it is connected, if that is still as it was read."""
        study, _ = as_researcher(request, slug)
        change = sent(ProlificSent, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            before = _settings(_connection(study))
            check_version(request, before)
            now = {name: change.get(name, before[name]) for name in SETTINGS}
            codes = {ending: now.pop(name) for ending, name in CODES.items()}
            secrets = {name: change.get(name, "") for name in SECRETS}
            seen = before["external_studies"]
            connect(study=study, codes=codes, seen_studies=seen, actor=actor_of(request), **now, **secrets)
        return _told(request, study)


class PollProlific(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: ProlificRead}, operation_id="prolific_poll")
    def post(self, request: Request, slug: str) -> Response:
        """Have a worker ask Prolific now how the submissions stand; “asked_at” says when it did."""
        study, _ = as_researcher(request, slug)
        ask_soon(connection=connection_in(study))
        enqueue_calls()
        return _told(request, study, status=202)


def connection_in(study: Study) -> ProlificStudy:
    """
    Raises
    ------
    NotThereError
        When the study is not connected.
    """
    if (connection := connection_for(study)) is None:
        raise NotThereError("crowd.prolific_not_connected")
    return connection


def _connection(study: Study) -> ProlificStudy:
    """How a study is connected, or what that begins with."""
    return connection_for(study) or ProlificStudy(study=study)


def _settings(connection: ProlificStudy) -> dict[str, Any]:
    """With what tells one secret from another, which the ETag has and nobody reads."""
    return {name: getattr(connection, name) for name in SETTINGS} | {
        name: getattr(connection, f"encrypted_{name}") for name in SECRETS
    }


def _told(request: Request, study: Study, *, status: int = 200) -> Response:
    connection = _connection(study)
    is_connected = connection.pk is not None
    addresses: dict[str, str | None] = {"address": None, "hook_address": None}
    if is_connected:
        token = [connection.address_token]
        addresses = {
            "address": address_for(request.build_absolute_uri(reverse("prolific_arriving", args=token))),
            "hook_address": request.build_absolute_uri(reverse("prolific_hook", args=token)),
        }
    unclear = ProviderCall.objects.filter(connection__study=study, state=ProviderCall.State.UNCLEAR).count()
    told = {name: getattr(connection, name) for name in (*SETTINGS, "asked_at")} | addresses
    told |= {f"has_{name}": bool(getattr(connection, f"encrypted_{name}")) for name in SECRETS}
    told |= {"is_connected": is_connected, "ask_error": in_language(connection.ask_error), "unclear": unclear}
    return Response(told, status=status, headers={"ETag": tag_of(_settings(connection))})
