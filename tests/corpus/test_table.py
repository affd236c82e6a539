"""Tables in our own columns: what columns follow from a scheme, and what is told of rows that are wrong."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.schemes import build_scheme, preset, presets
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, guess_format, open_files
from annotation_platform.corpus.importers import rows as rows_module
from annotation_platform.corpus.importers.fields import fields_of
from annotation_platform.corpus.importers.mistakes import Mistakes
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.spelling import list_of
from annotation_platform.corpus.importers.study import Finished
from tests.corpus.reading import AnswerKey, ReadStudy, read_files

ROOT = Path(__file__).resolve().parents[2]
EBR = """\
article_id,article,question,system,answer,annotator,correct,completeness,sentences,reasons,seconds
a1,It rained. The bridge closed.,Why is it closed?,alder,Rain.,Wren,Yes,Complete,2,Sentence 2 says so.,31.5
a1,,Why is it closed?,birch,Snow.,Wren,no,missing_all,none,It rained.,
a1,,Why is it closed?,alder,,Teal,yes,70,"1, 2",The bridge is missing.,12
a2,"It is dry, and hot.",Is it dry?,alder,Yes.,,,,,,
"""


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path, text: str = EBR, **options: Any) -> ReadStudy:
    return read_files("table", table(path, text), **{"definition": preset("ebr"), **options})


def reasons_of(path: Path, text: str, **options: Any) -> list[str]:
    with pytest.raises(ImportFileError) as caught:
        read(path, text, **options)
    return caught.value.reasons


def test_a_row_is_an_answer_and_a_judgment_of_it(tmp_path: Path) -> None:
    study = read(tmp_path / "t.csv")
    first, second = study.articles
    assert (first.external_id, list(first.sentences)) == ("a1", ["It rained.", "The bridge closed."])
    (question,) = first.questions
    assert {system: answer.text for system, answer in question.answers.items()} == {"alder": "Rain.", "birch": "Snow."}
    assert [(j.answer.system, j.annotator, j.seconds) for j in study.judgments] == [
        ("alder", "Wren", 31.5),
        ("birch", "Wren", None),
        ("alder", "Teal", 12),
    ]
    assert study.judgments[0].values == {
        "correct": "yes",
        "completeness": "complete",
        "sentences": [2],
        "reasons": "Sentence 2 says so.",
    }
    assert study.judgments[1].values["sentences"] == []
    assert study.judgments[2].values["completeness"] == "missing_minor"  # its number on the scale
    assert study.header.finished is Finished.JUDGED
    assert len(second.questions) == 1  # the row without an annotator brings its item


def test_the_same_table_as_json_lines_and_with_tabs_and_a_mark_reads_the_same(tmp_path: Path) -> None:
    rows = list(csv.DictReader(EBR.splitlines()))
    lines = "\n".join(json.dumps({k: v for k, v in row.items() if v}) for row in rows)
    tabs = "\n".join("\t".join(cells) for cells in csv.reader(EBR.splitlines())).replace('"', "")
    as_csv = read(tmp_path / "t.csv")
    for name, text in (
        ("t.jsonl", lines),
        ("t.tsv", tabs),
        ("u.csv", "\ufeff" + EBR),
        ("v.csv", EBR.replace("\n", "\r\n")),
    ):
        other = read(tmp_path / name, text)
        assert other.articles == as_csv.articles
        assert [j[:5] for j in other.judgments] == [j[:5] for j in as_csv.judgments]


def test_semicolons_separate_too(tmp_path: Path) -> None:
    text = "question;answer;article\nWhy?;So, and so.;It is.\n"
    (question,) = read(tmp_path / "t.csv", text).questions
    assert question.answers["answer"].text == "So, and so."


@pytest.mark.parametrize(("written", "meant"), [("31,5", 31.5), ("0,125", 0.125), ("1500,125", 1500.125)])
def test_a_comma_before_decimals_is_read_as_a_point(tmp_path: Path, written: str, meant: float) -> None:
    study = read(tmp_path / "t.csv", EBR.replace("31.5", f'"{written}"'))
    assert study.judgments[0].seconds == meant


def test_aspects_without_a_column_were_never_asked_for(tmp_path: Path) -> None:
    text = "question,answer,article,annotator,completeness\nWhy?,So.,It is.,Wren,complete\n"
    study = read(tmp_path / "t.csv", text)
    assert study.judgments[0].values == {"completeness": "complete"}
    assert study.header.not_asked == {"correct", "sentences", "reasons"}


LFQA = """\
question_id,question,documents,system,answer,annotator,\
factuality,amount,formality,acceptability,preferred,preferred.forced,why
q1,Why is it cold?,"[""Snow fell. It froze."", {""id"": ""ice"", ""title"": ""Ice"", ""text"": ""Ice is cold.""}]",\
alder,Ice.,Wren,3,0,0,3,birch,,Birch says more.
q1,,,birch,Ice and snow.,Wren,2,1,-1,2,,,
q1,,,alder,,Teal,1,0,0,1,alder,true,None is good.
q1,,,birch,,Teal,0,0,0,0,,,
"""


def test_a_group_of_candidates_is_a_row_for_each(tmp_path: Path) -> None:
    study = read(tmp_path / "t.csv", LFQA, definition=preset("lfqa"))
    (question,) = study.questions
    assert list(question.answers) == ["alder", "birch"]
    names = {article.external_id: (article.title, list(article.sentences)) for article in study.articles}
    assert names["ice"] == ("Ice", ["Ice is cold."])
    assert [names[name][1] for name in question.documents] == [["Snow fell.", "It froze."], ["Ice is cold."]]
    wren, teal = study.judgments
    assert wren.answer == AnswerKey("questions", "q1", "")
    assert wren.values["preferred"] == "2"
    assert (wren.values["factuality.1"], wren.values["amount.2"], wren.values["why"]) == ("3", "1", "Birch says more.")
    assert teal.values["preferred.forced"] is True


def test_a_group_may_be_one_row_with_numbered_columns(tmp_path: Path) -> None:
    rated = "".join(f",{key}.{n}" for n in (1, 2) for key in ("factuality", "amount", "formality", "acceptability"))
    text = f"question,answer.1,system.1,answer.2,annotator{rated},preferred,why\n"
    text += "Why?,So.,alder,Thus.,Wren,3,0,0,3,2,0,0,2,alder,It is short.\n"
    study = read(tmp_path / "t.csv", text, definition=preset("lfqa"))
    assert list(study.questions[0].answers) == ["alder", "answer 2"]
    assert study.judgments[0].values["preferred"] == "1"
    assert study.judgments[0].values["factuality.2"] == "2"


def test_rows_of_one_judgment_must_not_contradict_each_other(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    reasons = reasons_of(path, LFQA.replace("2,1,-1,2,,,", "2,1,-1,2,alder,,"), definition=preset("lfqa"))
    assert reasons == [f"{path}, line 3: preferred: another row of the same judgment ({path}, line 2) says 'birch'"]
    reasons = reasons_of(path, LFQA.replace("birch,,Teal", "alder,,Teal"), definition=preset("lfqa"))
    assert any("line 5: factuality: 'Teal' judged 'alder' already" in reason for reason in reasons)


def test_annotators_without_a_column_of_judgments_are_told_what_to_map(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    text = "prompt,response_a,response_b,model_a,model_b,annotator,verdict\nHow?,Near,Far,alder,birch,Wren,model_a\n"
    (reason,) = reasons_of(path, text, definition=preset("lfqa"))
    assert "Choose the columns that hold the judgments (factuality, " in reason


def test_an_incomplete_group_is_told_by_its_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    reasons = reasons_of(path, LFQA.replace("q1,,,birch,,Teal,0,0,0,0,,,\n", ""), definition=preset("lfqa"))
    assert f"{path}, line 4: factuality: Choose one." in reasons


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("Rain.,Wren,Yes", "Rain.,Wren,perhaps", 2, "correct: “perhaps” is not one of the choices (yes, no)."),
        ("Rain.,Wren", "Rain.,", 2, "annotator: is blank, but the row has a judgment"),
        ("Yes.,,,,,,", "Yes.,Wren,,,,,", 5, "annotator: is 'Wren', but the row has no judgment"),
        ("31.5", "long", 2, "seconds: 'long' is not a time in seconds"),
        ("31.5", '"12,500"', 2, "seconds: '12,500' is not a time in seconds"),  # or twelve and a half
        ("31.5", "-1", 2, "seconds: '-1' is not a time"),
        (",12\n", ",12,9\n", 4, "has 12 cells; the first line names 11 columns; put text that has a comma"),
        (",12\n", "\n", 4, "has 10 cells; the first line names 11 columns"),
        ("alder,,Teal", "alder,Hail.,Teal", 4, "the answer by 'alder' is there already with another answer"),
        (
            "a1,,Why is it closed?,birch",
            "a1,It snowed.,Why is it closed?,birch",
            3,
            "the article 'a1' is there already with another text",
        ),
        ("Teal", "Wren", 4, "'Wren' judged this answer already"),
        (",2,Sentence", ",9,Sentence", 2, "sentences: There is no sentence 9. Numbers lie between 1 and 2."),
        ("Why is it closed?,birch", ",birch", 3, "question: is blank, and so is question_id"),
        ("birch,Snow.", "birch,", 3, "answer: is blank (of 'birch')"),
        ("Rain.", "x" * 1_000_001, 2, "has a cell of more than 1,000,000 characters; is a quote not closed?"),
        ("Rain.", "Ra\x00in.", 2, "holds a character that cannot be stored (U+0000)"),
        ("a1,It", "a" * 201 + ",It", 2, "name has 201 characters; at most 200 fit"),
        (
            '"1, 2"',
            '"1, 2',
            4,
            "goes on after a closing quote; is a quote not closed, or one inside the text not doubled?",
        ),
    ],
)
def test_each_mistake_in_a_row_is_told(tmp_path: Path, old: str, new: str, line: int, reason: str) -> None:
    assert old in EBR
    path = tmp_path / "t.csv"
    reasons = reasons_of(path, EBR.replace(old, new, 1))
    assert any(told.startswith(f"{path}, line {line}: {reason}") for told in reasons), reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ": has no rows"),
        ("question,answer\n", ": has no rows"),
        ('question,answer\nWhy?,"a\n', ", line 2: opens a quote that nothing closes"),
        ("question,answer,answer\nWhy?,a,b\n", ", line 1: the column 'answer' is there twice; rename one"),
        ("text\nWhy?\n", ": no column is taken for 'question'"),
        ("question,answer,correct\nWhy?,So.,yes\n", "There are judgments, but no column is taken for 'annotator'"),
    ],
)
def test_a_table_that_cannot_be_begun_says_why(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in reasons_of(tmp_path / "t.csv", text)[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"question": "a", "answer": "b"}\n{"question": \n', "line 2: is not JSON (a value is missing)"),
        ('{"question": "a", "answer": "b"}\n[1]\n', "line 2: must be an object with columns as keys"),
        (
            '{"question": "a", "answer": "b"}\n{"question": NaN}\n',
            "line 2: cannot be read as JSON (NaN is not a number",
        ),
        ('[{"question": "a", "answer": "b"},\n {"question"', "line 2: is not JSON"),
        ('[{"question": "a", "answer": "b"}\n {"question": "c"}]', "line 2: is not JSON (a comma or the list's end"),
        ('[{"question": "a", "answer": "b"}] x', "line 1: is not JSON (the list has ended, but the file goes on)"),
        ('{"question": "a", "answer": "b"}\n{"question": "a", "answer": ["b"]}', "line 2: answer: must be text"),
        ('{"question": "a", "answer": "b"}\n{"question": ' + "[" * 900 + "]" * 900 + "}", "line 2: "),
        ('{"question": "a", "answer": "b"}\n' + "[" * 90_000, "line 2: cannot be read as JSON"),
    ],
)
def test_broken_json_is_told_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    assert any(reason in told for told in reasons_of(tmp_path / "t.jsonl", text))


def test_a_column_that_only_late_rows_have_is_not_lost_silently(tmp_path: Path) -> None:
    rows = [{"question": f"{n}?", "answer": "So."} for n in range(1_001)] + [
        {"question": "x", "answer": "y", "mood": 1}
    ]
    text = "\n".join(map(json.dumps, rows))
    (reason,) = reasons_of(tmp_path / "t.jsonl", text)
    assert "line 1,002: has 'mood', which the first rows have not" in reason
    assert read(tmp_path / "t.jsonl", text, columns={"mood": ""}).counts.answers == 1_002


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["a", "b"], ["a", "b"]),
        ('["a", "b|c"]', ["a", "b|c"]),
        ("['it\\'s', \"b's\"]", ["it's", "b's"]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("a | b", ["a", "b"]),
        ("a\nb", ["a", "b"]),
        ("only one", ["only one"]),
        ("[broken", ["[broken"]),
    ],
)
def test_a_list_in_a_cell_may_be_written_in_many_ways(written: Any, read: list[str]) -> None:
    assert list_of(written, "|", "\n") == read


@pytest.mark.parametrize("key", presets())
def test_every_preset_has_a_column_for_each_part_and_slot(key: str) -> None:
    scheme = build_scheme(preset(key))
    fields = {field.key for field in fields_of(scheme)}
    assert {aspect.key for aspect in scheme.aspects} <= fields
    parts = {"candidates": "answer"}
    assert {parts.get(part, part) for part in scheme.parts} <= fields


def test_an_aspect_may_be_called_as_a_part_of_the_item(tmp_path: Path) -> None:
    scheme = {
        "key": "odd",
        "title": "Odd",
        "shown": ["question", "answer"],
        "aspects": [{"key": "answer", "kind": "yes_no", "title": "Is it one?"}],
    }
    text = "question,answer,annotator,aspect.answer\nWhy?,So.,Wren,yes\n"
    assert read(tmp_path / "t.csv", text, definition=scheme).judgments[0].values == {"answer": "yes"}


def test_japanese_texts_are_cut_by_the_rules_of_their_language(tmp_path: Path) -> None:
    text = "question,answer,article\nなぜ？,雨。,雨が降った。橋は閉まった。\n"
    study = read(tmp_path / "t.csv", text, language="ja")
    assert list(study.articles[0].sentences) == ["雨が降った。", "橋は閉まった。"]
    assert "cannot be cut into sentences" in reasons_of(tmp_path / "t.csv", text, language="xx")[0]


def test_columns_are_suggested_by_name_and_a_choice_is_stronger(tmp_path: Path) -> None:
    text = "ID,Prompt,Model,Response,Context,worker,Correctness,mood\n1,Why?,alder,So.,It is.,Wren,yes,fine\n"
    path = table(tmp_path / "t.csv", text)
    format = FORMATS["table"]
    sources = open_files(format, [path])
    assert guess_format(path, path.name) is format
    preview = format.preview(sources, Options(definition=preset("ebr")))
    assert preview.mapping == {
        "ID": "question_id",
        "Prompt": "question",
        "Model": "system",
        "Response": "answer",
        "Context": "article",
        "worker": "annotator",
        "Correctness": "correct",
        "mood": "",
    }
    chosen = {"mood": "reasons", "ID": "", "Model": "answer", "none": "question", "worker": "nobody"}
    preview = format.preview(sources, Options(definition=preset("ebr"), columns=chosen))
    assert (preview.mapping["mood"], preview.mapping["ID"]) == ("reasons", "")
    assert [re.split(r"[;(]", wrong)[0].strip() for wrong in preview.wrong] == [
        "there is no column 'none'",
        "there is no field 'nobody' for 'worker'",
    ]


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["question", "answer", "x"]), st.text(max_size=9) | st.integers()), max_size=9
    )
)
def test_a_json_list_is_read_in_pieces_as_it_would_be_at_once(rows: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "BLOCK", 7)
        path = Path(folder) / "list.json"
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
        mistakes = Mistakes()
        read = [row.values for row in RowFile(path, "list.json").rows(mistakes)]
    storable = [row for row in rows if "\x00" not in "".join(map(str, row.values()))]
    assert read == storable
    assert mistakes.count == len(rows) - len(storable)


@pytest.mark.long(
    "annotation_platform/corpus/importers/*.py", "annotation_platform/imports/*.py", "benchmarks/importing.py"
)
def test_peak_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """Each size in a process of its own, read and stored; five times the rows may cost a few caches, no more."""

    def peak(rows: int, *options: str) -> float:
        folder = tmp_path / f"{rows}{''.join(options)}"
        folder.mkdir()
        environment = os.environ | {"DATA_DIR": str(folder), "DATABASE_URL": "", "PLATFORM_MODE": "embedded"}
        command = [sys.executable, "-m", "benchmarks.importing", "--rows", str(rows), *options]
        said = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        found = re.search(r"([\d,]+) MB at most", said)
        assert found, said
        return float(found[1])

    for options in ((), ("--items-only",)):
        assert peak(10_000, *options) - peak(2_000, *options) < 8


def test_a_group_larger_than_there_are_letters_is_refused(tmp_path: Path) -> None:
    def rows(count: int) -> str:
        return "question,system,answer\n" + "".join(f"Why?,s{n},Because {n}.\n" for n in range(count))

    lfqa = preset("lfqa")
    assert len(read(tmp_path / "t.csv", rows(26), definition=lfqa).articles[0].questions[0].answers) == 26
    (reason,) = reasons_of(tmp_path / "t.csv", rows(27), definition=lfqa)
    assert reason.endswith("line 2: 27 answers would be judged side by side; at most 26 can be")
    assert len(read(tmp_path / "t.csv", rows(27)).articles[0].questions[0].answers) == 27, "one by one they can be"


def test_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Whichever was found first: a row that cannot be read, or a judgment that does not fit its item."""
    rows = EBR.splitlines()
    bad_label = rows[1].replace("Complete,", "total,")  # found when everything was read
    without_answer = 'a1,,Why is it closed?,elm,,Rook,yes,70,"1, 2",The bridge is missing.,12'
    too_long = rows[2].replace("Wren", "x" * 70).replace("birch", "oak")  # found at once
    lines = [rows[0], bad_label, *[rows[4].replace("a2", f"b{n}") for n in range(8)], without_answer, too_long]
    told = reasons_of(tmp_path / "t.csv", "\n".join(lines))
    numbers = [int(found[1]) for reason in told if (found := re.search(r"line (\d+)", reason))]
    assert numbers == [2, 11, 12]


