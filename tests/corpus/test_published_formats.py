"""Published formats, in small files of our own that have their shape: what is taken, what is left out, what is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, guess_format, open_files
from annotation_platform.corpus.importers.study import Finished
from tests.corpus.reading import AnswerKey, ReadStudy, read_files
from tests.published import EVOUNA

CHOICES = ["on the roof", "in the cellar", "in the lake"]
RATING = {
    "supports": "b",
    "overall": 4,
    "well_written": "Yes",
    "related": "yes",
    "factual": "N/A",
    "new_info": "Sufficient",
    "unnecessary_info": "No",
    "contrastive": "No",
}
BY_NUMBER = dict(zip(RATING, (1, 4, 1, 1, -1, 2, 0, 0), strict=True))
STORED = {
    "supports": "b",
    "overall": "4",
    "well_written": "yes",
    "related": "yes",
    "factual": "na",
    "new_information": "sufficient",
    "unnecessary_information": "no",
    "contrastive": "no",
}


def write(path: Path, *rows: Any, as_list: bool = False) -> Path:
    text = json.dumps(rows, indent=1) if as_list else "\n".join(json.dumps(row) for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def reasons_of(format: str, *paths: Path, **options: Any) -> list[str]:
    with pytest.raises(ImportFileError) as caught:
        read_files(format, *paths, **options)
    return caught.value.reasons


# --- ACORN ------------------------------------------------------------------------------------------------


def acorn(**changes: Any) -> dict[str, Any]:
    row = {
        "id": 7,
        "question": "Where does wine keep best?",
        "choices": CHOICES,
        "label": 1,
        "explanation": "It is cool there all year.",
        "e_source": "written",
        "voted_ratings": {"overall": 4},
        "worker_ratings": {"W1": RATING, "W2": BY_NUMBER},
    }
    return row | changes


def test_an_acorn_row_is_an_explanation_with_its_workers_ratings(tmp_path: Path) -> None:
    study = read_files("acorn", write(tmp_path / "acorn.jsonl", acorn(), acorn(id=8, worker_ratings={"W1": RATING})))
    first, second = study.questions
    assert (first.external_id, first.choices) == ("7", CHOICES)
    assert first.answers == {"written": ("in the cellar", "It is cool there all year.")}
    assert second.external_id == "8"
    assert [(j.answer.question, j.annotator) for j in study.judgments] == [("7", "W1"), ("7", "W2"), ("8", "W1")]
    assert [j.values for j in study.judgments] == [STORED] * 3
    assert study.header.finished is Finished.JUDGED


@pytest.mark.parametrize(
    ("spelled", "stored"),
    [
        ("B", "b"),
        ("b)", "b"),
        ("(b)", "b"),
        (1, "b"),
        (1.0, "b"),
        ("1", "b"),
        ("In the Cellar", "b"),
        (-1, "none"),
        ("-1", "none"),
        ("None", "none"),
        ("none", "none"),
    ],
)
def test_what_an_explanation_supports_may_be_spelled_in_many_ways(tmp_path: Path, spelled: Any, stored: str) -> None:
    row = acorn(worker_ratings={"W1": RATING | {"supports": spelled}})
    (judgment,) = read_files("acorn", write(tmp_path / "acorn.jsonl", row)).judgments
    assert judgment.values["supports"] == stored


@pytest.mark.parametrize(
    ("aspect", "spelled", "stored"),
    [
        ("factual", -1, "na"),
        ("factual", "n/a", "na"),
        ("factual", "NA", "na"),
        ("factual", "Not applicable", "na"),
        ("factual", True, "yes"),
        ("factual", 0, "no"),
        ("factual", "いいえ", "no"),
        ("overall", "4.0", "4"),
        ("overall", 5.0, "5"),
        ("new_info", 0, "none"),
        ("new_info", "NONE", "none"),
        ("new_info", "ample", "ample"),
    ],
)
def test_ratings_may_be_keys_labels_or_numbers(tmp_path: Path, aspect: str, spelled: Any, stored: str) -> None:
    row = acorn(worker_ratings={"W1": RATING | {aspect: spelled}})
    (judgment,) = read_files("acorn", write(tmp_path / "acorn.jsonl", row)).judgments
    assert judgment.values[aspect.replace("_info", "_information")] == stored


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"worker_ratings": {"W1": RATING | {"overall": 6}}},
            "worker_ratings.W1.overall: “6” is not one of the choices",
        ),
        ({"worker_ratings": {"W1": RATING | {"supports": "e"}}}, "worker_ratings.W1.supports: “e” is not one of"),
        ({"worker_ratings": {"W1": RATING | {"supports": 9}}}, "worker_ratings.W1.supports: “j” is not one of"),
        ({"worker_ratings": {"W1": RATING | {"new_info": 2.5}}}, "worker_ratings.W1.new_information: “2.5” is not one"),
        ({"worker_ratings": {"W1": {"overall": 4}}}, "worker_ratings.W1.supports: Choose one."),
        ({"worker_ratings": {"W1": RATING | {"mood": 4}}}, "worker_ratings: the scheme has no aspect like 'mood'"),
        ({"worker_ratings": {"W1": [4]}}, "worker_ratings.W1: must be an object"),
        ({"worker_ratings": [4]}, "worker_ratings: must be an object"),
        (
            {"worker_ratings": {"W" * 61: RATING}},
            f"worker_ratings.{'W' * 61}: annotator has 61 characters; at most 60 fit",
        ),
        ({"question": ""}, "the question '7' has no text"),
        ({"explanation": " "}, "rationale: is blank (of 'written')"),
        ({"explanation": "x" * 1_000_001}, "rationale has 1,000,001 characters; at most 1,000,000 fit"),
        ({"explanation": "\x00"}, "holds a character that cannot be stored (U+0000)"),
        ({"question": "\ud800"}, "holds a character that cannot be stored (U+D800)"),
        ({"label": 5}, "label: '5' names none of the 3 choices"),
        ({"choices": list("abcdefghijklmnopqrstuvwxyz!")}, "choices: there are 27; at most 26 can be named"),
    ],
)
def test_each_mistake_in_an_acorn_file_is_told_with_its_line(tmp_path: Path, change: Any, reason: str) -> None:
    path = write(tmp_path / "acorn.jsonl", acorn(id=1), acorn(**change))
    reasons = reasons_of("acorn", path)
    assert any(told.startswith(f"{path}, line 2: {reason}") for told in reasons), reasons


def test_a_row_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "acorn.jsonl", acorn(), acorn())
    assert reasons_of("acorn", path)[0] == f"{path}, line 2: the question '7' is there already ({path}, line 1)"


def test_rows_without_ratings_bring_only_items(tmp_path: Path) -> None:
    study = read_files(
        "acorn", write(tmp_path / "acorn.jsonl", acorn(worker_ratings={}), acorn(id=8, worker_ratings=None))
    )
    assert (study.counts.answers, study.counts.judgments) == (2, 0)


# --- EVOUNA -----------------------------------------------------------------------------------------------


def evouna(**changes: Any) -> dict[str, Any]:
    row = {"question": "who sailed first", "golden_answer": "Ada Moor/A. Moor", "improper": False}
    return row | {"answer_fid": "Ada Moor", "judge_fid": True, "answer_gpt": "Bo Ek", "judge_gpt": False} | changes


def test_verdicts_of_evouna_become_judgments_of_one_annotator(tmp_path: Path) -> None:
    rows = [
        evouna(),
        evouna(improper=True),
        evouna(answer_gpt=None),
        evouna(judge_fid=None),
        evouna(golden_answer="24/7"),
    ]
    study = read_files("evouna", write(tmp_path / "nq.json", *rows, as_list=True))
    assert [question.external_id for question in study.questions] == ["1", "3", "4", "5"]
    assert study.questions[0].reference_answers == ["Ada Moor", "A. Moor"]
    assert study.questions[3].reference_answers == ["24/7"]
    assert [j.values for j in study.judgments[:2]] == [{"equivalent": "yes"}, {"equivalent": "no"}]
    assert {j.annotator for j in study.judgments} == {"EVOUNA"}
    assert study.counts.left_out == {
        "questions marked improper": 1,
        "answers without a text": 1,
        "answers without a verdict": 1,
    }
    assert (study.counts.answers, study.counts.judgments) == (6, 6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"judge_fid": "yes"}, "judge_fid: must be true or false"),
        ({"answer_fid": 5}, "answer_fid: must be text"),
        ({"golden_answer": None}, "golden_answer: is blank"),
        ({"question": " "}, "question: is blank"),
        ({"improper": 1}, "improper: must be true or false"),
    ],
)
def test_each_mistake_in_an_evouna_file_is_told(tmp_path: Path, change: Any, reason: str) -> None:
    path = write(tmp_path / "nq.json", evouna(), evouna(**change), as_list=True)
    assert reasons_of("evouna", path) == [f"{path}, entry 2: {reason}"]


@pytest.mark.skipif(not EVOUNA.is_file(), reason="needs the EVOUNA data in ../shared/data/evouna")
def test_the_published_evouna_file_is_read_whole() -> None:
    assert guess_format(EVOUNA, EVOUNA.name).key == "evouna"
    study = read_files("evouna", EVOUNA)
    counts = study.counts
    # 3,020 proper questions × 5 systems, of which six answers are empty.
    assert (counts.questions, counts.answers, counts.judgments) == (3_020, 15_094, 15_094)
    assert counts.left_out == {"questions marked improper": 590, "answers without a text": 6}
    rows = [row for row in json.loads(EVOUNA.read_text(encoding="utf-8")) if not row["improper"]]
    for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing"):
        right = sum(row[f"judge_{system}"] is True and bool((row[f"answer_{system}"] or "").strip()) for row in rows)
        judged = [j.values["equivalent"] for j in study.judgments if j.answer.system == system]
        assert judged.count("yes") == right


# --- ECQA and CoS-E ---------------------------------------------------------------------------------------

ECQA = """\
q_no,q_concept,q_text,q_op1,q_op2,q_op3,q_ans,taskA_pos,taskA_neg,taskB
q1,wine,Where does wine keep best?,on the roof,in the cellar,in the lake,in the cellar,"a, b",,"It is cool, and dark."
q2,wine,Where does wine keep worst?,on the roof,in the cellar,in the lake,on the roof,Hot.,Cool.,The sun heats a roof.
"""
COS_E = """\
,id,question,choices,answer,abstractive_explanation,extractive_explanation
0,ab1,Where does wine keep best?,"['on the roof' 'in the cellar'
 ""in a baker's oven""]",in the cellar,cellars are cool,keep best
