"""Batches as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.studies.models import Batch, BatchState
from annotation_platform.studies.services import MOST_ITEMS


class BatchRead(Output):
    number = serializers.IntegerField()
    state = choice(BatchState.values)
    is_finishing = serializers.BooleanField(help_text="Those at work may finish, and nobody else may begin.")
    deadline_at = serializers.DateTimeField(allow_null=True)
    finishes_late = serializers.BooleanField(help_text="Whether those at work at the deadline may finish.")
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    closed_because = serializers.CharField()
    tasks = serializers.IntegerField(help_text="HITs.")
    items = serializers.IntegerField()
    places = serializers.IntegerField(help_text="Assignments that there are, taken or not.")
    submitted = serializers.IntegerField(help_text="Assignments that are submitted.")


FIELDS = names_of(BatchRead)


def told(batch: Batch) -> Mapping[str, Any]:
    """A batch as :class:`BatchRead` says, with its counts (:func:`selectors.batches_of`)."""
    counted: Any = batch
    return {field: counted.assigned[field] if field in counted.assigned else getattr(batch, field) for field in FIELDS}


def changeable(batch: Batch) -> Mapping[str, Any]:
    """What a change may set, which the ETag is of: counts move while people work."""
    return {"deadline_at": batch.deadline_at, "finishes_late": batch.finishes_late}


class Deadline(Input):
    """What is left out stays as it is; a batch that is opened has no deadline then."""

    deadline_at = serializers.DateTimeField(required=False, allow_null=True)
    finishes_late = serializers.BooleanField(required=False)


class HowToClose(Input):
    when = choice(
        ["now", "finished"], required=False, default="now", help_text="finished: those at work may finish first."
    )


class Cut(Input):
    items = serializers.IntegerField(min_value=1, max_value=MOST_ITEMS, help_text="That a batch has at most.")


class CutRead(Output):
    batches = serializers.IntegerField(help_text="How many drafts there are now.")
    numbers = serializers.ListField(child=serializers.IntegerField(), help_text="Theirs, in order.")
