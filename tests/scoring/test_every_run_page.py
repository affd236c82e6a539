"""Every page of a run is rendered: for each method, in each state, before, during and after a dry run."""

import re
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.templatetags.mappings import pairs
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.ebr.prompts import built_in
from annotation_platform.demo.recorded import SAMPLES
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import estimates
from annotation_platform.scoring.methods import METHODS, run_method
from annotation_platform.scoring.methods.ebr.parameters import ModelParameters, PromptTemplate
from annotation_platform.scoring.methods.rev.parameters import RevParameters
from annotation_platform.scoring.models import Method, ModelConnection, Scorer, ScoringRun
from annotation_platform.scoring.services import RUNS, resume_run, start_run
from annotation_platform.studies.models import Role, Study
from tests import rests_on
from tests.factories import OPERATOR, MemberFactory, close_all, study_with_judgments
from tests.markup import markup
from tests.scoring.judged_studies import answer_study, explanation_study, people
from tests.servers.model_server import Answer, ModelServer, fails, says

pytestmark = pytest.mark.django_db

SAMPLE_OF = {
    Method.EBR: "ebr.yaml",
    Method.JUDGE: "acorn.yaml",
    Method.MATE: "lfqa.yaml",
    Method.REV: "rev.yaml",
    Method.EQUIVALENCE: "equivalence.yaml",
}
TRIED = {"items tried": 2, "items": 8, "requests": 32, "tokens expected": 4000, "tokens low": 3000, "tokens high": 5000}
# What is known of a run's costs, and whether it is tried out before it starts.
DRY_RUNS: list[tuple[dict[str, Any] | None, bool]] = [
    (None, False),
    (None, True),
    (TRIED, False),
    (TRIED | {"dollars expected": 0.0049, "dollars low": 0.004, "dollars high": 0.0058}, False),
]
EVERY_RUN = [(how.name, scorer) for how in METHODS for scorer in how.scorers]


def researcher_of(study: Study, client: Client) -> Client:
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    return client


def stored(study: Study, method: str, scorer: str) -> dict[str, Any]:
    """Parameters as a run of the method keeps them."""
    asked = {"model": "tiny", "base_url": "http://127.0.0.1:9/v1"}
    if method == Method.REV:  # its own way needs a model on this machine
        return RevParameters(evaluator="tiny", weights="1").stored()
    if (method, scorer) == (Method.EBR, Scorer.LANGUAGE_MODEL):
        return ModelParameters(template=PromptTemplate.of(built_in()), **asked).stored()
    given = asked if scorer in (Scorer.LANGUAGE_MODEL, Scorer.HYBRID) else {}
    return run_method(method).resolve(study=study, scorer=scorer, given=given).stored()


class Pages:
    """Opens the pages of runs of one method and scorer."""

    def __init__(self, method: Method, scorer: Scorer, client: Client) -> None:
        call_command("import_study", "native", str(SAMPLES / SAMPLE_OF[method]), name="Sample", verbosity=0)
        self.study = Study.objects.get()
        self.method, self.scorer, self.client = method, scorer, researcher_of(self.study, client)
        self.parameters = stored(self.study, method, scorer)
        self.asked_again = set[str]()

    def of_a_run(self, status: JobStatus, bill: dict[str, Any] | None, *, dry: bool) -> None:
        run = ScoringRun.objects.create(
            study=self.study,
            method=self.method,
            scorer=self.scorer,
            parameters=self.parameters,
            status=status,
            wants_estimate=dry,
            estimate=bill,
            total=8,
            done=8 if status == JobStatus.DONE else 3,
            counts={"items": {"items": 3, "mean": 0.5}, "values": 2},
            error="Why." if status in (JobStatus.PAUSED, JobStatus.FAILED) else "",
        )
        address = reverse("run", args=[self.study.slug, run.pk])
        page = self.client.get(address)
        assert page.status_code == 200
        assert self.client.get(address, headers={"hx-request": "true"}).status_code == 200
        again = re.search(r'<a href="([^"]+)">Run again', markup(page))
        assert again is not None
        if again[1] not in self.asked_again:  # with the same parameters it is the same page
            assert self.client.get(again[1].replace("&amp;", "&")).status_code == 200
            self.asked_again.add(again[1])
        if bill and "dollars expected" in bill:
            assert "$0.0049" in markup(page)

    def of_all_runs(self) -> None:
        assert self.client.get(reverse("scoring", args=[self.study.slug])).status_code == 200

    def of_runs_side_by_side(self) -> None:
        for first, second in pairwise(self.study.scoring_runs.all()):
            beside = reverse("compare_runs", args=[self.study.slug, first.pk, second.pk])
            assert self.client.get(beside).status_code == 200

    def without_what_is_at_work(self) -> None:
        """One run at a time."""
        self.study.scoring_runs.filter(status__in=[JobStatus.PENDING, JobStatus.RUNNING]).delete()


