"""Where checks go: into drafts, at the rate, by chance, and never where they would be noticed."""

import pytest

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.checks.choosing import Candidate as Choosable
from annotation_platform.crowd.checks.choosing import Task, choose
from annotation_platform.crowd.checks.services import mix_in, retire_check
from annotation_platform.studies.models import Candidate, Item
from annotation_platform.studies.services import open_batch, plan_batches
from tests.crowd.checks.pieces import add_some, set_rule
from tests.factories import OPERATOR, make_corpus, make_study

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
    retire_check(check=check, actor=OPERATOR)
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
