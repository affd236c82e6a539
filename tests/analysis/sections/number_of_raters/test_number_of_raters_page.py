"""How many raters: the curve against the formula, a model as one more rater, and money that adds up."""

from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotation_platform.analysis.charts import LIGHT
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.reasons import Reason, as_data
from annotation_platform.core.statistics import Ratings, krippendorff_alpha, vote_curve
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Study
from tests.analysis.study_rows import client_of, rows_drawn
from tests.factories import LABELS, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


def opinion(member: Any, item: Item) -> dict[str, str]:
    """Mostly what the item deserves, now and then one label off."""
    off = (member.pk * 7 + item.pk * 3) % 5 == 0
    return {"completeness": LABELS[(item.pk + off) % 4]}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=4, corpus=make_corpus(articles=3), values=opinion)


def judged_by_model(
    study: Study, *, left_out: int = 0, method: Method = Method.JUDGE, model: str = "judge-1"
) -> ScoringRun:
    """A judging model that always says what the item deserves, and nothing for the first few items."""
    run = ScoringRun.objects.create(
        study=study,
        method=method,
        scorer=Scorer.LANGUAGE_MODEL,
        status=JobStatus.DONE,
        parameters={"model": model},
        finished_at=timezone.now(),
    )
    ItemScore.objects.bulk_create(
        ItemScore(run=run, item=item, aspect="completeness", label="" if place < left_out else LABELS[item.pk % 4])
        for place, item in enumerate(Item.objects.filter(study=study).order_by("pk"))
    )
    return run


def measured(study: Study) -> Any:
    snapshot: AgreementSnapshot = take_snapshot(study=study, resamples=30)
    return snapshot.figures["number_of_raters"]["aspects"]["completeness"]


def test_a_decision_about_a_reply_makes_the_figures_anew() -> None:
    study = study_with_judgments()
    run = judged_by_model(study, left_out=6)
    first = measured(study)
    for place, score in enumerate(run.item_scores.filter(label="").order_by("item"), start=1):
        ItemScore.objects.filter(pk=score.pk).update(label=LABELS[score.item_id % 4])
        ScoringRun.objects.filter(pk=run.pk).update(counts={"completeness": {"read_by": {"person": place}}})
    after = measured(study)
    assert after != first
    AgreementSnapshot.objects.all().delete()
    assert after == measured(study), "as computed without any earlier figures"


def rows_of(study: Study) -> tuple[Ratings, list[int]]:
    """The ratings read plainly from the rows, and the items in the order of their codes."""
    rows = list(
        Rating.objects.filter(aspect="completeness").values_list(
            "annotation__item_id", "annotation__annotator_id", "number"
        )
    )
    items, item_codes = np.unique([row[0] for row in rows], return_inverse=True)
    _, raters = np.unique([row[1] for row in rows], return_inverse=True)
    return Ratings.from_arrays(item_codes, raters, [row[2] for row in rows], repeated="error"), items.tolist()


def page_of(study: Study, **asked: str) -> str:
    response = client_of(study).get(reverse("agreement_raters", kwargs={"slug": study.slug}), asked)
    assert response.status_code == 200
    return response.content.decode()


def test_the_curve_is_that_of_the_votes_of_the_rows(study: Study) -> None:
    figures = measured(study)
    curve = vote_curve(rows_of(study)[0], better="high")
    assert (figures["of"], figures["items"]) == (curve.n_full, curve.n_items)
    for point, expected in zip(figures["points"], curve.points, strict=True):
        assert point["raters"] == expected.n_raters
        assert point["alone"]["value"] == pytest.approx(expected.alone.value)
        assert point["with_model"] is None
    last = figures["points"][-1]
    assert last["alone"]["value"] == pytest.approx(1)
    assert (last["alone"]["interval"], last["gain"]) == (None, None)  # 1 is a definition and no result
    assert f"1 at {curve.n_full} by definition" in page_of(study)
    assert figures["points"][1]["gain"]["value"] == pytest.approx(
        curve.points[1].alone.value - curve.points[0].alone.value
    )
    assert "No language model has judged" in figures["no_model_because"]


def test_a_judging_model_joins_the_votes_of_the_very_items_that_it_judged(study: Study) -> None:
    judged_by_model(study, left_out=2)
    figures = measured(study)
    ratings, items = rows_of(study)
    number = dict(Rating.objects.values_list("choice", "number"))
    judged = items[2:]
    labels = [number[LABELS[item % 4]] for item in judged]
    candidate = Ratings.from_arrays(
        [items.index(item) for item in judged], [0] * len(judged), labels, n_items=len(items), repeated="error"
    )
    curve = vote_curve(ratings, candidate, better="high")
    assert figures["items_with_model"] == curve.n_items == figures["items"] - 2
    for point, expected in zip(figures["points"], curve.points, strict=True):
        assert expected.with_candidate
        assert expected.change
        assert point["with_model"]["value"] == pytest.approx(expected.with_candidate.value)
        if point["raters"] == curve.n_full:
            assert point["change"] is None
        else:
            assert point["change"]["value"] == pytest.approx(expected.change.value)
    page = page_of(study)
    assert "raters and a language model" in page
    assert "judge-1" in page


