"""An annotator's work as it is sent and given."""

from typing import Any

from rest_framework import serializers

from annotation_platform.annotations.forms.values import MOST_SECONDS
from annotation_platform.api.frame.serializers import Input, Output, choice
from annotation_platform.api.items.turns import BEFORE, JUDGED, SPOKEN, SpokenTurnRead, TurnRead
from annotation_platform.studies.models import AssignmentState

LONGEST_KEY, MOST_KEYS = 80, 500
HOLDER = (
    "Of the task as it was read. With it what was typed in an earlier attempt at a round stays out of the next one, "
    "and who had the task is known after somebody else has taken it."
)


class WaitingRead(Output):
    study = serializers.CharField(help_text="Its slug.")
    name = serializers.CharField()
    description = serializers.CharField()
    is_busy = serializers.BooleanField(help_text="A task is under way; taking gives it again.")
    tasks = serializers.IntegerField(help_text="How many could be taken after that.")
    refusal = serializers.CharField(allow_null=True, help_text="Why nothing can be taken now.")


class NoteRead(Input):
    note = serializers.CharField(max_length=80, help_text="Its name, as the problem said.")


class TaskRead(Output):
    id = serializers.IntegerField()
    study = serializers.CharField()
    title = serializers.CharField()
    state = choice(AssignmentState.values)
    is_open = serializers.BooleanField(help_text="Whether judgments can be submitted in it.")
    lease_expires_at = serializers.DateTimeField(allow_null=True)
    submitted_at = serializers.DateTimeField(allow_null=True)
    scheme_signature = serializers.CharField(help_text="Goes with each judgment.")
    extensions = serializers.IntegerField(help_text="How often its time was lengthened; goes with asking for more.")
    holder = serializers.CharField(
        help_text="Goes with drafts and judgments, as a mark that one has the task, or had it."
    )


class AnswerShown(Output):
    number = serializers.IntegerField(help_text="Of the candidate; 0 where it stands alone.")
    text = serializers.CharField()
    rationale = serializers.CharField()
    turns = TurnRead(many=True, help_text=JUDGED)
    conversation = SpokenTurnRead(many=True, help_text=SPOKEN)


class DocumentShown(Output):
    number = serializers.IntegerField(help_text="0: the article; from 1: reference document R1, …")
    title = serializers.CharField()
    sentences = serializers.ListField(child=serializers.CharField())
    anchor = serializers.IntegerField(allow_null=True)


class ItemShown(Output):
    position = serializers.IntegerField()
    question = serializers.CharField()
    turns = TurnRead(many=True, help_text=BEFORE)
    conversation = SpokenTurnRead(many=True, help_text=SPOKEN)
    choices = serializers.ListField(child=serializers.CharField())
    reference_answers = serializers.ListField(child=serializers.CharField())
    documents = DocumentShown(many=True)
    answers = AnswerShown(many=True, help_text="In the order in which this annotator sees them.")
    is_judged = serializers.BooleanField()
    values = serializers.DictField(help_text="What was typed or submitted last.")
    no_longer_asked = serializers.DictField(
        child=serializers.CharField(), help_text="Of a draft: what was typed into fields that the scheme has no more."
    )
    draft_version = serializers.IntegerField(help_text="0: there is no draft.")
    seconds = serializers.FloatField()


class TaskWithItems(TaskRead):
    items = ItemShown(many=True)


class TypedField(serializers.DictField):
    """Field: as it is typed."""

    def __init__(self, **how: Any) -> None:
        child = serializers.CharField(allow_blank=True, trim_whitespace=False)
        super().__init__(child=child, help_text="Field: as it is typed.", **how)

    def to_internal_value(self, data: Any) -> dict[str, str]:
        values: dict[str, str] = super().to_internal_value(data)
        if len(values) > MOST_KEYS or any(len(key) > LONGEST_KEY for key in values):
            raise serializers.ValidationError("These are more fields than any scheme has.")
        return values


class DraftSent(Input):
    values = TypedField()
    version = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="Of the draft that was read; 0: none."
    )
    seconds = serializers.FloatField(required=False, default=0.0, min_value=0, max_value=MOST_SECONDS)
    scheme_signature = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=64,
        help_text="Of the scheme that the values are of; after a migration they are kept under its keys of today.",
    )
    holder = serializers.CharField(required=False, default="", allow_blank=True, max_length=200, help_text=HOLDER)


class DraftRead(Output):
    version = serializers.IntegerField()


class JudgmentSent(Input):
    values = serializers.DictField(help_text="As the study's judgment-schema says.")
    scheme_signature = serializers.CharField(max_length=64, help_text="Of the scheme by which it was judged.")
    seconds = serializers.FloatField(required=False, allow_null=True, default=None, min_value=0, max_value=MOST_SECONDS)
    submission_id = serializers.UUIDField(required=False, default=None, help_text="The same mark is stored once.")
    draft_version = serializers.IntegerField(
        required=False,
        default=0,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Of the draft that it was made from, which goes; a newer one waits as a change not submitted yet.",
    )
    holder = serializers.CharField(required=False, default="", allow_blank=True, max_length=200, help_text=HOLDER)


class Submitted(Output):
    next_position = serializers.IntegerField(allow_null=True, help_text="What waits next in the task.")
    task_is_complete = serializers.BooleanField()


class MessageRead(Output):
    id = serializers.IntegerField()
    author = serializers.CharField(help_text="Pseudonym.")
    role = serializers.CharField()
    position = serializers.IntegerField(allow_null=True, help_text="Of the question that it is about.")
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class MessageSent(Input):
    text = serializers.CharField(max_length=5_000)
    position = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1, max_value=32_767)
