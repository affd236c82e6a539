"""What people say of drawn tasks is weighed by the chances that are stored with them, from the rows to the page."""

from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from annotation_platform.analysis.measuring.chosen import ChosenTasks, chosen_tasks, joined
from annotation_platform.analysis.measuring.judged_part import (
    LEFT_OUT,
    NOT_KNOWN,
    JudgedPart,
    judged_part,
    mean_of_all,
)
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.scoring.services import draw_and_open
from annotation_platform.scoring.uncertainty import uncertain_runs, uncertainty_of
from annotation_platform.studies.models import AssignmentPolicy, Batch, Study
from annotation_platform.studies.services import (
    change_study,
    declare_random_parts,
    draw_batch,
    open_batch,
    reopen_batch,
)
from tests.analysis.sections.equivalence.test_equivalence_figures import page_of
from tests.drawn_studies import equivalence_study, is_right, judge_open_batches, probability
from tests.factories import OPERATOR
from tests.journeys.test_export_comes_back import brought_back
from tests.releases.rows import exported

pytestmark = pytest.mark.django_db
ENDS = (0.0, 1.0)


def drawn_and_judged(study: Study, n: int = 30, *, by_uncertainty: bool = True) -> Batch:
    uncertainty = uncertainty_of(study, uncertain_runs(study)[0]) if by_uncertainty else None
    batch = draw_batch(study=study, tasks=n, floor=0.2, uncertainty=uncertainty, seed="1", actor=OPERATOR)
    open_batch(batch=batch, actor=OPERATOR)
    judge_open_batches(study)
    return batch


