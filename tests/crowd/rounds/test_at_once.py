"""Many people begin a round at the same moment, each with a connection of their own."""

import time
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.annotations.models import Draft
from annotation_platform.annotations.services import AssignmentLostError, save_draft
from annotation_platform.annotations.taking import hold_item
from annotation_platform.api.crowd import round_items
from annotation_platform.crowd.rounds.models import Attempt, Round, Verdict
from annotation_platform.crowd.rounds.selectors import items_of
from annotation_platform.crowd.rounds.services import (
    attempts,
    begin_attempt,
    decide,
    decide_without_attempt,
    end_round,
    open_round,
    running,
    set_key,
    verdicts,
)
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, Member, Role, Study
from annotation_platform.studies.services import NothingToClaimError, claim_assignment, claiming, members, remove_member
from tests.api.clients import program, send
from tests.crowd.pay.paying import agree
from tests.crowd.rounds.pieces import acts, go_through, judge, new_round
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_everybody_gets_a_place_of_their_own_and_two_clicks_are_one_attempt() -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    people = [MemberFactory(study=study) for _ in range(20 if connection.vendor == "postgresql" else 5)]
    twice = [*people, *people]

    def begin(index: int) -> int:
        return begin_attempt(round_=new, member=twice[index], actor=acts(twice[index])).pk

    results = at_once(len(twice), begin)
    assert not [result for result in results if isinstance(result, Exception)]
    assert results[: len(people)] == results[len(people) :]
    assert len(set(results)) == len(people)
    assert Attempt.objects.count() == len(people)
    places = Assignment.objects.filter(hit__batch__study=new.study)
    assert sorted(places.values_list("place", flat=True)) == list(range(1, len(people) + 1))


def test_a_key_that_is_written_and_a_round_that_opens_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the round's study before the round, so that neither has what the other waits for."""
    study = open_study(overlap=5)
    new = new_round(study)
    client = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    has_begun, has_study = Event(), Event()

    def slowly(*_: Any, **__: Any) -> None:
        has_begun.set()
        has_study.wait(timeout=2)

    monkeypatch.setattr(round_items, "check_version", slowly)

    def work(which: int) -> Any:
        if which == 0:
            sent = {"accepted": {"correct": ["yes"]}, "must_pass": False}
            return send(client, "PUT", f"/studies/{study.slug}/rounds/{new.pk}/items/1/accepted", sent).status_code
        has_begun.wait(timeout=60)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=new.study_id)
            has_study.set()
            return Round.objects.filter(pk=new.pk).update(ended_at=None)

    assert at_once(2, work) == [200, 1]


def test_a_verdict_and_the_last_task_of_an_attempt_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the task's place before the attempt, so that neither has what the other waits for."""
    study = open_study(overlap=5)
    new, by = new_round(study, questions=1), MemberFactory(study=study, role=Role.RESEARCHER)
    place = begin_attempt(round_=new, member=(person := MemberFactory(study=study)), actor=acts(person))
    has_attempt, has_place = Event(), Event()
    give_back, measured = verdicts.give_back_all, attempts.measured

    def given_back_slowly(*what: Any) -> None:
        has_attempt.set()
        has_place.wait(timeout=2)
        give_back(*what)

    def measured_with_place(*what: Any) -> Any:
        has_place.set()
        return measured(*what)

    monkeypatch.setattr(verdicts, "give_back_all", given_back_slowly)
    monkeypatch.setattr(attempts, "measured", measured_with_place)

    def work(which: int) -> Any:
        if which == 0:
            return decide(attempt=Attempt.objects.get(), verdict=Verdict.FAILED, by=by, actor=acts(by))
        has_attempt.wait(timeout=60)
        return judge(place, {})

    decided, submitted = at_once(2, work)
    assert decided is None
    assert isinstance(submitted, AssignmentLostError), "it was given back"
    assert Attempt.objects.get().verdict == Verdict.FAILED


def closing_slowly(monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event]:
    """Whoever ends a round sets the first event before they close its batches, and waits a while for the other one."""
    has_ended, goes_on = Event(), Event()
    close = running.close_batch

    def close_slowly(**what: Any) -> Any:
        has_ended.set()
        goes_on.wait(timeout=2)
        return close(**what)

    monkeypatch.setattr(running, "close_batch", close_slowly)
    return has_ended, goes_on


