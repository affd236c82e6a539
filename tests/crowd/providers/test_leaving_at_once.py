"""Somebody from Prolific leaves at the moment at which another request of theirs takes a task."""

import time
from threading import Event
from typing import Any

import pytest

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.endings import leave
from annotation_platform.crowd.providers.prolific import visits
from annotation_platform.crowd.providers.prolific.models import Submission
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, Member
from annotation_platform.studies.services import claim_assignment, claiming
from tests.crowd.providers.pieces import connected, submission
from tests.factories import OPERATOR, open_study
from tests.studies.test_concurrency import at_once, expire

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


@pytest.mark.parametrize("is_deleted", [False, True])
def test_the_row_of_who_leaves_is_locked_before_their_places(is_deleted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever takes a task locks them, so that neither has what the other waits for."""
    member = submission(connected(open_study())).member
    expire(claim_assignment(annotator=member, actor=OPERATOR))
    has_place, has_row = Event(), Event()
    give_back, renew = visits.give_back_all, claiming.renew_lease

    def given_back_slowly(*what: Any) -> None:
        give_back(*what)
        has_place.set()
        has_row.wait(timeout=2)

    def renewed_with_row(**what: Any) -> None:
        has_row.set()
        renew(**what)

    monkeypatch.setattr(visits, "give_back_all", given_back_slowly)
    monkeypatch.setattr(claiming, "renew_lease", renewed_with_row)

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=member.pk)
        if which == 0:
            if not is_deleted:
                return leave(member=own, actor=OPERATOR)
            assert own.user is not None
            return delete_account(user=own.user, actor=OPERATOR)
        has_place.wait(timeout=60)
        return claim_assignment(annotator=own, actor=OPERATOR)

    left, taken = at_once(2, work)
    assert not isinstance(left, Exception), left
    assert isinstance(taken, NotEligibleError)
    assert Submission.objects.get().ending == "timed_out"
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_who_says_no_while_they_take_a_task_does_not_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study()
    visit = submission(connected(study))
    text = publish_text(study=study, texts={"en": "New."}, actor=OPERATOR)
    has_row = Event()

    def checked_slowly(*what: Any) -> None:
        has_row.set()
        time.sleep(1)

    monkeypatch.setattr(claiming, "check_eligible", checked_slowly)  # as of a text that is published meanwhile

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=visit.member_id)
        if which == 0:
            return claim_assignment(annotator=own, actor=OPERATOR)
        has_row.wait(timeout=60)
        arrival = visits.Arrival("somebody", "study", visit.external_id)
        return visits.decline(member=own, arrival=arrival, text=text, language="en", actor=OPERATOR)

    taken, declined = at_once(2, work)
    assert isinstance(taken, Assignment), taken
    assert declined is None
    assert Submission.objects.get().ending == "no_consent"
    assert not Assignment.objects.exclude(annotator=None).exists()