def figures_of(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = sections_of(take_snapshot(study=study, resamples=2), {"equivalence"})["equivalence"]
    return found


def rows_of(study: Study, batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People's verdicts, the classifier's probabilities, and one over the chances."""
    items = list(study.items.select_related("question", "hit").order_by("question__position"))
    people = [float(is_right(item)) if item.hit.batch_id == batch.pk else np.nan for item in items]
    weights = [1 / item.hit.probability if item.hit.probability else np.nan for item in items]
    return np.array(people), np.array([probability(item) for item in items]), np.array(weights)


def test_the_equivalence_figures_weigh_by_the_stored_chances(client: Client) -> None:
    study = equivalence_study(questions=90)
    batch = drawn_and_judged(study)
    people, model, weights = rows_of(study, batch)
    expected = active_mean(people, model, weights, range(90), ends=ENDS)
    (alder,), found = figures_of(study)["all_answers"], figures_of(study)
    assert found["drawn"] == "uncertainty"
    assert expected.interval is not None
    assert expected.weight > 0
    assert alder["both"]["value"] == pytest.approx(expected.value)
    assert alder["both"]["interval"] == pytest.approx([expected.interval.low, expected.interval.high])
    assert alder["people"]["value"] == pytest.approx(expected.people.value)
    assert alder["people"]["value"] != pytest.approx(np.nanmean(people))  # as they come they are harder than all
    assert (alder["people"]["judgments"], alder["answers"]) == (30, 90)
    assert alder["effective"] == pytest.approx(expected.n_effective)
    assert alder["no_model_because"] is None

    page = unescape(page_of(client, study, "agreement_equivalence"))
    assert "so that each is weighed by the chance that it had" in page
    assert "Tasks were drawn for people by a model's uncertainty" in page
    assert "People were given tasks" not in page  # said once
    for name in ("agreement", "agreement_annotators"):
        assert "they do not speak for all answers" in unescape(page_of(client, study, name))
    assert "Figures of “all answers” are weighed" in unescape(page_of(client, study, "agreement_systems"))


def test_without_the_chances_the_same_judgments_are_no_random_part() -> None:
    study = equivalence_study(questions=90)
    people, model, _ = rows_of(study, drawn_and_judged(study))
    chosen = chosen_tasks(study)
    assert chosen is not None
    items = list(study.items.order_by("question__position").values_list("pk", flat=True))
    weighed = mean_of_all(people, model, np.arange(90), items, JudgedPart(chosen), ENDS)
    even = mean_of_all(people, model, np.arange(90), items, JudgedPart(), ENDS)
    assert weighed.value != pytest.approx(even.value)
    assert even == prediction_powered_mean(people, model, range(90), ends=ENDS)


def test_a_random_draw_is_said_to_be_one(client: Client) -> None:
    study = equivalence_study(questions=60)
    drawn_and_judged(study, by_uncertainty=False)
    assert figures_of(study)["drawn"] == "random"
    page = unescape(page_of(client, study, "agreement_equivalence"))
    assert "were drawn at random; they correct what the classifier gets wrong" in page
    assert "by a model's uncertainty" not in page
    assert "by a model's uncertainty" not in unescape(page_of(client, study, "agreement"))


def test_where_nothing_was_drawn_nothing_changes() -> None:
    study = equivalence_study(questions=60, hits_per_batch=30)
    open_batch(batch=study.batches.get(number=1), actor=OPERATOR)
    judge_open_batches(study)
    assert chosen_tasks(study) is None
    assert figures_of(study)["drawn"] == ""
    assert judged_part(study).unknown_because == NOT_KNOWN


def without_judgments(study: Study, batch: Batch, *, tasks: int) -> None:
    Annotation.objects.filter(item__hit__in=batch.hits.order_by("position")[:tasks]).delete()


def set_policy(study: Study, policy: AssignmentPolicy) -> None:
    change_study(study=study, assignment_policy=policy, actor=OPERATOR)


def test_of_a_draw_that_was_not_judged_to_its_end_it_is_not_known_that_chance_decided() -> None:
    study = equivalence_study(questions=60)
    batch = drawn_and_judged(study)
    assert figures_of(study)["all_answers"][0]["no_model_because"] is None
    without_judgments(study, batch, tasks=4)
    (alder,) = figures_of(study)["all_answers"]
    assert (alder["no_model_because"], alder["people"]["judgments"]) == (LEFT_OUT, 26)
    assert alder["both"] == alder["people"]
    declare_random_parts(study=study, judged=True, scored=False, actor=OPERATOR)
    (alder,) = figures_of(study)["all_answers"]
    assert alder["no_model_because"] is None
    assert figures_of(study)["drawn"] == "uncertainty"  # still weighed by the chances


def test_what_is_left_of_a_draw_is_left_by_chance_where_chance_decided_the_order_of_tasks() -> None:
    study = equivalence_study(questions=60)
    set_policy(study, AssignmentPolicy.SAMPLED)
    without_judgments(study, drawn_and_judged(study), tasks=4)
    assert judged_part(study).unknown_because is None
    set_policy(study, AssignmentPolicy.IN_ORDER)
    assert judged_part(study).unknown_because == LEFT_OUT
    set_policy(study, AssignmentPolicy.SAMPLED)  # it was another one in between
    assert judged_part(study).unknown_because == LEFT_OUT


def test_a_batch_before_a_draw_that_was_not_judged_to_its_end_is_no_random_part_either() -> None:
    study = equivalence_study(questions=60, hits_per_batch=20)
    set_policy(study, AssignmentPolicy.SAMPLED)
    by_hand = study.batches.get(number=1)
    open_batch(batch=by_hand, actor=OPERATOR)
    judge_open_batches(study)
    drawn_and_judged(study, 20, by_uncertainty=False)
    assert judged_part(study).unknown_because is None
    without_judgments(study, by_hand, tasks=4)  # it counts once, as if all of it were known
    assert judged_part(study).unknown_because == LEFT_OUT


def test_what_was_judged_of_a_draw_stands_for_the_rest_of_it_beside_what_was_given_otherwise() -> None:
    study = equivalence_study(questions=60, hits_per_batch=20)
    set_policy(study, AssignmentPolicy.SAMPLED)
    by_hand = study.batches.get(number=1)
    open_batch(batch=by_hand, actor=OPERATOR)
    judge_open_batches(study)
    batch = drawn_and_judged(study, 20, by_uncertainty=False)
    without_judgments(study, batch, tasks=15)
    part = judged_part(study)
    assert part.unknown_because is None
    assert part.chosen is not None

    def stand_for(batch: Batch) -> float:
        items = study.items.filter(hit__batch=batch, annotations__isnull=False).values_list("pk", flat=True)
        return sum(part.chosen.weight_of_item[pk] for pk in items) if part.chosen else 0.0

    assert (stand_for(by_hand), stand_for(batch)) == pytest.approx((20, 40))


def test_a_draw_of_which_nothing_was_judged_is_as_if_it_had_not_been_made() -> None:
    study = equivalence_study(questions=60)
    set_policy(study, AssignmentPolicy.SAMPLED)
    drawn_and_judged(study, 20)
    before = chosen_tasks(study)
    without_judgments(study, drawn_and_judged(study, 10, by_uncertainty=False), tasks=10)
    after = chosen_tasks(study)
    assert before is not None
    assert after is not None
    assert (after.weight_of_item, after.leaves_out) == (before.weight_of_item, False)


def test_what_is_judged_of_the_only_batch_is_drawn_at_random_where_chance_decided_the_order_of_tasks() -> None:
    study = equivalence_study(questions=60, hits_per_batch=60)
    set_policy(study, AssignmentPolicy.SAMPLED)
    batch = study.batches.get()
    open_batch(batch=batch, actor=OPERATOR)
    judge_open_batches(study)
    without_judgments(study, batch, tasks=30)
    (alder,), part = figures_of(study)["all_answers"], judged_part(study)
    assert (part.drawn, part.unknown_because, alder["no_model_because"]) == ("random", None, None)
    assert (alder["people"]["judgments"], alder["answers"]) == (30, 60)
    set_policy(study, AssignmentPolicy.IN_ORDER)
    set_policy(study, AssignmentPolicy.SAMPLED)  # by now, but not while it was open
    assert judged_part(study).unknown_because == NOT_KNOWN


def test_two_draws_and_batches_opened_by_hand_have_their_weights() -> None:
    study = equivalence_study(questions=80, hits_per_batch=10)
    by_hand = study.batches.get(number=1)
    open_batch(batch=by_hand, actor=OPERATOR)
    judge_open_batches(study)
    first, second = drawn_and_judged(study, 20), drawn_and_judged(study, 15, by_uncertainty=False)
    late = study.batches.filter(state="draft").order_by("number").first()
    assert late is not None
    open_batch(batch=late, actor=OPERATOR)
    judge_open_batches(study)
    chosen = chosen_tasks(study)
    assert chosen is not None

    def weights(batch: Batch) -> list[float]:
        items = study.items.filter(hit__batch=batch).order_by("pk").values_list("pk", flat=True)
        return [chosen.weight_of_item.get(item, 0) for item in items]

    assert weights(by_hand) == pytest.approx([1] * 10)  # before all draws: it stands for itself
    assert set(weights(late)) == {0}  # after all draws, by somebody's choice
    alphas = np.array([20 / (70 * 50), 15 / (50 * 35)])
    one, other = alphas / alphas.sum()
    pi = [hit.probability for hit in first.hits.order_by("items__pk")]
    assert weights(first) == pytest.approx([one / each + other for each in pi])
    assert weights(second) == pytest.approx([other * 50 / 15] * 15)


def test_where_all_items_were_judged_each_stands_for_itself() -> None:
    study = equivalence_study(questions=60, hits_per_batch=20)
    drawn_and_judged(study, 20)
    for batch in study.batches.filter(state="draft"):
        open_batch(batch=batch, actor=OPERATOR)
    judge_open_batches(study)
    chosen = chosen_tasks(study)
    assert chosen is not None
    assert chosen.weight_of_item == dict.fromkeys(study.items.values_list("pk", flat=True), 1.0)
    assert judged_part(study).unknown_because is None


def test_a_draw_whose_batch_is_still_open_is_left_aside_and_a_new_one_makes_new_figures() -> None:
    study = equivalence_study(questions=60)
    drawn_and_judged(study, 20)
    before = chosen_tasks(study)
    snapshot = take_snapshot(study=study, resamples=2)
    draw_and_open(study=study, tasks=10, source=uncertain_runs(study)[0], floor=0.2, actor=OPERATOR)
    after = chosen_tasks(study)
    assert before is not None
    assert after is not None
    assert (after.weight_of_item, after.signature) == (before.weight_of_item, before.signature)
    judge_open_batches(study)
    assert take_snapshot(study=study, resamples=2) != snapshot


def test_answers_that_a_later_draw_could_not_reach_are_none_of_all_while_their_batch_is_open(client: Client) -> None:
    study = equivalence_study(questions=80)
    uncertain, even = drawn_and_judged(study, 20), drawn_and_judged(study, 20, by_uncertainty=False)
    both = figures_of(study)
    assert (both["drawn"], both["out_of_reach"], both["all_answers"][0]["answers"]) == ("uncertainty", 0, 80)
    reopen_batch(batch=uncertain, actor=OPERATOR)
    found = figures_of(study)
    (alder,) = found["all_answers"]
    assert (found["drawn"], found["out_of_reach"], alder["answers"], alder["people"]["judgments"]) == (
        "random",
        20,
        60,
        20,
    )
    rest = [item for item in study.items.select_related("question", "hit") if item.hit.batch_id != uncertain.pk]
    people = [float(is_right(item)) if item.hit.batch_id == even.pk else np.nan for item in rest]
    expected = active_mean(people, [probability(item) for item in rest], [3.0] * 60, range(60), ends=ENDS)
    assert alder["both"]["value"] == pytest.approx(expected.value)
    page = unescape(page_of(client, study, "agreement_equivalence"))
    assert "20 answers are not among all answers here: their batches have not closed" in page


def test_answers_of_a_batch_that_was_open_at_the_draw_are_none_of_all_until_it_closes() -> None:
    study = equivalence_study(questions=60, hits_per_batch=10)
    by_hand = study.batches.get(number=1)
    open_batch(batch=by_hand, actor=OPERATOR)
    drawn_and_judged(study, 20, by_uncertainty=False)
    reopen_batch(batch=by_hand, actor=OPERATOR)
    chosen = chosen_tasks(study)
    assert chosen is not None
    assert chosen.out_of_reach == set(study.items.filter(hit__batch=by_hand).values_list("pk", flat=True))
    judge_open_batches(study)
    closed = chosen_tasks(study)
    assert closed is not None
    assert (closed.out_of_reach, closed.signature != chosen.signature) == (set(), True)


def test_a_draw_that_could_reach_what_is_out_of_reach_by_now_speaks_for_none_of_the_rest() -> None:
    study = equivalence_study(questions=60, hits_per_batch=10)
    first = drawn_and_judged(study, 20, by_uncertainty=False)
    by_hand = study.batches.filter(state="draft").order_by("number").first()
    assert by_hand is not None
    open_batch(batch=by_hand, actor=OPERATOR)
    left = 40 - by_hand.hits.count()
    second = drawn_and_judged(study, 10, by_uncertainty=False)
    reopen_batch(batch=by_hand, actor=OPERATOR)
    chosen = chosen_tasks(study)
    assert chosen is not None
    weights = {
        batch: {chosen.weight_of_item[pk] for pk in study.items.filter(hit__batch=batch).values_list("pk", flat=True)}
        for batch in (first, second)
    }
    assert weights == {first: {1.0}, second: {left / 10}}
    rest = study.items.count() - len(chosen.out_of_reach)
    assert sum(chosen.weight_of_item.values()) == pytest.approx(rest)
    judge_open_batches(study)
    closed = chosen_tasks(study)
    assert closed is not None
    assert closed.weight_of_item != chosen.weight_of_item


def test_units_that_share_a_task_are_one_group() -> None:
    units, tasks = np.array([0, 1, 1, 2, 3, 3]), np.array([9, 9, 8, 7, 6, 5])
    assert joined(units, tasks).tolist() == [0, 0, 0, 1, 2, 2]
    assert joined(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)).tolist() == []


def test_a_judgment_outside_of_every_draw_does_not_count() -> None:
    chosen = ChosenTasks({0: 2.0, 1: 2.0}, {0: 0, 1: 1, 2: 2, 3: 3}, by_uncertainty=True, signature="")
    nan = float("nan")
    found = mean_of_all(np.array([1.0, 0, 0, nan]), np.zeros(4), np.arange(4), range(4), JudgedPart(chosen), ENDS)
    assert (found.value, found.n_people) == (0.5, 2)


def test_an_export_has_the_chances_and_is_imported_again_without_them(tmp_path: Path) -> None:
    study = equivalence_study(questions=20)
    batch = drawn_and_judged(study, 8)
    found = exported(study, tmp_path)
    expected = [hit.probability for hit in batch.hits.order_by("position")]
    assert [row["draw_probability"] for row in found] == pytest.approx(expected)
    again, _ = brought_back(study, tmp_path, "csv", preset("equivalence"))
    assert again.items.filter(annotations__isnull=False).count() == 8
    assert "draw_probability" not in exported(again, tmp_path)[0]
