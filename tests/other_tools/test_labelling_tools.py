"""Tools in which people label: their own code writes the files of ``tests/corpus/written`` anew; they come the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.reading import ReadStudy, read_files
from tests.other_tools.environments import SCRIPTS, WRITTEN, Tool, ready, run
from tests.other_tools.tools import ARGILLA, DOCCANO, INCEPTION, LABEL_STUDIO, POTATO
from tests.releases.freeze.test_labelers import sea, written

pytestmark = [
    pytest.mark.other_tools,
    pytest.mark.long("annotation_platform/corpus/importers/**/*.py", "annotation_platform/releases/labelers/*.py"),
]


def made(tool: Tool, folder: str, tmp_path: Path, *given: str, arguments: tuple[object, ...] = ()) -> Path:
    """What a tool writes when the script beside the committed files runs on copies of those that it is ``given``."""
    target = tmp_path / folder
    target.mkdir()
    for name in ("make.py", *given):
        shutil.copy(WRITTEN / folder / name, target / name)
    run(tool, target / "make.py", *arguments, cwd=target)
    return target


def told(study: ReadStudy) -> tuple[Any, ...]:
    """All that an import brings, without the names of files."""
    judged = [judgment._replace(where="") for judgment in study.judgments]
    return list(study.articles), judged, study.definition, sorted(study.counts.left_out.values())


def assert_same(format: str, names: list[str], new: Path, committed: Path) -> ReadStudy:
    fresh = read_files(format, *(new / name for name in names))
    assert told(fresh) == told(read_files(format, *(committed / name for name in names)))
    assert fresh.judgments
    return fresh


def test_argilla_s_dataset_comes_with_form_and_judgments(tmp_path: Path) -> None:
    new = made(ARGILLA, "argilla", tmp_path)
    assert_same("argilla", ["settings.json", "records.json"], new, WRITTEN / "argilla")


def test_argilla_reads_what_a_release_says(tmp_path: Path) -> None:
    written(sea(tmp_path), "argilla")
    said = run(ARGILLA, SCRIPTS / "read_argilla.py", cwd=tmp_path)
    assert said.splitlines() == ["judged fit stars share faults marks why cannot_judge", "fit=yes share=35 stars=4"]


@pytest.mark.parametrize("file", ["min.json", "min.csv"])
def test_label_studio_s_converter_writes_what_comes(file: str, tmp_path: Path) -> None:
    new = made(LABEL_STUDIO, "label_studio", tmp_path, "config.xml", "tasks.json")
    assert_same("label_studio", ["config.xml", file], new, WRITTEN / "label_studio")


def test_label_studio_takes_and_converts_what_a_release_says(tmp_path: Path) -> None:
    written(sea(tmp_path), "label_studio")
    row = json.loads(run(LABEL_STUDIO, SCRIPTS / "read_label_studio.py", cwd=tmp_path))
    assert (row["fit"], row["stars"], row["share"]) == ("yes", [{"rating": 4}], [{"number": 35}])
    assert [each["labels"] for each in row["marks"]] == [["moon"]]


def test_inception_s_library_writes_what_comes(tmp_path: Path) -> None:
    new = made(INCEPTION, "inception", tmp_path)
    assert_same("inception", ["wren.json", "lark.json"], new, WRITTEN / "inception")


def test_potato_s_state_comes_with_its_form(tmp_path: Path) -> None:
    new = made(POTATO, "potato", tmp_path, "config.yaml", "items.jsonl")
    states = [f"annotation_output/{who}/user_state.json" for who in ("lark", "wren@example.org")]
    assert_same("potato", ["config.yaml", "items.jsonl", *states], new, WRITTEN / "potato")


def test_doccano_s_exports_come(tmp_path: Path) -> None:
    ready(DOCCANO)
    new = made(DOCCANO, "doccano", tmp_path, arguments=(DOCCANO.site_packages() / "backend",))
    for folder in ("classes", "classes_csv", "spans", "texts"):
        names = sorted(f"{folder}/{file.name}" for file in (WRITTEN / "doccano" / folder).iterdir())
        assert_same("doccano", names, new, WRITTEN / "doccano")