@pytest.mark.parametrize("n", range(len(EVERY_RUN)), ids=["-".join(each) for each in EVERY_RUN])
def test_every_page_of_a_run_opens_in_every_state(n: int, client: Client) -> None:
    """Before, during or after a dry run; which of them it is differs from state to state, and by method."""
    pages = Pages(*EVERY_RUN[n], client)
    for turn, status in enumerate(JobStatus, start=n):
        bill, dry = DRY_RUNS[turn % len(DRY_RUNS)]
        pages.of_a_run(status, bill, dry=dry)
        pages.of_all_runs()
        pages.without_what_is_at_work()
    pages.of_runs_side_by_side()
    assert client.get(reverse("unread", args=[pages.study.slug])).status_code == 200


@pytest.mark.long(*rests_on.SCORING, "frontend_templates/*.html", "frontend_templates/scoring/*.html")
@pytest.mark.parametrize(("method", "scorer"), EVERY_RUN)
def test_every_page_of_a_run_opens_in_every_state_of_every_dry_run(
    method: Method, scorer: Scorer, client: Client
) -> None:
    pages = Pages(method, scorer, client)
    for status in JobStatus:
        pages.study.scoring_runs.all().delete()
        pages.asked_again.clear()
        for bill, dry in DRY_RUNS:
            pages.of_a_run(status, bill, dry=dry)
            pages.without_what_is_at_work()
        pages.of_all_runs()
        pages.of_runs_side_by_side()


def rescaled() -> Study:
    study = study_with_judgments(annotators=2)
    close_all(study)
    return study


