"""Which task comes next, by each of the policies; with any of them no place is taken twice."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.assignment_policies import POLICIES
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, AssignmentPolicy, AssignmentState, Hit, Member, Study
from annotation_platform.studies.services import NothingToClaimError, change_study, claim_assignment
from tests.factories import MemberFactory, make_corpus, open_study

pytestmark = pytest.mark.django_db
ACTOR = Actor.operator("tests")


def study_by(policy: AssignmentPolicy, **fields: int) -> Study:
    study = open_study(corpus=make_corpus(articles=3, questions=2), questions_per_hit=1, **fields)
    change_study(study=study, assignment_policy=policy, actor=ACTOR)
    return study


def take(annotator: Member) -> Assignment:
    annotator = Member.objects.select_related("study").get(pk=annotator.pk)
    place = claim_assignment(annotator=annotator, actor=ACTOR)
    Assignment.objects.filter(pk=place.pk).update(state=AssignmentState.SUBMITTED)
    return Assignment.objects.select_related("hit").get(pk=place.pk)


def test_in_order_one_task_is_filled_before_the_next_is_begun() -> None:
    study = study_by(AssignmentPolicy.IN_ORDER, overlap=2)
    hits = [take(MemberFactory(study=study)).hit.position for _ in range(4)]
    assert hits == [1, 1, 2, 2]


def test_breadth_first_every_task_is_begun_before_any_gets_a_second_judgment() -> None:
    study = study_by(AssignmentPolicy.BREADTH_FIRST, overlap=2)
    of_first_batch = study.batches.get(number=1).hits.count()
    taken = [take(MemberFactory(study=study)) for _ in range(of_first_batch + 1)]
    assert len({place.hit_id for place in taken[:-1]}) == of_first_batch
    assert taken[-1].place == 2


def test_balanced_one_person_meets_all_systems_alike() -> None:
    study = study_by(AssignmentPolicy.BALANCED, overlap=1)
    annotator = MemberFactory(study=study)
    seen: Counter[str] = Counter()
    systems = set(study.corpus.systems.values_list("name", flat=True))
    for _ in range(2 * len(systems)):
        seen.update(take(annotator).hit.items.values_list("candidates__answer__system__name", flat=True))
    assert set(seen) == systems
    assert max(seen.values()) - min(seen.values()) <= 1


def test_by_chance_tasks_come_in_the_order_that_was_drawn_when_they_were_made() -> None:
    study = study_by(AssignmentPolicy.SAMPLED, overlap=2, hits_per_batch=20)
    hits = list(study.batches.get().hits.all())
    assert len({hit.turn for hit in hits}) == len(hits) == 18
    for hit in hits:  # a task that was drawn with a high probability must not come earlier for it
        Hit.objects.filter(pk=hit.pk).update(probability=1 - hit.turn if hit.turn > 0.5 else hit.turn)
    taken = [take(MemberFactory(study=study)) for _ in range(5)]
    expected = [hit.pk for hit in sorted(hits, key=lambda hit: hit.turn) for _ in range(2)]
    assert [place.hit_id for place in taken] == expected[:5]


@pytest.mark.parametrize("policy", [AssignmentPolicy.BREADTH_FIRST, AssignmentPolicy.BALANCED])
def test_postgresql_does_not_look_at_every_task_for_a_first_place_when_all_are_full(policy: AssignmentPolicy) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL plans by counted rows; run with DATABASE_URL=postgres://… to see this")
    tasks = 2_000
    study = study_by(policy, overlap=2)
    batch, article = study.batches.get(number=1), study.corpus.articles.first()
    first = batch.hits.count() + 1
    added = Hit.objects.bulk_create(Hit(batch=batch, article=article, position=first + n) for n in range(tasks))
    full = {"state": AssignmentState.SUBMITTED, "annotator": MemberFactory(study=study)}
    Assignment.objects.bulk_create(Assignment(hit=hit, place=1, **full) for hit in added)
    Assignment.objects.bulk_create(Assignment(hit=hit, place=2) for hit in added)
    Assignment.objects.filter(hit__batch__study=study, place=1).update(**full)
    annotator = Member.objects.select_related("study").get(pk=MemberFactory(study=study).pk)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE studies_assignment, studies_hit")
    with CaptureQueriesContext(connection) as asked, transaction.atomic():
        places = list(POLICIES[policy](Assignment.objects.free_for(annotator), annotator))
    assert {place.place for place in places} == {2}
    of_full = next(each["sql"] for each in asked if '"place" = 1' in each["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {of_full}")
        [(plan,)] = cursor.fetchall()
    assert rows_read(plan[0]["Plan"]) < tasks / 10


def rows_read(plan: dict[str, Any]) -> int:
    """How many rows the steps of a plan gave or threw away, each times its repetitions.

    A bitmap of an index has entries of rows that earlier tests rolled back; the step above it looks at what is there.
    """
    is_bitmap = plan["Node Type"] == "Bitmap Index Scan"
    own = 0 if is_bitmap else (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return int(own) + sum(rows_read(step) for step in plan.get("Plans", []))


@pytest.mark.parametrize("policy", AssignmentPolicy.values)
def test_every_place_is_taken_once_and_none_is_left(policy: AssignmentPolicy) -> None:
    study = study_by(policy, overlap=2)
    taken = []
    for annotator in [MemberFactory(study=study) for _ in range(3)]:
        while True:
            try:
                taken.append(take(annotator))
            except NothingToClaimError:
                break
    places = Assignment.objects.filter(hit__batch__study=study, hit__batch__state="open")
    assert len(taken) == places.count() == len({place.pk for place in taken})
    assert not places.filter(state=AssignmentState.OPEN).exists()


def test_evenly_nobody_gets_far_more_than_the_others_at_work() -> None:
    study = study_by(AssignmentPolicy.EVEN, overlap=3)
    eager, other = (MemberFactory(study=study) for _ in range(2))
    take(other)
    for _ in range(4):
        take(eager)
    with pytest.raises(NotEligibleError) as refused:
        take(eager)
    assert refused.value.reason.code == "studies.far_ahead"
    assert refused.value.reason.parameters == {"count": 4, "others": 1}
    take(other)
    take(eager)
    long_ago = timezone.now() - timedelta(minutes=2 * study.time_limit_minutes)
    Assignment.objects.filter(annotator=other).update(claimed_at=long_ago, lease_expires_at=long_ago)
    for _ in range(3):
        take(eager)
    take(other)
    assert take(other), "who has less never waits"
    with pytest.raises(NotEligibleError):
        take(eager)
    change_study(study=study, assignment_policy=AssignmentPolicy.BALANCED, actor=ACTOR)
    take(eager)
