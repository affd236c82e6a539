"""What a study does with its checks: mixing them in, who failed them, what followed, and undoing that."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.checks import ShareRead, told_share
from annotation_platform.api.crowd.entering import annotator_named, as_researcher
from annotation_platform.api.frame.pages import page, whole
from annotation_platform.api.frame.schema import IF_MATCH, LISTING, listed, listed_whole
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.checks import services
from annotation_platform.crowd.checks.models import MOST_WORDS, Action, Check, CheckAction, CheckResult
from annotation_platform.crowd.checks.overview import (
    ActionLine,
    AnnotatorLine,
    action_line,
    actions_of,
    annotator_lines,
    drafts_of,
    limits_of,
)
from annotation_platform.crowd.checks.selectors import action_in, rule_of
from annotation_platform.crowd.checks.services.making import FIELDS, LIMITS
from annotation_platform.studies.models import Study

WHOSE = OpenApiParameter("annotator", int, description="Only the judgments of this member.")


def _limit(name: str, **how: Any) -> serializers.IntegerField:
    least, most = LIMITS[name]
    return serializers.IntegerField(required=False, min_value=least, max_value=most, **how)


class RuleRead(Output):
    every = serializers.IntegerField(help_text="One of so many tasks gets a check.")
    mixes_by_itself = serializers.BooleanField(help_text="Drafts get their checks when they open.")
    action = choice(Action.values, help_text="What follows too many failed.")
    most_failed = serializers.IntegerField(allow_null=True, help_text="After so many failed; null: no limit.")
    least_percent = serializers.IntegerField(allow_null=True, help_text="Or below so many percent passed.")
    least_judged = serializers.IntegerField(help_text="Of at least so many checks.")
    words = serializers.CharField(help_text="What the annotator reads.")
    draft_tasks = serializers.IntegerField(help_text="Tasks of draft batches, into which checks can be mixed.")
    draft_tasks_checked = serializers.IntegerField(help_text="Those of them that have one.")


class RuleSent(Input):
    """What is left out stays as it is."""

    every = _limit("every")
    mixes_by_itself = serializers.BooleanField(required=False)
    action = choice(Action.values, required=False)
    most_failed = _limit("most_failed", allow_null=True)
    least_percent = _limit("least_percent", allow_null=True)
    least_judged = _limit("least_judged")
    words = serializers.CharField(required=False, allow_blank=True, max_length=MOST_WORDS)


class MixedRead(Output):
    checks = serializers.IntegerField(help_text="Tasks that got one by this call.")
    elsewhere = serializers.IntegerField(help_text="Those of them whose check is about another document.")
    tasks = serializers.IntegerField(help_text="Tasks of draft batches.")


class CheckedRead(ShareRead):
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()


class ResultRead(Output):
    id = serializers.IntegerField()
    check = serializers.IntegerField()
    kind = choice(Check.Kind.values)
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    assignment = serializers.IntegerField()
    batch = serializers.IntegerField()
    passed = serializers.BooleanField()
    missed = serializers.ListField(child=serializers.CharField(), help_text="Aspects that were not accepted.")
    met_before = serializers.BooleanField(help_text="They had judged the same answers in another task.")
    counts = serializers.BooleanField()
    judged_at = serializers.DateTimeField()


class ActionRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    action = choice(Action.values)
    because = serializers.CharField(help_text="What the annotator reads.")
    judged = serializers.IntegerField(help_text="Checks on which it rests.")
    failed = serializers.IntegerField()
    failed_now = serializers.IntegerField(help_text="Of the same judgments, with what is accepted now.")
    still_holds = serializers.BooleanField(help_text="Whether the rule would say so now.")
    taken_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True, help_text="When the annotator read a warning.")
    undone_at = serializers.DateTimeField(allow_null=True)
    left_aside = serializers.IntegerField(
        help_text="Tasks that an undone exclusion leaves aside; those without a verdict can be approved."
    )


class Rule(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=RuleRead, operation_id="check_rule_read")
    def get(self, request: Request, slug: str) -> Response:
        """How often checks are mixed in, and what follows when somebody fails them; the ETag is that of the rule."""
        return _rule(as_researcher(request, slug)[0])

    @extend_schema(request=RuleSent, responses=RuleRead, parameters=[IF_MATCH], operation_id="check_rule_change")
    def patch(self, request: Request, slug: str) -> Response:
        """Change the rule for tasks that are submitted from now on, if it is still as it was read."""
        study, _ = as_researcher(request, slug)
        change = sent(RuleSent, request)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            before = _settings(study)
            check_version(request, before)
            services.change_rule(study=study, actor=actor_of(request), **before | change)
        return _rule(study)


class MixChecks(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=MixedRead, operation_id="checks_mix")
    def post(self, request: Request, slug: str) -> Response:
        """Mix checks into the tasks of draft batches; a task that has one gets no second one."""
        study, _ = as_researcher(request, slug)
        return Response(services.mix_in(study=study, actor=actor_of(request))._asdict())


class CheckedAnnotators(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed_whole("CheckedList", CheckedRead), operation_id="checks_annotators")
    def get(self, request: Request, slug: str) -> Any:
        """Who judged checks that count, and how many they passed, the lowest share first."""
        found = annotator_lines(as_researcher(request, slug)[0])
        return whole(request, found, _told_checked, fields=names_of(CheckedRead))


class CheckResults(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("CheckResult", ResultRead), parameters=[*LISTING, WHOSE], operation_id="check_results_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """All judgments of checks with what they missed, which no export of the study has."""
        study, _ = as_researcher(request, slug)
        rows = CheckResult.objects.filter(check_item__study=study)
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(annotator=member)
        related = rows.select_related("check_item", "annotator", "assignment__hit__batch", "annotation")
        return page(request, related, _result, fields=names_of(ResultRead))


class CheckActions(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("CheckAction", ActionRead), parameters=LISTING, operation_id="check_actions_list")
    def get(self, request: Request, slug: str) -> Any:
        """What the rule did, the newest first, beside what it rests on now."""
        study, _ = as_researcher(request, slug)
        limits = limits_of(study)

        def told(row: CheckAction) -> dict[str, Any]:
            return _action(action_line(row, limits))

        return page(request, actions_of(study), told, fields=names_of(ActionRead), newest_first=True)


class UndoAction(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=ActionRead, operation_id="check_action_undo")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take back what the rule did; what they were checked until now is not counted again."""
        study, _ = as_researcher(request, slug)
        action = action_in(study, pk)
        services.undo(action=action, actor=actor_of(request))
        return Response(_action(action_line(actions_of(study).get(pk=action.pk), limits_of(study))))


