"""What programs that evaluate models wrote themselves comes as questions, references and answers by system.

The files in ``written/`` are small, and made by running each tool once on two to five questions of our own:

- ``inspect.eval``, ``inspect.json``, ``inspect_epochs.eval``: Inspect AI 0.3.285, ``eval(task, log_format=…, model=
  get_model("mockllm/…", custom_outputs=…))`` with a chat of three turns, a call of a tool, a picture, and a question
  with choices; the last one with two epochs.
- ``lm_eval/``: lm-evaluation-harness 0.4.13, ``lm_eval --model dummy --tasks water,keeping --log_samples``, with a task
  that generates, under two filters, and one of multiple choice.
- ``saved/``: ``DatasetDict(…).save_to_disk`` of datasets 5.2.0, with two shards in one split.
"""

from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import preset, read_scheme
from annotation_platform.corpus.importers import FORMATS, Options, guess_format, open_files
from annotation_platform.corpus.importers.outputs import LEFT_OUT, METRICS, Output
from tests.corpus.reading import ReadStudy, metrics_of, read_files
from tests.corpus.test_published_formats import reasons_of, write

WRITTEN = Path(__file__).parent / "written"
LM_EVAL = sorted((WRITTEN / "lm_eval").iterdir())
RESULTS, KEEPING, WATER = LM_EVAL


def read(format: str, *paths: Path, scheme: str = "equivalence", **options: Any) -> ReadStudy:
    return read_files(format, *paths, definition=preset(scheme), **options)


def left_out(study: ReadStudy) -> dict[str, int]:
    return {str(what): count for what, count in study.counts.left_out.items()}


# --- Inspect AI -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["inspect.eval", "inspect.json"])
def test_an_inspect_log_is_known_by_its_beginning(file: str) -> None:
    assert guess_format(WRITTEN / file, file).key == "inspect"


def test_logs_of_two_models_are_answers_to_the_same_questions() -> None:
    study = read("inspect", WRITTEN / "inspect.eval", WRITTEN / "inspect.json")
    questions = {question.external_id: question for question in study.questions}
    assert [*questions] == ["water/ice", "water/tide", "water/tool", "water/picture", "water/5"]
    ice = questions["water/ice"]
    assert (ice.text, ice.reference_answers) == ("Why does ice float?", ["It is lighter than water."])
    assert ice.answers["mockllm/birch"].text == "Because it is light."
    assert ice.answers["mockllm/alder"].text.startswith("Ice takes more room")
    assert study.judgments == []


def test_the_last_turn_is_judged_and_the_turns_before_it_are_the_question() -> None:
    study = read("inspect", WRITTEN / "inspect.eval")
    tide = next(each for each in study.questions if each.external_id == "water/tide")
    assert tide.text == (
        "System: Answer briefly.\n\nUser: What pulls at the sea?\n\nAssistant: The moon.\n\nUser: And what else?"
    )
    assert tide.answers["mockllm/alder"].text == "The sun."


def test_what_a_log_has_and_a_corpus_has_no_place_for_is_counted() -> None:
    study = read("inspect", WRITTEN / "inspect.eval")
    assert left_out(study) == {
        "parts of messages that are no text: image": 1,
        "values of “choices”, a column that is taken for nothing": 1,
    }
    (tool,) = [each for each in study.questions if each.external_id == "water/tool"]
    assert (tool.text, tool.answers["mockllm/alder"].text) == ("Does oil float on water?", "Yes, oil floats.")


def test_a_letter_stands_for_the_choice_that_it_names() -> None:
    study = read("inspect", WRITTEN / "inspect.json")
    assert study.questions[0].reference_answers == ["rain"]  # where the log says A


def test_each_epoch_is_a_system() -> None:
    (ice,) = read("inspect", WRITTEN / "inspect_epochs.eval").questions
    answers = {system: answer.text for system, answer in ice.answers.items()}
    assert answers == {"mockllm/cedar epoch 1": "One.", "mockllm/cedar epoch 2": "Two."}


def test_a_damaged_log_is_refused_with_its_name(tmp_path: Path) -> None:
    damaged = tmp_path / "cut.eval"
    damaged.write_bytes((WRITTEN / "inspect.eval").read_bytes()[:5_000])
    (reason,) = reasons_of("inspect", damaged, definition=preset("equivalence"))
    assert "cut.eval: cannot be unpacked" in reason
    other = tmp_path / "other.json"
    other.write_text("{}")
    (reason,) = reasons_of("inspect", other, definition=preset("equivalence"))
    assert "is no log of Inspect AI" in reason


# --- lm-evaluation-harness --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LM_EVAL, ids=lambda path: path.name.partition("_")[0])
def test_samples_and_results_of_the_harness_are_known_by_their_beginning(path: Path) -> None:
    assert guess_format(path, path.name).key == "lm_eval"


def test_samples_are_answers_of_the_model_that_the_results_name() -> None:
    study = read("lm_eval", *LM_EVAL)
    found = {each.external_id: (each.text, each.reference_answers, each.answers) for each in study.questions}
    system = "i82qcls7"  # as the harness called its dummy model
    assert found["water/0"] == ("Why does ice float?", ["It is lighter than water."], {system: ("lol", "")})
    assert found["keeping/1"] == ("What floats?", ["a cork"], {system: ("a cork", "")})  # the likelier one
    assert found["keeping/0"][2] == {system: ("on the roof", "")}
    assert not study.header.warnings


