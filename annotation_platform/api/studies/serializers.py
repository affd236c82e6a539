"""Studies as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.schemes.serializers import SchemeSent
from annotation_platform.studies.models import AnnotatorsAre, AssignmentPolicy, Study
from annotation_platform.studies.services import MOST_TASKS
from annotation_platform.studies.services.claiming import MOST_MINUTES
from annotation_platform.studies.services.extending import MOST_EXTENSIONS, MOST_PERCENT
from annotation_platform.studies.services.making import MOST_OVERLAP

_SMALL = 32_767
JUDGED_AT_RANDOM = (
    "Declared: what people judged is a random part of all; where the platform drew it, what is missing is missing by "
    "chance."
)
ANNOTATORS_ARE = "Decides which ε of the alternative annotator test comes first; null where nobody has said it."
SCORED_AT_RANDOM = "Declared: the batches that a language model rescaled are a random part of all."


class StudyRead(Output):
    slug = serializers.CharField(help_text="Names it in addresses; never changes.")
    name = serializers.CharField()
    corpus = serializers.IntegerField(help_text="Key of its corpus.")
    scheme = serializers.CharField(help_text="Key of its scheme.")
    scheme_version = serializers.IntegerField()
    scheme_signature = serializers.CharField(help_text="Goes with each judgment that is sent.")
    overlap = serializers.IntegerField(help_text="Judgments per item.")
    questions_per_hit = serializers.IntegerField()
    hits_per_batch = serializers.IntegerField()
    time_limit_minutes = serializers.IntegerField()
    most_extensions = serializers.IntegerField(help_text="How often an annotator may lengthen the time of a task.")
    extension_percent = serializers.IntegerField(help_text="By how much each time, of the time limit.")
    assignment_policy = choice(AssignmentPolicy.values)
    most_tasks = serializers.IntegerField(allow_null=True)
    most_tasks_a_day = serializers.IntegerField(allow_null=True)
    gives_hints = serializers.BooleanField()
    judged_at_random = serializers.BooleanField(help_text=JUDGED_AT_RANDOM)
    scored_at_random = serializers.BooleanField(help_text=SCORED_AT_RANDOM)
    about = serializers.CharField()
    task_minutes = serializers.IntegerField(allow_null=True)
    pay = serializers.CharField()
    annotators_are = choice(AnnotatorsAre.values, allow_null=True, help_text=ANNOTATORS_ARE)
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)


PLAIN = (
    "slug",
    "name",
    "overlap",
    "questions_per_hit",
    "hits_per_batch",
    "time_limit_minutes",
    "most_extensions",
    "extension_percent",
    "assignment_policy",
    "most_tasks",
    "most_tasks_a_day",
    "gives_hints",
    "judged_at_random",
    "scored_at_random",
    "about",
    "task_minutes",
    "pay",
    "annotators_are",
    "created_at",
    "archived_at",
)

FIELDS = names_of(StudyRead)


def told(study: Study) -> Mapping[str, Any]:
    """A study as :class:`StudyRead` says; it comes with its ``scheme_version``."""
    version = study.scheme_version
    named = {"corpus": study.corpus_id, "scheme": version.key, "scheme_version": version.number}
    row = {field: getattr(study, field) for field in PLAIN} | named | {"scheme_signature": version.signature}
    return {field: row[field] for field in FIELDS}


class StudyPlanned(Input):
    """A study that is to be, but for its corpus."""

    name = serializers.CharField(max_length=200)
    scheme = SchemeSent()
    overlap = serializers.IntegerField(required=False, min_value=1, max_value=MOST_OVERLAP)
    questions_per_hit = serializers.IntegerField(required=False, min_value=1, max_value=_SMALL)
    hits_per_batch = serializers.IntegerField(required=False, min_value=1, max_value=_SMALL)
    time_limit_minutes = serializers.IntegerField(required=False, min_value=1, max_value=MOST_MINUTES)


class NewStudy(StudyPlanned):
    corpus = serializers.IntegerField(min_value=1, max_value=LARGEST_KEY)


class StudyChecked(Output):
    scheme = serializers.CharField(help_text="Key of its scheme.")
    rows_as = serializers.CharField(help_text="Preset that says what a row of its corpus may hold.")


class StudyChange(Input):
    """What is left out stays as it is."""

    name = serializers.CharField(required=False, max_length=200)
    overlap = serializers.IntegerField(required=False, min_value=1, max_value=MOST_OVERLAP)
    time_limit_minutes = serializers.IntegerField(required=False, min_value=1, max_value=MOST_MINUTES)
    most_extensions = serializers.IntegerField(required=False, min_value=0, max_value=MOST_EXTENSIONS)
    extension_percent = serializers.IntegerField(required=False, min_value=1, max_value=MOST_PERCENT)
    assignment_policy = choice(AssignmentPolicy.values, required=False)
    most_tasks = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_TASKS)
    most_tasks_a_day = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_TASKS)
    gives_hints = serializers.BooleanField(required=False)
    judged_at_random = serializers.BooleanField(required=False, help_text=JUDGED_AT_RANDOM)
    scored_at_random = serializers.BooleanField(required=False, help_text=SCORED_AT_RANDOM)
    about = serializers.CharField(required=False, allow_blank=True, max_length=4_000)
    task_minutes = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=_SMALL)
    pay = serializers.CharField(required=False, allow_blank=True, max_length=200)
    annotators_are = choice(AnnotatorsAre.values, required=False, allow_null=True, help_text=ANNOTATORS_ARE)


class TypedName(Input):
    name = serializers.CharField(max_length=200, trim_whitespace=False, help_text="The study's name, once more.")
