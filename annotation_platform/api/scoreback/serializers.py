"""Destinations of scores, previews and what was sent, as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.jobs.outbox.posting import LONGEST_ADDRESS
from annotation_platform.scoreback.destinations.contract import HumanScore
from annotation_platform.scoreback.destinations.registry import DESTINATIONS
from annotation_platform.scoreback.models import ScoreDestination, SentScore, What
from annotation_platform.scoreback.previewing import Preview
from annotation_platform.scoreback.services import LONGEST_KEY


class DestinationRead(Output):
    program = choice([*DESTINATIONS])
    address = serializers.CharField()
    public_key = serializers.CharField()
    has_secret = serializers.BooleanField(help_text="Whether a key is stored; it is never given.")
    aspects = serializers.ListField(child=serializers.CharField(), help_text="The keys of those that go.")
    what = choice(What.values)
    with_comments = serializers.BooleanField(help_text="Whether explanations go as comments.")
    created_at = serializers.DateTimeField()


class ScoreRead(Output):
    aspect = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    annotator = serializers.CharField(help_text="A pseudonym; empty: all together.")
    trace = serializers.CharField()
    span = serializers.CharField(help_text="Empty: the trace as a whole.")
    comment = serializers.CharField()


class PreviewRead(Output):
    traced = serializers.IntegerField(help_text="Answers of the study with a trace that the program may know.")
    untraced = serializers.IntegerField()
    new = serializers.IntegerField()
    changed = serializers.IntegerField()
    there = serializers.IntegerField(help_text="Sent before, and unchanged.")
    is_more = serializers.BooleanField(help_text="Counting ended early.")
    examples = ScoreRead(many=True)


class SentScoreRead(Output):
    id = serializers.IntegerField()
    identifier = serializers.UUIDField()
    aspect = serializers.CharField()
    annotator = serializers.CharField()
    trace = serializers.CharField()
    span = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    state = choice(SentScore.State.values)
    status = serializers.IntegerField(allow_null=True, help_text="Of the answer.")
    reply = serializers.CharField(help_text="The first bytes of the answer.")
    error = serializers.CharField()
    sent_at = serializers.DateTimeField()


class NewDestination(Input):
    address = serializers.CharField(max_length=LONGEST_ADDRESS)
    public_key = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_KEY)
    secret = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST_KEY, help_text="Empty keeps the stored one."
    )
    aspects = serializers.ListField(child=serializers.CharField(max_length=40))
    what = serializers.ChoiceField(choices=What.values, required=False, default=What.MEAN.value)
    with_comments = serializers.BooleanField(required=False, default=False)


FIELDS, SENT_FIELDS = names_of(DestinationRead), names_of(SentScoreRead)


def told(destination: ScoreDestination) -> Mapping[str, Any]:
    row = {name: getattr(destination, name) for name in FIELDS if name != "has_secret"}
    return row | {"has_secret": bool(destination.encrypted_secret)}


def changeable(destination: ScoreDestination) -> Mapping[str, Any]:
    """What the ETag is of; another key is another version, too."""
    return {**told(destination), "secret": destination.encrypted_secret}


def told_preview(preview: Preview) -> Mapping[str, Any]:
    counts = {name: preview.counts[name] for name in ("new", "changed", "there")}
    names = ("traced", "untraced", "is_more")
    return counts | {name: getattr(preview, name) for name in names} | {"examples": [*map(_told, preview.examples)]}


def _told(score: HumanScore) -> Mapping[str, Any]:
    return {name: getattr(score, name) for name in names_of(ScoreRead)}


def told_sent(score: SentScore) -> Mapping[str, Any]:
    row = {name: score.pk if name == "id" else getattr(score, name) for name in SENT_FIELDS}
    return row | {"error": in_language(score.error) if score.error else ""}
