"""Methods and scoring runs as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.jobs.serializers import address_of
from annotation_platform.core.reasons import as_data
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.forms import LEAST, MOST
from annotation_platform.scoring.methods import RunMethod
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.options import schema_of
from annotation_platform.studies.models import Study

LONGEST_NAME = 20  # as they are stored


class ScorerRead(Output):
    scorer = serializers.CharField()
    title = serializers.CharField()
    parameters = serializers.DictField(help_text="JSON Schema of what may be set; the rest is as usual.")


class MethodRead(Output):
    method = serializers.CharField()
    title = serializers.CharField()
    purpose = serializers.CharField()
    counted = serializers.CharField(help_text="What a step of a run is about.")
    obstacle = serializers.CharField(allow_null=True, help_text="Why no run of this study could begin.")
    scorers = ScorerRead(many=True, help_text="Who can do it; the first one usually.")


def told_method(how: RunMethod, study: Study) -> Mapping[str, Any]:
    obstacle = how.obstacle(study)
    return {
        "method": how.name,
        "title": how.title,
        "purpose": how.purpose,
        "counted": how.counted,
        "obstacle": in_language(obstacle) if obstacle else None,
        "scorers": [
            {
                "scorer": each.scorer,
                "title": each.title,
                "parameters": schema_of(each.parameters, how.options_of(each.scorer, study)),
            }
            for each in how.scored_by
        ],
    }


class RunRead(Output):
    id = serializers.IntegerField()
    method = serializers.CharField()
    scorer = serializers.CharField()
    state = choice(JobStatus.values)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    error = serializers.CharField(allow_null=True, help_text="Why it failed or paused.")
    parameters = serializers.DictField(help_text="All that decides the scores.")
    budget = serializers.FloatField(allow_null=True, help_text="US dollars at most.")
    spent = serializers.FloatField(help_text="US dollars so far.")
    spent_tokens = serializers.IntegerField()
    estimate = serializers.DictField(allow_null=True, help_text="The bill that a dry run expects.")
    is_chosen = serializers.BooleanField(help_text="Named as the one that the figures use; else it is the newest.")
    is_outdated = serializers.BooleanField(
        help_text="A key of its labels names something else, or counts otherwise, since the scheme migrated; it counts "
        "in no figure."
    )
    signature = serializers.CharField(
        help_text="Of parameters, data and code version; empty until it begins, of answer equivalence until it is done."
    )
    code_version = serializers.CharField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    job = serializers.CharField(help_text="Address of its job.")


class RunWithCounts(RunRead):
    counts = serializers.DictField(help_text="What it counted, by aspect.")


RUN_FIELDS = names_of(RunRead)
_OWN = {"state", "error", "budget", "spent", "job"}


def told(request: Request, run: ScoringRun) -> dict[str, Any]:
    row = {field: getattr(run, field) for field in RUN_FIELDS if field not in _OWN}
    return row | {
        "state": run.status,
        "error": in_language(run.error) if run.error else None,
        "budget": None if run.budget is None else float(run.budget),
        "spent": float(run.spent),
        "job": address_of(request, run),
    }


def told_with_counts(request: Request, run: ScoringRun) -> dict[str, Any]:
    return told(request, run) | {"counts": as_data(run.counts)}


def _budget(**how: Any) -> serializers.DecimalField:
    return serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=LEAST, max_value=MOST, allow_null=True, required=False, **how
    )


class NewRun(Input):
    method = serializers.CharField(max_length=LONGEST_NAME)
    scorer = serializers.CharField(max_length=LONGEST_NAME, required=False, allow_null=True, default=None)
    parameters = serializers.DictField(required=False, default=dict, help_text="As the scorer's JSON Schema says.")
    budget = _budget(default=None, help_text="US dollars at which it pauses by itself.")
    estimate = serializers.BooleanField(
        required=False, default=False, help_text="Ask about a few items, say what all will cost, and pause."
    )


class Budget(Input):
    budget = _budget(help_text="A new limit in US dollars, null for none; left out, it stays as it is.")
