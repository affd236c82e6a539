"""Replies of a small language model that come along with samples: they show its labels without a server or a wait.

They are stored under the signatures of their requests, so that a run finds all of them answered and asks nobody. Made
by ``manage.py record_replies``. What an evaluator of rationales says comes along in the same way, made by
``manage.py record_evaluator``.
"""

import gzip
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.methods.rev.recorded import SUFFIX
from annotation_platform.core.methods.rev.weights import PACKAGED
from annotation_platform.jobs.contract import run_job
from annotation_platform.scoring.connections import connect_local
from annotation_platform.scoring.methods.rev.parameters import models_folder
from annotation_platform.scoring.models import Completion, Method, ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Study

ACTOR = Actor.operator("prepare_demo")
ADDRESS = "http://127.0.0.1:8080/v1"  # where serve_model serves, unless told otherwise
SAMPLES = Path(__file__).resolve().parents[1] / "corpus" / "sample"
REPLIES = "replies.jsonl.gz"  # beside the samples
FIELDS = ("signature", "request", "reply", "model", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class RecordedRun:
    """What a sample's replies were given to."""

    sample: str
    method: Method
    parameters: Mapping[str, Any]


RATIONALES = "rev.yaml"  # the sample that REV is about
EVALUATOR = "gemma-3-270m-trained-recorded"
LIKELIHOODS = SAMPLES / f"{EVALUATOR}{SUFFIX}"
SHORT = {"format": "simple", "form": "json", "second_reading": False}  # what a small model can follow
RECORDED = (RecordedRun("acorn.yaml", Method.JUDGE, SHORT), RecordedRun("lfqa.yaml", Method.MATE, SHORT))


def run_recorded(recorded: RecordedRun, study: Study) -> ScoringRun | None:
    """Start and execute the run; None where another worker has it."""
    connection = connect_local(PACKAGED, ADDRESS, PACKAGED, at_once=2, actor=ACTOR)
    given = {"connection": connection.name, **recorded.parameters}
    return run_job(RUNS, start_run(study=study, method=recorded.method, parameters=given, actor=ACTOR).pk)


def measure_rationales(study: Study) -> ScoringRun | None:
    """Start and execute a run of REV by the recorded evaluator; None where another worker has it."""
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(LIKELIHOODS, folder / LIKELIHOODS.name)
    given = {"evaluator": EVALUATOR}
    return run_job(RUNS, start_run(study=study, method=Method.REV, parameters=given, actor=ACTOR).pk)


def load_replies(file: Path) -> None:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        replies = (Completion(by_schema="response_format" in row["request"], **row) for row in rows)
        Completion.objects.bulk_create(replies, ignore_conflicts=True)


def save_replies(file: Path, completions: Iterable[Completion]) -> None:
    """In the order of their signatures. llama.cpp names its model by the whole path, of which only the name stays."""
    rows = sorted(
        (
            {name: getattr(each, name) for name in FIELDS}
            | {"model": Path(each.model).name}
            | ({} if each.finish_reason in ("", "stop") else {"finish_reason": each.finish_reason})
            for each in completions
        ),
        key=lambda row: row["signature"],
    )
    lines = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))
