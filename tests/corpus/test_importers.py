"""Files become plain, checked studies, or every mistake with file, line, key path and reason."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, read_study
from annotation_platform.corpus.importers.document import Document
from annotation_platform.corpus.importers.study import Finished
from tests.corpus.reading import AnswerKey, ReadStudy, listed, read_files

SAMPLES = Path(__file__).resolve().parents[2] / "annotation_platform" / "corpus" / "sample"
NATIVE = """\
format: annotation-platform/1
corpus:
  name: Two towns
  articles:
    - id: bridge
      title: A bridge
      sentences:
        - The bridge closed in May.
        - It is rusty.
      questions:
        - id: q1
          text: Why did it close?
          anchor: 1
          answers: {alder: Rust., birch: Nobody knows.}
    - id: 7
      text: A ferry sank. Nobody drowned.
      questions:
        - {id: 1, text: "Who drowned?", answers: {alder: Nobody.}}
    - id: withheld
      questions:
        - {id: q1, text: "What else?", anchor: 40, answers: {birch: Little.}}
study: {overlap: 2, questions_per_hit: 3}
judgments:
  - annotator: Wren
    article: bridge
    question: q1
    system: alder
    seconds: 31
    values: {correct: "yes", completeness: complete, sentences: "2", reasons: Rust it is.}
