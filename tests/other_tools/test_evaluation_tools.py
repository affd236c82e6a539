"""Programs that evaluate models run themselves on a few questions, and what they write comes."""

import shutil
from pathlib import Path

import pytest

from annotation_platform.corpus.importers import guess_format
from tests.corpus.test_judged_output import read as read_judged
from tests.corpus.test_model_output import LM_EVAL as LM_EVAL_FILES
from tests.corpus.test_model_output import left_out, read
from tests.other_tools import tools
from tests.other_tools.environments import SCRIPTS, WRITTEN, run
from tests.other_tools.test_labelling_tools import told

pytestmark = [pytest.mark.other_tools, pytest.mark.long("annotation_platform/corpus/importers/*.py")]


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_a_log_of_inspect_comes_with_its_turns_tools_and_scores(suffix: str, tmp_path: Path) -> None:
    run(tools.INSPECT, SCRIPTS / "write_inspect.py", suffix, cwd=tmp_path)
    (log,) = tmp_path.rglob(f"*.{suffix}")
    assert guess_format(log, log.name).key == "inspect"
    study = read("inspect", log)
    found = {each.external_id: each for each in study.questions}
    assert {name: next(iter(each.answers.values())).text for name, each in found.items()} == {
        "water/ice": "Because it is light.",
        "water/tide": "The sun.",
        "water/tool": "Yes, oil floats.",
    }
    assert found["water/tide"].text.startswith("System: Answer briefly.\n\nUser: What pulls at the sea?")
    assert found["water/ice"].reference_answers == ["It is lighter than water."]


def test_samples_of_the_harness_come_as_its_own_writer_writes_them(tmp_path: Path) -> None:
    run(tools.LM_EVAL, SCRIPTS / "write_lm_eval.py", WRITTEN / "lm_eval", cwd=tmp_path)
    new = sorted(tmp_path.rglob("*.json*"), key=lambda path: path.name)
    study, committed = read("lm_eval", *new), read("lm_eval", *LM_EVAL_FILES)
    asked = [(each.text, each.reference_answers, [*each.answers.values()]) for each in study.questions]
    assert asked == [(each.text, each.reference_answers, [*each.answers.values()]) for each in committed.questions]
    assert left_out(study) == left_out(committed)


def test_openai_s_evals_come(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "none", "EVALS_SEQUENTIAL": "1"}
    run(tools.OPENAI_EVALS, WRITTEN / "make_openai_evals.py", tmp_path, cwd=tmp_path, **keys)
    new = read_judged("openai_evals", *sorted(tmp_path.glob("*.jsonl")))
    assert told(new) == told(read_judged("openai_evals", *sorted((WRITTEN / "openai_evals").iterdir())))
    assert new.questions


def test_runs_of_helm_come(tmp_path: Path) -> None:
    shutil.copy(WRITTEN / "make_helm.py", tmp_path)
    run(tools.HELM, tmp_path / "make_helm.py", tmp_path, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    new = read_judged("helm", *sorted(tmp_path.rglob("s*.json")))
    assert told(new) == told(read_judged("helm", *sorted((WRITTEN / "helm").rglob("s*.json"))))
    assert new.questions