def test_scores_of_the_harness_are_kept_by_metric_and_filter() -> None:
    metrics = metrics_of("lm_eval", *LM_EVAL)
    of_two_filters = {"exact_match (strict)": 0, "exact_match (lower)": 0}
    assert metrics == [{"lm_eval": each} for each in ({"acc": 0}, {"acc": 1}, of_two_filters, of_two_filters)]
    assert not [reason for reason in left_out(read("lm_eval", *LM_EVAL)) if "metric" in reason]


def test_scorers_of_inspect_are_kept_as_numbers() -> None:
    first, second, *_ = metrics_of("inspect", WRITTEN / "inspect.json")
    assert first == {"inspect": {"includes": 1, "match": 0}}  # C and I in the log
    assert second == {"inspect": {"includes": 0, "match": 0}}


def test_what_is_no_single_value_of_a_metric_is_left_out_and_counted() -> None:
    row = Output.of([], {"bleu": [1, 2], "f1": float("nan"), "exact": True, "why": "x" * 101}, answer="So.").as_row(1)
    assert row.values[METRICS] == {"exact": True}
    assert [each.parameters["metric"] for each in row.values[LEFT_OUT]] == ["bleu", "f1", "why"]


def test_without_results_the_folder_is_the_system_and_the_summary_says_so() -> None:
    study = read("lm_eval", WATER)
    assert [*study.questions[0].answers] == ["lm_eval"]
    (warning,) = study.header.warnings
    assert "so the system is called “lm_eval”" in warning


def test_the_whole_prompt_can_be_the_question() -> None:
    study = read("lm_eval", RESULTS, WATER, columns={"question": "", "prompt": "question"})
    assert study.questions[0].text == "Q: Why does ice float?\nA:"


def test_the_preview_begins_with_samples_wherever_the_results_stand() -> None:
    format = FORMATS["lm_eval"]
    sources = open_files(format, [RESULTS, WATER])
    chosen = Options(definition=preset("equivalence"))
    preview = format.preview(sources, chosen)
    assert preview.mapping["question"] == "question"
    assert not preview.wrong
    assert format.preview_noted(format.note(sources, chosen), chosen).mapping == preview.mapping


# --- Folders of datasets, and conversations in tables -----------------------------------------------------


def test_a_folder_that_datasets_saved_is_a_table_of_conversations() -> None:
    shards = sorted((WRITTEN / "saved").rglob("*.arrow"))
    assert {guess_format(shard, shard.name).key for shard in shards} == {"table"}
    ice, tide = read("table", *shards).questions
    assert (ice.text, [*ice.answers]) == ("Why does ice float?", ["birch", "alder"])
    assert tide.text == "User: What pulls at the sea?\n\nAssistant: The moon.\n\nUser: And what else?"
    assert tide.answers["alder"].text == "The sun."


def test_parquet_shards_of_datasets_are_read_the_same_way(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    saved = datasets.load_from_disk(str(WRITTEN / "saved"))
    path = tmp_path / "train.parquet"
    saved["train"].to_parquet(path)
    assert [each.text for each in read("table", path).questions][1].endswith("User: And what else?")


def test_a_broken_arrow_file_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "data.arrow"
    broken.write_bytes((WRITTEN / "saved" / "test" / "data-00000-of-00001.arrow").read_bytes()[:300])
    assert "cannot be read as Arrow" in reasons_of("table", broken, definition=preset("equivalence"))[0]


PAIR = """\
key: pair
title: A pair
shown: [question, candidates]
aspects:
  - {key: winner, kind: best_of, title: "Which is better?", tie_label: Both alike}
"""


def arena(path: Path, *second: str) -> Path:
    def turns(*said: str) -> list[dict[str, str]]:
        return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]

    row = {
        **{"question_id": "1", "model_a": "alder", "model_b": "birch", "winner": "model_b", "judge": "Wren"},
        "conversation_a": turns("Why does ice float?", "It is light.", *second[:2]),
        "conversation_b": turns("Why does ice float?", "Magic.", *second[2:]),
    }
    return write(path, row)


def test_a_pair_of_conversations_is_a_question_with_two_answers_and_a_vote(tmp_path: Path) -> None:
    study = read_files("table", arena(tmp_path / "arena.jsonl"), definition=read_scheme(PAIR))
    (question,) = study.questions
    answers = {system: answer.text for system, answer in question.answers.items()}
    assert (question.text, answers) == ("Why does ice float?", {"alder": "It is light.", "birch": "Magic."})
    assert [(each.annotator, each.values) for each in study.judgments] == [
        ("Wren", {"winner": "2"})
    ]  # the second answer


def test_conversations_that_part_are_judged_from_where_they_do(tmp_path: Path) -> None:
    path = arena(tmp_path / "arena.jsonl", "Why is that?", "Bubbles.", "Why is that?", "Spells.")
    (question,) = read_files("table", path, definition=read_scheme(PAIR)).questions
    assert question.text == "Why does ice float?"
    assert question.answers["birch"].text == "Assistant: Magic.\n\nUser: Why is that?\n\nAssistant: Spells."


def test_the_name_of_a_conversation_is_not_taken_for_it(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
    path = write(
        tmp_path / "chats.jsonl", {"id": "c1", "conversation_id": "9", "model": "alder", "conversation": turns}
    )
    (question,) = read_files("table", path, definition=read_scheme(PAIR)).questions
    assert (question.external_id, question.answers["alder"].text) == ("c1", "So.")