PICK = {
    "key": "pick",
    "title": "Pick",
    "shown": ["question", "candidates"],
    "aspects": [
        {"key": "best", "title": "Best", "kind": "best_of"},
        {"key": "good", "title": "Good", "kind": "yes_no", "per": "candidate", "required": False},
    ],
}
BESIDE = """\
question,answer.1,system.1,answer.2,system.2,answer.3,system.3,annotator,best,good.2
Why?,,alder,So.,birch,Thus.,cedar,Wren,{best},yes
"""


@pytest.mark.parametrize("best", ["2", "b", "model_b", "birch"])
def test_an_answer_that_is_blank_keeps_its_number(tmp_path: Path, best: str) -> None:
    study = read(tmp_path / "t.csv", BESIDE.format(best=best), definition=PICK)
    assert [*study.questions[0].answers] == ["birch", "cedar"]
    assert [judgment.values for judgment in study.judgments] == [{"best": "1", "good.1": "yes"}]


def test_a_blank_answer_cannot_be_the_best_one(tmp_path: Path) -> None:
    (reason,) = reasons_of(tmp_path / "t.csv", BESIDE.format(best="1"), definition=PICK)
    assert "line 2: best: the row has 2 answers, and none of this number" in reason


def test_what_is_missing_in_a_list_is_no_text(tmp_path: Path) -> None:
    row = {
        "question": "Why?",
        "answer": "So.",
        "article": [None, "It rained.", "It is wet."],
        "reference_answers": [None, "So it is."],
        "choices": ["a", None, "c", None],
    }
    scheme = {
        "key": "lists",
        "title": "Lists",
        "shown": ["article", "question", "choices", "answer", "reference_answers"],
        "aspects": [{"key": "ok", "kind": "yes_no", "title": "Fine?"}],
    }
    (article,) = read(tmp_path / "t.jsonl", json.dumps(row), definition=scheme).articles
    (question,) = article.questions
    assert list(article.sentences) == ["It rained.", "It is wet."]
    assert (question.reference_answers, question.choices) == (["So it is."], ["a", "", "c"])
    (alone,) = read(tmp_path / "t.jsonl", json.dumps(row | {"article": [None]}), definition=scheme).articles
    assert list(alone.sentences) == []


