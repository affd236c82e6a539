"""What a file's values stand for, and a warning where nobody judged the same question as somebody else."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, open_files
from annotation_platform.corpus.importers.exported import words_of
from annotation_platform.corpus.importers.mistakes import Mistakes
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.studies.models import Batch, Study
from tests.corpus.reading import read_files

pytestmark = pytest.mark.pages

PAIRWISE = {
    "key": "pairs",
    "title": "Pairs",
    "shown": ["question", "candidates"],
    "aspects": [
        {"key": "winner", "kind": "best_of", "title": "Which is better?", "tie_label": "Both are equally good"},
        {"key": "tone", "kind": "stars", "points": 3, "title": "Tone", "labels": {"3": "Warm"}, "required": False},
    ],
}
PAIRS = """\
prompt,model_a,model_b,response_a,response_b,worker,winner,tone
Why?,alder,birch,One.,Two.,Wren,Answer A,warm enough
Why?,birch,alder,Two.,One.,Teal,Answer A,2
Why?,birch,alder,Two.,One.,Rook,Same,Warm
"""
VALUES = {"winner": {"answer a": "1", "Same": "tie"}, "tone": {"warm enough": "3"}}
TASKS = """\
id,question,answer,reference,equivalent,annotator
1,Why?,So.,So,yes,Wren
2,Why?,So.,So,no,Teal
3,How?,Thus.,Thus,no,Teal
"""


def write(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_values_stand_for_what_was_said_and_a_number_for_the_rows_own_answer(tmp_path: Path) -> None:
    read = read_files("table", write(tmp_path, PAIRS), definition=PAIRWISE, values=VALUES)
    said = {judgment.annotator: judgment.values for judgment in read.judgments}
    assert said == {
        "Wren": {"winner": "1", "tone": "3"},  # alder, the first answer of the question
        "Teal": {"winner": "2", "tone": "2"},  # birch, the first of the row
        "Rook": {"winner": "tie", "tone": "3"},
    }


def test_labels_may_be_whole_numbers_of_json(tmp_path: Path) -> None:
    rows = [{"question": "Why?", "answer.1": "A", "answer.2": "B", "annotator": 4, "winner": 2, "tone": 3.0}]
    read = read_files("table", write(tmp_path, json.dumps(rows), "t.json"), definition=PAIRWISE)
    assert read.judgments[0].values == {"winner": "2", "tone": "3"}


def test_the_preview_tells_which_values_there_are(tmp_path: Path) -> None:
    table = FORMATS["table"]
    preview = table.preview(open_files(table, [write(tmp_path, PAIRS)]), Options(definition=PAIRWISE))
    assert preview.values == {"winner": ["Answer A", "Same"], "tone": ["warm enough", "2", "Warm"]}
    unknown = Options(definition=PAIRWISE, values={"best": {"A": "1"}})
    assert "there is no column 'best'" in table.preview(open_files(table, [write(tmp_path, PAIRS)]), unknown).wrong


def test_who_judged_twice_is_told_with_both_rows_and_what_differs(tmp_path: Path) -> None:
    path = write(tmp_path, TASKS.replace("2,Why?,So.,So,no,Teal", "1,Why?,,,no,Wren"))
    with pytest.raises(ImportFileError) as caught:
        read_files("table", path, definition=preset("equivalence"))
    (told,) = caught.value.reasons
    assert "line 3: 'Wren' judged this answer already" in told
    assert "line 2), with another equivalent; a second judgment" in told


def test_columns_that_are_taken_for_nothing_are_counted_and_breaks_are_line_ends(tmp_path: Path) -> None:
    text = (
        "question,note,response,reference,equivalent,worker\nWhy<br />me?,x,One.<BR>\\nTwo&lt;br&gt;three,So,yes,Wren\n"
    )
    read = read_files("table", write(tmp_path, text.replace("\\n", "")), definition=preset("equivalence"))
    assert read.counts.left_out == {"values of “note”, a column that is taken for nothing": 1}
    (question,) = read.questions
    assert (question.text, question.answers["answer"].text) == ("Why\nme?", "One.\nTwo\nthree")


@pytest.mark.django_db
def test_the_command_takes_values_and_sizes(tmp_path: Path) -> None:
    scheme = write(tmp_path, json.dumps(PAIRWISE), "pairs.yaml")
    text = PAIRS.replace("Same", "Answer A") + "How?,alder,birch,One.,Two.,,,\n"
    values = ["--value", "winner=Answer A=1", "--value", "tone=warm enough="]
    sizes = ["--overlap", "7", "--hits-per-batch", "1"]
    told = run("table", write(tmp_path, text), "--name", "Pairs", "--scheme", scheme, *values, *sizes)
    assert "3 judgments by 3 annotators" in told
    study = Study.objects.get(name="Pairs")
    assert (study.overlap, study.hits_per_batch) == (7, 1)
    assert Batch.objects.filter(study=study).count() == 2
    assert study.batches.get(state="open").hits.get().assignments.count() == 7


@pytest.mark.django_db
def test_a_name_that_splits_shared_questions_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, TASKS)
    options = ["table", path, "--scheme", "equivalence"]
    assert "“id” seems to number tasks" in run(*options, "--preview")
    told = run(*options, "--name", "Tasks", "--dry-run")
    assert "Perhaps not meant: The same question stands under several names" in told
    told = run(*options, "--name", "Tasks", "--dry-run", "--map", "id=")
    assert "Perhaps not meant" not in told


def run(*options: Any) -> str:
    output = StringIO()
    call_command("import_study", *map(str, options), stdout=output, stderr=StringIO())
    return output.getvalue()


ARENA = """\
question_id,model_a,model_b,winner,judge,prompt,response_a,response_b,tstamp
1,alder,birch,model_a,arena_1,Why?,One.,Two.,1682351591
1,alder,birch,model_b,arena_2,Why?,One.,Two.,1682351592
1,alder,birch,tie,arena_3,Why?,One.,Two.,1682351593
1,alder,birch,tie (bothbad),arena_4,Why?,One.,Two.,1682351594
1,birch,alder,A,arena_5,Why?,Two.,One.,1682351595
1,birch,alder,b,arena_6,Why?,Two.,One.,1682351596
"""


def test_the_winner_of_an_arena_is_taken_without_mapping(tmp_path: Path) -> None:
    definition = {**PAIRWISE, "aspects": [{**PAIRWISE["aspects"][0], "key": "better_one"}]}
    read = read_files("table", write(tmp_path, ARENA), definition=definition)
    said = [judgment.values["better_one"] for judgment in read.judgments]
    assert said == ["1", "2", "tie", "tie", "2", "1"]  # 1 is alder, the first answer of the question
    assert [judgment.annotator for judgment in read.judgments][:2] == ["arena_1", "arena_2"]


def test_a_system_that_is_called_a_stays_itself(tmp_path: Path) -> None:
    text = ARENA.replace("alder", "b").replace("birch", "a").replace("model_a,arena_1", "a,arena_1")
    read = read_files("table", write(tmp_path, text), definition=PAIRWISE)
    assert read.judgments[0].values == {"winner": "2"}  # the row's second answer, by the system “a”


def test_without_a_word_for_ties_a_tie_is_refused_by_name(tmp_path: Path) -> None:
    winner = {key: value for key, value in PAIRWISE["aspects"][0].items() if key != "tie_label"}
    with pytest.raises(ImportFileError, match=r"line 4: winner: .*tie"):
        read_files("table", write(tmp_path, ARENA), definition={**PAIRWISE, "aspects": [winner]})


def saved_rows(tmp_path: Path, suffix: str, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / f"t{suffix}"
    if suffix in (".json", ".jsonl"):
        path.write_text(json.dumps(rows) if suffix == ".json" else "\n".join(map(json.dumps, rows)))
    elif suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, pa.Table.from_pylist(rows).schema) as stream:
            stream.write_table(pa.Table.from_pylist(rows))
    return path


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".parquet", ".arrow"])
def test_numbers_keep_all_their_digits(suffix: str, tmp_path: Path) -> None:
    rows = [
        {"question_id": 20001.5 + n, "question": "How much?", "annotator": 1000001.0 + n, **each, "equivalent": 1.0}
        for n, each in enumerate(
            ({"answer": 3.14159265, "reference": [12345678.0]}, {"answer": 1234567.891, "reference": [0.1]})
        )
    ]
    read = read_files("table", saved_rows(tmp_path, suffix, rows), definition=preset("equivalence"))
    assert [judgment.annotator for judgment in read.judgments] == ["1000001", "1000002"]
    assert {judgment.values["equivalent"] for judgment in read.judgments} == {"yes"}
    read_of = {question.external_id: question for article in read.articles for question in article.questions}
    assert {name: list(question.reference_answers) for name, question in read_of.items()} == {
        "20001.5": ["12345678"],
        "20002.5": ["0.1"],
    }
    texts = [answer.text for question in read_of.values() for answer in question.answers.values()]
    assert texts == ["3.14159265", "1234567.891"]


def test_what_people_wrote_keeps_the_digits_of_numbers(tmp_path: Path) -> None:
    definition = {
        "key": "texts",
        "title": "Texts",
        "shown": ["question", "candidates"],
        "aspects": [{"key": "reason", "kind": "text", "title": "Why?"}],
    }
    rows = [{"question": "Why?", "answer": "So.", "annotator": "Wren", "reason": 1234567.5}]
    read = read_files("table", saved_rows(tmp_path, ".json", rows), definition=definition)
    assert read.judgments[0].values == {"reason": "1234567.5"}
    assert words_of([1234567.0, 2.0]) == ["1234567", "2"]


@pytest.mark.parametrize("bits", [16, 32])
def test_narrow_numbers_have_the_digits_they_were_written_with(bits: int, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    kind = {16: pa.float16(), 32: pa.float32()}[bits]
    answers = pa.array([0.5, None] if bits == 16 else [0.1, None], pa.float32()).cast(kind)
    columns = {"question": ["How much?"] * 2, "annotator": ["Wren", "Teal"], "answer": answers, "equivalent": [1, 1]}
    pq.write_table(pa.table({**columns, "reference": ["1", "1"]}), path)
    (source,) = open_files(FORMATS["table"], [path])
    assert isinstance(source, RowFile)
    rows = list(source.rows(Mistakes()))
    assert [row.values["answer"] for row in rows] == [0.5 if bits == 16 else 0.1, None]


def test_the_preview_shows_a_number_as_it_is_taken(tmp_path: Path) -> None:
    rows = [{"question": "Why?", "answer": "So.", "reference": "So", "annotator": 1000001.0, "equivalent": 2.0}]
    table = FORMATS["table"]
    path = saved_rows(tmp_path, ".json", rows)
    preview = table.preview(open_files(table, [path]), Options(definition=preset("equivalence")))
    assert preview.values["equivalent"] == ["2"]
    read = read_files("table", path, definition=preset("equivalence"), values={"equivalent": {"2": "no"}})
    assert read.judgments[0].values == {"equivalent": "no"}
