"""The page Human and LLM: what was planted in generated studies comes out, and what is undefined says why."""

from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation_platform.analysis.charts import chart_spec
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Rating
from annotation_platform.core.statistics import holm
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.sections.human_llm.shown import check_chart, figures, page, person
from tests.analysis.study_rows import client_of, rows_drawn, run_of
from tests.factories import open_study
from tests.scoring.judged_studies import GOOD, explanation_study

pytestmark = pytest.mark.django_db
STARS = "overall"


def star(item: Item) -> int:
    """The planted majority: 2, 3 or 4."""
    return 2 + item.question.position % 3


def opinion(member: Member, item: Item) -> dict[str, Any]:
    """Four of five say the planted star, one of them one more; all agree on the rest."""
    strays = person(member) == item.question.position % 5
    return GOOD | {STARS: str(star(item) + strays)}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return explanation_study(questions=12, annotators=5, values=opinion)


def judged(study: Study, stars: dict[int, str]) -> ScoringRun:
    """A finished run that gave these stars by the question's position ("": none could be read), and GOOD otherwise."""
    run = run_of(study, Method.JUDGE)
    ItemScore.objects.bulk_create(
        ItemScore(run=run, item=item, aspect=aspect, label=label, reason="" if label else "missing")
        for item in study.items.select_related("question")
        for aspect, label in (GOOD | {STARS: stars.get(item.question.position, str(star(item)))}).items()
    )
    return run


def test_a_model_that_is_the_majority_agrees_with_it_and_raises_agreement(study: Study) -> None:
    judged(study, {})
    found = figures(study)["aspects"][STARS]
    assert found["spearman"]["value"] == pytest.approx(1)
    assert found["accuracy"]["value"] == 1
    assert {(cell["majority"], cell["model"], cell["count"]) for cell in found["confusion"]} == {
        ("2", "2", 4),
        ("3", "3", 4),
        ("4", "4", 4),
    }
    place = found["replacement"]
    assert place["expected"]["value"] > place["raters"]["value"]
    assert place["change"]["interval"][0] > 0
    assert len(place["draws"]) == 20
    assert place["mean_of_draws"] == pytest.approx(place["expected"]["value"], abs=0.02)
    snapshot = AgreementSnapshot.objects.get()
    plain = SnapshotSection.objects.get(snapshot=snapshot, aspect=STARS, key="krippendorff_alpha").figures
    assert place["raters"]["value"] == pytest.approx(plain["raw"]["value"])


def test_planted_mistakes_and_failures_come_out_where_they_were_put(study: Study) -> None:
    wrong = {1: "5", 2: "5", 3: "", 4: "", 6: "1"}  # their majorities: 3, 4, 2, 3, 2
    judged(study, wrong)
    found = figures(study)["aspects"][STARS]
    assert found["accuracy"]["value"] == pytest.approx(7 / 12)
    assert (found["items"], found["asked"], found["failures"], found["undecided"]) == (12, 12, 2, 0)
    cells = {(cell["majority"], cell["model"]): cell["count"] for cell in found["confusion"]}
    assert cells == {
        ("3", "5"): 1,
        ("4", "5"): 1,
        ("2", ""): 1,
        ("3", ""): 1,
        ("2", "1"): 1,
        ("2", "2"): 2,
        ("3", "3"): 2,
        ("4", "4"): 3,
    }
    intervals = {(cell["majority"], cell["model"]): cell["interval"] for cell in found["confusion"]}
    assert intervals["4", "4"][1] - intervals["4", "4"][0] > 0.5  # of four items with that majority
    assert found["replacement"]["without_label"] == 2
    assert found["replacement"]["raters"]["items"] == 10
    assert found["replacement"]["expected"]["value"] < found["replacement"]["raters"]["value"]
    assert -1 < found["spearman"]["value"] < 0.8