def test_marks_in_texts_that_an_export_does_not_hold_come_back(tmp_path: Path) -> None:
    scheme = {
        "key": "marks",
        "title": "Marks",
        "shown": ["article", "question", "answer"],
        "aspects": [
            {
                "key": "wrong",
                "kind": "spans",
                "title": "What is wrong?",
                "marks": ["article", "answer"],
                "labels": [{"key": "slip", "label": "Slip"}],
            }
        ],
    }
    marks = [{"text": "article", "start": 3, "end": 7, "label": "slip"}]
    row = {
        **{"item_id": 1, "revision": 1, "scheme_version": 1, "annotation_id": 5, "article_id": "a1"},
        **{"question_id": "q1", "question": "Why?", "system": "alder", "answer": "So.", "annotator": "Wren"},
        **{"wrong": json.dumps(marks), "wrong_count": 1},
    }
    study = read(tmp_path / "export.jsonl", json.dumps(row), definition=scheme)
    assert [judgment.values for judgment in study.judgments] == [{"wrong": marks}]
    (reason,) = reasons_of(tmp_path / "with.jsonl", json.dumps(row | {"article": "Rain."}), definition=scheme)
    assert "wrong" in reason  # with its text it is seen that a mark lies outside of it
    wrong = [*marks, {"text": "answer", "start": 1, "end": 9000, "label": "slip"}]
    (reason,) = reasons_of(tmp_path / "edited.jsonl", json.dumps(row | {"wrong": json.dumps(wrong)}), definition=scheme)
    assert "“answer”, which has 3 characters" in reason  # the answer is there, whatever else is not
