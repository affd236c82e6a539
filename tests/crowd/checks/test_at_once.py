"""A task with a check is submitted at the moment in which somebody corrects what the check accepts."""

import time
from threading import Event
from typing import Any

import pytest

from annotation_platform.crowd.checks.models import Check, CheckResult
from annotation_platform.crowd.checks.services import correct_check, evaluating
from tests.crowd.checks.pieces import WRONG, judge, study_with_checks, take
from tests.factories import OPERATOR, MemberFactory
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_it_goes_by_what_is_accepted_then(monkeypatch: pytest.MonkeyPatch) -> None:
    place = take(MemberFactory(study=study_with_checks(checks=1, articles=1)))
    is_read, has_met = Event(), evaluating._has_met

    def met_slowly(*what: Any) -> bool:
        is_read.set()
        time.sleep(1)
        return has_met(*what)

    monkeypatch.setattr(evaluating, "_has_met", met_slowly)

    def work(which: int) -> Any:
        if which == 0:
            return judge(place, checks=WRONG)
        is_read.wait(timeout=60)
        accepted = {key: [value] for key, value in WRONG.items()}
        return correct_check(check=Check.objects.get(), accepted=accepted, actor=OPERATOR)

    submitted, corrected = at_once(2, work)
    assert submitted is None
    assert corrected == 1
    assert CheckResult.objects.get().passed