@pytest.mark.parametrize(
    ("method", "make"),
    [
        (Method.EBR, rescaled),
        (Method.JUDGE, explanation_study),
        (Method.MATE, lambda: answer_study(questions=6, values=people)),
    ],
)
def test_a_dry_run_shows_its_bill(
    method: Method, make: Any, client: Client, server: ModelServer, asks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "ITEMS", 2)
    study = make()
    run = start_run(study=study, method=method, scorer="openai", parameters=asks(), dry_run=True, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    assert execute(RUNS, claimed).status == JobStatus.PAUSED
    page = researcher_of(study, client).get(reverse("run", args=[study.slug, run.pk]))
    assert page.status_code == 200
    assert "Expected before it started" in markup(page)


def test_pairs_of_a_mapping_are_not_confused_by_its_keys() -> None:
    assert list(pairs({"items": 1, "values": 2, "keys": 3})) == [("items", 1), ("values", 2), ("keys", 3)]
    assert list(pairs(None)) == []


def test_an_earlier_answer_under_a_key_like_items_is_shown(client: Client) -> None:
    study = rescaled()
    now = Annotation.objects.current().filter(item__study=study)[0]
    Annotation.objects.filter(pk=now.pk).update(revision=2)
    now.pk, now.is_current, now.revision, now.submission_id = None, False, 1, uuid4()
    now.values = {"items": "seven", "values": "eight"}
    now.save()
    page = researcher_of(study, client).get(reverse("item", args=[study.slug, now.item_id]))
    assert page.status_code == 200
    assert "<dt>items</dt><dd>seven</dd>" in markup(page)


def test_no_template_asks_a_mapping_for_what_one_of_its_keys_may_hide() -> None:
    folder = Path(configured.BASE_DIR) / "frontend_templates"
    hidden = re.compile(r"\{% for (\w+, \w+ in [\w.]+\.items|\w+ in [\w.]+\.values) ")
    assert hidden.search("{% for key, value in old.values.items %}")
    found = {str(path): hidden.findall(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    assert {path for path, uses in found.items() if uses} == set()


def told(client: Client, run: ScoringRun) -> tuple[str, str]:
    """A run's own page and the list of runs, without what stands between the words."""
    addresses = (reverse("run", args=[run.study.slug, run.pk]), reverse("scoring", args=[run.study.slug]))
    first, second = (re.sub(r"\s+", " ", markup(client.get(address))) for address in addresses)
    return first, second


def work_on(run: ScoringRun) -> ScoringRun:
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


class TestWhatARunCosts:
    PRICES: ClassVar = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 10}

    def test_without_prices_there_is_no_zero_but_tokens(self, client: Client, server: ModelServer, asks: Any) -> None:
        study = rescaled()
        researcher_of(study, client)
        run = start_run(study=study, scorer="openai", parameters=asks(), actor=OPERATOR)
        for page in told(client, run):
            assert "price not known, 0 tokens" in page
            assert "$0" not in page
        run = work_on(run)
        for page in told(client, run):
            assert f"price not known, {run.spent_tokens:,} tokens" in page
            assert "$0" not in page
        assert run.spent_tokens > 0

    def test_models_that_answered_under_another_name_are_told(
        self, client: Client, server: ModelServer, asks: Any
    ) -> None:
        study = rescaled()
        researcher_of(study, client)
        server.queue.append(Answer(body=says("Score: 4").body.replace(b"tiny-2026", b"small/cheap:free")))
        run = work_on(start_run(study=study, scorer="openai", parameters=asks(), actor=OPERATOR))
        n = run.completions.count()
        assert f"tiny-2026 ({n - 1})<br>small/cheap:free (1)" in told(client, run)[0]
        run.completions.update(model="tiny")  # as asked for
        assert "Models that answered" not in told(client, run)[0]

    def test_a_run_whose_replies_were_there_paid_nothing(self, client: Client, server: ModelServer, asks: Any) -> None:
        study = rescaled()
        researcher_of(study, client)
        first = work_on(start_run(study=study, scorer="openai", parameters=asks(**self.PRICES), actor=OPERATOR))
        again, out = asks(**self.PRICES, concurrency=1), StringIO()
        options = [f"--{name.replace('_', '-')}={value}" for name, value in again.items()]
        call_command("score_study", study.name, "--scorer=openai", *options, stdout=out, stderr=StringIO())
        second = study.scoring_runs.exclude(pk=first.pk).get()
        assert "paid by this run: $0\n" in out.getvalue()
        assert f"worth ${first.spent:f}".rstrip("0") in out.getvalue()
        page, _ = told(client, second)
        assert "$0 (all its replies were there already)" in page

    def test_a_dry_run_counts_items_and_then_the_run_its_steps(
        self, client: Client, server: ModelServer, asks: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(estimates, "ITEMS", 2)
        study = rescaled()
        researcher_of(study, client)
        run = start_run(study=study, scorer="openai", parameters=asks(), dry_run=True, actor=OPERATOR)
        for page in told(client, run):
            assert "Dry run: 0 of 2 items" in page
        run = work_on(run)
        whole = study.items.count() * 2
        assert (run.done, run.total) == (0, whole)
        for page in told(client, run):
            assert f"Dry run done; 0 of {whole}" in page
        page, _ = told(client, run)
        assert "price not known" in page
        resume_run(run=run, actor=OPERATOR)
        run = work_on(run)
        assert (run.status, run.done, run.total) == (JobStatus.DONE, whole, whole)

    def test_a_run_that_stops_says_how_far_it_came(self, client: Client, server: ModelServer, asks: Any) -> None:
        study = rescaled()
        server.behaviour = lambda asked: says("Score: 4") if sum(server.answered.values()) < 3 else fails(401, "no")
        run = work_on(start_run(study=study, scorer="openai", parameters=asks(concurrency=1), actor=OPERATOR))
        assert run.status == JobStatus.FAILED
        assert 0 < run.done < run.total  # equal judgments share a reply

    def test_what_a_connection_spent_without_prices_is_no_zero(
        self, client: Client, admin_client: Client, server: ModelServer, settings: Any
    ) -> None:
        connection = ModelConnection.objects.create(name="Local", base_url=server.url, model="tiny")
        work_on(
            start_run(study=rescaled(), scorer="openai", parameters={"connection": connection.name}, actor=OPERATOR)
        )
        page = markup(admin_client.get(reverse("connections")))
        assert "price not known (" in page
        assert "$0" not in page
