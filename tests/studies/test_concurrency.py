"""Many requests at the same moment, each with a connection of its own, against the real database."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import BatchClosedError, submit_judgment
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Member, Role, Study
from annotation_platform.studies.services import (
    BatchStateError,
    NothingToClaimError,
    change_role,
    claim_assignment,
    close_batch,
    close_batch_if_complete,
    exclude_member,
    lease_assignment,
    leave_study,
    members,
    open_batch,
    pause_member,
    plan_batches,
)
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, make_study, open_a_batch, open_study, submit
from tests.some import some

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),  # one at a time: a server has a hundred by default
]
Result = TypeVar("Result")


def many() -> int:
    """How many come at once: each has a connection of its own, which takes a server longer than what it then asks.

    SQLite has one writer at a time, so a few are enough to make them wait.
    """
    return 16 if connection.vendor == "postgresql" else 8


def at_once(count: int, work: Callable[[int], Result]) -> list[Result | Exception]:
    """Run ``work(0)``, …, ``work(count - 1)`` in threads that start together; return results and errors."""
    start = Barrier(count)

    def run(index: int) -> Result | Exception:
        try:
            start.wait(timeout=60)
            return work(index)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def annotators(study: Study, count: int) -> list[Member]:
    return [MemberFactory(study=study) for _ in range(count)]


def expire(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_overlap_is_never_exceeded_and_nobody_judges_a_hit_twice() -> None:
    overlap = many() // 4
    study = open_study(corpus=make_corpus(articles=3, questions=2, systems=("alder", "birch")), overlap=overlap)
    hits, people = 6, annotators(study, many())
    assert Assignment.objects.count() == hits * overlap < hits * many()

    def work(index: int) -> list[int]:
        taken = []
        while True:
            try:
                place = claim_assignment(annotator=people[index], actor=OPERATOR)
            except NothingToClaimError:
                return taken
            for item in place.hit.items.all():
                submit(place, item)
            taken.append(place.pk)

    results = at_once(many(), work)

    assert not [result for result in results if isinstance(result, Exception)]
    taken = [pk for result in results if isinstance(result, list) for pk in result]
    assert len(taken) == len(set(taken)) == hits * overlap  # every place once
    assert not Assignment.objects.exclude(state=AssignmentState.SUBMITTED).exists()
    pairs = list(Assignment.objects.values_list("hit", "annotator"))
    assert len(pairs) == len(set(pairs))
    for hit in {hit for hit, _ in pairs}:
        for item in some(Annotation.objects.filter(item__hit=hit).values_list("item", flat=True).distinct()):
            assert Annotation.objects.current().filter(item=item).count() == overlap


@pytest.mark.parametrize("what", ["paused", "excluded", "removed"])
def test_who_may_take_nothing_any_more_takes_nothing_by_a_request_that_began_before(what: str) -> None:
    annotator = MemberFactory(study=open_study(corpus=make_corpus()))
    member = Member.objects.get(pk=annotator.pk)
    if what == "removed":
        leave_study(member=member, actor=OPERATOR)
    else:
        {"paused": pause_member, "excluded": exclude_member}[what](member=member, because="Enough.", actor=OPERATOR)
    with pytest.raises(NotEligibleError):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    assert not Assignment.objects.exclude(annotator=None).exists()


@pytest.mark.parametrize("gets_another_role", [False, True])
def test_who_leaves_while_they_take_a_task_does_not_hold_it(
    gets_another_role: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotator = MemberFactory(study=open_study(corpus=make_corpus()))
    has_given_back, has_taken = Event(), Event()
    give_back = members.give_back_all

    def slowly(*what: Any) -> None:
        give_back(*what)
        has_given_back.set()
        has_taken.wait(timeout=2)

    monkeypatch.setattr(members, "give_back_all", slowly)

    def work(which: int) -> Any:
        own = Member.objects.select_related("study").get(pk=annotator.pk)
        if which == 0 and gets_another_role:
            return change_role(member=own, role=Role.RESEARCHER, actor=OPERATOR)
        if which == 0:
            return leave_study(member=own, actor=OPERATOR)
        has_given_back.wait(timeout=60)
        taken = claim_assignment(annotator=own, actor=OPERATOR)
        has_taken.set()
        return taken

    left, taken = at_once(2, work)
    assert left is None
    assert isinstance(taken, InvalidInputError if gets_another_role else NotEligibleError)
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_who_leaves_by_two_clicks_has_left_once() -> None:
    annotator = MemberFactory(study=open_study(corpus=make_corpus()))
    first, second = (Member.objects.get(pk=annotator.pk) for _ in range(2))
    leave_study(member=first, actor=OPERATOR)
    leave_study(member=second, actor=OPERATOR)  # of a page that was read before
    assert [member.former_user_id for member in (first, second)] == [annotator.user_id] * 2
    assert second.removed_at == first.removed_at


def test_one_annotator_asking_many_times_at_once_gets_one_place() -> None:
    study = open_study(overlap=5)
    (annotator,) = annotators(study, 1)
    results = at_once(many(), lambda _: claim_assignment(annotator=annotator, actor=OPERATOR).pk)
    assert len(set(results)) == 1
    assert Assignment.objects.filter(annotator=annotator).count() == 1


def test_the_last_place_goes_to_exactly_one() -> None:
    study = open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    people = annotators(study, many())
    results = at_once(many(), lambda index: claim_assignment(annotator=people[index], actor=OPERATOR).annotator_id)
    winners = [result for result in results if not isinstance(result, Exception)]
    assert winners == [Assignment.objects.get().annotator_id]
    assert all(isinstance(r, NothingToClaimError) for r in some(results) if r not in winners)


def test_an_expired_place_goes_to_exactly_one_and_its_old_holder_never_gets_another_persons() -> None:
    study = open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    people = annotators(study, many())
    place = claim_assignment(annotator=people[0], actor=OPERATOR)
    expire(place)

    def work(index: int) -> int:
        claimed = claim_assignment(annotator=people[index], actor=OPERATOR)
        assert claimed.annotator_id == people[index].pk
        return people[index].pk

    results = at_once(many(), work)

    (winner,) = [result for result in results if isinstance(result, int)]
    assert Assignment.objects.get().annotator_id == winner
    assert {type(result) for result in results if not isinstance(result, int)} <= {NothingToClaimError}


def test_a_place_that_was_seen_free_by_many_is_taken_once() -> None:
    study = open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    people = annotators(study, many())
    seen = [Assignment.objects.get() for _ in people]
    results = at_once(many(), lambda index: lease_assignment(place=seen[index], annotator=people[index]))
    assert sorted(map(str, results)) == ["False"] * (many() - 1) + ["True"]


def test_a_taker_who_had_to_wait_for_another_one_looks_again() -> None:
    study = open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    first, second = annotators(study, 2)
    place, same_place = Assignment.objects.get(), Assignment.objects.get()

    def take() -> bool:
        try:
            return lease_assignment(place=same_place, annotator=second)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            assert lease_assignment(place=place, annotator=first)
            waiting = thread.submit(take)
            time.sleep(0.3)
        assert waiting.result() is False
    assert Assignment.objects.get().annotator == first


@pytest.mark.parametrize("head_start", [0.0, 0.01, 0.03])
def test_a_submission_counts_before_the_close_or_is_refused(head_start: float) -> None:
    people_count = many() - 1
    batch = open_a_batch(corpus=make_corpus(questions=1, systems=("alder",)), overlap=people_count)
    people = annotators(batch.study, people_count)
    places = [claim_assignment(annotator=person, actor=OPERATOR) for person in people]
    closed_with: list[int] = []

    def work(index: int) -> str:
        if index == people_count:
            time.sleep(head_start)
            with transaction.atomic():
                close_batch(batch=batch, because="closed by a researcher", actor=OPERATOR)
            closed_with.append(Annotation.objects.closed().count())
            return "closed"
        item = places[index].hit.items.get()
        try:
            submit(places[index], item)
        except BatchClosedError:
            return "refused"
        return "stored"

    results = at_once(people_count + 1, work)

    assert set(results) <= {"closed", "stored", "refused"}
    assert Annotation.objects.closed().count() == results.count("stored") == closed_with[0]
    assert Assignment.objects.filter(state=AssignmentState.SUBMITTED).count() == results.count("stored")
    batch.refresh_from_db()
    assert batch.state == BatchState.CLOSED


def test_a_form_that_arrives_many_times_at_once_is_stored_once() -> None:
    study = open_study(corpus=make_corpus(questions=1, systems=("alder",)), overlap=1)
    (annotator,) = annotators(study, 1)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    item, mark = place.hit.items.get(), uuid4()

    def work(_: int) -> bool:
        return submit_judgment(
            actor=Actor.person(annotator.user_id),
            assignment_id=place.pk,
            position=item.position,
            scheme=study.scheme(),
            scheme_signature=study.scheme_version.signature,
            raw=judgment(),
            submission_id=mark,
        ).hit_is_complete

    assert at_once(10, work) == [True] * 10
    assert Annotation.objects.get().submission_id == mark


def test_a_complete_batch_is_closed_by_exactly_one_of_the_last_submitters() -> None:
    batch = open_a_batch(corpus=make_corpus(questions=1, systems=("alder",)), overlap=8)
    people = annotators(batch.study, 8)
    places = [claim_assignment(annotator=person, actor=OPERATOR) for person in people]

    def work(index: int) -> bool:
        submit(places[index], places[index].hit.items.get())
        return close_batch_if_complete(batch=batch, actor=OPERATOR)

    assert sorted(map(str, at_once(8, work))) == ["False"] * 7 + ["True"]


def test_a_batch_that_is_opened_twice_at_once_gets_its_places_once() -> None:
    study = make_study(overlap=3)
    (batch,) = plan_batches(study=study)
    results = at_once(6, lambda _: open_batch(batch=batch, actor=OPERATOR))
    assert results.count(None) == 1
    assert {type(result) for result in results if result is not None} == {BatchStateError}
    assert Assignment.objects.count() == 3 * batch.hits.count()


def test_a_judgment_can_be_stored_while_its_annotator_asks_for_a_task() -> None:
    """Otherwise the two could wait for each other: one holds the annotator's row, the other the place's."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time; run with DATABASE_URL=postgres://… to see this")
    study = open_study(overlap=1)
    (annotator,) = annotators(study, 1)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    item = place.hit.items.first()
    assert item is not None
    asked, stored = Event(), Event()

    def ask() -> bool:
        try:
            with transaction.atomic():
                claim_assignment(annotator=annotator, actor=OPERATOR)
                asked.set()
                return stored.wait(timeout=60)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(ask)
        assert asked.wait(timeout=60)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '30s'")
        try:
            submit(place, item)
            stored.set()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = 0")
    assert asking.result()
