"""Each of the five methods runs over its demo study to its end: from the page, and from the command line."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.core.methods.rev.weights import PACKAGED
from annotation_platform.demo.recorded import ADDRESS, REPLIES, SAMPLES, load_replies
from annotation_platform.demo.samples import corpus_name
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.connections import connect_local
from annotation_platform.scoring.models import Completion, Method, ScoringRun
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import Role, Study
from tests.core.tiny_models import make_tiny_model, needs_extra
from tests.factories import OPERATOR, MemberFactory

pytestmark = pytest.mark.django_db

MODEL = {"scorer": "openai", "connection": PACKAGED, "temperature": "0", "max_tokens": "512"}
JUDGE = {**MODEL, "format": "simple", "form": "json", "second_reading": "no"}
EVERY_METHOD = [
    pytest.param("ebr.yaml", Method.EBR, {"scorer": "distilled"}, ["--scorer=distilled"], id="ebr"),
    pytest.param("acorn.yaml", Method.JUDGE, JUDGE, None, id="judge"),
    pytest.param("lfqa.yaml", Method.MATE, JUDGE, None, id="mate"),
    pytest.param("equivalence.yaml", Method.EQUIVALENCE, {}, [], id="equivalence"),
    pytest.param("rev.yaml", Method.REV, {"evaluator": "tiny"}, ["--evaluator=tiny"], id="rev", marks=needs_extra),
]
RECORDED = [f"--connection={PACKAGED}", "--format=simple", "--form=json", "--no-second-reading"]


@pytest.mark.parametrize(("sample", "method", "form", "options"), EVERY_METHOD)
def test_a_method_runs_over_its_demo_study_from_the_page_and_from_the_command_line(
    sample: str,
    method: Method,
    form: dict[str, str],
    options: list[str] | None,
    client: Client,
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.DATA_DIR = tmp_path
    name = corpus_name(SAMPLES / sample)
    call_command("import_study", "native", str(SAMPLES / sample), name=name, verbosity=0)
    load_replies(SAMPLES / REPLIES)
    connect_local(PACKAGED, ADDRESS, PACKAGED, at_once=2, actor=OPERATOR)
    if method == Method.REV:
        make_tiny_model(tmp_path / "models" / "tiny")
    replies = Completion.objects.count()
    study = Study.objects.get(name=name)

    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    answer = client.post(reverse("new_run", args=[study.slug, method]), form)
    assert answer.status_code == 302, answer.content.decode()
    claimed = claim(RUNS, study.scoring_runs.get().pk)
    assert claimed is not None
    by_page = execute(RUNS, claimed)
    assert "done" in client.get(answer["Location"]).content.decode()

    given = RECORDED if options is None else options
    call_command("score_study", name, f"--method={method}", *given, stdout=StringIO(), stderr=StringIO())
    by_command = study.scoring_runs.order_by("pk").last()
    assert by_command is not None
    for run in (by_page, by_command):
        assert run.status == JobStatus.DONE, run.error
        assert run.done == run.total > 0
        assert run.signature == by_page.signature  # it was the same run
    assert scores(by_page) == scores(by_command) > 0
    assert Completion.objects.count() == replies


def scores(run: ScoringRun) -> int:
    return run.scores.count() + run.item_scores.count()
