"""Projects of other labelling tools come with their forms as schemes, from files that those tools wrote themselves.

What each file in ``written/`` was made with, and how, is in the ``make.py`` beside it. Prodigy is sold, so its files
are written after its documentation; see ``written/prodigy/README.md``.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import build_scheme
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, guess_format, open_files
from tests.corpus.reading import ReadStudy, read_files

WRITTEN = Path(__file__).parent / "written"
STUDIO, ARGILLA, POTATO, DOCCANO, INCEPTION, PRODIGY = (
    WRITTEN / name for name in ("label_studio", "argilla", "potato", "doccano", "inception", "prodigy")
)
OF_POTATO = [POTATO / "config.yaml", POTATO / "items.jsonl", *sorted(POTATO.glob("annotation_output/*/*.json"))]


def left_out(study: ReadStudy) -> dict[str, int]:
    return {str(what).replace(f"{WRITTEN}/", ""): count for what, count in study.counts.left_out.items()}


def said(study: ReadStudy) -> list[tuple[str, Mapping[str, Any]]]:
    return [(judgment.annotator, judgment.values) for judgment in study.judgments]


def kinds(study: ReadStudy) -> dict[str, str]:
    return {aspect.key: aspect.kind for aspect in build_scheme(dict(study.definition)).aspects}


def span(text: str, start: int, end: int, label: str, **note: str) -> dict[str, Any]:
    return {"text": text, "start": start, "end": end, "label": label, **note}


@pytest.mark.parametrize(
    ("key", "files"),
    [
        ("label_studio", [STUDIO / "config.xml", STUDIO / "tasks.json"]),
        ("argilla", [ARGILLA / "settings.json", ARGILLA / "records.json"]),
        ("potato", [OF_POTATO[0], *OF_POTATO[2:]]),
        ("doccano", [*DOCCANO.glob("*/*.jsonl"), *DOCCANO.glob("*/*.csv")]),
        ("inception", [*INCEPTION.glob("*.json")]),
        ("prodigy", [*PRODIGY.glob("*.jsonl")]),
    ],
)
def test_each_tool_s_files_are_known_by_their_beginnings(key: str, files: Sequence[Path]) -> None:
    assert {guess_format(file, file.name).key for file in files} == {key}


# --- Label Studio -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["tasks.json", "min.json", "min.csv"])
def test_all_exports_of_label_studio_say_the_same_under_its_configuration(file: str) -> None:
    study = read_files("label_studio", STUDIO / "config.xml", STUDIO / file)
    assert kinds(study) == {
        "fit": "choice",
        "faults": "several",
        "stars": "stars",
        "share": "range",
        "why": "text",
        "spans": "spans",
    }
    full = {
        "fit": "yes",
        "faults": ["too_long", "rude"],
        "stars": "4",
        "share": "7",
        "why": "Mostly.\nBut long.",
        "spans": [span("answer", 0, 2, "fact")],
    }
    few = {"fit": "unsure", "stars": "2", "spans": []}
    assert sorted(said(study), key=lambda each: (each[0], len(each[1]))) == [("3", full), ("5", few), ("5", few)]
    assert {judgment.seconds for judgment in study.judgments} == {12.5}
    assert [(question.text, question.answers["alder"].text) for question in study.questions] == [
        ("Why does ice float?", "It is lighter."),
        ("What pulls the sea?", "The moon."),
    ]


def test_what_no_scheme_asks_is_told_by_tag_and_line() -> None:
    study = read_files("label_studio", STUDIO / "config.xml", STUDIO / "tasks.json")
    lost = {"<Taxonomy name='topic'>": 22, "<Image name='picture'>": 25, "<RectangleLabels name='boxes'>": 26}
    assert left_out(study) == {
        **{
            f"parts of the form that a scheme cannot ask: {tag} (label_studio/config.xml, line {line})": 1
            for tag, line in lost.items()
        },
        "annotations that were cancelled": 1,
        "values of “data.picture”, a column that is taken for nothing": 2,
    }


def studio(tmp_path: Path, config: str, data: dict[str, Any], *results: dict[str, Any]) -> ReadStudy:
    (tmp_path / "form.xml").write_text(f"<View>\n{config}\n</View>", encoding="utf-8")
    task = {"id": 1, "data": data, "annotations": [{"completed_by": 3, "result": [*results]}]}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    return read_files("label_studio", tmp_path / "form.xml", tmp_path / "tasks.json")


def test_two_texts_side_by_side_and_a_list_to_rank_are_candidates(tmp_path: Path) -> None:
    config = '<Text name="q" value="$q"/><Text name="a" value="$a"/><Text name="b" value="$b"/>'
    config += '<Pairwise name="better" toName="a,b"/>'
    selected = {"from_name": "better", "type": "pairwise", "value": {"selected": "right"}}
    study = studio(tmp_path, config, {"q": "Why?", "a": "So.", "b": "Thus."}, selected)
    assert (kinds(study), said(study)) == ({"better": "best_of"}, [("3", {"better": "2"})])
    config = '<Text name="q" value="$q"/><List name="all" value="$all"/><Ranker name="order" toName="all"/>'
    listed = [{"id": "x", "title": "So."}, {"id": "y", "body": "Thus."}, {"id": "z", "title": "Hence."}]
    ranked = {"from_name": "order", "type": "ranker", "value": {"ranker": ["z", "x", "y"]}}
    study = studio(tmp_path, config, {"q": "Why?", "all": listed}, ranked)
    assert said(study) == [("3", {"order.1": "2", "order.2": "3", "order.3": "1"})]
    assert {system: answer.text for system, answer in study.questions[0].answers.items()} == {
        "x": "So.",
        "y": "Thus.",
        "z": "Hence.",
    }


def test_spans_of_label_studio_are_counted_in_code_points(tmp_path: Path) -> None:
    config = '<Text name="t" value="$text"/><Labels name="mark" toName="t"><Label value="Sea"/></Labels>'
    marked = {"from_name": "mark", "type": "labels", "value": {"start": 3, "end": 6, "text": "sea", "labels": ["Sea"]}}
    study = studio(tmp_path, config, {"text": "🌊 sea"}, marked)
    assert said(study) == [("3", {"mark": [span("question", 2, 5, "sea")]})]


def test_a_broken_configuration_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(ImportFileError, match=r"form\.xml, line 3: is not XML"):
        studio(tmp_path, "<Text", {"text": "x"})
    (tmp_path / "form.xml").write_text('<!DOCTYPE View [<!ENTITY a "b">]>\n<View/>')
    with pytest.raises(ImportFileError, match="defines entities"):
        read_files("label_studio", tmp_path / "form.xml", tmp_path / "tasks.json")


def test_without_a_configuration_or_a_scheme_somebody_is_asked_for_one() -> None:
    with pytest.raises(ImportFileError, match="scheme"):
        read_files("label_studio", STUDIO / "tasks.json")
    with pytest.raises(ImportFileError, match="give the labelling configuration"):
        read_files("label_studio", STUDIO / "min.json", definition=dict(build_definition()))


def build_definition() -> Mapping[str, Any]:
    return read_files("label_studio", STUDIO / "config.xml", STUDIO / "tasks.json").definition


# --- Argilla ----------------------------------------------------------------------------------------------


def test_a_dataset_of_argilla_comes_with_its_questions() -> None:
    study = read_files("argilla", ARGILLA / "settings.json", ARGILLA / "records.json")
    assert kinds(study) == {
        "fit": "choice",
        "faults": "several",
        "stars": "range",
        "order": "range",
        "comment": "text",
    }
    wren, lark = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))
    assert said(study)[:2] == [
        (wren, {"fit": "y", "stars": "4", "order.1": "1", "order.2": "2", "comment": "Short."}),
        (lark, {"fit": "n", "faults": ["wrong", "rude"], "stars": "2"}),
    ]
    (first, _) = study.questions
    assert (first.external_id, first.text) == ("r1", "Why does ice float?")
    assert {system: answer.text for system, answer in first.answers.items()} == {
        "first": "It is lighter.",
        "second": "It is cold.",
    }
    assert left_out(study) == {
        "parts of the form that a scheme cannot ask: picture (image) (argilla/settings.json)": 1,
        "spans in texts that stand side by side: spans": 1,
        "values of “result.spans”, a column that is taken for nothing": 2,
        "values of “data.metadata.source”, a column that is taken for nothing": 2,
        "suggestions of records": 2,
    }


def test_the_metadata_of_argilla_can_be_mapped_and_its_drafts_are_counted(tmp_path: Path) -> None:
    record = json.loads((ARGILLA / "records.json").read_text())[0]
    (tmp_path / "records.json").write_text(json.dumps([record | {"metadata": {"model": "alder"}}]))
    settings = json.loads((ARGILLA / "settings.json").read_text())
    settings["questions"] = [each for each in settings["questions"] if each["name"] == "fit"]
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    study = read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
    assert [*study.questions[0].answers] == ["alder"]
    row = {
        "id": "r1",
        "prompt": "Why does ice float?",
        "first": "It is lighter.",
        "fit.responses": ["y", "n", "n"],
        "fit.responses.users": ["1", "2", "3"],
        "fit.responses.status": ["submitted", "draft", "discarded"],
        "fit.suggestion": "y",
    }
    (tmp_path / "records.json").write_text(json.dumps([row]))
    study = read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
    assert said(study) == [("1", {"fit": "y"})]
    told = left_out(study)
    assert (told["responses that were drafts or discarded"], told["suggestions of records"]) == (2, 1)


def test_spans_of_argilla_come_where_one_answer_stands_alone(tmp_path: Path) -> None:
    settings = json.loads((ARGILLA / "settings.json").read_text())
    settings["questions"] = [each for each in settings["questions"] if each["name"] in ("fit", "spans")]
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    shutil.copy(ARGILLA / "records.json", tmp_path)
    study = read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
    assert said(study)[0][1] == {"fit": "y", "spans": [span("answer", 0, 2, "fact")]}


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_ranking_of_argilla_is_of_the_fields_that_it_names_in_whatever_order(tmp_path: Path, is_turned: bool) -> None:
    settings = json.loads((ARGILLA / "settings.json").read_text())
    (ranking,) = (each for each in settings["questions"] if each["name"] == "order")
    settings["questions"] = [ranking, {**ranking, "name": "again"}]
    if is_turned:
        ranking["settings"] = {**ranking["settings"], "options": ranking["settings"]["options"][::-1]}
        settings["questions"][0] = ranking
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    record = json.loads((ARGILLA / "records.json").read_text())[0]
    ranks = [{"user_id": "1", "value": [{"value": "first", "rank": 1}, {"value": "second", "rank": 2}]}]
    alone = [{"user_id": "1", "value": [{"value": "second", "rank": 1}]}]
    (tmp_path / "records.json").write_text(json.dumps([{**record, "responses": {"order": ranks, "again": alone}}]))
    study = read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
    systems = [*study.questions[0].answers]
    ((_, values),) = said(study)
    told = {
        (key, systems[int(number) - 1]): value for key, number, value in ((*k.split("."), v) for k, v in values.items())
    }
    assert told == {("order", "first"): "1", ("order", "second"): "2", ("again", "second"): "1"}


@pytest.mark.parametrize(
    ("first", "further"),
    [
        (["first", "second"], ["second", "third"]),
        (["first", "second", "third"], ["first", "third"]),
        (["first", "second"], ["first", "second", "third"]),
    ],
)
def test_a_ranking_of_argilla_of_other_fields_than_the_first_one_s_is_told_to_be_left_out(
    tmp_path: Path, first: list[str], further: list[str]
) -> None:
    settings = json.loads((ARGILLA / "settings.json").read_text())
    (ranking,) = (each for each in settings["questions"] if each["name"] == "order")
    (text,) = (each for each in settings["fields"] if each["name"] == "first")
    settings["fields"] += [{**text, "name": "third"}]
    settings["questions"] = [
        {
            **ranking,
            "name": name,
            "settings": {**ranking["settings"], "options": [{"value": each, "text": each} for each in fields]},
        }
        for name, fields in (("order", first), ("other", further))
    ]
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    record = json.loads((ARGILLA / "records.json").read_text())[0]
    ranks = [{"user_id": "1", "value": [{"value": "first", "rank": 1}, {"value": "second", "rank": 2}]}]
    (tmp_path / "records.json").write_text(json.dumps([{**record, "responses": {"order": ranks}}]))
    study = read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")
    assert [*kinds(study)] == ["order"]
    place = tmp_path / "settings.json"
    assert left_out(study)[f"parts of the form that a scheme cannot ask: other (ranking) ({place})"] == 1


# --- Nothing to mark --------------------------------------------------------------------------------------


def test_who_marks_nothing_in_label_studio_has_said_so(tmp_path: Path) -> None:
    config = '<Text name="t" value="$text"/><Labels name="mark" toName="t"><Label value="Sea"/></Labels>'
    study = studio(tmp_path, config, {"text": "sea"})
    assert (said(study), left_out(study)) == ([("3", {"mark": []})], {})
    row = {"id": 1, "text": "sea", "annotation_id": 5, "annotator": 3, "lead_time": 2.0}
    (tmp_path / "min.json").write_text(json.dumps([row]))
    assert said(read_files("label_studio", tmp_path / "form.xml", tmp_path / "min.json")) == [("3", {"mark": []})]


@pytest.mark.parametrize("is_around", [False, True])
def test_who_was_not_asked_to_mark_in_label_studio_has_not_said_that_there_is_nothing(
    tmp_path: Path, is_around: bool
) -> None:
    condition = 'visibleWhen="choice-selected" whenTagName="fit" whenChoiceValue="No"'
    on, around = ("", condition) if is_around else (condition, "")
    config = '<Text name="t" value="$text"/>'
    config += '<Choices name="fit" toName="t"><Choice value="Yes"/><Choice value="No"/></Choices>'
    config += f'\n<View {around}><Labels name="mark" toName="t" required="true" {on}>'
    config += '<Label value="Sea"/></Labels></View>'
    fit = {"from_name": "fit", "type": "choices", "value": {"choices": ["Yes"]}}
    study = studio(tmp_path, config, {"text": "sea"}, fit)
    assert said(study) == [("3", {"fit": "yes"})]
    tag = "View" if is_around else "Labels"
    place = f"{tmp_path / 'form.xml'}, line 3"
    assert left_out(study) == {f"parts of the form that a scheme cannot ask: visibleWhen of {tag} ({place})": 1}
    marked = {"from_name": "mark", "type": "labels", "value": {"start": 0, "end": 3, "labels": ["Sea"]}}
    assert said(studio(tmp_path, config, {"text": "sea"}, marked)) == [("3", {"mark": [span("question", 0, 3, "sea")]})]


def test_who_marks_nothing_in_argilla_has_said_so(tmp_path: Path) -> None:
    settings = json.loads((ARGILLA / "settings.json").read_text())
    settings["questions"] = [each for each in settings["questions"] if each["name"] == "spans"]
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    record = json.loads((ARGILLA / "records.json").read_text())[0]
    responses = {"spans": [{"value": [], "user_id": "1"}]}
    (tmp_path / "records.json").write_text(json.dumps([{**record, "responses": responses}]))
    assert said(read_files("argilla", tmp_path / "settings.json", tmp_path / "records.json")) == [("1", {"spans": []})]


def test_who_accepts_a_task_of_prodigy_without_a_mark_or_a_choice_has_said_so(tmp_path: Path) -> None:
    marked = {"spans": [{"start": 0, "end": 3, "label": "SEA"}]}
    rows = [
        {"text": text, "_input_hash": n, "answer": "accept", "_view_id": "ner_manual", **more}
        for n, (text, more) in enumerate((("Sea?", marked), ("Moon?", {"spans": []})))
    ]
    study = read_files("prodigy", lines(tmp_path / "marks.jsonl", rows))
    assert [values for _, values in said(study)] == [{"spans": [span("question", 0, 3, "sea")]}, {"spans": []}]
    options = [{"id": "salt", "text": "Salt"}, {"id": "cold", "text": "Cold"}]
    rows = [
        {"text": "Sea?", "_input_hash": n, "answer": "accept", "options": options, "accept": accept}
        for n, accept in enumerate((["salt", "cold"], []))
    ]
    study = read_files("prodigy", lines(tmp_path / "choices.jsonl", rows))
    assert [values for _, values in said(study)] == [{"accept": ["salt", "cold"]}, {"accept": []}]


# --- Potato, doccano, INCEpTION, Prodigy ------------------------------------------------------------------


def test_a_project_of_potato_is_its_configuration_its_items_and_each_annotator_s_state() -> None:
    study = read_files("potato", *OF_POTATO)
    assert kinds(study) == {
        "sentiment": "choice",
        "topics": "several",
        "clarity": "range",
        "remark": "text",
        "facts": "spans",
    }
    assert [question.external_id for question in study.questions] == ["i1", "i2", "i3"]
    assert said(study) == [
        ("annotator-1", {"sentiment": "rude", "clarity": "3"}),
        (
            "annotator-2",
            {
                "sentiment": "friendly",
                "topics": ["water", "sky"],
                "clarity": "4",
                "remark": "Tides, too.",
                "facts": [span("question", 4, 8, "fact")],
            },
        ),
        ("annotator-2", {"sentiment": "neutral", "clarity": "2", "facts": [span("question", 12, 19, "guess")]}),
    ]
    assert study.judgments[0].seconds == 4.5


def test_answers_to_items_that_no_file_has_are_refused() -> None:
    with pytest.raises(ImportFileError, match="has answers to 'i1', which is in none of the data files"):
        read_files("potato", OF_POTATO[0], *OF_POTATO[2:])


@pytest.mark.parametrize("folder", ["classes", "classes_csv"])
def test_labels_and_comments_of_doccano_are_choices_and_a_text(folder: str) -> None:
    study = read_files("doccano", *sorted((DOCCANO / folder).iterdir()))
    assert kinds(study) == {"label": "several", "comments": "text"}
    assert said(study) == [
        ("annotator-1", {"label": ["false"]}),
        ("annotator-2", {"label": ["short", "true"], "comments": "Tides, too."}),
        ("annotator-2", {"label": ["false"]}),
    ]
    assert len(study.questions) == 3


def test_spans_and_texts_of_doccano_are_spans_and_texts() -> None:
    study = read_files("doccano", *sorted((DOCCANO / "spans").iterdir()))
    assert said(study) == [
        ("annotator-1", {"label": [span("question", 12, 19, "guess")]}),
        ("annotator-2", {"label": [span("question", 4, 8, "fact")]}),
    ]
    study = read_files("doccano", *sorted((DOCCANO / "texts").iterdir()))
    assert kinds(study) == {"label": "text"}
    assert len(study.judgments) == 1


def test_layers_of_inception_are_spans_counted_in_code_points() -> None:
    study = read_files("inception", INCEPTION / "wren.json", INCEPTION / "lark.json")
    assert kinds(study) == {"claim": "spans", "namedentity": "spans"}
    assert [question.external_id for question in study.questions] == ["sea.txt"]
    known = span("question", 2, 25, "fact", note="Known long since.")
    assert said(study) == [
        ("annotator-1", {"claim": [known], "namedentity": [span("question", 26, 29, "per")]}),
        ("annotator-2", {"claim": [span("question", 2, 10, "guess")]}),
    ]
    assert study.questions[0].text[26:29] == "Ada"
    assert left_out(study)["annotations of “Support” that are no spans"] == 1


def test_options_spans_and_labels_of_prodigy() -> None:
    study = read_files("prodigy", PRODIGY / "choice.jsonl")
    assert said(study) == [
        ("annotator-1", {"accept": "true"}),
        ("annotator-1", {"accept": "unsure"}),
        ("annotator-2", {"accept": "false"}),
    ]
    assert left_out(study) == {
        "tasks that were ignored": 1,
        "tasks whose answer was rejected": 1,
        "names of annotators, who are called annotator-1, annotator-2, … here": 2,
    }
    study = read_files("prodigy", PRODIGY / "ner_manual.jsonl")
    assert said(study) == [("annotator-1", {"spans": [span("question", 0, 3, "person")]})]
    study = read_files("prodigy", PRODIGY / "classification.jsonl")
    assert [(each.answer.system, each.replicate, each.values) for each in study.judgments] == [
        ("NATURE", 0, {"answer": "yes"}),
        ("TOWN", 0, {"answer": "no"}),
    ]


def test_options_of_a_task_s_own_are_the_question_s_choices(tmp_path: Path) -> None:
    rows = [
        {"text": text, "options": [{"id": 1, "text": one}, {"id": 2, "text": two}], "accept": [2], "answer": "accept"}
        for text, one, two in (("Ice?", "Sinks", "Floats"), ("Moon?", "Pushes", "Pulls"))
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(row | {"_input_hash": n}) for n, row in enumerate(rows)), encoding="utf-8")
    study = read_files("prodigy", path)
    assert [question.choices for question in study.questions] == [["Sinks", "Floats"], ["Pushes", "Pulls"]]
    assert said(study) == [("annotator-1", {"accept": "b"}), ("annotator-1", {"accept": "b"})]


QUESTIONS = {
    "key": "fit",
    "title": "Fit",
    "shown": ["question"],
    "aspects": [{"key": "ok", "kind": "yes_no", "title": "Does it fit?"}],
}
UNLABELLED: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "doccano": ("doccano", [{"id": 1, "text": "The moon.", "label": [], "Comments": []}]),
    "what doccano is given": ("doccano", [{"text": "The moon."}]),
    "prodigy": ("prodigy", [{"text": "The moon.", "_input_hash": 1, "_task_hash": 2}]),
    "what prodigy is given": ("prodigy", [{"text": "The moon.", "meta": {"from": "quiz"}}]),
}


def lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("format", "rows"), UNLABELLED.values(), ids=UNLABELLED)
def test_what_nobody_has_labelled_yet_comes_as_items_under_a_scheme(
    format: str, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = lines(tmp_path / "wren.jsonl", rows)
    study = read_files(format, path, definition=QUESTIONS)
    assert ([each.text for each in study.questions], said(study)) == (["The moon."], [])
    with pytest.raises(ImportFileError, match="No scheme is chosen"):
        read_files(format, path)


def test_tasks_of_prodigy_that_nobody_has_answered_tell_the_form_and_no_judgment(tmp_path: Path) -> None:
    options = [{"id": "t", "text": "True"}, {"id": "f", "text": "False"}]
    path = lines(tmp_path / "own.jsonl", [{"text": "The moon.", "_input_hash": 1, "options": options}])
    assert guess_format(path, path.name).key == "prodigy"
    study = read_files("prodigy", path)
    assert (kinds(study), said(study)) == ({"accept": "choice"}, [])
    found = [{"start": 0, "end": 3, "label": "THING"}]
    study = read_files("prodigy", lines(path, [{"text": "The moon.", "_input_hash": 1, "spans": found}]))
    assert (kinds(study), said(study)) == ({"spans": "spans"}, [])
    assert left_out(study) == {"spans of tasks that nobody has answered": 1}
    study = read_files("prodigy", lines(path, [{"text": "The moon.", "answer": "accept", "meta": {"from": "quiz"}}]))
    assert left_out(study)["values of “data.meta.from”, a column that is taken for nothing"] == 1


def test_what_was_said_is_no_part_of_the_item_under_a_scheme_of_ones_own(tmp_path: Path) -> None:
    path = lines(tmp_path / "own.jsonl", [{"text": "The moon.", "_input_hash": 1, "answer": "accept"}])
    study = read_files("prodigy", path, definition=QUESTIONS)
    assert ([each.text for each in study.questions], said(study)) == (["The moon."], [])
    assert left_out(study)["annotations without a result that is mapped"] == 1
    (judged,) = read_files("prodigy", path, definition=QUESTIONS, columns={"result.answer": "ok"}).judgments
    assert judged.values == {"ok": "yes"}


# --- All of them ------------------------------------------------------------------------------------------


def test_no_name_that_somebody_logs_in_with_is_kept() -> None:
    for format, files in {"potato": OF_POTATO, "doccano": sorted((DOCCANO / "classes").iterdir())}.items():
        study = read_files(format, *files)
        told = str([[judgment._replace(where="") for judgment in study.judgments], study.articles, left_out(study)])
        assert not {name for name in ("wren", "lark", "@example.org") if name in told}
        assert {judgment.annotator for judgment in study.judgments} == {"annotator-1", "annotator-2"}
        assert left_out(study)["names of annotators, who are called annotator-1, annotator-2, … here"] == 2


def test_the_form_is_previewed_without_the_files_once_they_were_noted() -> None:
    format = FORMATS["potato"]
    sources = open_files(format, OF_POTATO)
    noted = json.loads(json.dumps(format.note(sources, Options())))
    preview, again = format.preview(sources, Options()), format.preview_noted(noted, Options())
    assert (again.mapping, again.wrong) == (preview.mapping, [])
    assert preview.mapping["result.sentiment"] == "sentiment"


def test_a_chosen_scheme_is_stronger_than_the_form() -> None:
    chosen = {
        "key": "mood",
        "title": "Mood",
        "shown": ["question"],
        "aspects": [{"key": "remark", "kind": "text", "title": "What?"}],
    }
    study = read_files("potato", *OF_POTATO, definition=chosen)
    assert said(study) == [("annotator-1", {"remark": "Tides, too."})]
    assert left_out(study)["annotations without a result that is mapped"] == 2
