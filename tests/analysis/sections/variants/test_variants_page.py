"""The page of variants: every run once, the guard's word, two runs compared; nothing is computed there."""

from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.sections.variants.section import MOST_RUNS, compared_runs, described
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.ebr.prompts import Variant, built_in
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import NUMBERS, client_of, score, slightly_apart
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


def run_with(
    study: Study, variant: Variant | None = None, value: Any = slightly_apart, **parameters: Any
) -> ScoringRun:
    """A finished run of a language model that was shown what the variant shows."""
    if variant is not None:
        template = built_in(variant)
        parameters |= {
            "model": "judge-1",
            "template": {"id": template.id, "signature": template.signature, "leaking": template.leaking},
        }
    return score(study, value, parameters=parameters)


def upside_down(annotation: Annotation) -> float:
    return 100.0 - NUMBERS[annotation.values["completeness"]]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Two runs: one that follows the labels, and one that was shown the answer and turns every order round."""
    found = study_with_judgments(corpus=make_corpus(articles=2))
    run_with(found, Variant.LABEL)
    run_with(found, Variant.QUESTION_ANSWER, upside_down)
    take_snapshot(study=found, resamples=30)
    return found


def page_of(study: Study, *, fragment: str = "", **asked: str) -> str:
    headers = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": fragment} if fragment else {}
    address = reverse("agreement_variants", kwargs={"slug": study.slug})
    response = client_of(study).get(address, asked, **headers)
    assert response.status_code == 200
    return response.content.decode()


def test_every_run_is_named_with_what_its_model_was_shown_and_the_leaking_one_is_marked(study: Study) -> None:
    page = page_of(study)
    newest, oldest = compared_runs(study)
    assert f"judge-1 (label and explanation), run {oldest.pk}" in page
    assert f"judge-1 (all of that and the answer), run {newest.pk}" in page
    assert "leaking: the model saw the answer" in page
    assert "It may have judged the answer itself" in page
    assert "Labels as given" in page
    assert "NaN" not in page


def test_the_guard_objects_to_the_run_that_turns_every_order_round_and_not_to_the_other(study: Study) -> None:
    newest, oldest = compared_runs(study)
    assert "The guard objects" in page_of(study, variant=str(newest.pk))
    assert "It reverses annotators too often: it turns 100" in page_of(study, variant=str(newest.pk))
    sound = page_of(study, variant=str(oldest.pk))
    assert "The guard objects:" not in sound
    assert "No objection" in sound


def test_two_runs_are_compared_either_way_round(study: Study) -> None:
    newest, oldest = (str(run.pk) for run in compared_runs(study))
    one = page_of(study, fragment="comparison", first=oldest, second=newest)
    other = page_of(study, fragment="comparison", first=newest, second=oldest)
    assert one.strip().startswith('<div class="card" id="comparison">')
    assert "Class means" not in one
    assert one != other
    for wrong in ({"first": oldest, "second": oldest}, {"second": "999999"}, {"variant": "999999"}, {"part": "north"}):
        address = reverse("agreement_variants", kwargs={"slug": study.slug})
        assert client_of(study).get(address, wrong).status_code == 404


@pytest.mark.parametrize(
    ("corrected", "said"), [(0.04, "order answers more alike"), (0.12, "no significant difference")]
)
def test_a_difference_is_called_one_by_its_corrected_p(study: Study, corrected: float, said: str) -> None:
    """The interval leaves out 0 in both; in a family of tests that is to be expected now and then."""
    section = SnapshotSection.objects.get(snapshot__study=study, key="variants")
    for each in section.figures["aspects"]["completeness"]["comparisons"]:
        each |= {"value": 0.2, "interval": [0.01, 0.4], "p_value": 0.03, "p_holm": corrected}
    section.save()
    assert f"{said} (0.200, corrected p {corrected:.3f})" in page_of(study)


@pytest.mark.parametrize("name", ["variants", "mixtures", "classes", "own-order", "comparison"])
def test_each_figure_comes_as_chart_and_table(study: Study, name: str) -> None:
    for kind, starts in (("svg", b"<svg"), ("json", b"{"), ("csv", b"")):
        kwargs = {"slug": study.slug, "aspect": "completeness", "name": name, "kind": kind}
        response = client_of(study).get(reverse("chart", kwargs=kwargs))
        assert response.status_code == 200
        assert response.content.startswith(starts)


def test_of_equal_runs_the_newest_counts_and_of_very_many_the_newest_ones() -> None:
    study = study_with_judgments()
    first = run_with(study, **{"lambda": 0.5})
    again = run_with(study, **{"lambda": 0.5, "concurrency": 3})
    assert compared_runs(study) == [again]
    assert first != again
    many = [run_with(study, **{"lambda": step / 100}) for step in range(MOST_RUNS)]
    assert compared_runs(study) == many[::-1]


def test_a_template_of_ones_own_is_called_by_its_name() -> None:
    study = study_with_judgments()
    run = run_with(study, template={"id": "my own", "signature": "x", "leaking": False}, model="m")
    assert described(run).shown == "my own"


def test_before_any_run_the_page_says_how_to_get_one() -> None:
    study = study_with_judgments()
    take_snapshot(study=study, resamples=10)
    page = page_of(study)
    assert "No run of rescaling was finished" in page
    assert reverse("scoring", kwargs={"slug": study.slug}) in page


def test_a_new_run_makes_a_new_snapshot_though_the_figures_use_another(study: Study) -> None:
    before = study.snapshots.count()
    take_snapshot(study=study, resamples=30)
    assert study.snapshots.count() == before
    chosen = compared_runs(study)[0]
    ScoringRun.objects.filter(pk=chosen.pk).update(is_chosen=True)
    run_with(study, Variant.EXPLANATION)
    take_snapshot(study=study, resamples=30)
    assert study.snapshots.count() == before + 1


def test_the_number_of_queries_does_not_grow_with_runs_and_judgments(
    study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page_of(study)
    client = client_of(study)
    with django_assert_max_num_queries(12):
        client.get(reverse("agreement_variants", kwargs={"slug": study.slug}))