def test_what_the_model_says_where_a_majority_says_so_has_its_interval() -> None:
    from statsmodels.stats.proportion import proportion_confint  # slow to import

    study = explanation_study(questions=15, annotators=3, values=opinion)
    judged(study, {3: "5"})  # of the five whose majority is 2
    cells = figures(study)["aspects"][STARS]["confusion"]
    intervals = {(cell["majority"], cell["model"]): cell["interval"] for cell in cells}
    assert intervals["2", "2"][0] < 4 / 5 < intervals["2", "2"][1]
    assert intervals["2", "5"][0] < 1 / 5 < intervals["2", "5"][1]
    assert intervals["3", "3"] == pytest.approx(proportion_confint(5, 5, method="wilson"))


def test_a_failure_stands_as_far_from_the_majority_as_the_scale_allows(study: Study) -> None:
    judged(study, {3: "", 4: ""})
    failed = figures(study)["aspects"][STARS]["spearman"]["value"]
    farthest = explanation_study(questions=12, annotators=5, values=opinion, name="The same")
    judged(farthest, {3: "5", 4: "5"})  # majorities 2 and 3: of 1 to 5, 5 is as far as it gets
    assert failed == pytest.approx(figures(farthest)["aspects"][STARS]["spearman"]["value"])


def test_a_question_that_the_models_other_answers_leave_out_is_none_that_it_was_asked(study: Study) -> None:
    run = judged(study, {1: "", 3: "", 4: ""})
    run.item_scores.filter(aspect=STARS, label="").exclude(item__question__position=1).update(reason="not_applicable")
    found = figures(study)["aspects"][STARS]
    assert (found["asked"], found["failures"], found["left_open"]) == (10, 1, 2)
    assert (found["accuracy"]["value"], found["accuracy"]["items"]) == (pytest.approx(9 / 10), 10)
    assert {cell["count"] for cell in found["confusion"] if not cell["model"]} == {1}
    shown = page(study)
    assert "A reply without a label counts as wrong; there is 1 of them." in shown
    assert "2 items are left out, since the model's other answers leave the question out, or it may stay open." in shown


def test_changes_in_a_raters_place_are_corrected_over_all_aspects(study: Study) -> None:
    judged(study, {1: "5", 2: "5", 6: "1"})
    changes = {key: each["replacement"]["change"] for key, each in figures(study)["aspects"].items()}
    tested = {key: change["p_value"] for key, change in changes.items() if change["p_value"] is not None}
    assert STARS in tested
    corrected = dict(zip(tested, holm([*tested.values()]), strict=True))
    assert {key: changes[key]["p_holm"] for key in tested} == pytest.approx(corrected)


def test_what_one_label_throughout_leaves_undefined_says_why(study: Study) -> None:
    judged(study, {})
    found = figures(study)["aspects"]["well_written"]
    assert found["accuracy"]["value"] == 1
    assert found["spearman"]["value"] is None
    because = "People's majority and the model gave one and the same label throughout."
    assert found["spearman"]["undefined_because"] == because
    assert because in page(study)
    assert found["replacement"]["expected"]["value"] is None


def test_a_decision_about_a_reply_makes_the_figures_anew(study: Study) -> None:
    run = judged(study, {3: ""})
    first = take_snapshot(study=study, resamples=50)
    assert take_snapshot(study=study, resamples=50) == first
    ScoringRun.objects.filter(pk=run.pk).update(counts={STARS: {"read_by": {"person": 1}}})
    assert take_snapshot(study=study, resamples=50) != first


