"""What holds of places and judgments whatever people do, and in whatever order: a machine tries it out.

It takes, drafts, submits, gives back, lets time run out, adds time, submits too late, excludes and readmits, sets work
aside and restores it, opens, closes and reopens batches, and changes the overlap; after each step it looks at all rows.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from annotation_platform.annotations.late import LateForm, accept_late_work, decline_late_work, keep_late_judgment
from annotation_platform.annotations.models import Annotation, LateJudgment
from annotation_platform.annotations.services import save_draft
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.errors import DomainError
from annotation_platform.studies import services
from annotation_platform.studies.models import (
    Assignment,
    AssignmentPolicy,
    AssignmentState,
    Batch,
    BatchState,
    Hit,
    Item,
    Member,
    SetAside,
    Study,
    takes_judgments,
)
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, make_study, submit

pytestmark = pytest.mark.django_db

PEOPLE, BATCHES, WIDEST = 5, 2, 4
PHASES = (Phase.generate,)
whose = st.integers(0, PEOPLE - 1)
which = st.integers(0, 30)


class Crowd(RuleBasedStateMachine):
    steps: ClassVar[int] = 0  # of all machines

    def __init__(self) -> None:
        super().__init__()
        type(self).steps -= 1  # it is looked at once before its first step
        self._all = transaction.atomic()
        self._all.__enter__()
        self.study: Study = make_study(
            corpus=make_corpus(questions=2, systems=("alder", "birch", "cedar"), sentences=3),
            questions_per_hit=2,
            hits_per_batch=2,
            overlap=2,
        )
        services.plan_batches(study=self.study)
        self.people = [MemberFactory(study=self.study).pk for _ in range(PEOPLE)]
        services.open_batch(batch=self.batch(0), actor=OPERATOR)
        self.places = self.counted()
        self.lost: set[tuple[int, int]] = set()  # place and annotator, of those whose time ran out

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self._all.__exit__(None, None, None)

    # --- What is there ---------------------------------------------------------------------------------------------

    def batch(self, n: int) -> Batch:
        batches = list(Batch.objects.filter(study=self.study).select_related("study").order_by("number"))
        return batches[n % len(batches)]

    def member(self, n: int) -> Member:
        return Member.objects.select_related("study__scheme_version").get(pk=self.people[n])

    def counted(self) -> Counter[int]:
        return Counter(Assignment.objects.filter(hit__batch__study=self.study).values_list("hit", flat=True))

    def some(self, rows: Any, n: int) -> Any:
        found = list(rows.order_by("pk"))
        return found[n % len(found)] if found else None

    def held(self, member: Member) -> Assignment | None:
        found: Assignment | None = self.some(member.assignments.filter(state=AssignmentState.CLAIMED), 0)
        return found

    def attempt(self, step: Callable[[], Any]) -> Any:
        """Do a step that the platform may refuse in its own words; a refusal leaves nothing behind."""
        try:
            with transaction.atomic():
                return step()
        except DomainError:
            return None
        except IntegrityError as error:
            raise AssertionError(f"The database had to refuse what a service should have: {error}") from error

    # --- What annotators do ----------------------------------------------------------------------------------------

    @rule(who=whose)
    def claim(self, who: int) -> None:
        member = self.member(who)
        at_work = set(
            member.assignments.filter(takes_judgments("hit__batch__"), state=AssignmentState.CLAIMED).values_list(
                "pk", flat=True
            )
        )
        place = self.attempt(lambda: take_task(annotator=member, actor=OPERATOR))
        assert place is None or not at_work or place.pk in at_work, "a second task was given out"

    @rule(who=whose, n=which)
    def draft(self, who: int, n: int) -> None:
        member = self.member(who)
        if (item := self.some(Item.objects.filter(study=self.study), n)) is not None:
            self.attempt(
                lambda: save_draft(annotator=member, item=item, values={"reasons": "So far"}, seconds=1, version=0)
            )

    @rule(who=whose, n=which, everything=st.booleans())
    def judge(self, who: int, n: int, everything: bool) -> None:
        if (place := self.held(self.member(who))) is None:
            return
        items = list(place.hit.items.order_by("position"))
        for item in items if everything else [items[n % len(items)]]:
            self.attempt(lambda item=item: submit(place, item, reasons=f"Because of {n}."))

    @rule(who=whose)
    def give_back(self, who: int) -> None:
        member = self.member(who)
        if (place := self.held(member)) is not None:
            self.attempt(lambda: services.return_assignment(assignment=place, annotator=member, actor=OPERATOR))

    @rule(n=which)
    def time_runs_out(self, n: int) -> None:
        if (place := self.some(self.all_places().filter(state=AssignmentState.CLAIMED), n)) is not None:
            self.all_places().filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
            self.lost.add((place.pk, place.annotator_id))

    @rule(who=whose)
    def add_time(self, who: int) -> None:
        member = self.member(who)
        if (place := self.held(member)) is not None:
            self.attempt(
                lambda: services.lengthen_lease(
                    assignment=place, annotator=member, extensions=place.extensions, actor=OPERATOR
                )
            )

    @rule(n=which, position=st.integers(1, 2))
    def submit_too_late(self, n: int, position: int) -> None:
        gone = sorted(self.lost)
        if not gone:
            return
        pk, annotator = gone[n % len(gone)]
        place = Assignment.objects.filter(pk=pk).first()
        if place is None or place.annotator_id in (None, annotator):
            return
        scheme = self.study.scheme_version
        form = LateForm(position, scheme.scheme(), scheme.signature, judgment(), submission_id=uuid4())
        member = self.member(self.people.index(annotator))
        self.attempt(lambda: keep_late_judgment(assignment=place, annotator=member, form=form, actor=OPERATOR))

    # --- What researchers do ---------------------------------------------------------------------------------------

    @rule(n=which, accept=st.booleans())
    def decide_late(self, n: int, accept: bool) -> None:
        waiting = LateJudgment.objects.filter(item__study=self.study, state=LateJudgment.State.WAITING)
        if (late := self.some(waiting, n)) is None:
            return
        about: dict[str, Any] = {
            "hit": Hit.objects.select_related("batch__study").get(pk=late.item.hit_id),
            "annotator": self.member(self.people.index(late.annotator_id)),
            "actor": OPERATOR,
        }
        if accept:
            self.attempt(lambda: accept_late_work(**about))
        else:
            self.attempt(lambda: decline_late_work(because="Too late", **about))

    @rule(n=which)
    def extend(self, n: int) -> None:
        if (place := self.some(self.all_places().filter(state=AssignmentState.CLAIMED), n)) is not None:
            self.attempt(lambda: services.extend_lease(assignment=place, minutes=10, actor=OPERATOR))

    @rule(who=whose, keep_work=st.booleans())
    def exclude(self, who: int, keep_work: bool) -> None:
        member = self.member(who)
        self.attempt(
            lambda: services.exclude_member(member=member, because="Haste", keep_work=keep_work, actor=OPERATOR)
        )

    @rule(who=whose)
    def readmit(self, who: int) -> None:
        self.attempt(lambda: services.readmit_member(member=self.member(who), actor=OPERATOR))

    @rule(n=which)
    def set_aside(self, n: int) -> None:
        if (place := self.some(self.all_places().filter(state=AssignmentState.SUBMITTED), n)) is not None:
            kind = SetAside.Kind.REJECTED
            self.attempt(lambda: services.set_aside(assignment=place, kind=kind, because="Wrong", actor=OPERATOR))

    @rule(n=which)
    def restore(self, n: int) -> None:
        asides = SetAside.objects.filter(annotator__study=self.study, restored_at=None)
        if (aside := self.some(asides, n)) is not None:
            self.attempt(lambda: services.restore_work(aside=aside, actor=OPERATOR))

    @rule(n=which, how=st.sampled_from(["close", "finish", "keep_open", "reopen", "complete"]))
    def end_or_go_on(self, n: int, how: str) -> None:
        batch = self.batch(n)
        steps: dict[str, Callable[[], Any]] = {
            "close": lambda: services.close_batch(batch=batch, because="enough", actor=OPERATOR),
            "finish": lambda: services.finish_batch(batch=batch, because="enough", actor=OPERATOR),
            "keep_open": lambda: services.keep_batch_open(batch=batch, actor=OPERATOR),
            "reopen": lambda: services.reopen_batch(batch=batch, actor=OPERATOR),
            "complete": lambda: (
                services.close_batch_if_complete(batch=batch, actor=OPERATOR)
                if batch.state == BatchState.OPEN
                else None
            ),
        }
        self.attempt(steps[how])

    @rule()
    def open(self) -> None:
        if (batch := self.study.batches.filter(state=BatchState.DRAFT).order_by("number").first()) is not None:
            services.open_batch(batch=batch, actor=OPERATOR)
            overlap = Study.objects.get(pk=self.study.pk).overlap
            self.places += Counter(dict.fromkeys(batch.hits.values_list("pk", flat=True), overlap))

    @rule(overlap=st.integers(1, WIDEST))
    def change_overlap(self, overlap: int) -> None:
        """As many places as the new overlap, but for those that somebody has or wrote in."""
        taking = Hit.objects.filter(
            batch__study=self.study, batch__state=BatchState.OPEN, batch__finishing_since=None
        ).values_list("pk", flat=True)
        untouched = self.all_places().filter(
            state=AssignmentState.OPEN, annotations=None, messages=None, late_judgments=None, set_aside=None
        )
        free = Counter(untouched.values_list("hit", flat=True))
        for hit in taking:
            self.places[hit] = max(overlap, self.places[hit] - free[hit])
        services.change_overlap(study=Study.objects.get(pk=self.study.pk), overlap=overlap, actor=OPERATOR)

    @rule(policy=st.sampled_from(AssignmentPolicy.values))
    def choose_policy(self, policy: str) -> None:
        Study.objects.filter(pk=self.study.pk).update(assignment_policy=policy)

    # --- What always holds -----------------------------------------------------------------------------------------

    @invariant()
    def a_step_more_was_done(self) -> None:
        type(self).steps += 1

    def all_places(self) -> Any:
        return Assignment.objects.filter(hit__batch__study=self.study)

    @invariant()
    def no_place_is_lost_and_none_is_added(self) -> None:
        assert self.counted() == +self.places

    @invariant()
    def no_item_has_more_judgments_than_its_task_has_places(self) -> None:
        judged = Annotation.objects.current().filter(item__study=self.study)
        for (_, hit), judgments in Counter(judged.values_list("item", "item__hit")).items():
            assert judgments <= self.places[hit]

    @invariant()
    def what_counts_is_of_who_has_the_place(self) -> None:
        for judged in Annotation.objects.current().filter(item__study=self.study).select_related("assignment"):
            assert judged.assignment.annotator_id == judged.annotator_id
            assert judged.item.hit_id == judged.assignment.hit_id

    @invariant()
    def what_is_submitted_is_whole_and_what_is_free_counts_nothing(self) -> None:
        current = Annotation.objects.current().filter(item__study=self.study)
        judged = Counter(current.values_list("assignment", flat=True))
        items = Counter(Item.objects.filter(study=self.study).values_list("hit", flat=True))
        for place in self.all_places():
            if place.state == AssignmentState.SUBMITTED:
                assert judged[place.pk] == items[place.hit_id]
            if place.state == AssignmentState.OPEN:
                assert judged[place.pk] == 0

    @invariant()
    def nobody_has_two_places_of_a_task(self) -> None:
        had = Counter(self.all_places().exclude(annotator=None).values_list("hit", "annotator"))
        assert all(times == 1 for times in had.values())

    @invariant()
    def nobody_judges_an_item_twice(self) -> None:
        current = Annotation.objects.current().filter(item__study=self.study)
        assert all(times == 1 for times in Counter(current.values_list("item", "annotator")).values())

    @invariant()
    def who_is_excluded_has_nothing_to_do(self) -> None:
        assert (
            not self.all_places().filter(state=AssignmentState.CLAIMED, annotator__excluded_at__isnull=False).exists()
        )

    @invariant()
    def what_is_late_or_set_aside_counts_nowhere(self) -> None:
        for aside in SetAside.objects.filter(annotator__study=self.study, restored_at=None):
            counted = Annotation.objects.current().filter(
                item__hit=aside.assignment.hit_id, annotator=aside.annotator_id
            )
            assert not counted.exists()
        accepted = LateJudgment.objects.filter(state=LateJudgment.State.ACCEPTED)
        stored = Annotation.objects.filter(submission_id__in=LateJudgment.objects.values("submission_id"))
        assert stored.count() == accepted.count()


def run(steps: int, examples: int) -> int:
    """Try so many orders of at most so many steps; how many steps that were in all."""
    before = Crowd.steps
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    run_state_machine_as_test(
        Crowd,
        settings=settings(
            stateful_step_count=steps,
            max_examples=examples,
            deadline=None,
            suppress_health_check=checks,
            phases=PHASES,
            report_multiple_bugs=False,
        ),
    )
    return Crowd.steps - before


def test_no_order_of_steps_breaks_what_holds_of_places_and_judgments() -> None:
    run(steps=50, examples=4)


@pytest.mark.long(
    "annotation_platform/studies/*.py",
    "annotation_platform/studies/services/*.py",
    "annotation_platform/annotations/*.py",
    "annotation_platform/annotations/services/*.py",
)
def test_nor_do_ten_thousand_steps() -> None:
    assert run(steps=100, examples=125) >= 10_000, "some orders are shorter than asked for"