def test_a_round_that_is_ended_and_opened_at_once_is_one_or_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    new = new_round(open_study(overlap=5))
    has_ended, has_opened = closing_slowly(monkeypatch)

    def work(which: int) -> Any:
        if which == 0:
            return end_round(round_=Round.objects.get(), actor=OPERATOR)
        has_ended.wait(timeout=60)
        opened = open_round(round_=Round.objects.get(), actor=OPERATOR)
        has_opened.set()
        return opened

    assert at_once(2, work) == [0, None]
    new.refresh_from_db()
    assert (new.ended_at, {batch.state for batch in new.study.batches.all()}) == (None, {"open"})


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_the_last_task_of_an_attempt_is_taken_while_its_round_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    member = MemberFactory(study=study)
    place = begin_attempt(round_=new, member=member, actor=acts(member))
    has_ended, is_submitted = closing_slowly(monkeypatch)

    def work(which: int) -> Any:
        if which == 0:
            return end_round(round_=Round.objects.get(), actor=OPERATOR)
        has_ended.wait(timeout=60)
        judge(place, {})
        return is_submitted.set()

    assert at_once(2, work) == [0, None]
    assert Attempt.objects.get().verdict == Verdict.PASSED


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_a_verdict_without_an_attempt_holds_attempts_in_the_order_in_which_they_are_compared_again() -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    member, admin = MemberFactory(study=study), MemberFactory(study=study, role=Role.ADMIN)
    about = {"round_": new, "member": member, "verdict": Verdict.FAILED, "by": admin, "actor": OPERATOR}
    decide_without_attempt(**about)
    Attempt.objects.create(round=new, member=member, number=1, started_at=timezone.now())
    has_first, is_on = Event(), Event()

    def work(which: int) -> Any:
        if which == 0:
            with transaction.atomic():
                for each in Attempt.objects.order_by("pk"):
                    Attempt.objects.select_for_update(no_key=True).get(pk=each.pk)
                    has_first.set()
                    is_on.wait(timeout=2)
                return None
        has_first.wait(timeout=60)
        return decide_without_attempt(**about).number

    assert at_once(2, work) == [None, 0]
    assert set(Attempt.objects.values_list("verdict", flat=True)) == {Verdict.FAILED}


def test_people_who_begin_at_once_get_no_more_places_than_the_budget_allows() -> None:
    study = open_study(overlap=5)
    new = new_round(study)
    agree(new.study, reward=100, budget=200)
    people = [MemberFactory(study=study) for _ in range(5)]
    results = at_once(
        len(people), lambda index: begin_attempt(round_=new, member=people[index], actor=acts(people[index]))
    )
    refused = [result for result in results if isinstance(result, Exception)]
    assert [type(each) for each in refused] == [NothingToClaimError] * 3
    assert Attempt.objects.count() == 2


def test_who_gets_a_verdict_while_they_take_a_task_does_not_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study(overlap=5)
    new, by = new_round(study), MemberFactory(study=study, role=Role.RESEARCHER)
    place = begin_attempt(round_=new, member=(person := MemberFactory(study=study)), actor=acts(person))
    has_given_back, has_taken = Event(), Event()
    give_back = verdicts.give_back_all

    def given_back_slowly(*what: Any) -> None:
        give_back(*what)
        has_given_back.set()
        has_taken.wait(timeout=2)

    monkeypatch.setattr(verdicts, "give_back_all", given_back_slowly)

    def work(which: int) -> Any:
        if which == 0:
            return decide(attempt=Attempt.objects.get(), verdict=Verdict.FAILED, by=by, actor=acts(by))
        has_given_back.wait(timeout=60)
        annotator = Member.objects.select_related("study").get(pk=place.annotator_id)
        taken = claim_assignment(annotator=annotator, actor=acts(person))
        has_taken.set()
        return taken

    decided, taken = at_once(2, work)
    assert decided is None
    assert isinstance(taken, NotEligibleError)
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_an_attempt_that_finishes_while_accepted_answers_change_is_compared_with_the_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = open_study(overlap=5)
    new = new_round(study, questions=1)
    place = begin_attempt(round_=new, member=(person := MemberFactory(study=study)), actor=acts(person))
    is_measured, measured = Event(), attempts.measured

    def measured_early(*what: Any) -> Any:
        found = measured(*what)
        is_measured.set()
        time.sleep(1)
        return found

    monkeypatch.setattr(attempts, "measured", measured_early)

    def work(which: int) -> Any:
        if which == 0:
            return judge(place, {})
        is_measured.wait(timeout=60)
        (item,) = items_of(new)
        raw = {"correct": ["no"], "completeness": ["complete"]}
        return set_key(round_=Round.objects.get(), item=item, raw=raw, must_pass=False, actor=OPERATOR)

    assert not [each for each in at_once(2, work) if isinstance(each, Exception)]
    assert (Attempt.objects.get().matched, Attempt.objects.get().compared) == (1, 2)


@pytest.mark.parametrize("how", ["removed", "deleted", "barred"])
def test_who_begins_a_round_while_they_are_let_out_holds_no_task_of_it(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = open_study(overlap=5)
    new, person, by = new_round(study), MemberFactory(study=study), MemberFactory(study=study, role=Role.ADMIN)
    has_begun, comes_in = Event(), attempts._annotator

    def come_in_slowly(*what: Any) -> Member:
        has_begun.set()
        time.sleep(1)
        return comes_in(*what)

    monkeypatch.setattr(attempts, "_annotator", come_in_slowly)

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=person.pk)
        if which == 0:
            return begin_attempt(round_=new, member=own, actor=acts(person))
        has_begun.wait(timeout=60)
        if how == "removed":
            return remove_member(member=own, actor=OPERATOR)
        if how == "barred":
            return decide_without_attempt(round_=new, member=own, verdict=Verdict.FAILED, by=by, actor=OPERATOR)
        assert own.user is not None
        return delete_account(user=own.user, actor=OPERATOR)

    begun, let_out = at_once(2, work)
    assert isinstance(begun, Assignment), begun
    assert not isinstance(let_out, Exception), let_out
    assert not Assignment.objects.exclude(annotator=None).exists()
    assert Member.objects.filter(study=new.study).exclude(user=None).exists() == (how == "barred")


