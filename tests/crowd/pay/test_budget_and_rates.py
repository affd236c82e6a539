"""The budget keeps batches from being opened; hourly rates and what would reach the floor."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_platform.crowd.pacing.gates import verdicts_of
from annotation_platform.crowd.pacing.services import pacing_of
from annotation_platform.crowd.pay.budget import budget_of, places_within_budget
from annotation_platform.crowd.pay.charts import rates_chart
from annotation_platform.crowd.pay.rates import rates_of
from annotation_platform.crowd.pay.services import credit_assignment, credit_bonus
from annotation_platform.studies.models import Assignment, BatchState, Study
from annotation_platform.studies.opening_rules import OpeningRefusedError
from annotation_platform.studies.services import (
    change_overlap,
    close_batch,
    even_out_left_behind,
    open_batch,
    plan_batches,
    reopen_batch,
)
from tests.crowd.checks.pieces import judge, study_with_checks, take
from tests.crowd.pay.paying import agree, paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def planned(**terms: object) -> Study:
    """Two batches of one task for two people each."""
    corpus = make_corpus(articles=2, questions=1, systems=["alder"])
    study = make_study(corpus=corpus, overlap=2, hits_per_batch=1)
    plan_batches(study=study)
    agree(study, **terms)
    return study


def test_a_batch_beyond_the_budget_stays_a_draft_and_says_what_is_missing() -> None:
    study = planned(bonus_percent=20, budget=900)
    first, second = study.batches.all()
    open_batch(batch=first, actor=OPERATOR)
    with pytest.raises(OpeningRefusedError) as refused:
        open_batch(batch=second, actor=OPERATOR)
    assert refused.value.reason.parameters == {
        "number": 2,
        "cost": "4.80",
        "spent": "0.00",
        "committed": "4.80",
        "budget": "9.00",
        "missing": "0.60",
        "currency": "USD",
    }
    second.refresh_from_db()
    assert second.state == BatchState.DRAFT
    agree(study, bonus_percent=20, budget=960)
    open_batch(batch=second, actor=OPERATOR)


def test_more_places_for_open_batches_are_asked_of_the_budget_too() -> None:
    study = planned(bonus_percent=20, budget=959)
    open_batch(batch=study.batches.get(number=1), actor=OPERATOR)
    with pytest.raises(OpeningRefusedError) as refused:
        change_overlap(study=study, overlap=4, actor=OPERATOR)
    assert refused.value.reason.code == "crowd.pay_places_over_budget"
    assert refused.value.reason.parameters["missing"] == "0.01"
    study.refresh_from_db()
    assert (study.overlap, study.evening_at) == (2, None)
    assert Assignment.objects.filter(hit__batch__study=study).count() == 2
    assert change_overlap(study=study, overlap=3, actor=OPERATOR).added == 1
    agree(study, bonus_percent=20, budget=1)
    assert change_overlap(study=study, overlap=1, actor=OPERATOR).removed == 2, "fewer places cost nothing"


def test_whoever_waits_for_a_place_waits_for_no_sum_that_nobody_needs() -> None:
    study = paying_study(overlap=3)
    with CaptureQueriesContext(connection) as asked:
        assert places_within_budget(study, 1) is None
    assert len(asked) == 1, "there is no budget"
    agree(study, budget=10_000, bonus_percent=50)
    statements = []
    for _annotator in range(2):
        place = do(MemberFactory(study=study))
        Assignment.objects.filter(pk=place.pk).update(claimed_at=None)  # as of late work
        with CaptureQueriesContext(connection) as asked:
            assert places_within_budget(study, 1) is None
        statements.append(len(asked))
    assert statements[0] == statements[1], "however many tasks wait"
    budget = budget_of(study)
    assert budget is not None
    assert budget.committed == 2 * 3 * 300, "by what was promised when they were taken"


def test_places_that_are_still_to_be_added_are_committed() -> None:
    study = planned(budget=2_000)
    open_batch(batch=study.batches.get(number=1), actor=OPERATOR)
    Study.objects.filter(pk=study.pk).update(overlap=5, evening_at=timezone.now())  # as a killed process leaves it
    study.refresh_from_db()
    budget = budget_of(study)
    assert budget is not None
    assert budget.committed == 5 * 200
    even_out_left_behind()
    Study.objects.filter(pk=study.pk).update(evening_at=timezone.now() - timedelta(days=1))
    even_out_left_behind()
    again = budget_of(Study.objects.get(pk=study.pk))
    assert again is not None
    assert again.committed == 5 * 200


def test_what_is_committed_becomes_spent_as_work_is_credited() -> None:
    study = planned(bonus_percent=20, budget=10_000)
    batch = study.batches.get(number=1)
    open_batch(batch=batch, actor=OPERATOR)
    annotator = MemberFactory(study=study)

    def spent_and_committed() -> tuple[int, int]:
        budget = budget_of(study)
        assert budget is not None
        return budget.spent, budget.committed

    assert spent_and_committed() == (0, 480)
    place = do(annotator)
    assert spent_and_committed() == (0, 480)
    credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    assert spent_and_committed() == (200, 280)
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    assert spent_and_committed() == (200, 40)
    batch.refresh_from_db()
    credit_bonus(batch=batch, actor=OPERATOR)
    assert spent_and_committed() == (240, 0)


def test_a_finished_batch_is_not_opened_again_beyond_the_budget() -> None:
    study = planned(budget=400)
    batch = study.batches.get(number=1)
    open_batch(batch=batch, actor=OPERATOR)
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    agree(study, budget=399)
    batch.refresh_from_db()
    with pytest.raises(OpeningRefusedError):
        reopen_batch(batch=batch, actor=OPERATOR)


def test_hourly_rates_are_the_rewards_by_the_time_on_task() -> None:
    study = paying_study(reward=20, hourly_floor=1500)  # two items of 30 s each: 60 tasks an hour
    for _ in range(2):
        do(MemberFactory(study=study))
    rates = rates_of(study)
    assert rates is not None
    assert (rates.n, rates.median, rates.reward_for_floor) == (2, 1200, 25)
    assert rates.is_under_floor
    assert len(rates.under_floor) == 2
    assert rates.quartiles is None
    chart = rates_chart(rates)
    assert chart is not None
    assert len({(dot.x, dot.y) for dot in chart.dots}) == 2


def test_the_time_for_checks_among_the_items_is_time_on_task() -> None:
    study = study_with_checks()  # two items and a check in each task, 30 s each
    agree(study, reward=30)
    judge(take(MemberFactory(study=study)))
    rates = rates_of(study)
    assert rates is not None
    assert (rates.rates[0].seconds, rates.median) == (90, 1200)


def test_imported_work_is_in_no_rate() -> None:
    study = paying_study(reward=20)
    annotator = MemberFactory(study=study)
    do(annotator)
    annotator.user = None
    annotator.save()
    rates = rates_of(study)
    assert rates is not None
    assert rates.n == 0


def test_each_task_counts_with_the_reward_that_was_promised_for_it() -> None:
    study = paying_study(reward=20)
    annotator = MemberFactory(study=study)
    do(annotator)
    agree(study, reward=40)
    do(annotator)
    rates = rates_of(study)
    assert rates is not None
    assert (rates.rates[0].tasks, rates.rates[0].hourly) == (2, 1800)


def test_pay_and_budget_can_hold_batches_back() -> None:
    study = paying_study(reward=20, budget=1_000)
    do(MemberFactory(study=study))
    shown = {each.reading.key: each.shown for each in verdicts_of(pacing_of(study))}
    assert shown["pay.hourly"] == "12.00"
    assert shown["pay.budget"] == "9.20"  # four places at 0.20 are bound


def test_nothing_is_told_where_nothing_was_agreed() -> None:
    study = make_study()
    assert (rates_of(study), budget_of(study)) == (None, None)