def _told_checked(line: AnnotatorLine) -> dict[str, Any]:
    return told_share(line.share) | {"annotator": line.member.pk, "pseudonym": line.member.pseudonym}


def _settings(study: Study) -> dict[str, Any]:
    rule = rule_of(study)
    return {name: getattr(rule, name) for name in FIELDS}


def _rule(study: Study) -> Response:
    settings, drafts = _settings(study), drafts_of(study)
    told = settings | {"draft_tasks": drafts.tasks, "draft_tasks_checked": drafts.checked}
    return Response(told, headers={"ETag": tag_of(settings)})


def _result(row: CheckResult) -> dict[str, Any]:
    return {
        "id": row.pk,
        "check": row.check_item_id,
        "kind": row.check_item.kind,
        "annotator": row.annotator_id,
        "pseudonym": row.annotator.pseudonym,
        "assignment": row.assignment_id,
        "batch": row.assignment.hit.batch.number,
        "passed": row.passed,
        "missed": row.missed,
        "met_before": row.is_repeated,
        "counts": not row.is_repeated and row.check_item.retired_at is None,
        "judged_at": row.annotation.created_at,
    }


def _action(line: ActionLine) -> dict[str, Any]:
    row = line.action
    known = {"id": row.pk, "annotator": row.annotator_id, "pseudonym": row.annotator.pseudonym}
    known |= {"failed_now": line.failed_now, "still_holds": line.still_holds}
    return {name: known[name] if name in known else getattr(row, name) for name in names_of(ActionRead)}
