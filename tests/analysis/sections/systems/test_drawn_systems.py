"""Systems where tasks were drawn by uncertainty: weighed, they say what all answers would; plain, what was judged."""

import json
from html import unescape
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.measuring.chosen import joined
from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.sections.systems.drawn_tables import only_of_judged_ones
from annotation_platform.analysis.sections.systems.figures import DRAWN_SYSTEMS
from annotation_platform.analysis.snapshots.stored import section_of_study
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.statistics.weighted_means import weighted_difference, weighted_mean
from annotation_platform.scoring.uncertainty import uncertain_runs, uncertainty_of
from annotation_platform.studies.models import Item, Study
from annotation_platform.studies.services import declare_random_parts, draw_batch, open_batch, reopen_batch
from tests.analysis.sections.powered.test_drawn_tasks import (
    DRAWN,
    QUESTIONS,
    SYSTEMS,
    drawn_study,
    is_factual,
    is_hard,
    judge_open_batches,
    star,
)
from tests.analysis.sections.powered.test_powered import FACTUAL, STARS
from tests.analysis.study_rows import client_of
from tests.factories import OPERATOR, MemberFactory, close_all, judge_everything, study_with_judgments
from tests.scoring.judged_studies import GOOD

pytestmark = pytest.mark.django_db

BETTER_ON_HARD_ONES = 2
TRUTH = BETTER_ON_HARD_ONES * sum(map(is_hard, range(1, QUESTIONS + 1))) / QUESTIONS


def stars(system: str, question: int) -> int:
    """The second is better on the hard questions, which are drawn more often."""
    return star(question) + (BETTER_ON_HARD_ONES if system == SYSTEMS[1] and is_hard(question) else 0)


def opinion(item: Item) -> dict[str, Any]:
    n = item.question.position
    return GOOD | {STARS: str(stars(item.answer.system.name, n)), FACTUAL: is_factual(n)}


@pytest.fixture(scope="module")
def drawn(module_db: None) -> Study:
    return drawn_study(systems=SYSTEMS, opinion=opinion)


