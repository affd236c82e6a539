"""Pacing: so many batches every so many hours, what holds them back, changing that, and releasing at once."""

from math import isfinite
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import from_data
from annotation_platform.crowd.pacing.gates import Unit, Verdict, verdicts_of
from annotation_platform.crowd.pacing.models import BatchRelease, Bound, Pacing
from annotation_platform.crowd.pacing.services import (
    MOST_BATCHES,
    MOST_HOURS,
    pacing_of,
    release_now,
    set_pacing,
)
from annotation_platform.studies.models import BatchState, Study

SETTINGS = ("is_on", "batches_at_once", "every_hours", "limits", "bound")


class GateRead(Output):
    figure = serializers.CharField(help_text="Names it in “limits”.")
    title = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="null: nothing is measured yet.")
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.CharField(help_text="What it rests on, in words.")
    unit = choice(list(Unit), help_text="percent: as a share from 0 to 1.")
    limit = serializers.FloatField(allow_null=True)
    is_least = serializers.BooleanField(help_text="The limit is the least that it may be; else the most.")
    holds_back = serializers.BooleanField()


class PacingRead(Output):
    is_on = serializers.BooleanField(help_text="Whether batches are released by the clock.")
    batches_at_once = serializers.IntegerField()
    every_hours = serializers.IntegerField()
    limits = serializers.DictField(child=serializers.FloatField(), help_text="Figure: the least or most it may be.")
    bound = choice(Bound.values, help_text="Which number of an interval is held against a limit.")
    next_at = serializers.DateTimeField(allow_null=True)
    held_since = serializers.DateTimeField(allow_null=True)
    held_because = serializers.ListField(child=serializers.CharField())
    gates = GateRead(many=True)
    next_batches = serializers.ListField(child=serializers.IntegerField(), help_text="Their numbers.")
    last_release = serializers.IntegerField(help_text="Its number; 0: there was none.")


class PacingSent(Input):
    """What is left out stays as it is."""

    is_on = serializers.BooleanField(required=False)
    batches_at_once = serializers.IntegerField(required=False, min_value=1, max_value=MOST_BATCHES)
    every_hours = serializers.IntegerField(required=False, min_value=1, max_value=MOST_HOURS)
    limits = serializers.DictField(child=serializers.FloatField(), required=False, help_text="All that there are.")
    bound = choice(Bound.values, required=False)


class ReleaseSent(Input):
    because = serializers.CharField(max_length=500, help_text="It stays with the release.")
    after = serializers.IntegerField(
        min_value=0, max_value=2**31 - 2, help_text="“last_release” as it was read, so that two do it once."
    )


class PacingOfStudy(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=PacingRead, operation_id="pacing_read")
    def get(self, request: Request, slug: str) -> Response:
        """How a study is paced, and what holds its next batches back; the ETag is that of the settings."""
        return _told(as_researcher(request, slug)[0])

    @extend_schema(request=PacingSent, responses=PacingRead, parameters=[IF_MATCH], operation_id="pacing_change")
    def patch(self, request: Request, slug: str) -> Response:
        """Change some settings, if they are still those that were read."""
        study, _ = as_researcher(request, slug)
        change = sent(PacingSent, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            pacing = pacing_of(study)
            check_version(request, _settings(pacing))
            _check_limits(pacing, change.get("limits", {}))
            set_pacing(study=study, actor=actor_of(request), **_settings(pacing) | change)
        return _told(study)


class ReleaseBatches(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=ReleaseSent, responses=PacingRead, operation_id="pacing_release")
    def post(self, request: Request, slug: str) -> Response:
        """Release the next batches whatever the clock and the limits say."""
        study, member = as_researcher(request, slug)
        release_now(study=study, member=member, actor=actor_of(request), **sent(ReleaseSent, request))
        return _told(study)


def _settings(pacing: Pacing) -> dict[str, Any]:
    return {name: getattr(pacing, name) for name in SETTINGS}


def _check_limits(pacing: Pacing, limits: dict[str, float]) -> None:
    known = {each.reading.key: each.reading.title for each in verdicts_of(pacing)} | dict.fromkeys(pacing.limits, "")
    for key, limit in limits.items():
        if key not in known:
            raise InvalidInputError("api.choice_wrong", field="limits", known=[*known])
        if not isfinite(limit):
            raise InvalidInputError("crowd.limit_unread", figure=known[key] or key)


def _told(study: Study) -> Response:
    pacing = pacing_of(study)
    drafts = study.batches.filter(state=BatchState.DRAFT).order_by("number").values_list("number", flat=True)
    last = BatchRelease.objects.filter(study=study).values_list("number", flat=True).first()
    told = _settings(pacing) | {
        "next_at": pacing.next_at,
        "held_since": pacing.held_since,
        "held_because": [in_language(each) for each in from_data(pacing.held_because)],
        "gates": [_gate(each) for each in verdicts_of(pacing)],
        "next_batches": list(drafts[: pacing.batches_at_once]),
        "last_release": last or 0,
    }
    return Response({name: told[name] for name in names_of(PacingRead)}, headers={"ETag": tag_of(_settings(pacing))})


def _gate(verdict: Verdict) -> dict[str, Any]:
    reading = verdict.reading
    told = {name: getattr(reading, name) for name in ("value", "low", "high", "unit", "is_least")}
    about = {"figure": reading.key, "title": in_language(reading.title), "n": in_language(reading.rests_on)}
    return about | {"limit": verdict.limit, "holds_back": verdict.holds_back} | told
