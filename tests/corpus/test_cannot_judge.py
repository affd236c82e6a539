"""That somebody could not judge an item is a column of a table, too, and comes back as it was exported."""

from pathlib import Path
from typing import Any

import pytest

from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, open_files, read_study
from annotation_platform.imports.storing import import_study
from annotation_platform.releases.services import write_export
from annotation_platform.studies.models import Study
from tests.corpus.reading import read_files
from tests.factories import OPERATOR

DEFINITION = {
    "key": "right",
    "title": "Right or not",
    "shown": ["question", "answer"],
    "cannot_judge": "I cannot judge this",
    "aspects": [{"key": "right", "kind": "yes_no", "title": "Is it right?"}],
}
TABLE = """\
question,answer,right,annotator,cannot_judge,cannot_judge_reason
Why?,So.,yes,Wren,0,
Why?,So.,,Teal,1,It is in Russian.
How?,Thus.,no,Teal,false,
How?,Thus.,,Wren,,Cut off.
"""
MARKED = {"cannot_judge": True, "cannot_judge.reason": "It is in Russian."}


def write(tmp_path: Path, text: str = TABLE) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(text)
    return path


def stored(path: Path, name: str, **options: Any) -> Study:
    format = FORMATS["table"]
    with read_study(format, open_files(format, [path]), Options(definition=DEFINITION, **options)) as read:
        return import_study(imported=read, name=name, actor=OPERATOR).study


def said_in(study: Study) -> dict[tuple[str, str], Any]:
    judgments = Annotation.objects.filter(item__study=study).select_related("annotator", "item__question")
    return {(each.annotator.pseudonym, each.item.question.text): each.values for each in judgments}


@pytest.mark.django_db(transaction=True)
def test_the_mark_and_its_reason_survive_import_export_and_import(tmp_path: Path) -> None:
    study = stored(write(tmp_path), "First")
    said = said_in(study)
    assert said[("Teal", "Why?")] == MARKED
    assert said[("Wren", "How?")] == {"cannot_judge": True, "cannot_judge.reason": "Cut off."}
    assert said[("Wren", "Why?")] == {"right": "yes"}
    rated = Rating.objects.filter(annotation__item__study=study).values_list(
        "annotation__annotator__pseudonym", "choice"
    )
    assert sorted(rated) == [("Teal", "no"), ("Wren", "yes")]  # figures have no label of the other two
    for format in ("csv", "jsonl"):
        exported = tmp_path / f"export.{format}"
        write_export(study=study, format=format, path=exported)
        assert said_in(stored(exported, f"Back from {format}")) == said


def test_without_a_column_of_reasons_the_mark_says_that_there_is_none(tmp_path: Path) -> None:
    text = "\n".join(line.rpartition(",")[0] for line in TABLE.splitlines()[:4])
    read = read_files("table", write(tmp_path, text), definition=DEFINITION)
    marked = [each.values for each in read.judgments if "cannot_judge" in each.values]
    assert marked == [{"cannot_judge": True, "cannot_judge.reason": "The imported file gives no reason."}]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("false", "perhaps", "line 4: cannot_judge: 'perhaps' is neither 1, yes or true, nor 0, no or false"),
        ("It is in Russian.", "", "line 3: cannot_judge: Say in a few words why"),
    ],
)
def test_a_mark_without_its_reason_and_one_that_is_none_are_told(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    with pytest.raises(ImportFileError) as caught:
        read_files("table", write(tmp_path, TABLE.replace(before, after)), definition=DEFINITION)
    assert told in caught.value.reasons[0]


def test_a_scheme_that_has_no_such_answer_leaves_the_columns_out(tmp_path: Path) -> None:
    text = "\n".join(TABLE.splitlines()[:2])
    read = read_files("table", write(tmp_path, text), definition=DEFINITION | {"cannot_judge": ""})
    assert read.counts.left_out == {"values of “cannot_judge”, a column that is taken for nothing": 1}