def report(study: Study, *sections: str) -> dict[str, Any]:
    out, asked = StringIO(), [arg for section in sections for arg in ("--section", section)]
    call_command("report_study", study.name, "--json", *asked, stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def by_hand(study: Study) -> list[np.ndarray[Any, Any]]:
    """Of each judged answer: stars, whether it is the second's, weight, and question or task, whichever is wider."""
    rows = [
        (stars(system, n), system == SYSTEMS[1], 1 / (chance or np.nan), n, hit)
        for system, n, chance, hit in study.items.filter(hit__probability__isnull=False).values_list(
            "candidates__answer__system__name", "question__position", "hit__probability", "hit_id"
        )
    ]
    values, second, weights, questions, hits = (np.array(column) for column in zip(*rows, strict=True))
    return [values.astype(float), second, weights, joined(questions, hits)]


def test_the_weighed_difference_holds_the_truth_and_the_plain_one_is_far_off(drawn: Study) -> None:
    found = report(drawn, "drawn_systems", "system_differences")
    (weighed,) = found["drawn_systems"][STARS]["raw"]["differences"]
    (plain,) = next(each for each in found["aspects"] if each["aspect"] == STARS)["system_differences"]["raw"]
    assert weighed["interval"][0] < TRUTH < weighed["interval"][1]
    assert abs(weighed["value"] - TRUTH) < abs(plain["value"] - TRUTH) / 3
    wanted = weighted_difference(*by_hand(drawn), ends=(-4, 4))
    assert wanted.interval is not None
    assert weighed["value"] == pytest.approx(wanted.value)
    assert weighed["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
    assert weighed["p_value"] == weighed["p_holm"] == pytest.approx(wanted.p_value)
    assert (weighed["answers"], sum(weighed["counted"])) == ([QUESTIONS, QUESTIONS], DRAWN)


def test_the_weighed_means_are_of_all_answers_with_their_ranks(drawn: Study) -> None:
    found = report(drawn, "drawn_systems")["drawn_systems"][STARS]
    values, second, weights, groups = by_hand(drawn)
    for code, mean in enumerate(found["raw"]["means"]):
        own = second == bool(code)
        wanted = weighted_mean(values[own], weights[own], groups[own], ends=(1, 5))
        assert wanted.interval is not None
        assert mean["value"] == pytest.approx(wanted.value)
        assert mean["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
        truth = np.mean([stars(SYSTEMS[code], n) for n in range(1, QUESTIONS + 1)])
        assert mean["interval"][0] < truth < mean["interval"][1]
        assert (mean["system"], mean["answers"], mean["items"]) == (SYSTEMS[code], QUESTIONS, own.sum())
    assert [mean["rank"] for mean in found["raw"]["means"]] == [2, 1]
    assert {each["system"]: (each["best"], each["worst"]) for each in found["raw"]["ranks"]} in (
        {"alder": (1, 2), "birch": (1, 2)},
        {"alder": (2, 2), "birch": (1, 1)},
    )
    assert (found["drawn"], found["out_of_reach"]) == ("uncertainty", 0)


def test_pages_and_bundle_show_the_weighed_figures_and_say_of_the_plain_ones_what_they_speak_of(drawn: Study) -> None:
    snapshot = take_snapshot(study=drawn, resamples=20)
    client = client_of(drawn)
    for name, title in (
        ("agreement_systems", "Mean by system, all answers"),
        ("agreement_ranking", "Differences of systems, all answers"),
    ):
        text = unescape(client.get(reverse(name, args=[drawn.slug]), {"aspect": STARS}).content.decode())
        assert title in text
        assert only_of_judged_ones() in text
    bundled = {entry.stem: entry.table.reading for entry in entries(snapshot)}
    assert "speak of all answers" in bundled[f"{STARS}/differences-drawn"]
    assert "speak of all answers" in bundled[f"{STARS}/means-drawn"]
    for plain in ("means-system", "differences", "ranks", "labels-system"):
        assert only_of_judged_ones() in bundled[f"{STARS}/{plain}"]
    of_every_aspect = [reading for stem, reading in bundled.items() if stem.endswith("/means-aspects")]
    assert [only_of_judged_ones() in reading for reading in of_every_aspect] == [True]
    assert only_of_judged_ones() in bundled["supports/labels-system"]  # whose labels have no numbers
    assert "supports/means-drawn" not in bundled
    told = StringIO()
    call_command("report_study", drawn.name, stdout=told, stderr=StringIO())
    assert only_of_judged_ones() in told.getvalue().split("Labels by system")[1].split("\n\n")[0]
    assert report(drawn, "drawn_systems")["drawn_systems"]["supports"]["raw"] is None
    for name in ("means-drawn", "differences-drawn"):
        address = reverse("chart", args=[drawn.slug, STARS, name, "json"])
        assert client.get(address).status_code == 200


def test_where_every_judged_answer_weighs_the_same_the_plain_figures_stand_alone() -> None:
    study = drawn_study(by_uncertainty=False, systems=SYSTEMS, opinion=opinion)
    assert section_of_study(take_snapshot(study=study, resamples=20), DRAWN_SYSTEMS) == {}
    text = unescape(client_of(study).get(reverse("agreement_ranking", args=[study.slug])).content.decode())
    assert only_of_judged_ones() not in text
    late = study.batches.filter(state="draft").order_by("number").first()
    assert late is not None
    open_batch(batch=late, actor=OPERATOR)
    before = report(study, "drawn_systems")["drawn_systems"]
    judge_everything(MemberFactory(study=study), opinion)
    close_all(study)
    after = report(study, "drawn_systems")["drawn_systems"][STARS]["raw"]
    assert before == {}
    assert sum(mean["items"] for mean in after["means"]) == DRAWN  # what was picked by hand does not count
    assert {mean["annotators"] for mean in after["means"]} == {1}  # nor does who judged it


def test_answers_in_a_batch_that_a_later_draw_could_not_reach_are_left_out_and_counted() -> None:
    study = drawn_study(systems=SYSTEMS, opinion=opinion)
    first = study.batches.get(draw__isnull=False)
    run = uncertain_runs(study)[0]
    uncertainty = uncertainty_of(study, run)
    second = draw_batch(study=study, tasks=60, floor=0.2, uncertainty=uncertainty, seed="2", actor=OPERATOR)
    open_batch(batch=second, actor=OPERATOR)
    judge_open_batches(study, opinion)
    reopen_batch(batch=first, actor=OPERATOR)
    found = report(study, "drawn_systems")["drawn_systems"][STARS]
    assert found["out_of_reach"] == DRAWN
    assert sum(mean["answers"] for mean in found["raw"]["means"]) == 2 * QUESTIONS - DRAWN
    assert sum(mean["items"] for mean in found["raw"]["means"]) == 60
    page = client_of(study).get(reverse("agreement_systems", args=[study.slug]), {"aspect": STARS})
    assert f"{DRAWN} answers in batches that are still open are left out." in page.content.decode()


def test_what_of_a_draw_nobody_has_judged_is_said_until_it_is_declared_to_be_missing_by_chance() -> None:
    study = drawn_study(systems=SYSTEMS, opinion=opinion)
    told = "But some of what was drawn has not been judged"

    def found() -> tuple[bool, bool, bool]:
        figures = report(study, "drawn_systems")["drawn_systems"][STARS]
        pages = [
            told in client_of(study).get(reverse(name, args=[study.slug]), {"aspect": STARS}).content.decode()
            for name in ("agreement_systems", "agreement_ranking")
        ]
        return figures["leaves_out"], *pages

    assert found() == (False, False, False)
    drawn = study.batches.get(draw__isnull=False)
    Annotation.objects.filter(item__hit__in=drawn.hits.order_by("position")[:5]).delete()
    assert found() == (True, True, True)
    declare_random_parts(study=study, judged=True, scored=False, actor=OPERATOR)
    assert found() == (False, False, False)


def test_where_tasks_were_drawn_evenly_beside_others_nothing_is_said_of_a_models_uncertainty() -> None:
    study = drawn_study(by_uncertainty=False, systems=SYSTEMS, opinion=opinion)
    late = study.batches.filter(state="draft").order_by("number").first()
    assert late is not None
    open_batch(batch=late, actor=OPERATOR)
    judge_open_batches(study, opinion)
    take_snapshot(study=study, resamples=5)
    for name in ("agreement_systems", "agreement_ranking"):
        text = unescape(client_of(study).get(reverse(name, args=[study.slug]), {"aspect": STARS}).content.decode())
        assert "Figures of “all answers” are weighed" in text
        assert "a model's uncertainty" not in text


def test_a_study_whose_tasks_nobody_drew_has_none() -> None:
    snapshot = take_snapshot(study=study_with_judgments(), resamples=5)
    assert section_of_study(snapshot, DRAWN_SYSTEMS) == {}
