"""``manage.py equivalence``: a file of answers in, the same file with verdicts out; no database."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

HEADER = "id,question,references,candidate"
ROWS = [
    "1,who wrote Hamlet,William Shakespeare,It was William Shakespeare.",
    '2,who wrote Hamlet,"[""William Shakespeare"", ""Shakespeare""]",Shakespeare',
    "3,when was it,1889/1890,in 1887",
]
VERDICT = ["probability", "equivalent", "exact_match", "contained", "f1", "precision", "recall"]
COLUMNS = [*HEADER.split(","), *VERDICT, "reference", "rule", "certainty", "why", "error"]


def written(tmp_path: Path, name: str, *lines: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / name
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))
    return path


def command(*arguments: Any) -> tuple[str, str, str]:
    """What it wrote, what it said, and why it failed, if it did."""
    out, said, failure = io.StringIO(newline=""), io.StringIO(), ""
    try:
        call_command("equivalence", *map(str, arguments), stdout=out, stderr=said)
    except CommandError as error:
        failure = str(error)
    return out.getvalue(), said.getvalue(), failure


def test_csv_comes_back_with_verdicts(tmp_path: Path) -> None:
    out, said, failure = command(written(tmp_path, "a.csv", HEADER, *ROWS), "--separator", "/")
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    assert list(rows[0]) == COLUMNS
    assert [(row["id"], row["equivalent"], row["exact_match"]) for row in rows] == [
        ("1", "true", "false"),
        ("2", "true", "true"),
        ("3", "false", "false"),
    ]
    assert (rows[0]["f1"], rows[0]["precision"], rows[0]["recall"]) == ("0.6667", "0.5", "1.0")  # it was: 2 of 4 words
    assert rows[1]["reference"] == "Shakespeare"
    assert rows[2]["rule"] == "numbers"
    assert "3 rows: 2 equivalent, 1 not, 0 with an error" in said
    assert failure == ""


def test_json_lines_come_back_with_verdicts(tmp_path: Path) -> None:
    asked = {"question": "wo ist der Turm", "references": ["Köln"], "candidate": "Köln", "tags": [1, {"a": None}]}
    path = written(tmp_path, "a.jsonl", json.dumps(asked), "", json.dumps(asked | {"references": "Bonn"}))
    output = tmp_path / "b.jsonl"
    assert command(path, "--output", output)[2] == ""
    first, second = map(json.loads, output.read_text(encoding="utf-8").splitlines())
    assert {name: first[name] for name in asked} == asked
    assert (first["exact_match"], first["rule"], second["equivalent"]) == (True, "meaning", False)
    assert "Köln" in output.read_text(encoding="utf-8")


def test_without_a_separator_a_slash_is_part_of_the_reference(tmp_path: Path) -> None:
    out, _, _ = command(written(tmp_path, "a.csv", HEADER, "1,which band,AC/DC,AC/DC"))
    assert ",true,true,true,1.0,1.0,1.0,AC/DC," in out


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("4, ,Paris,x", "question is blank."),
        ("4,where,,x", "There is no reference answer to compare with."),
        ('4,where,"["" ""]",x', "A reference answer is blank."),
        ("4,where,Paris", "The row has fewer cells than the header."),
        ("4,where,Paris,x,y", "The row has more cells than the header."),
    ],
)
def test_a_csv_row_that_cannot_be_judged_says_why_and_the_others_are_judged(
    tmp_path: Path, row: str, message: str
) -> None:
    path = written(tmp_path, "a.csv", HEADER, ROWS[0], row, ROWS[1])
    output = tmp_path / "b.csv"
    _, said, failure = command(path, "--output", output)
    rows = list(csv.DictReader(io.StringIO(output.read_text(encoding="utf-8"))))
    assert [row["error"] for row in rows] == ["", message, ""]
    assert [row["probability"] == "" for row in rows] == [False, True, False]
    assert f"row 2: {message}" in said
    assert "1 of 3 rows could not be judged" in failure


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "not JSON"),
        ('["a"]', "not a JSON object"),
        ('{"question": "a", "references": ["b"]}', "candidate is missing"),
        ('{"question": "a", "references": ["b"], "candidate": null}', "candidate is missing"),
        ('{"question": "a", "references": ["b"], "candidate": 5}', "candidate is not a text"),
        ('{"question": "a", "references": [1], "candidate": "x"}', "neither a text nor a list of texts"),
        ('{"question": "a", "references": [], "candidate": "x"}', "no reference answer"),
        ('{"question": "a", "references": ["b"], "candidate": "x", "f1": 1}', "It has f1 already"),
    ],
)
def test_a_json_line_that_cannot_be_judged_says_why(tmp_path: Path, line: str, message: str) -> None:
    good = json.dumps({"question": "a", "references": ["b"], "candidate": "b"})
    out, said, failure = command(written(tmp_path, "a.jsonl", line, good))
    first, second = map(json.loads, out.splitlines())
    assert message in first["error"]
    assert "row 1: " in said
    assert second["equivalent"] is True
    assert "1 of 2 rows" in failure


def test_a_blank_candidate_is_judged(tmp_path: Path) -> None:
    out, _, failure = command(written(tmp_path, "a.csv", HEADER, "1,where,Paris,"))
    assert ",0.0,false,false,false," in out
    assert failure == ""


def test_many_errors_do_not_fill_the_screen(tmp_path: Path) -> None:
    out, said, failure = command(written(tmp_path, "a.csv", HEADER, *["1,where,,x"] * 50))
    assert said.count("row ") == 20
    assert "Further errors are only in the result." in said
    assert out.count("There is no reference") == 50
    assert "50 of 50" in failure


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("a.csv", ["id,question,candidate"], "no column references; needed are"),
        ("a.csv", [""], "no column question, references, candidate; needed"),
        ("a.csv", [HEADER + ",id"], "the header has id twice"),
        ("a.csv", [HEADER + ",rule,f1"], "it has rule, f1 already"),
        ("a.csv", [HEADER, ROWS[0], '1,where,Paris,"x" y'], "expected after"),
        ("a.txt", [HEADER], "must end in .csv or .jsonl"),
    ],
)
def test_a_file_in_another_layout_is_refused_and_leaves_nothing(
    tmp_path: Path, name: str, lines: list[str], message: str
) -> None:
    output = tmp_path / f"result{Path(name).suffix}"
    assert message in command(written(tmp_path, name, *lines), "--output", output)[2]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_in_another_encoding_is_refused_and_an_older_result_stays(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", HEADER, "1,où,Genève,à Genève", encoding="latin-1")
    output = written(tmp_path, "b.csv", "older")
    assert "is not UTF-8 text" in command(path, "--output", output)[2]
    assert output.read_text() == "older\n"


def test_a_file_that_is_not_there_and_a_result_of_another_format_are_refused(tmp_path: Path) -> None:
    assert "No such file" in command(tmp_path / "none.csv")[2]
    path = written(tmp_path, "a.csv", HEADER)
    assert "name it *.csv" in command(path, "--output", tmp_path / "b.jsonl")[2]
    assert "cannot be written: there is no" in command(path, "--output", tmp_path / "none" / "b.csv")[2]


def test_the_result_may_replace_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "\ufeff" + HEADER, *ROWS)
    assert command(path, "--output", path)[2] == ""
    assert path.read_text(encoding="utf-8").startswith(HEADER + ",probability")


def test_blocks_do_not_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "a.csv", HEADER, *ROWS * 4, "9,where,,x")
    whole = command(path)[0]
    monkeypatch.setattr("annotation_platform.scoring.management.commands.equivalence.BLOCK", 2)
    assert command(path)[0] == whole
