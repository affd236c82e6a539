"""A judge beside people who were given tasks drawn with known chances: from planted truth to figures and page."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db.models import Q

from annotation_platform.analysis.measuring.chosen import NONE_DRAWN, joined
from annotation_platform.analysis.measuring.judged_part import LEFT_OUT
from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.prediction_powered import PredictionPowered
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.scoring.uncertainty import uncertain_runs, uncertainty_of
from annotation_platform.studies.models import Item, Study
from annotation_platform.studies.services import (
    declare_random_parts,
    draw_batch,
    open_batch,
    plan_batches,
    reopen_batch,
)
from tests.analysis.sections.powered.test_powered import (
    FACTUAL,
    STARS,
    SYSTEMS,
    figures_of,
    give_labels,
    judge,
    page_of,
)
from tests.factories import OPERATOR, MemberFactory, close_all, judge_everything, make_corpus, make_study
from tests.scoring.judged_studies import GOOD

pytestmark = pytest.mark.django_db

QUESTIONS, DRAWN = 120, 60
Opinion = Callable[[Item], dict[str, Any]]


def is_hard(question: int) -> bool:
    return question % 4 == 0


def star(question: int) -> int:
    """What people say: 1 of the hard ones, of which two judges say different things, 3 or 4 of the others."""
    return 1 if is_hard(question) else 3 + question % 2


def said_by_judge(system: str, question: int) -> str:
    return "3" if is_hard(question) else str(star(question) - (question % 8 == 1))


def is_factual(question: int) -> str:
    return "na" if question % 7 == 0 else "no" if is_hard(question) else "yes"


def opinion(item: Item) -> dict[str, Any]:
    n = item.question.position
    return GOOD | {STARS: str(star(n)), FACTUAL: is_factual(n)}


def judge_open_batches(study: Study, opinion: Opinion = opinion) -> None:
    judge_everything(study.members.filter(role="annotator").first() or MemberFactory(study=study), opinion)
    close_all(study)


def drawn_study(
    *, by_uncertainty: bool = True, systems: tuple[str, ...] = SYSTEMS[:1], opinion: Opinion = opinion
) -> Study:
    """Of so many tasks, a question each, people judged those that were drawn; two judges all of them."""
    corpus = make_corpus(questions=QUESTIONS, systems=systems, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["north", "south", "nowhere"])
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    kind: dict[str, Any] = {"overlap": 1, "questions_per_hit": 1, "hits_per_batch": 15}
    study = make_study(corpus=corpus, definition=preset("acorn"), **kind)
    plan_batches(study=study)
    other = judge(study, lambda system, n: "5" if is_hard(n) else said_by_judge(system, n), model="large")
    first = judge(study, said_by_judge)
    give_labels(first, FACTUAL, lambda system, n: "yes" if n % 5 else "no")
    replies_of(other, first)
    uncertainty = uncertainty_of(study, uncertain_runs(study)[0]) if by_uncertainty else None
    batch = draw_batch(study=study, tasks=DRAWN, floor=0.2, uncertainty=uncertainty, seed="1", actor=OPERATOR)
    open_batch(batch=batch, actor=OPERATOR)
    judge_open_batches(study, opinion)
    return study


def replies_of(*runs: Any) -> None:
    """What judges replied, as it is stored beside their labels."""
    for run in runs:
        run.item_labels.bulk_create(
            run.item_labels.model(run=run, item_id=item, aspect=STARS, label=label)
            for item, label in run.item_scores.filter(aspect=STARS).values_list("item_id", "label")
        )


def of_judge(found: dict[str, Any], aspect: str = STARS) -> dict[str, Any]:
    run: dict[str, Any] = next(each for each in found["judges"][aspect] if each["run"]["model"] == "tiny")
    return run


def counted(study: Study) -> list[tuple[int, int, float]]:
    """Each item's question, task and weight, by hand: one over the chance of the drawn ones, else 0."""
    rows = study.items.filter(candidates__answer__system__name="alder").order_by("question__position")
    return [
        (n, hit, 1 / chance if chance else 0.0)
        for n, hit, chance in rows.values_list("question__position", "hit_id", "hit__probability")
    ]