def test_as_one_more_rater_the_mean_over_aspects_has_its_interval() -> None:
    def of_two_aspects(member: Member, item: Item) -> dict[str, Any]:
        is_well = (item.question.position + (person(member) == item.question.position % 5)) % 2
        return opinion(member, item) | {"well_written": "yes" if is_well else "no"}

    study = explanation_study(questions=12, annotators=5, values=of_two_aspects)
    judged(study, {1: "5", 5: "1", 6: "5"})
    badly = ItemScore.objects.filter(aspect="well_written", item__question__position__in=(2, 4, 5, 8, 10))
    badly.update(label="no")
    Rating.objects.filter(aspect="well_written", annotation__item__question__position=12).delete()  # not asked there
    snapshot = take_snapshot(study=study, resamples=200)
    found = snapshot.figures["number_of_raters"]
    curves = [each for each in found["aspects"].values() if not each["undefined_because"]]
    together = found["over_aspects"]
    assert [each["raters"] for each in together] == [1, 2, 3, 4]  # of five: the vote of all is what they are held to
    for each in together:
        points = [curve["points"][each["raters"] - 1] for curve in curves]
        changes = [point["change"] for point in points if point["with_model"] and point["change"]["value"] is not None]
        mean = sum(change["value"] for change in changes) / len(changes)
        assert each["aspects"] == len(changes) == 2
        assert each["change"]["value"] == pytest.approx(mean)
        if not each["change"]["interval"]:
            assert mean == 0  # in every resample, too: enough people have always the vote of all
            continue
        low, high = each["change"]["interval"]
        assert low <= mean <= high
        # The mean of several is surer than the least sure of them.
        known = [change["interval"] for change in changes if change["interval"]]
        assert high - low <= max(interval[1] - interval[0] for interval in known)
    # What is called significant is so by its p, too, which stands beside it.
    table = tables.tables_of(tables.ask(snapshot, STARS, ["llm-additional"], {}), ["llm-additional"])["llm-additional"]
    p_values = [(each["change"]["p_value"], each["change"]["p_holm"]) for each in together]
    assert [(row["p_value"], row["p_holm"]) for row in table.cells] == p_values
    assert {"p_value", "p_holm"} <= {column.key for column in table.columns}


def test_the_mean_over_aspects_is_about_the_same_ones_at_every_number_of_people() -> None:
    """Where two people judged one aspect and five the other, the mean would jump when the first drops out."""

    def of_two_aspects(member: Member, item: Item) -> dict[str, Any]:
        is_well = (item.question.position + (person(member) == item.question.position % 2)) % 2
        return opinion(member, item) | {"well_written": "yes" if is_well else "no"}

    study = explanation_study(questions=12, annotators=5, values=of_two_aspects)
    judged(study, {1: "5", 5: "1", 6: "5"})
    few = Rating.objects.filter(aspect="well_written").exclude(annotation__annotator__pseudonym__in=("A", "B"))
    few.delete()
    snapshot = take_snapshot(study=study, resamples=50)
    found = snapshot.figures["number_of_raters"]
    assert found["aspects"]["well_written"]["of"] == 2
    assert {each["aspects"] for each in found["over_aspects"]} == {1}
    assert [each["raters"] for each in found["over_aspects"]] == [1, 2, 3, 4]
    assert "well_written" in found["left_out"]
    assert "Left out, since other numbers of people judged them" in page(study)


def test_the_page_says_what_was_found(study: Study) -> None:
    judged(study, {1: "5", 2: "1", 3: "", 4: "", 5: "1", 6: "5", 7: "1", 8: "1", 9: "5"})
    take_snapshot(study=study, resamples=200)
    found = page(study, aspect=STARS)
    assert "In a rater's place" in found
    assert "agreement significantly falls on “How good is it as a whole?”" in found
    assert "counts as wrong; there are 2 of them" in found
    assert "The model gives the majority's label on 3 of 12 items" in found
    assert "tiny" in found
    assert "As one more rater" in found


def test_a_chart_without_a_single_dot_is_not_drawn(study: Study) -> None:
    judged(study, dict.fromkeys(range(1, 13), ""))
    take_snapshot(study=study, resamples=50)
    found = page(study, aspect=STARS)
    assert "nothing can be said" in found
    assert "llm-replacement.json" not in found
    assert "llm-alignment.json" in found


CHARTS = ("llm-replacement", "llm-alignment", "llm-alignment-share", "llm-additional", "llm-confusion")


