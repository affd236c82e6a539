"""What a release says goes to TRL and ``datasets``, which read it by their own code."""

import json
import shutil
from pathlib import Path

import pytest

from annotation_platform.releases.training.preferences import TrainingFormat, preferences
from tests.corpus.test_model_output import read
from tests.other_tools.environments import SCRIPTS, WRITTEN, run
from tests.other_tools.tools import DATASETS, TRL
from tests.releases.freeze.test_training import folder, said

pytestmark = [
    pytest.mark.other_tools,
    pytest.mark.long("annotation_platform/releases/training/*.py", "annotation_platform/corpus/importers/*.py"),
]
KIND = {TrainingFormat.DPO: "preference", TrainingFormat.REWARD: "preference", TrainingFormat.KTO: "unpaired"}


@pytest.mark.parametrize("format", KIND, ids=str)
def test_trl_takes_preference_data_by_its_own_checks(format: TrainingFormat, tmp_path: Path) -> None:
    release = folder(tmp_path, said("x", 100), said("y", 0), said("z", 70))
    rows = preferences(release, format, "completeness").rows
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = json.loads(run(TRL, SCRIPTS / "read_trl.py", "rows.jsonl", KIND[format], cwd=tmp_path))
    assert (told["rows"], told["conversational"]) == (len(rows), False)
    assert told["columns"] == sorted(rows[0])
    assert {label: told["labels"][label] for label in told["labels"]} == (
        {"true": 2, "false": 1} if format == TrainingFormat.KTO else {"true": len(rows), "false": len(rows)}
    )


def test_a_folder_that_datasets_writes_comes(tmp_path: Path) -> None:
    run(DATASETS, SCRIPTS / "write_datasets.py", WRITTEN / "saved", cwd=tmp_path)
    committed = read("table", *sorted((WRITTEN / "saved").rglob("*.arrow")))
    for suffix in ("arrow", "parquet"):
        study = read("table", *sorted(tmp_path.rglob(f"*.{suffix}")))
        assert sorted(each.text for each in study.questions) == sorted(each.text for each in committed.questions)
        assert study.counts.left_out == committed.counts.left_out
    packed = read("table", Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "saved")))
    assert sorted(each.text for each in packed.questions) == sorted(each.text for each in committed.questions)
    assert packed.counts == committed.counts