@pytest.mark.parametrize("of_all", [0, 3])
def test_a_model_stands_beside_votes_of_the_same_number_of_people(study: Study, of_all: int) -> None:
    """It has judged items of which most have fewer people than is usual."""
    items = list(Item.objects.filter(study=study).order_by("pk"))
    one, fewer = Annotation.objects.values_list("annotator", flat=True)[0], items[: len(items) // 2 - 1]
    Annotation.objects.filter(item__in=fewer, annotator=one).delete()
    run = judged_by_model(study)
    run.item_scores.exclude(item__in=items[: len(fewer) + of_all]).update(label="")
    none = Reason("statistics.no_item_with_so_many_and_model", ratings=4)
    figures = measured(study)
    assert (figures["of"], figures["items"]) == (4, len(items) - len(fewer))
    assert figures["items_with_model"] == of_all < len(fewer)
    assert [point["with_model"] is not None for point in figures["points"]] == [of_all > 0] * 4
    assert figures["no_model_because"] == (None if of_all else as_data(none))


def test_labels_of_llm_mate_stand_in_where_no_rater_by_aspect_gave_any(study: Study) -> None:
    mate = judged_by_model(study, method=Method.MATE, model="mate-1", left_out=1)
    figures = measured(study)
    assert figures["model"] == {"run": mate.pk, "model": "mate-1"}
    assert figures["items_with_model"] == figures["items"] - 1
    assert all(point["with_model"]["value"] is not None for point in figures["points"][:-1])
    assert "mate-1" in page_of(study)
    judge = judged_by_model(study)
    assert measured(study)["model"] == {"run": judge.pk, "model": "judge-1"}
    judged_by_model(study, left_out=1_000)  # a newer run that gave no label at all
    assert measured(study)["model"]["run"] == mate.pk


def test_a_finished_judging_run_makes_a_new_snapshot(study: Study) -> None:
    measured(study)
    judged_by_model(study)
    assert measured(study)["items_with_model"] > 0
    assert study.snapshots.count() == 2


def test_reliability_goes_on_beyond_the_raters_at_hand(study: Study) -> None:
    figures = measured(study)
    alpha = krippendorff_alpha(rows_of(study)[0], "interval").value
    assert alpha
    rows = figures["reliability"]
    assert [row["raters"] for row in rows] == list(range(1, figures["of"] + 4))
    for row in rows:
        k = row["raters"]
        assert row["value"]["value"] == pytest.approx(k * alpha / (1 + (k - 1) * alpha))
    assert rows[0]["gain"] is None
    assert rows[4]["gain"]["value"] == pytest.approx(rows[4]["value"]["value"] - rows[3]["value"]["value"])


def test_what_is_asked_is_answered_and_stays_in_the_address(study: Study) -> None:
    measured(study)
    page = page_of(study, rho="0.8", pay="0.5")
    assert "ρ ≥ 0.80 with the vote of all 4" in page
    assert 'name="rho" type="number" min="0.5" max="0.99" step="0.01" value="0.8"' in page
    assert "rho=0.8&amp;pay=0.5" in page
    items = Item.objects.filter(study=study).count()
    assert f"{items * 0.5 * 4:,.2f}" in page  # what all four cost
    assert f"for {items * 0.5:,.2f} US$" in page  # what one more would


@pytest.mark.parametrize(
    ("rho", "shown"), [("7", "0.99"), ("-1", "0.50"), ("much", "0.90"), ("nan", "0.90"), ("", "0.90")]
)
def test_a_wish_that_there_are_no_figures_for_is_brought_to_one(study: Study, rho: str, shown: str) -> None:
    measured(study)
    assert f"ρ ≥ {shown}" in page_of(study, rho=rho, pay="-3")


def test_labels_without_an_order_have_no_curve_and_the_page_says_why() -> None:
    study = study_with_judgments(values=lambda member, item: {"completeness": "complete"})
    figures = measured(study)
    assert figures["points"][0]["alone"]["value"] is None
    page = page_of(study)
    assert "is not defined" in page
    assert "It cannot be said" in page
    assert "NaN" not in page


@pytest.mark.parametrize("has_model", [False, True])
def test_a_vote_is_not_drawn_beside_itself_and_people_keep_their_colour(study: Study, has_model: bool) -> None:
    if has_model:
        judged_by_model(study)
    of = measured(study)["of"]
    address = reverse("chart", args=[study.slug, "completeness", "raters", "json"])
    spec = client_of(study).get(address).json()
    drawn = {(row["who"], row["raters"]) for rows in rows_drawn(spec) for row in rows if "who" in row}
    expected = {("People alone", raters) for raters in range(1, of)}
    expected |= {("People and the model", raters) for raters in range(1, of + 1) if has_model}
    assert drawn == expected
    scale = spec["layer"][1]["encoding"]["color"]["scale"]
    colours = {"People alone": LIGHT.raw, "People and the model": LIGHT.rescaled}
    assert scale["range"] == [colours[who] for who in scale["domain"]]


@pytest.mark.parametrize("name", ["raters", "one-more"])
def test_the_curves_come_as_chart_and_table(study: Study, name: str) -> None:
    measured(study)
    for kind, starts in (("svg", b"<svg"), ("csv", b"raters,")):
        kwargs = {"slug": study.slug, "aspect": "completeness", "name": name, "kind": kind}
        response = client_of(study).get(reverse("chart", kwargs=kwargs), {"pay": "0.2"})
        assert response.content.startswith(starts)
