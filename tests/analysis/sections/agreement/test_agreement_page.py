"""The agreement page reads a snapshot, says where it is from and when it is stale, and never computes."""

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotation_platform.analysis.frame.tabs import tabs_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import BatchState, Study
from tests.analysis.study_rows import client_of, score, scored_study
from tests.factories import make_corpus, make_study, study_with_judgments
from tests.markup import markup
from workers import tasks

pytestmark = pytest.mark.django_db


def measured_study(**settings: Any) -> Study:
    study = scored_study(**settings)
    take_snapshot(study=study, resamples=20)
    return study


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return measured_study()


def page_of(study: Study, client: Client | None = None, **options: Any) -> str:
    response = (client or client_of(study)).get(reverse("agreement", kwargs={"slug": study.slug}), **options)
    assert response.status_code == 200
    return markup(response)


def test_raw_stands_beside_rescaled_with_n_intervals_and_signature(study: Study) -> None:
    page = page_of(study)
    snapshot = study.snapshots.get()
    assert snapshot.signature in page
    assert "interval of the change" in page
    assert f"{snapshot.figures['counts']['judgments']:,} judgments" in page
    assert "Raw" in page
    assert "Rescaled" in page
    assert "NaN" not in page


def test_before_the_first_snapshot_the_page_says_what_it_waits_for() -> None:
    page = page_of(make_study())
    assert "There are no figures yet" in page
    assert "The background worker is not running" in page


def test_a_stale_snapshot_says_so_and_why(study: Study) -> None:
    assert "out of date" not in page_of(study)
    score(study)
    assert "scored again since" in page_of(study)