"""


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_ecqa_is_read_in_its_own_columns(tmp_path: Path) -> None:
    path = table(tmp_path / "ecqa.csv", ECQA)
    assert guess_format(path, path.name).key == "ecqa"
    first, second = read_files("ecqa", path).questions
    assert (first.external_id, first.text) == ("q1", "Where does wine keep best?")
    assert first.choices == CHOICES
    assert first.answers == {"answer": ("in the cellar", "It is cool, and dark.")}
    assert second.external_id == "q2"


def test_cos_e_is_read_in_its_own_columns_and_lists(tmp_path: Path) -> None:
    path = table(tmp_path / "cose.csv", COS_E)
    assert guess_format(path, path.name).key == "ecqa"
    (question,) = read_files("ecqa", path).questions
    assert question.choices == ["on the roof", "in the cellar", "in a baker's oven"]
    assert question.answers == {"answer": ("in the cellar", "cellars are cool")}


@pytest.mark.parametrize("answer", ["in the cellar", "B", "2"])
def test_the_answer_may_be_a_text_a_letter_or_a_number(tmp_path: Path, answer: str) -> None:
    text = ECQA.replace("in the lake,in the cellar,", f"in the lake,{answer},", 1)
    (question, _) = read_files("ecqa", table(tmp_path / "ecqa.csv", text)).questions
    assert question.answers["answer"].text == "in the cellar"


def test_a_file_without_a_needed_column_says_which_columns_there_are(tmp_path: Path) -> None:
    path = table(tmp_path / "ecqa.csv", ECQA.replace("taskB", "words"))
    (reason,) = reasons_of("ecqa", path)
    assert reason.startswith(f"{path}: no column is taken for 'rationale'")
    assert "q_no, q_concept, q_text" in reason
    assert read_files("ecqa", path, columns={"words": "rationale"}).counts.answers == 2


# --- Label Studio -----------------------------------------------------------------------------------------

STARS = {
    "key": "tasting",
    "title": "Tasting",
    "shown": ["question", "answer"],
    "aspects": [
        {"key": "stars", "kind": "stars", "title": "How good?"},
        {
            "key": "faults",
            "kind": "several",
            "title": "Faults",
            "required": False,
            "choices": [{"key": "salt", "label": "Too salty"}, {"key": "cold", "label": "Cold"}],
        },
        {"key": "fit", "kind": "yes_no", "title": "Does it fit?"},
        {"key": "why", "kind": "text", "title": "Why?"},
    ],
}


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"id": name, "from_name": name, "to_name": "text", "type": kind, "value": {kind_of(kind): value}}


def kind_of(kind: str) -> str:
    return "text" if kind == "textarea" else kind


def annotation(by: Any = 3, **changes: Any) -> dict[str, Any]:
    return {
        "id": 1001,
        "completed_by": by,
        "was_cancelled": False,
        "lead_time": 12.5,
        "result": [
            result("stars", "rating", 4),
            result("faults", "choices", ["Too salty", "cold"]),
            result("fit", "choices", ["Yes"]),
            result("comment", "textarea", ["A pinch too much.", "And cold."]),
        ],
    } | changes


def task(*annotations: Any, number: int = 1, **data: Any) -> dict[str, Any]:
    data = {"question": f"Soup {number}?", "answer": "Pea.", "model": "alder"} | data
    return {"id": number, "data": data, "annotations": list(annotations), "predictions": [{"result": []}]}


def studio(path: Path, *tasks: Any, **options: Any) -> ReadStudy:
    options = {"definition": STARS, "columns": {"result.comment": "why"}} | options
    return read_files("label_studio", write(path, *tasks, as_list=True), **options)


def test_annotations_of_label_studio_are_read_by_control_and_label(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    study = studio(path, task(annotation(), annotation(by={"id": 5, "email": "wren@example.org"})), task(number=2))
    assert guess_format(path, path.name).key == "label_studio"
    assert [question.text for question in study.questions] == ["Soup 1?", "Soup 2?"]
    assert study.questions[0].answers == {"alder": ("Pea.", "")}
    assert [j.annotator for j in study.judgments] == ["3", "5"]
    assert study.judgments[0].values == {
        "stars": "4",
        "faults": ["salt", "cold"],
        "fit": "yes",
        "why": "A pinch too much.\nAnd cold.",
    }
    assert study.judgments[0].seconds == 12.5


def test_cancelled_annotations_are_left_out_and_repeated_ones_are_replicates(tmp_path: Path) -> None:
    study = studio(tmp_path / "e.json", task(annotation(), annotation(was_cancelled=True), annotation()))
    assert study.counts.left_out == {"annotations that were cancelled": 1}
    assert [(j.annotator, j.replicate) for j in study.judgments] == [("3", 0), ("3", 1)]


def test_spans_second_answers_and_fields_that_are_not_read_are_counted(tmp_path: Path) -> None:
    more = [
        result("stars", "rating", 1),
        {"from_name": "span", "type": "labels", "value": {"start": 0, "end": 3, "text": "Pea", "labels": ["Typo"]}},
        {"from_name": "span", "type": "choices", "value": {"start": 0, "end": 3, "text": "Pea", "choices": ["Bad"]}},
        {"from_name": "look", "type": "taskref", "value": {"taskref": 7}},
        {"type": "relation", "from_id": "a", "to_id": "b"},
    ]
    judged = annotation()
    judged["result"] += more
    study = studio(tmp_path / "e.json", task(judged, taskref="T7"), task(annotation(), number=2, taskref="T8"))
    assert study.judgments[0].values["stars"] == "4"  # the first answer counts
    assert study.counts.left_out == {
        "second answers to “stars” in one annotation": 1,
        "spans or other regions of “span”": 2,
        "results of “look”, whose type (taskref) no scheme has": 1,
        "relations between regions": 1,
        "values of “data.taskref”, a column that is taken for nothing": 2,
    }


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (task(annotation(by=None)), "annotations.completed_by: has no number that says who judged"),
        (task(annotation(by="wren@example.org")), "annotations.completed_by: has no number"),
        (task(annotation(result=[result("stars", "rating", 9)])), "annotations[0].result.stars: “9” is not one of"),
        (task(annotation(result="none")), "annotations.result: must be a list"),
        ({"id": 2, "annotations": []}, "data: is missing"),
        ({"id": 2, "data": {"question": "?", "answer": "!"}, "annotations": {}}, "annotations: must be a list"),
    ],
)
def test_each_mistake_in_an_export_is_told(tmp_path: Path, broken: Any, reason: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        studio(tmp_path / "e.json", task(annotation(), number=5), broken)
    assert any(reason in told for told in caught.value.reasons), caught.value.reasons


def test_a_group_of_candidates_comes_in_numbered_fields(tmp_path: Path) -> None:
    one = [result(f"{key}.{n}", "choices", [value]) for n in (1, 2) for key, value in RATED.items()]
    judged = annotation(result=[*one, result("pick", "pairwise", None), result("why", "textarea", ["Warmer."])])
    judged["result"][-2]["value"] = {"selected": "right"}
    data = {"question": "Why?", "answer_a": "So.", "answer_b": "Thus."}
    path = write(tmp_path / "e.json", {"id": 1, "data": data, "annotations": [judged]}, as_list=True)
    columns = {"data.answer_a": "answer.1", "data.answer_b": "answer.2", "result.pick": "preferred"}
    columns |= {f"result.{key}.{n}": f"{key}.{n}" for n in (1, 2) for key in RATED}
    study = read_files("label_studio", path, definition=preset("lfqa"), columns=columns)
    (judgment,) = study.judgments
    assert judgment.answer.system == ""
    assert judgment.values["preferred"] == "2"
    assert judgment.values["factuality.1"] == judgment.values["factuality.2"] == "2"


RATED = {"factuality": "2", "amount": "0", "formality": "0", "acceptability": "2"}


def test_a_preview_shows_the_first_rows_and_what_columns_are_taken_for(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", *(task(annotation(), number=n) for n in range(1, 9)), as_list=True)
    format = FORMATS["label_studio"]
    preview = format.preview(open_files(format, [path]), Options(definition=STARS))
    assert len(preview.rows) == 5
    assert preview.mapping == {
        "data.question": "question",
        "data.answer": "answer",
        "data.model": "system",
        "result.stars": "stars",
        "result.faults": "faults",
        "result.fit": "fit",
        "result.comment": "",
    }
    assert preview.rows[0][:3] == ["Soup 1?", "Pea.", "alder"]


def test_an_answer_is_known_by_its_system(tmp_path: Path) -> None:
    study = studio(tmp_path / "e.json", task(annotation()), task(annotation(by=4), model="birch", answer="Bean."))
    (question,) = study.questions
    assert list(question.answers) == ["alder", "birch"]
    assert study.judgments[1].answer == AnswerKey("questions", question.external_id, "birch")
