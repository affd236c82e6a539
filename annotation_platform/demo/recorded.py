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

from annotation_platform.core.methods.rev.recorded import SUFFIX
from annotation_platform.core.methods.rev.weights import PACKAGED
from annotation_platform.scoring.connections import connect_local
from annotation_platform.scoring.methods.rev_parameters import models_folder
from annotation_platform.scoring.models import Completion, Method, ScoringRun
from annotation_platform.scoring.services import claim_run, execute_run, start_run
from annotation_platform.studies.models import Study

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


def carry_out(recorded: RecordedRun, study: Study) -> ScoringRun | None:
    """Start and execute the run; None where another worker has it."""
    connection = connect_local(PACKAGED, ADDRESS, PACKAGED, at_once=2)
    given = {"connection": connection.name, **recorded.parameters}
    run = claim_run(run_id=start_run(study=study, method=recorded.method, parameters=given).pk)
    return run and execute_run(run=run)


def measure_rationales(study: Study) -> ScoringRun | None:
    """Start and execute a run of REV by the recorded evaluator; None where another worker has it."""
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(LIKELIHOODS, folder / LIKELIHOODS.name)
    given = {"evaluator": EVALUATOR}
    run = claim_run(run_id=start_run(study=study, method=Method.REV, parameters=given).pk)
    return run and execute_run(run=run)


def load_replies(file: Path) -> None:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        Completion.objects.bulk_create((Completion(**json.loads(line)) for line in lines), ignore_conflicts=True)


def save_replies(file: Path, completions: Iterable[Completion]) -> None:
    """In the order of their signatures. llama.cpp names its model by the whole path, of which only the name stays."""
    rows = sorted(
        ({name: getattr(each, name) for name in FIELDS} | {"model": Path(each.model).name} for each in completions),
        key=lambda row: row["signature"],
    )
    lines = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))