"""


def native(text: str = NATIVE, name: str = "towns.yaml") -> ReadStudy:
    with read_study(FORMATS["native"], [Document(name, text)]) as study:
        return listed(study)


def released(files: dict[str, Any] | None = None) -> ReadStudy:
    files = {"inq.json": release()} if files is None else files
    documents = [Document(name, json.dumps(data)) for name, data in files.items()]
    with read_study(FORMATS["ebr"], documents) as study:
        return listed(study)


def release(dataset: str = "inq") -> dict[str, Any]:
    def row(worker: str, label: str = "complete") -> dict[str, Any]:
        return {
            "correct_label": "correct" if label == "complete" else "irrelevant",
            "complete_label": label,
            "feedback": "It says all.",
            "ebr_raw": "Score: 90",
            "ebr_num": 90,
            "workerid": worker,
        }

    return {
        "50": {
            "dataset": dataset,
            "article_num": 0,
            "question_details": {
                "0": {
                    "question_id": "0",
                    "question": "Why?",
                    "system": {
                        "gpt4": {"answer": "So.", "annotation_details": {"0": row("5"), "1": row("3"), "2": row("5")}},
                        "davinci": {"answer": "No.", "annotation_details": {"0": row("3", "missing_all")}},
                    },
                },
                "1": {
                    "question_id": "0",
                    "question": "When?",
                    "system": {"gpt4": {"answer": "Now.", "annotation_details": {}}},
                },
            },
        }
    }


def reasons_of(read: Callable[[], Any]) -> list[str]:
    with pytest.raises(ImportFileError) as caught:
        read()
    return caught.value.reasons


# --- The platform's own format ----------------------------------------------------------------------------


def test_a_native_study_is_read_whole() -> None:
    study = native()
    bridge, ferry, withheld = study.articles
    header = study.header
    assert (header.corpus_name, header.language, header.definition["key"]) == ("Two towns", "en", "ebr")
    assert (bridge.external_id, bridge.title, len(bridge.sentences)) == ("bridge", "A bridge", 2)
    assert (ferry.external_id, list(ferry.sentences)) == ("7", ["A ferry sank.", "Nobody drowned."])
    assert not withheld.sentences
    assert withheld.questions[0].anchor == 40  # nobody can tell how long a withheld text is
    assert {name: answer.text for name, answer in bridge.questions[0].answers.items()} == {
        "alder": "Rust.",
        "birch": "Nobody knows.",
    }
    assert (header.settings["overlap"], header.settings["questions_per_hit"]) == (2, 3)
    assert header.finished is Finished.NONE
    (judgment,) = study.judgments
    assert judgment.answer == AnswerKey("bridge", "q1", "alder")
    assert (judgment.annotator, judgment.seconds, judgment.replicate) == ("Wren", 31, 0)
    assert judgment.values["sentences"] == [2]
    assert judgment.where == "towns.yaml, line 24: judgments[0]"


def test_systems_may_have_a_family() -> None:
    assert native().header.families == {}
    study = native(NATIVE.replace("  name: Two towns", "  name: Two towns\n  families: {trees: [alder, birch]}"))
    assert study.header.families == {"alder": "trees", "birch": "trees"}


def test_the_same_study_as_json_reads_the_same() -> None:
    as_json = native(json.dumps(yaml.safe_load(NATIVE), indent=1), "towns.json")
    as_yaml = native()
    assert as_json.articles == as_yaml.articles
    assert [j.values for j in as_json.judgments] == [j.values for j in as_yaml.judgments]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_sample_studies_are_read(path: Path) -> None:
    counts = read_files("native", path).counts
    assert counts.questions >= 6
    assert counts.annotators >= 3


def test_judgments_may_leave_out_what_the_file_says_was_not_asked() -> None:
    text = NATIVE.replace(', sentences: "2"', "")
    assert "sentences: Cite the sentences" in reasons_of(lambda: native(text))[0]
    study = native(text + "not_asked: [sentences]\n")
    assert study.judgments[0].values.keys() == {"correct", "completeness", "reasons"}


def test_a_second_judgment_of_an_answer_by_one_person_is_a_replicate_or_a_mistake() -> None:
    row = NATIVE[NATIVE.index("  - annotator") :]
    (reason,) = reasons_of(lambda: native(NATIVE + row))
    already = "'Wren' judged this answer already (towns.yaml, line 24: judgments[0])"
    assert reason.startswith(f"towns.yaml, line 30: judgments[1]: {already}")
    study = native(NATIVE + row.replace("seconds: 31", "replicate: 1"))
    assert [judgment.replicate for judgment in study.judgments] == [0, 1]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        (
            "format: annotation-platform/1",
            "format: annotation-platform/2",
            1,
            "format: must be 'annotation-platform/1'",
        ),
        ("  name: Two towns\n", "", 2, "corpus.name: this key is missing"),
        ("name: Two towns", "name: [Two, towns]", 3, "corpus.name: must be text"),
        ("id: bridge", "id: true", 5, "corpus.articles[0].id: must be text"),
        ("id: bridge", "id: ''", 5, "corpus.articles[0].id: must not be empty"),
        ("title: A bridge", "titel: A bridge", 6, "corpus.articles[0].titel: the format has no such key"),
        ("- It is rusty.", "- 12", 9, "corpus.articles[0].sentences[1]: must be text"),
        ("- It is rusty.", "- '  '", 9, "corpus.articles[0].sentences[1]: a sentence must not be empty"),
        ("title: A bridge", "text: A bridge.", 5, "corpus.articles[0]: has both 'sentences' and 'text'"),
        (
            "anchor: 1",
            "anchor: 3",
            13,
            "corpus.articles[0].questions[0].anchor: there is no sentence 3; the article has 2",
        ),
        ("anchor: 1", "anchor: 0", 13, "corpus.articles[0].questions[0].anchor: must be 1 or more"),
        ("birch: Nobody knows.", "birch: ''", 14, "corpus.articles[0].questions[0].answers.birch: an answer must not"),
        (
            "birch: Nobody knows.",
            "birch: [x]",
            14,
            "corpus.articles[0].questions[0].answers.birch: must be text, or a mapping",
        ),
        ("id: 7", "id: bridge", 15, "corpus.articles[1]: the article 'bridge' is there already (towns.yaml, line 5"),
        ("id: 1,", "id: 1, anchor: 3,", 18, "corpus.articles[1].questions[0].anchor: there is no sentence 3"),
        ("overlap: 2", "overlap: 0", 22, "study.overlap: must be 1 or more"),
        ("overlap: 2", "overlap: two", 22, "study.overlap: must be a whole number"),
        ("overlap: 2", "scheme: taste", 22, "study.scheme: taste: no preset has this name"),
        ("annotator: Wren", "annotator: " + "x" * 61, 24, "judgments[0].annotator: must have 60 characters or fewer"),
        (
            "article: bridge",
            "article: tunnel",
            24,
            "judgments[0]: the corpus has no answer by 'alder' to 'q1' in 'tunnel'",
        ),
        ("system: alder", "system: elm", 24, "judgments[0]: the corpus has no answer by 'elm'"),
        ("seconds: 31", "seconds: -1", 28, "judgments[0].seconds: must be 0 or more"),
        ("seconds: 31", "seconds: .inf", 28, "judgments[0].seconds: must be a finite number"),
        ("completeness: complete", "completeness: total", 29, "judgments[0].values.completeness: “total” is not one"),
        (
            'correct: "yes"',
            "correct: yes",
            29,
            "judgments[0].values.correct: “True” is not one of the choices (yes, no)",
        ),
        ('sentences: "2"', "sentences: [3]", 29, "judgments[0].values.sentences: There is no sentence 3"),
        ("reasons: Rust it is.", "reasons: 5", 29, "judgments[0].values.reasons: This must be text"),
        ("reasons: Rust it is.", "mood: fine, reasons: Rust.", 29, "judgments[0].values.mood: This scheme has no such"),
        ("judgments:", "not_asked: [mood]\njudgments:", 23, "not_asked[0]: the scheme 'ebr' has no aspect 'mood'"),
        ("  - annotator: Wren", "  - Wren\n  - annotator: Wren", 24, "judgments[0]: must be a mapping"),
        ("title: A bridge", "title: A\n      title: B", 7, "the key 'title' is there twice"),
        (
            "title: A bridge",
            'title: "A\\0bridge"',
            6,
            "corpus.articles[0].title: holds a character that cannot be stored",
        ),
        ("title: A bridge", "title: [A", 7, "is not YAML"),
        ("  name: Two towns", "  name: Two towns\n  language: xx", 17, "corpus.articles[1].text: cannot be cut"),
        (
            "  name: Two towns",
            "  name: Two towns\n  families: {trees: [elm]}",
            2,
            "corpus: families: trees: no answer is",
        ),
        ("  name: Two towns", "  name: Two towns\n  families: {alder: [alder]}", 2, "corpus: families: 'alder' is the"),
        (
            "  name: Two towns",
            "  name: Two towns\n  families: {trees: [alder], leaves: [alder]}",
            2,
            "corpus: families: 'alder' is in 'trees' and in 'leaves'",
        ),
        ("  name: Two towns", "  name: Two towns\n  language: English", 4, "corpus.language: must be a language's"),
    ],
)
def test_each_kind_of_mistake_in_a_native_file_is_told(old: str, new: str, line: int, reason: str) -> None:
    assert old in NATIVE
    reasons = reasons_of(lambda: native(NATIVE.replace(old, new, 1)))
    assert any(told.startswith(f"towns.yaml, line {line}: {reason}") for told in reasons), reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "towns.yaml: must be a mapping"),
        ("- a\n- b\n", "towns.yaml, line 1: must be a mapping"),
        ("plain words", "towns.yaml, line 1: must be a mapping"),
        ("a: 2024-13-45", "towns.yaml: cannot be read as YAML"),
        ("[" * 200_000, "towns.yaml: is nested more than 100 levels deep"),
        ("format: annotation-platform/1\ncorpus: {name: a, articles: []}", "towns.yaml, line 2: corpus: no question"),
        (
            "format: annotation-platform/1\ncorpus: {name: a, articles: [{id: a}]}",
            "towns.yaml, line 2: corpus: no question has an answer",
        ),
    ],
)
def test_a_file_without_a_study_in_it_is_refused(text: str, reason: str) -> None:
    assert reasons_of(lambda: native(text))[0].startswith(reason)


def test_anchors_that_multiply_are_refused_at_once() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in pairwise("abcdefghi")
    )
    (reason,) = reasons_of(lambda: native(bomb))
    assert reason == "towns.yaml: has more than 100,000 parts once its anchors are written out"


def test_a_native_study_is_one_file() -> None:
    documents = [Document("a.yaml", NATIVE), Document("b.yaml", NATIVE)]
    assert "one file" in reasons_of(lambda: read_study(FORMATS["native"], documents))[0]


# --- The release ------------------------------------------------------------------------------------------


def test_a_release_is_read_as_finished_hits_of_one_answer() -> None:
    documents = [Document(f"{name}.json", json.dumps(release(name))) for name in ("inq", "inq-ext")]
    with read_study(FORMATS["ebr"], documents) as study:
        assert study.header.finished is Finished.ALL
        assert [len(list(batch)) for batch in study.finished_batches()] == [3, 3]
        first, second = study.articles()  # the same key in both files
        assert [(a.name, a.source) for a in (first, second)] == [("inq-50", "inq"), ("inq-ext-50", "inq-ext")]
        assert [question.name for question in study.questions()] == ["0", "1"] * 2  # not the question_id inside
        assert study.counts.judgments == 8


def test_released_labels_are_taken_into_the_scheme() -> None:
    judgments = released().judgments
    assert judgments[0].values == {"correct": "yes", "completeness": "complete", "reasons": "It says all."}
    assert judgments[3].values["correct"] == "no"


def test_a_worker_who_judged_an_answer_twice_makes_a_replicate() -> None:
    judged = [(j.answer.system, j.annotator, j.replicate) for j in released().judgments]
    assert judged == [("gpt4", "5", 0), ("gpt4", "3", 0), ("gpt4", "5", 1), ("davinci", "3", 0)]


def test_the_same_file_twice_is_refused() -> None:
    reason, *_ = reasons_of(lambda: released({"a.json": release(), "b.json": release()}))
    assert reason == "b.json, line 1: 50: the article 'inq-50' is there already (a.json, line 1: 50)"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["dataset"], None, "dataset: must be text"),
        (["dataset"], "x" * 61, "dataset: must have 60 characters or fewer"),
        (["question_details"], [], "question_details: must be a mapping"),
        (["question_details", "0", "system"], {}, "question_details.0.system: "),
        (
            ["question_details", "0", "system", "gpt4", "annotation_details", "1", "feedback"],
            5,
            "feedback: must be text",
        ),
        (
            ["question_details", "0", "system", "gpt4", "annotation_details", "1", "feedback"],
            "",
            "feedback: is empty, and the scheme asks for a text here",
        ),
        (
            ["question_details", "0", "system", "gpt4", "annotation_details", "1", "complete_label"],
            "missing_some",
            "complete_label: “missing_some” is not one of the choices",
        ),
        (
            ["question_details", "0", "system", "gpt4", "annotation_details", "1", "correct_label"],
            "wrong",
            "correct_label: must be one of 'correct', 'irrelevant'",
        ),
        (["question_details", "0", "system", "gpt4", "annotation_details", "1", "ebr_raw"], 5, "ebr_raw: must be text"),
        (
            ["question_details", "0", "system", "gpt4", "annotation_details", "1", "mood"],
            5,
            "mood: the format has no such",
        ),
        (["question_details", "0", "question"], "\ud800", "question: holds a character that cannot be stored (U+D800)"),
    ],
)
def test_each_kind_of_mistake_in_a_release_is_told(path: list[str], value: Any, reason: str) -> None:
    data = release()
    inner = data["50"]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    reasons = reasons_of(lambda: released({"inq.json": data}))
    assert any(
        told.startswith("inq.json") and "50." + ".".join(path[:-1]) in told and reason in told for told in reasons
    )


def test_a_missing_key_is_told_with_its_path() -> None:
    data = release()
    del data["50"]["question_details"]["0"]["system"]["gpt4"]["annotation_details"]["1"]["workerid"]
    (reason,) = reasons_of(lambda: released({"inq.json": data}))
    expected = "50.question_details.0.system.gpt4.annotation_details.1.workerid: this key is missing"
    assert reason == f"inq.json, line 1: {expected}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"50": ', "inq.json, line 1: is not JSON (a value is missing)"),
        ("", "inq.json, line 1: is not JSON"),
        ("[]", "inq.json, line 1: must be a mapping"),
        ('{"50": {"dataset": NaN}}', "inq.json: cannot be read as JSON (NaN is not a number in JSON)"),
        ('{"50": 1,\n "50": 2}', "inq.json, line 2: the key '50' is there twice in one mapping"),
        ("[" * 100_000, "inq.json: cannot be read as JSON"),
    ],
)
def test_what_is_no_json_mapping_is_refused(text: str, reason: str) -> None:
    (told,) = reasons_of(lambda: read_study(FORMATS["ebr"], [Document("inq.json", text)]))
    assert told.startswith(reason)


def test_the_line_in_an_indented_json_file_is_told() -> None:
    data = release()
    data["50"]["question_details"]["1"]["question"] = 5
    text = json.dumps(data, indent=1)
    line = next(n for n, line in enumerate(text.splitlines(), start=1) if '"question": 5' in line)
    (told,) = reasons_of(lambda: read_study(FORMATS["ebr"], [Document("inq.json", text)]))
    assert told.startswith(f"inq.json, line {line}: 50.question_details.1.question: ")


def test_a_scheme_without_the_release_s_aspects_is_refused() -> None:
    definition = {
        "key": "taste",
        "title": "Taste",
        "shown": ["answer"],
        "aspects": [{"key": "reasons", "kind": "text", "title": "Why?"}],
    }
    document = Document("inq.json", json.dumps(release()))
    reasons = reasons_of(lambda: read_study(FORMATS["ebr"], [document], Options(definition)))
    assert sorted(reasons) == [
        "scheme taste: has no aspect 'completeness', which the release fills",
        "scheme taste: has no aspect 'correct', which the release fills",
    ]


@pytest.mark.release
def test_the_released_data_are_read_whole(release_data: list[Path]) -> None:
    with read_study(FORMATS["ebr"], [Document.read(path) for path in release_data]) as study:
        counts = study.counts
        assert (counts.articles, counts.answers, counts.judgments) == (79, 2532, 12_650)
        assert sum(len(list(batch)) for batch in study.finished_batches()) == 2532
        assert study.usual_overlap == 5


# --- Messages ---------------------------------------------------------------------------------------------


def test_the_message_shows_twenty_mistakes_and_counts_the_rest() -> None:
    error = ImportFileError([f"mistake {n}" for n in range(1234)])
    lines = str(error).splitlines()
    assert lines[0] == "Nothing was imported: 1,234 mistakes."
    assert lines[1:3] == ["  mistake 0", "  mistake 1"]
    assert lines[-1] == "  … and 1,214 more."
    assert len(lines) == 22
    assert len(error.reasons) == 1234


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("é".encode("latin-1"))
    with pytest.raises(ImportFileError, match=r"latin.yaml: is not UTF-8 text \(byte 0, line 1\): perhaps Latin-1"):
        Document.read(tmp_path / "latin.yaml")


def test_japanese_as_spreadsheets_write_it_is_called_shift_jis(tmp_path: Path) -> None:
    (tmp_path / "japanese.yaml").write_bytes("title: 美術館はなぜ閉まっていますか".encode("cp932"))
    with pytest.raises(ImportFileError, match="perhaps Shift_JIS, as spreadsheets write Japanese"):
        Document.read(tmp_path / "japanese.yaml")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFileError, match=r"none.yaml: there is no such file"):
        Document.read(tmp_path / "none.yaml")


scraps = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "text", "corpus", "articles", "questions", "name"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(scraps, st.sampled_from(["ebr", "native"]))
def test_no_json_however_wrong_makes_a_reader_stumble(data: Any, format: str) -> None:
    with pytest.raises(ImportFileError):
        read_study(FORMATS[format], [Document("any.json", json.dumps(data))])