@pytest.mark.parametrize("passes", [True, False])
def test_a_model_that_says_what_most_say_may_stand_in_for_a_person(passes: bool) -> None:
    """Forty items, on each of which one of five people strays by a star; a model that never does, or by far."""
    study = explanation_study(questions=40, annotators=5, values=opinion)
    far = {2: "5", 3: "1", 4: "1"}
    judged(study, {} if passes else {item.question.position: far[star(item)] for item in study.items.all()})
    snapshot = take_snapshot(study=study, resamples=50)
    asked = tables.ask(snapshot, STARS, ["llm-alternative", "llm-alternative-people"], {})
    found = tables.tables_of(asked, ["llm-alternative", "llm-alternative-people"])
    (row,) = [each for each in found["llm-alternative"].cells if each["aspect"] == asked.head.title]
    assert (row["people"], row["items"], row["judgments"]) == (5, 40, 200)
    assert row["advantage"] == (1.0 if passes else pytest.approx(0.0))
    assert [row[f"winning_rate_{epsilon}"] for epsilon in (0.2, 0.15, 0.1)] == [float(passes)] * 3
    people = found["llm-alternative-people"]
    assert [each["annotator"] for each in people.cells] == list("ABCDE")
    assert all((each["p_value_0.15"] <= 0.05) == passes for each in people.cells)
    assert all(
        -1 <= each["lead_low"] <= each["lead_high"] <= 1 for each in people.cells if each["lead_low"] is not None
    )
    # Who strays on every fifth item does as well as the model on the others.
    assert people.cells[0]["person"] == pytest.approx(0.8 if passes else 1.0)
    address = reverse("agreement_human_llm", args=[study.slug])
    page = unescape(client_of(study).get(address, {"aspect": STARS}).content.decode())
    assert "Instead of a person" in page
    behind = f"the model is significantly less than ε behind {5 if passes else 0}"
    assert f"Of 5 people who could be tested, {behind}" in page


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_from_its_table(study: Study, name: str) -> None:
    judged(study, {1: "5", 3: ""})
    take_snapshot(study=study, resamples=50)
    check_chart(study, name, STARS)


def test_agreement_with_the_model_stands_beside_a_line_at_none(study: Study) -> None:
    judged(study, {1: "5"})
    asked = tables.ask(take_snapshot(study=study, resamples=20), STARS, ["llm-replacement"], {})
    found = tables.tables_of(asked, ["llm-replacement"])["llm-replacement"]
    assert [{"zero": 0}] in list(rows_drawn(chart_spec(found, "llm-replacement")))


@pytest.mark.parametrize(("stars", "replies"), [({1: "5"}, []), ({1: "5", 3: ""}, ["no label"])])
def test_all_labels_of_the_scale_stand_on_both_sides_of_where_they_part(
    study: Study, stars: dict[int, str], replies: list[str]
) -> None:
    judged(study, stars)
    asked = tables.ask(take_snapshot(study=study, resamples=20), STARS, ["llm-confusion"], {})
    found = tables.tables_of(asked, ["llm-confusion"])["llm-confusion"]
    scale = [label.label for label in asked.head.labels]
    assert {row["majority"] for row in found.cells} == set(scale[1:4])
    every, cells, same, _ = chart_spec(found, "llm-confusion")["layer"]
    for layer in (every, cells, same):
        assert layer["encoding"]["y"]["scale"]["domain"] == scale
        assert layer["encoding"]["x"]["scale"]["domain"] == scale + replies
    assert "never given" in found.charts["llm-confusion"]


def test_without_a_run_the_page_says_how_to_start_one(study: Study) -> None:
    take_snapshot(study=study, resamples=50)
    found = page(study)
    assert "No language model has judged these items" in found
    assert reverse("new_run", kwargs={"slug": study.slug, "method": "judge"}) in found


def test_without_figures_the_page_says_so() -> None:
    assert "There are no figures yet" in page(open_study())


def test_the_page_takes_the_same_queries_however_much_there_is(study: Study) -> None:
    counts = []
    for one in (study, explanation_study(questions=3, annotators=2, name="Smaller")):
        judged(one, {1: "5"})
        take_snapshot(study=one, resamples=50)
        client = client_of(one)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(reverse("agreement_human_llm", kwargs={"slug": one.slug}))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12