def test_who_takes_a_task_of_a_round_and_deletes_their_account_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who takes one holds the round's study before the annotator's row; who deletes the account waits for that row."""
    study = open_study(overlap=5)
    new, person = new_round(study, articles=2), MemberFactory(study=study)
    go_through(new, MemberFactory(study=study), {}, {})  # so that a place has to be made
    place = begin_attempt(round_=new, member=person, actor=acts(person))
    judge(place, {})
    has_row, own_places = Event(), claiming.place_of_their_own

    def found_slowly(annotator: Member) -> Any:
        has_row.set()
        time.sleep(1)
        return own_places(annotator)

    monkeypatch.setattr(claiming, "place_of_their_own", found_slowly)

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=place.annotator_id)
        if which == 0:
            return claim_assignment(annotator=own, actor=acts(person))
        has_row.wait(timeout=60)
        assert own.user is not None
        return delete_account(user=own.user, actor=OPERATOR)

    taken, deleted = at_once(2, work)
    assert isinstance(taken, Assignment), taken
    assert deleted is None
    assert not Assignment.objects.filter(state="claimed").exists()


@pytest.mark.parametrize("begins", [False, True])
def test_who_takes_a_task_of_a_round_and_is_let_out_of_its_own_study_wait_for_each_other(
    begins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both lock the round's study before who they are in it, so that neither has what the other waits for."""
    study = open_study(overlap=5)
    new, person = new_round(study, articles=2, attempts_allowed=2), MemberFactory(study=study)
    MemberFactory(study=new.study, role=Role.ADMIN)
    go_through(new, MemberFactory(study=study), {}, {})  # so that a place has to be made
    place = begin_attempt(round_=new, member=person, actor=acts(person))
    judge(place, {})
    if begins:
        by = MemberFactory(study=study, role=Role.RESEARCHER)
        decide(attempt=Attempt.objects.get(member=person), verdict=Verdict.FAILED, by=by, actor=acts(by))
    has_row, has_study = Event(), Event()
    own_places, let_out = claiming.place_of_their_own, members._let_out

    def found_slowly(annotator: Member) -> Any:
        has_row.set()
        has_study.wait(timeout=2)
        return own_places(annotator)

    def let_out_with_study(*what: Any) -> None:
        has_study.set()
        let_out(*what)

    monkeypatch.setattr(claiming, "place_of_their_own", found_slowly)
    monkeypatch.setattr(members, "_let_out", let_out_with_study)

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=place.annotator_id)
        if which == 0 and begins:
            return begin_attempt(round_=new, member=person, actor=acts(person))
        if which == 0:
            return claim_assignment(annotator=own, actor=acts(person))
        has_row.wait(timeout=60)
        return remove_member(member=own, actor=OPERATOR)

    taken, removed = at_once(2, work)
    assert isinstance(taken, Assignment), taken
    assert removed is None
    assert not Assignment.objects.filter(state="claimed").exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_who_begins_again_and_a_page_of_before_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both lock the place before what is typed, so that neither has what the other waits for."""
    study = open_study(overlap=5)
    new, person = new_round(study, questions=1, attempts_allowed=2), MemberFactory(study=study)
    by = MemberFactory(study=study, role=Role.RESEARCHER)
    place = begin_attempt(round_=new, member=person, actor=acts(person))
    annotator, item = Member.objects.get(pk=place.annotator_id), place.hit.items.get()
    save_draft(annotator=annotator, item=item, values={"correct": "yes"}, seconds=1.0, version=0)
    decide(attempt=Attempt.objects.get(), verdict=Verdict.FAILED, by=by, actor=acts(by))
    has_draft, has_place = Event(), Event()
    take = attempts.take_task

    def taken_slowly(**what: Any) -> Any:
        has_draft.set()
        has_place.wait(timeout=2)
        return take(**what)

    monkeypatch.setattr(attempts, "take_task", taken_slowly)

    def work(which: int) -> Any:
        if which == 0:
            return begin_attempt(round_=new, member=person, actor=acts(person)).pk
        has_draft.wait(timeout=60)
        with transaction.atomic():
            held, asked = hold_item(person.user, place.pk, 1)
            has_place.set()
            return save_draft(
                annotator=held.annotator, item=asked, values={"correct": "no"}, seconds=2.0, version=1
            ).version

    assert at_once(2, work) == [place.pk, 2]
    assert not Draft.objects.exists()
