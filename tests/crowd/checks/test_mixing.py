"""Where checks go: into drafts, at the rate, by chance, and never where they would be noticed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.checks.choosing import Candidate as Choosable
from annotation_platform.crowd.checks.choosing import Task, choose
from annotation_platform.crowd.checks.models import CheckResult, Placement
from annotation_platform.crowd.checks.services import mix_in, retire_check, use_again
from annotation_platform.studies.models import Assignment, BatchState, Candidate, Item, Study
from annotation_platform.studies.services import NothingToClaimError, draw_batch, open_batch, plan_batches
from tests.crowd.checks.pieces import add_some, judge, set_rule, take
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = pytest.mark.pages

TASKS = [Task(pk, pk % 2, frozenset({pk}), frozenset({pk}), 4) for pk in range(100, 160)]
CHECKS = [Choosable(pk, pk % 2, 1000 + pk, frozenset({1000 + pk})) for pk in range(6)]


def test_one_task_of_each_so_many_in_a_row_has_one_and_no_pattern_tells_which() -> None:
    found = list(choose(TASKS, CHECKS, every=5, used={}, seed="s"))
    assert [(each.task - 100) // 5 for each in found] == list(range(12))
    assert len({(each.task - 100) % 5 for each in found}) > 2
    assert len({each.position for each in found}) > 3
    assert {each.position for each in found} <= set(range(1, 6))
    assert (
        found
        == list(choose(TASKS, CHECKS, every=5, used={}, seed="s"))
        != list(choose(TASKS, CHECKS, every=5, used={}, seed="t"))
    )


def test_checks_of_the_same_document_come_first_and_are_used_evenly() -> None:
    found = list(choose(TASKS, CHECKS, every=1, used={}, seed="s"))
    assert not any(each.is_elsewhere for each in found)
    assert {sum(each.check == pk for each in found) for pk in range(6)} == {10}


def test_a_task_never_asks_the_same_question_twice() -> None:
    same = [Choosable(1, 0, 100, frozenset({5})), Choosable(2, 0, 7, frozenset({100}))]
    assert not list(choose(TASKS[:1], same, every=1, used={}, seed="s"))


def test_where_no_check_fits_the_task_that_was_drawn_another_of_its_row_gets_one() -> None:
    one = [Choosable(1, 0, 1001, frozenset({1001}))]
    usual = [each.task for each in choose(TASKS, one, every=5, used={}, seed="s")]
    asks_it = [Task(task.pk, task.article, frozenset({1001}), task.answers, 4) for task in TASKS if task.pk in usual]
    tasks = sorted([*asks_it, *(task for task in TASKS if task.pk not in usual)], key=lambda task: task.pk)
    found = [each.task for each in choose(tasks, one, every=5, used={}, seed="s")]
    assert [(pk - 100) // 5 for pk in found] == list(range(12))
    assert not set(found) & set(usual)


def test_tasks_with_a_check_get_no_other() -> None:
    checked = [task if task.pk % 5 else Task(*list(vars(task).values())[:5], has_check=True) for task in TASKS]
    assert not list(choose(checked, CHECKS, every=5, used={}, seed="s"))


@pytest.mark.django_db
def test_drafts_get_checks_once_and_open_batches_none() -> None:
    study = make_study(corpus=make_corpus(articles=5, questions=2), hits_per_batch=4)
    plan_batches(study=study)
    first, *rest = study.batches.all()
    open_batch(batch=first, actor=OPERATOR)
    set_rule(study, every=2)
    add_some(study, 3)
    mixed = mix_in(study=study, actor=OPERATOR)
    assert mixed.checks == mixed.elsewhere == mixed.tasks // 2 > 0
    assert not mix_in(study=study, actor=OPERATOR).checks
    assert not Item.every.filter(hit__batch=first, is_check=True).exists()
    for hit in rest[0].hits.all():
        shown = list(Item.every.filter(hit=hit).values_list("position", flat=True))
        assert shown == list(range(1, len(shown) + 1))
        assert len(shown) == hit.items.count() + Item.every.filter(hit=hit, is_check=True).count()
    assert Candidate.every.filter(study=study, is_check=True).count() == mixed.checks > 3, "one check in many tasks"


@pytest.mark.django_db
def test_without_a_check_in_use_or_a_draft_it_says_so() -> None:
    study = make_study()
    for check in add_some(study, 1):
        retire_check(check=check, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="no check in use"):
        mix_in(study=study, actor=OPERATOR)
    use_again(check=check, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="No batch is a draft"):
        mix_in(study=study, actor=OPERATOR)


@pytest.mark.django_db
def test_an_answer_that_is_a_check_is_planned_all_the_same() -> None:
    study = make_study(corpus=make_corpus(questions=2, systems=("alder",)))
    plan_batches(study=study)
    answers = study.items.count()
    set_rule(study)
    add_some(study, 1)
    mix_in(study=study, actor=OPERATOR)
    with pytest.raises(InvalidInputError):  # all answers of the corpus are in a task
        plan_batches(study=study)
    assert study.items.count() == answers


def planned_study(articles: int, **settings: int) -> Study:
    study = make_study(corpus=make_corpus(articles=articles, questions=1, systems=("alder",)), **settings)
    plan_batches(study=study)
    return study


@pytest.mark.django_db
def test_nothing_is_mixed_in_by_itself_unless_the_rule_says_so() -> None:
    study = planned_study(4)
    add_some(study, 1)
    set_rule(study, every=1)
    open_batch(batch=study.batches.get(), actor=OPERATOR)
    assert not Placement.objects.exists()


@pytest.mark.django_db
def test_by_itself_drafts_and_drawn_batches_get_theirs_when_they_open_and_a_study_without_checks_opens_too() -> None:
    study = planned_study(9, hits_per_batch=3)
    set_rule(study, every=2, mixes_by_itself=True)
    open_batch(batch=study.batches.get(number=1), actor=OPERATOR)
    assert not Placement.objects.exists()
    add_some(study, 2)
    drawn = draw_batch(study=study, tasks=4, actor=OPERATOR)
    open_batch(batch=drawn, actor=OPERATOR)
    assert Placement.objects.filter(item__hit__batch=drawn).count() == 2
    rest = study.batches.filter(state=BatchState.DRAFT).order_by("number")
    mix_in(study=study, actor=OPERATOR)
    before = Placement.objects.count()
    for batch in rest:
        open_batch(batch=batch, actor=OPERATOR)
    assert Placement.objects.count() == before, "those that were mixed in by hand get no second one"


@pytest.mark.django_db
@settings(max_examples=15, deadline=None)
@given(
    tasks=some.integers(2, 9),
    every=some.integers(1, 4),
    checks=some.integers(1, 4),
    people=some.integers(1, 2),
    per_batch=some.integers(2, 5),
)
def test_mixed_by_itself_the_rate_holds_and_nobody_meets_a_check_twice_that_counts(
    tasks: int, every: int, checks: int, people: int, per_batch: int
) -> None:
    """Whatever the study: one of each so many, no figure's rows change, and a check counts once for each person."""
    study = planned_study(tasks, hits_per_batch=per_batch, overlap=people)
    known = [study.items.count(), study.candidates.count()]
    set_rule(study, every=every, mixes_by_itself=True)
    add_some(study, checks)
    for batch in study.batches.all():
        open_batch(batch=batch, actor=OPERATOR)
        placed = Placement.objects.filter(item__hit__batch=batch).count()
        assert batch.hits.count() // every <= placed <= -(-batch.hits.count() // every)
    assert [study.items.count(), study.candidates.count()] == known
    for _ in range(people):
        annotator = MemberFactory(study=study)
        met: set[int] = set()
        for _ in range(tasks):
            has_new = Assignment.objects.free_for(annotator).new_to(annotator).exists()
            place = take(annotator)
            here = set(Placement.objects.filter(item__hit=place.hit).values_list("check_item", flat=True))
            assert not (here & met and has_new), "no check again while there is a task without one they met"
            met |= here
            judge(place)
        with pytest.raises(NothingToClaimError):
            take(annotator)
        counted = CheckResult.objects.filter(annotator=annotator, is_repeated=False)
        assert counted.count() == counted.values("check_item").distinct().count()