def weighed(study: Study) -> PredictionPowered:
    rows = counted(study)
    people = [float(star(n)) if weight else np.nan for n, _, weight in rows]
    model = [float(said_by_judge("alder", n)) for n, _, _ in rows]
    weights = [weight for *_, weight in rows]
    groups = joined(np.array([n for n, _, _ in rows]), np.array([hit for _, hit, _ in rows]))
    return active_mean(people, model, weights, groups, ends=(1.0, 5.0))


@pytest.fixture(scope="module")
def by_uncertainty(module_db: None) -> Study:
    return drawn_study()


def test_of_tasks_drawn_by_uncertainty_the_weighed_interval_holds_the_truth(by_uncertainty: Study) -> None:
    found = of_judge(figures_of(by_uncertainty))
    (alder,) = found["means"]
    truth = np.mean([star(n) for n in range(1, QUESTIONS + 1)])
    as_they_come = np.array([star(n) for n, _, weight in counted(by_uncertainty) if weight])
    error = as_they_come.std(ddof=1) / np.sqrt(DRAWN)
    assert as_they_come.mean() + 2 * error < truth  # unweighted, it is another number
    assert alder["people"]["interval"][0] < truth < alder["people"]["interval"][1]
    assert alder["both"]["interval"][0] < truth < alder["both"]["interval"][1]
    assert abs(alder["people"]["value"] - truth) < abs(as_they_come.mean() - truth) / 3
    wanted = weighed(by_uncertainty)
    assert wanted.interval is not None
    assert wanted.weight > 0
    assert alder["both"]["value"] == pytest.approx(wanted.value)
    assert alder["both"]["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
    assert alder["people"]["value"] == pytest.approx(wanted.people.value)
    assert alder["effective"] == pytest.approx(wanted.n_effective)
    assert (alder["people"]["items"], alder["people"]["judgments"], alder["answers"]) == (DRAWN, DRAWN, QUESTIONS)
    assert (found["drawn"], found["why_nothing"]) == ("uncertainty", None)


def test_of_not_applicable_the_weighed_mean_is_over_what_has_a_number(by_uncertainty: Study) -> None:
    (alder,) = of_judge(figures_of(by_uncertainty), FACTUAL)["means"]
    rows = [(is_factual(n), weight) for n, _, weight in counted(by_uncertainty) if weight]
    total = sum(weight for label, weight in rows if label != "na")
    yes = sum(weight for label, weight in rows if label == "yes")
    assert alder["people"]["value"] == pytest.approx(yes / total)
    assert alder["people"]["items"] == sum(label != "na" for label, _ in rows)


def test_page_report_and_bundle_have_the_weighed_figures(by_uncertainty: Study) -> None:
    page = page_of(by_uncertainty)
    assert "were drawn by a model's uncertainty, so that each is weighed by the chance that it had" in page
    assert "Intervals keep the answers of one drawn task together." in page
    assert "only where the answers that people judged are a part drawn at random" not in page
    out = StringIO()
    call_command("report_study", by_uncertainty.name, "--json", "--section", "powered", stdout=out, stderr=StringIO())
    found = of_judge(json.loads(out.getvalue())["powered"])
    assert found["means"][0]["both"]["value"] == pytest.approx(weighed(by_uncertainty).value)
    bundled = entries(take_snapshot(study=by_uncertainty, resamples=20))
    assert any("each is weighed by the chance that it had" in entry.table.reading for entry in bundled)


def test_where_the_chance_of_both_answers_is_not_known_systems_are_compared_by_their_weighed_means() -> None:
    study = drawn_study(systems=SYSTEMS)
    found = of_judge(figures_of(study))
    assert [each["system"] for each in found["means"]] == [*SYSTEMS]
    (apart,) = found["differences"]
    assert (apart["questions"], apart["answers"], apart["people"]["items"]) == (QUESTIONS, 2 * QUESTIONS, DRAWN)
    rows = study.items.values_list(
        "question__position", "candidates__answer__system__name", "hit_id", "hit__probability"
    )
    questions, systems, tasks, chances = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.array([1 / chance if chance else 0.0 for chance in chances.tolist()])
    wanted = active_difference(
        np.where(weights > 0, [float(star(n)) for n in questions.tolist()], np.nan),
        [float(said_by_judge(*row)) for row in zip(systems.tolist(), questions.tolist(), strict=True)],
        systems == SYSTEMS[1],
        weights,
        joined(questions, tasks),
        ends=(-4.0, 4.0),
    )
    assert wanted.interval is not None
    assert wanted.weight > 0
    assert apart["value"] == pytest.approx(wanted.value)
    assert apart["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
    assert apart["people"]["value"] == pytest.approx(wanted.people.value)
    assert apart["effective"] == pytest.approx(wanted.n_effective)
    assert apart["interval"][0] < 0 < apart["interval"][1]  # people find both alike
    page = page_of(study)
    assert "Differences of systems over all answers" in page
    assert "each judged answer weighed by its chance" in page


def test_what_was_picked_by_hand_after_a_random_draw_does_not_count() -> None:
    study = drawn_study(by_uncertainty=False, systems=SYSTEMS)
    before = of_judge(figures_of(study))
    assert (before["drawn"], len(before["differences"])) == ("random", 1)
    assert "were drawn at random; people's judgments correct what the judge gets wrong" in page_of(study)
    late = study.batches.filter(state="draft").order_by("number").first()
    assert late is not None
    open_batch(batch=late, actor=OPERATOR)
    judge_open_batches(study)
    after = of_judge(figures_of(study))
    assert after["means"] == before["means"]
    assert after["differences"] == before["differences"]


def test_what_is_left_of_a_random_draw_is_not_said_to_be_random() -> None:
    study = drawn_study(by_uncertainty=False)
    drawn = study.batches.get(draw__isnull=False)
    Annotation.objects.filter(item__hit__in=drawn.hits.order_by("position")[:5]).delete()
    found = of_judge(figures_of(study))
    assert (found["drawn"], found["means"][0]["no_model_because"]) == ("", LEFT_OUT)
    page = page_of(study)
    assert "were drawn at random; people's judgments" not in page
    assert "only where the answers that people judged are a part drawn at random" in page
    declare_random_parts(study=study, judged=True, scored=False, actor=OPERATOR)
    assert of_judge(figures_of(study))["drawn"] == "random"


def test_of_tasks_that_a_later_draw_could_not_reach_it_says_nothing_while_their_batch_is_open() -> None:
    study = drawn_study()
    first = study.batches.get(draw__isnull=False)
    second = draw_batch(study=study, tasks=30, seed="2", actor=OPERATOR)
    open_batch(batch=second, actor=OPERATOR)
    judge_open_batches(study)
    reopen_batch(batch=first, actor=OPERATOR)
    found = of_judge(figures_of(study))
    (alder,) = found["means"]
    assert (found["drawn"], found["out_of_reach"], alder["answers"]) == ("random", DRAWN, QUESTIONS - DRAWN)
    rest = study.items.exclude(hit__batch=first).values_list("question__position", flat=True)
    truth, of_all = np.mean([star(n) for n in rest]), np.mean([star(n) for n in range(1, QUESTIONS + 1)])
    low, high = alder["both"]["interval"]
    assert low < truth < high
    assert not low < of_all < high  # the hard ones were drawn before
    assert f"{DRAWN} answers are not among all answers here" in page_of(study)


def test_a_system_that_was_judged_only_outside_of_the_draws_has_no_mean() -> None:
    study = drawn_study(by_uncertainty=False, systems=SYSTEMS)
    of_birch = Q(candidates__answer__system__name="birch")
    for item in study.items.filter(of_birch, annotations__isnull=False):
        item.annotations.all().delete()
    _, birch = of_judge(figures_of(study))["means"]
    assert (birch["people"]["value"], birch["no_model_because"]) == (None, NONE_DRAWN)
