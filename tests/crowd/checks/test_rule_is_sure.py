"""The rule about checks holds for who submitted, too, when the process was killed right after the submission.

Nothing that waits for the commit runs in these tests, as in a process that is killed at that moment.
"""

from typing import Any

import pytest
from django.db.models.signals import pre_save

from annotation_platform.crowd.checks.models import Action, CheckAction, CheckResult
from annotation_platform.crowd.checks.services import apply_rule
from annotation_platform.studies.models import Member
from tests.crowd.checks.pieces import WRONG, judge, set_rule, study_with_checks, take
from tests.factories import MemberFactory
from workers.tasks import sweep

pytestmark = pytest.mark.django_db


def test_the_sweep_applies_what_a_killed_process_left() -> None:
    study = study_with_checks(articles=4)
    set_rule(study, action=Action.PAUSE, most_failed=1)
    annotator, other = MemberFactory(study=study), MemberFactory(study=study)
    judge(take(annotator), checks=WRONG)
    judge(take(other))
    assert not CheckAction.objects.exists()
    sweep()
    assert CheckAction.objects.get().annotator == annotator
    assert Member.objects.get(pk=annotator.pk).paused_at is not None
    assert Member.objects.get(pk=other.pk).paused_at is None
    assert not CheckResult.objects.filter(rule_waits=True).exists()


def test_one_to_whom_the_rule_cannot_be_applied_keeps_nobody_else_from_it(caplog: pytest.LogCaptureFixture) -> None:
    study = study_with_checks(articles=4)
    set_rule(study, action=Action.PAUSE, most_failed=1)
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    for each in (first, second):
        judge(take(each), checks=WRONG)

    def refuse(instance: CheckAction, **_: Any) -> None:
        if instance.annotator_id == first.pk:
            raise RuntimeError("This one cannot be stored.")

    pre_save.connect(refuse, sender=CheckAction)
    try:
        sweep()
    finally:
        pre_save.disconnect(refuse, sender=CheckAction)
    assert CheckAction.objects.get().annotator == second
    assert f"could not be applied to member {first.pk}" in caplog.text
    sweep()
    assert CheckAction.objects.filter(annotator=first).exists(), "it is tried again"


def test_what_the_rule_was_applied_to_is_not_looked_at_again() -> None:
    """A rule that is made stricter later holds from the next check on, as the page says, and not by a sweep."""
    study = study_with_checks(articles=4)
    annotator = MemberFactory(study=study)
    judge(take(annotator), checks=WRONG)
    apply_rule(annotator_id=annotator.pk)
    set_rule(study, action=Action.PAUSE, most_failed=1)
    sweep()
    assert not CheckAction.objects.exists()
