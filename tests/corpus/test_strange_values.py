"""Where something else stands than a tool writes there: the file is refused with the place, and no importer breaks.

Each value in the files that other tools wrote is replaced in turn, whether it is a text, a list or a mapping.
"""

import json
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.corpus.importers import ImportFileError
from tests.corpus.reading import read_files
from tests.corpus.test_model_output import WRITTEN
from tests.corpus.test_strange_numbers import STUDIES, mistakes_in, parsed, rewritten

STRANGE = ["null", "true", '"x"', "7", "[]", "{}", "[null]", "[[1]]", '{"a": 1}', '"\\ud800"', '[{"a": []}]']
TRIED = 3  # of these at each place


def places(said: Any, *at: Any) -> Iterator[tuple[Any, ...]]:
    inner = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, each in inner:
        yield from places(each, *at, key)
    if at:
        yield at


def kinds_of_places(path: Path) -> list[tuple[Any, ...]]:
    """One place of each kind, wherever in a list it stands."""
    said, are_lines = parsed(path)
    found = {tuple("*" if isinstance(key, int) else key for key in at): at for at in [*places(said)][::-1]}
    return [at for at in found.values() if len(at) > 1 or are_lines]


@pytest.mark.long("annotation_platform/corpus/importers/**/*.py")
@pytest.mark.parametrize("study", STUDIES)
def test_no_value_breaks_an_importer(study: str, tmp_path: Path) -> None:
    format, files, definition = STUDIES[study]
    broken, strange = [], cycle(STRANGE)
    copies = [tmp_path / str(n) / each.relative_to(WRITTEN) for n, each in enumerate(files)]
    for original, copy in zip(files, copies, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, copy)
    for path, copy in zip(files, copies, strict=True):
        if path.suffix not in (".json", ".jsonl"):
            continue
        for at in kinds_of_places(path):
            for value in [next(strange) for _ in range(TRIED)]:
                shutil.copyfile(path, copy)
                rewritten(copy, at, value)
                try:
                    mistakes_in(format, copies, definition)
                except Exception as error:
                    broken.append(f"{path.name}: {at} as {value}: {error!r:.200}")
        shutil.copyfile(path, copy)
    assert broken == []


CASES = [
    ("inspect", "inspect.json", ("samples",), "7", "inspect.json: is no log of Inspect"),
    ("label_studio, min", "min.json", (1, "spans", 0), '"x"', "min.json, entry 2: is not built"),
    ("label_studio, min", "min.json", (1, "spans"), "true", "min.json, entry 2: is not built"),
    ("argilla", "settings.json", ("fields",), "[]", "settings.json: is not built"),
    ("potato", "user_state.json", ("instance_id_to_label_to_value",), "7", "user_state.json: is not built"),
    ("inception", "wren.json", ("%FEATURE_STRUCTURES", 1, "documentTitle"), '"\\ud800"', "wren.json: "),
    ("prodigy", "ner_manual.jsonl", ("spans", 0), "true", "ner_manual.jsonl, line 1: is not built"),
]


@pytest.mark.parametrize(("study", "file", "at", "strange", "said"), CASES)
def test_what_no_tool_writes_is_told_by_its_place(
    study: str, file: str, at: tuple[Any, ...], strange: str, said: str, tmp_path: Path
) -> None:
    format, files, definition = STUDIES[study]
    copies = [tmp_path / str(n) / each.name for n, each in enumerate(files)]
    for original, copy in zip(files, copies, strict=True):
        copy.parent.mkdir()
        shutil.copyfile(original, copy)
    changed = next(each for each in copies if each.name == file)
    rewritten(changed, at if parsed(changed)[1] else (0, *at), strange)
    reasons = mistakes_in(format, copies, definition)
    assert any(said in reason for reason in reasons), reasons


def test_a_label_that_reads_as_none_gets_a_key_of_its_own(tmp_path: Path) -> None:
    rows = [
        {"id": n, "text": "The sea.", "label": [[0, 3, name]], "Comments": []} for n, name in enumerate(["(none)", "b"])
    ]
    path = tmp_path / "wren.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    study = read_files("doccano", path)
    assert [each["label"] for judged in study.judgments for each in judged.values["label"]] == ["choice_none", "b"]


def test_a_form_that_no_database_can_hold_is_refused(tmp_path: Path) -> None:
    shutil.copyfile(WRITTEN / "argilla" / "records.json", tmp_path / "records.json")
    settings = json.loads((WRITTEN / "argilla" / "settings.json").read_text())
    settings["questions"][0]["description"] = "\ud800"
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    with pytest.raises(ImportFileError, match=r"U\+D800"):
        read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
