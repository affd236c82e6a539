"""Reads about checks: results, how the checks and the annotators stand, and warnings that wait to be read."""

from typing import Any

from django.db.models import QuerySet

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.checks.models import Action, Check, CheckAction, CheckResult, CheckRule
from annotation_platform.studies.models import Member, SetAside, Study


def results_that_count(member: Member) -> QuerySet[CheckResult]:
    """An annotator's results, without those of checks that they had met before or that are out of use."""
    return CheckResult.objects.filter(annotator=member, is_repeated=False, check_item__retired_at=None)


def rule_of(study: Study) -> CheckRule:
    """The study's rule, or what it is without one."""
    return CheckRule.objects.filter(study=study).first() or CheckRule(study=study)


def check_in(study: Study, pk: int) -> Check:
    """A check of a study.

    Raises
    ------
    NotThereError
        When the study has no such check.
    """
    check = study.checks.select_related("question__article", "study__scheme_version").filter(pk=pk).first()
    if check is None:
        raise NotThereError("crowd.no_check")
    return check


def action_in(study: Study, pk: int) -> CheckAction:
    """What the rule of a study did; refused as by :func:`check_in`."""
    actions = CheckAction.objects.filter(annotator__study=study, pk=pk).select_related("annotator__study")
    if (action := actions.first()) is None:
        raise NotThereError("crowd.no_check")
    return action


def left_aside() -> QuerySet[SetAside]:
    """Work that an exclusion set aside, and that does not count again although its annotator takes part again."""
    return SetAside.objects.filter(kind=SetAside.Kind.EXCLUDED, restored_at=None, annotator__excluded_at=None)


def warnings() -> QuerySet[CheckAction]:
    """All warnings that stand."""
    return CheckAction.objects.filter(action=Action.WARN, undone_at=None)


def warning_for(user: Any, pk: int) -> CheckAction:
    """A warning, for the annotator whom it is about; for everybody else it does not exist.

    Raises
    ------
    NotThereError
        For them.
    """
    mine = warnings().filter(annotator__user=user).select_related("annotator__study")
    if (warning := mine.filter(pk=pk).first()) is None:
        raise NotThereError("annotations.no_task")
    return warning


def unread_warning(member: Member) -> CheckAction | None:
    """The newest warning that an annotator has not read yet."""
    return warnings().filter(annotator=member, read_at=None).first()
