"""Two people decide at the same moment about work that was rejected and done anew."""

from threading import Event
from typing import Any

import pytest

from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import Review, ReviewState
from annotation_platform.crowd.review.services import appeal, approve, decide_appeal, reject
from annotation_platform.crowd.rounds.services import begin_attempt
from annotation_platform.studies.models import Assignment
from tests.crowd.rounds.pieces import WRONG, acts, judge, new_round
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_who_approves_it_and_who_answers_the_appeal_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the place before the verdict, so that neither has what the other waits for."""
    study = open_study(overlap=5)
    new, person = new_round(study, articles=2), MemberFactory(study=study)
    place = begin_attempt(round_=new, member=person, actor=acts(person))
    judge(place, {1: WRONG})
    place.refresh_from_db()
    review = reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    appeal(review=review, words="I did.", actor=OPERATOR)
    judge(begin_attempt(round_=new, member=person, actor=acts(person)), {})
    has_place, has_verdict = Event(), Event()
    store, restore = services._store, services.restore_work

    def stored_slowly(*what: Any, **more: Any) -> Review:
        has_place.set()
        has_verdict.wait(timeout=2)
        return store(*what, **more)

    def restored_with_verdict(**what: Any) -> None:
        has_verdict.set()
        restore(**what)

    monkeypatch.setattr(services, "_store", stored_slowly)
    monkeypatch.setattr(services, "restore_work", restored_with_verdict)

    def work(which: int) -> Any:
        if which == 0:
            return approve(assignment=Assignment.objects.get(pk=place.pk), by=None, actor=OPERATOR)
        has_place.wait(timeout=60)
        return decide_appeal(review=Review.objects.get(), accept=True, note="You did.", by=None, actor=OPERATOR)

    approved, answered = at_once(2, work)
    assert isinstance(approved, Review), approved
    assert isinstance(answered, ConflictError), "it was decided about what was done anew"
    assert Review.objects.get().state == ReviewState.APPROVED
