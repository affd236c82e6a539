"""Programs that record traces: their own SDKs write them, and questions and answers come of them."""

import shutil
from pathlib import Path

import pytest

from annotation_platform.corpus.importers import guess_format
from tests.corpus.test_traces import ICE, TIDE, exchanges, read
from tests.other_tools import tools
from tests.other_tools.environments import SCRIPTS, WRITTEN, Tool, run

pytestmark = [pytest.mark.other_tools, pytest.mark.long("annotation_platform/corpus/importers/**/*.py")]
TRACES = WRITTEN / "traces"


def written(tool: Tool, what: str, tmp_path: Path) -> Path:
    shutil.copy(TRACES / "write.py", tmp_path)
    run(tool, tmp_path / "write.py", what, cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("style", ["older", "newer"])
def test_opentelemetry_s_conventions_come(style: str, tmp_path: Path) -> None:
    path = written(tools.OPENTELEMETRY, f"otel_{style}", tmp_path) / f"otel_{style}.jsonl"
    assert guess_format(path, path.name).key == "otel"
    assert exchanges(read("otel", path)) == {ICE, TIDE}


def test_langfuse_s_sdk_comes_by_its_spans_and_by_the_pages_of_its_api(tmp_path: Path) -> None:
    folder = written(tools.LANGFUSE, "langfuse", tmp_path)
    assert exchanges(read("otel", folder / "langfuse_otel.jsonl")) == exchanges(read("otel", "langfuse_otel.jsonl"))
    names = ["langfuse_observations.json", "langfuse_items.json", "langfuse_run.json"]
    new = read("langfuse", *(folder / name for name in names))
    assert exchanges(new) == exchanges(read("langfuse", *names)) != set()


def test_langsmith_s_sdk_comes(tmp_path: Path) -> None:
    folder = written(tools.LANGSMITH, "langsmith", tmp_path)
    names = ["langsmith_runs.jsonl", "langsmith_examples.jsonl"]
    assert exchanges(read("langsmith", *(folder / name for name in names))) == exchanges(read("langsmith", *names))


def test_what_phoenix_s_client_reads_comes(tmp_path: Path) -> None:
    run(tools.PHOENIX, SCRIPTS / "read_phoenix.py", TRACES / "phoenix_spans.jsonl", cwd=tmp_path)
    new = read("phoenix", tmp_path / "spans.jsonl")
    assert exchanges(new) == exchanges(read("phoenix", "phoenix_spans.jsonl")) == {ICE, TIDE}