def test_refresh_puts_the_computing_in_the_queue_and_computes_nothing_itself(
    study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(tasks.work, "apply_async", lambda args=(), kwargs=None, **_: sent.append(args))
    client = client_of(study)
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(reverse("refresh_agreement", kwargs={"slug": study.slug}))
    assert response.status_code == 302
    assert [tuple(args) for args in sent] == [("snapshot", study.snapshot_jobs.get().pk)]
    assert study.snapshots.count() == 1


def test_another_setting_and_another_pair_come_as_the_fragment_that_htmx_asked_for(study: Study) -> None:
    client = client_of(study)
    address = reverse("agreement_pairs", kwargs={"slug": study.slug})
    htmx = {"HTTP_HX_REQUEST": "true"}
    pairs = markup(client.get(address, {"setting": "incomplete"}, HTTP_HX_TARGET="pairs", **htmx))
    assert pairs.strip().startswith('<div class="card" id="pairs">')
    assert "Pairs of annotators, incomplete setting" in pairs
    pair = markup(client.get(address, {"pair": "B~C"}, HTTP_HX_TARGET="pair", **htmx))
    assert "Annotators B and C judged the same answer" in pair
    assert "Pairs of annotators" not in pair
    for wrong in ({"setting": "some"}, {"pair": "A~Z"}, {"aspect": "reasons"}):
        assert client.get(address, wrong).status_code == 404


@pytest.mark.parametrize(
    ("name", "kind", "starts"),
    [
        ("agreement", "json", b"{"),
        ("pairs-change", "svg", b"<svg"),
        ("labels-annotator", "png", b"\x89PNG"),
        ("pairs", "csv", b"pair,n,items,raw,raw_low,raw_high"),
        ("pair", "csv", b"item,question,system,label_a,score_a"),
        ("means-system", "csv", b"system,raw"),
        ("means-label", "svg", b"<svg"),
        ("labels-system", "json", b"{"),
        ("pair-labels", "json", b"{"),
    ],
)
def test_charts_and_tables_are_served_for_the_page_and_as_downloads(
    study: Study, name: str, kind: str, starts: bytes
) -> None:
    address = reverse("chart", kwargs={"slug": study.slug, "aspect": "completeness", "name": name, "kind": kind})
    response = client_of(study).get(address)
    assert response.content.startswith(starts)
    if kind != "json":
        assert f'filename="{study.slug}-' in response.headers["Content-Disposition"]


def test_the_chart_of_a_dark_page_is_dark(study: Study) -> None:
    address = reverse(
        "chart", kwargs={"slug": study.slug, "aspect": "completeness", "name": "agreement", "kind": "json"}
    )
    spec = json.loads(client_of(study).get(address, {"scheme": "dark"}).content)
    assert spec["config"]["background"] == "#1d2024"


@pytest.mark.parametrize("name", ["nothing", "pair-none", "means-label"])
def test_charts_that_are_not_there_are_not_found(name: str) -> None:
    study = study_with_judgments()  # not scored: no means by label
    take_snapshot(study=study, resamples=20)
    kwargs = {"slug": study.slug, "aspect": "completeness", "name": name, "kind": "svg"}
    assert client_of(study).get(reverse("chart", kwargs=kwargs)).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_study(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for study in (
        measured_study(),
        measured_study(annotators=5, corpus=make_corpus(articles=5), name="Larger"),
    ):
        client = client_of(study)
        page_of(study, client)
        with django_assert_max_num_queries(12):
            page_of(study, client)


def test_the_web_process_starts_without_the_scientific_libraries() -> None:
    code = (
        "import sys, django; django.setup(); import annotation_platform.wsgi, annotation_platform.urls;"
        "heavy = {'numpy', 'scipy', 'pandas', 'altair', 'vl_convert', 'sklearn', 'pyarrow'} & set(sys.modules);"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_web_process_loads_altair_soon_after_its_start_so_that_no_chart_waits_for_it() -> None:
    code = (
        "import sys; from annotation_platform import asgi; asgi._loading.join(30);"
        "sys.exit('annotation_platform.analysis.charts.registry' not in sys.modules or 'vl_convert' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_page_that_waits_for_figures_reloads_itself_when_they_have_come() -> None:
    study = scored_study()
    client = client_of(study)
    asked = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "waiting"}
    address = reverse("agreement", kwargs={"slug": study.slug})
    waiting = client.get(address, **asked)
    assert "There are no figures yet" in markup(waiting)
    assert "HX-Refresh" not in waiting.headers
    take_snapshot(study=study, resamples=20)
    assert client.get(address, **asked).headers["HX-Refresh"] == "true"


def test_figures_that_wait_for_a_scoring_that_failed_say_so(study: Study) -> None:
    client = client_of(study)
    study.batches.update(state=BatchState.CLOSED)
    study.snapshots.update(run=None)
    ScoringRun.objects.create(
        study=study, method="ebr", scorer="openai", status=JobStatus.FAILED, error="The model answered 401."
    )
    page = page_of(study, client)
    assert "The last scoring failed:" in page
    assert "The model answered 401." in page
    assert "computed by themselves" not in page


@pytest.mark.parametrize(("key", "has"), [("ebr", True), ("equivalence", False)])
def test_a_tab_is_there_where_the_scheme_can_have_something_on_it(key: str, has: bool) -> None:
    titles = {tab.title for tab in tabs_of(make_study(definition=preset(key)))}
    assert ("Sentences" in titles, "Variants" in titles, "Answer equivalence" in titles) == (has, has, not has)


def test_on_two_steps_there_is_no_tau_where_both_did_not_choose_the_better_one() -> None:
    """No two such answers can be put in the same order by both, so that τ says nothing of how people judge."""
    stars = {"key": "fluent", "kind": "stars", "points": 2, "title": "Fluent?"}
    definition = {"key": "two", "title": "Two", "shown": ["question", "answer"], "aspects": [stars]}
    study = study_with_judgments(
        definition=definition,
        corpus=make_corpus(articles=10),
        values=lambda member, item: {"fluent": Random(f"{item.pk} {member.pseudonym}").choice("12")},
    )
    snapshot = take_snapshot(study=study, resamples=40)
    (figures,) = snapshot.figures["aspects"]
    assert figures["pairwise_tau"]["all"]["raw"]["mean"]["value"] is not None
    assert "two steps" in figures["pairwise_tau"]["incomplete"]["raw"]["mean"]["undefined_because"]
    assert figures["pairs_incomplete"] == []
    assert "opposite ways" not in page_of(study)
