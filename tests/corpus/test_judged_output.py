"""Conversations, comparisons and scores as other programs wrote them: turns come as turns, judgments where the scheme
has a place for them.

``written/`` has what each tool itself wrote; beside it stands the script that made it run, with the tool's version.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import preset, read_scheme
from annotation_platform.corpus.importers import (
    FORMATS,
    ImportFileError,
    Options,
    guess_format,
    open_files,
    read_study,
)
from tests.corpus.reading import ReadStudy, metrics_of, read_files
from tests.corpus.test_model_output import WRITTEN, left_out
from tests.corpus.test_published_formats import write

EVALS = sorted((WRITTEN / "openai_evals").iterdir())
HELM = sorted((WRITTEN / "helm").rglob("s*.json"))
STATS = sorted((WRITTEN / "helm").rglob("per*.json"))
BENCH = sorted((WRITTEN / "mt_bench").rglob("*.jsonl"))
PAIR = """\
key: pair
title: A pair
shown: [question, candidates]
aspects:
  - {key: winner, kind: best_of, title: "Which is better?", tie_label: Both alike}
"""
WITHOUT_TIE = PAIR.replace(", tie_label: Both alike", "")
RATED = """\
key: rated
title: A rating
shown: [question, answer]
aspects:
  - {key: quality, kind: range, title: "How good is it?", low: 1, high: 10}
"""


def read(format: str, *paths: Path, scheme: str = "", **options: Any) -> ReadStudy:
    return read_files(format, *paths, definition=read_scheme(scheme) if scheme else preset("equivalence"), **options)


def turns_of(format: str, *paths: Path, scheme: str = PAIR) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Question → its turns, and by system those to judge, in short."""
    chosen = FORMATS[format]
    definition = read_scheme(scheme)
    with read_study(chosen, open_files(chosen, paths), Options(definition=definition)) as study:
        answers: dict[int, dict[str, Any]] = {}
        for question, system, turns in study.rows.execute("SELECT question, system, turns FROM answer"):
            answers.setdefault(question, {})[system] = turns or "[]"
        return {each.name: (json.loads(each.turns or "[]"), answers[each.id]) for each in study.questions()}


# --- OpenAI evals -----------------------------------------------------------------------------------------


def test_a_log_of_evals_is_known_by_its_first_line() -> None:
    assert guess_format(EVALS[0], EVALS[0].name).key == "openai_evals"


def test_samples_of_two_runs_are_answers_to_the_same_questions() -> None:
    study = read("openai_evals", *EVALS)
    found = {each.external_id: each for each in study.questions}
    ice, sea, tower = (found[f"water.dev.v0/water.dev.{n}"] for n in range(3))
    assert {system: each.text for system, each in ice.answers.items()} == {
        "alder": "It is lighter than water.",
        "birch": "Magic.",
    }
    assert sea.reference_answers == ["The sun.", "The sun"]
    assert sea.text.endswith("Assistant: The moon.\n\nUser: And what else?")
    assert tower.text == "Q: How tall is the tower? A:"
    assert [*tower.answers] == ["alder"]  # the other one said nothing
    assert left_out(study) == {"scores of the metric “match”": 1, "outputs without an answer": 1}


def test_what_evals_says_of_a_sample_is_kept_with_its_answer_but_for_what_was_expected(tmp_path: Path) -> None:
    assert [each["openai_evals"]["match"] for each in metrics_of("openai_evals", *EVALS)] == [True] * 3 + [False] * 2
    lines = EVALS[0].read_text().splitlines()
    matched = next(json.loads(line) for line in lines if '"match"' in line)
    graded = matched | {"type": "metrics", "data": {"accuracy": 0.5, "expected": "It is light."}}
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*lines, json.dumps(graded)]))
    assert {"match": True, "accuracy": 0.5} in [each["openai_evals"] for each in metrics_of("openai_evals", log)]
    references = [each.reference_answers for each in read("openai_evals", log).questions]
    assert any("It is light." in each for each in references)


def test_a_sample_of_evals_that_ended_with_an_error_has_no_answer(tmp_path: Path) -> None:
    lines = EVALS[0].read_text().splitlines()
    sampled = next(json.loads(line) for line in lines if '"sampling"' in line)
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*lines, json.dumps(sampled | {"type": "error", "data": {"type": "X", "message": "Y"}})]))
    whole, broken = read("openai_evals", EVALS[0]), read("openai_evals", log)
    count = sum(len(each.answers) for each in whole.questions)
    assert sum(len(each.answers) for each in broken.questions) == count - 1
    assert left_out(broken)["samples that ended with an error"] == 1


def test_calls_of_functions_in_evals_come_with_the_reply() -> None:
    turns = turns_of("openai_evals", EVALS[0])
    assert '"name": "look_up"' in turns["water.dev.v0/water.dev.2"][1]["alder"]
    assert [each["role"] for each in turns["water.dev.v0/water.dev.0"][0]] == ["system", "user"]


# --- HELM -------------------------------------------------------------------------------------------------


def test_files_of_a_run_of_helm_are_known_by_their_beginning() -> None:
    assert {guess_format(path, path.name).key for path in HELM} == {"helm"}


def test_runs_of_two_models_are_answers_to_the_same_instances() -> None:
    study = read("helm", *HELM, *STATS, scheme=RATED)
    found = {each.external_id: each for each in study.questions}
    assert set(found) == {f"{run}:level=1/id{n}" for run in ("water", "chats") for n in (0, 1)}
    ice = found["water:level=1/id0"]
    assert ice.text == "Why does ice float?"
    assert {system: each.text for system, each in ice.answers.items()} == {
        "water/alder": "It is lighter than water.",  # where the model said B
        "water/birch": "It is heavy.",
    }
    assert found["chats:level=1/id0"].text.startswith("User: What pulls at the sea?")
    assert not [reason for reason in left_out(study) if "exact_match" in reason]


def test_references_of_helm_are_those_that_are_correct() -> None:
    study = read("helm", *HELM)
    assert {each.external_id: each.reference_answers for each in study.questions}["water:level=1/id1"] == ["cork"]


def test_statistics_of_helm_are_kept_with_the_answers_of_their_own_run() -> None:
    kept = [each["helm"] for each in metrics_of("helm", *HELM, *STATS)]
    matches = [each.get("exact_match") for each in kept]
    assert matches == [1, None, 0, None, 1, 1, 0, 0]  # a chat without a reference has none
    assert not [name for each in kept for name in each if name.startswith("num_")]
    assert metrics_of("helm", *HELM) == [{}] * 8


def test_scores_of_helm_alone_are_refused() -> None:
    with pytest.raises(ImportFileError, match=r"give scenario_state\.json too"):
        read("helm", *STATS)


# --- MT-Bench ---------------------------------------------------------------------------------------------


def test_files_of_the_bench_are_known_by_their_beginning() -> None:
    assert {guess_format(path, path.name).key for path in BENCH} == {"mt_bench"}


def test_scores_of_single_answers_are_judgments_of_each_turn() -> None:
    study = read("mt_bench", *BENCH, scheme=RATED)
    said = {(each.answer.question, each.answer.system): each.values["quality"] for each in study.judgments}
    assert said["81/1", "alder"] == "9"
    assert said["81/2/birch", "birch"] == "2"
    assert len(study.judgments) == 8
    assert {each.annotator for each in study.judgments} >= {"gpt-4 single-v1", "gpt-4 single-math-v1-multi-turn"}
    assert left_out(study)["votes which of two answers is better, which need a scheme that shows candidates"] == 8


def test_a_later_turn_has_the_turns_before_it() -> None:
    before, replies = turns_of("mt_bench", *BENCH, scheme=RATED)["81/2/birch"]
    assert [each["text"] for each in before] == ["Why does ice float?", "Magic.", "Say it to a child."]
    assert replies == {"birch": "[]"}  # a plain text is all there is


def test_both_games_of_a_pair_are_judgments_in_the_order_shown() -> None:
    chosen = FORMATS["mt_bench"]
    with read_study(chosen, open_files(chosen, BENCH), Options(definition=read_scheme(PAIR))) as study:
        found = study.rows.execute(
            "SELECT q.name, j.replicate, j.said, j.presented FROM judgment j JOIN question q ON q.id = j.question"
        ).fetchall()
    assert ("81/1/alder birch", 0, '{"winner": "1"}', "[1, 2]") in found
    assert ("81/1/alder birch", 1, '{"winner": "1"}', "[2, 1]") in found
    assert ("82/2/alder birch", 1, '{"winner": "2"}', "[2, 1]") in found
    assert ("82/1/alder birch", 0, '{"winner": "tie"}', "[1, 2]") in found
    assert len(found) == 8


def test_replies_to_turns_that_part_are_judged_as_wholes() -> None:
    before, replies = turns_of("mt_bench", *BENCH)["81/2/alder birch"]
    assert before == []  # the question is one text
    assert replies["birch"].count('"role"') == 3


def test_references_of_the_bench_are_those_of_its_folder() -> None:
    study = read("mt_bench", *BENCH)
    found = {each.external_id: each.reference_answers for each in study.questions}
    assert (found["82/1"], found["82/2/alder"]) == (["7"], ["14"])


def test_ties_without_a_place_are_counted_and_answers_without_a_question_refused() -> None:
    study = read("mt_bench", *BENCH, scheme=WITHOUT_TIE)
    assert left_out(study)["ties, which the scheme has no place for"] == 2
    answers = [path for path in BENCH if "model_answer" in str(path)]
    with pytest.raises(ImportFileError, match="in none of the files"):
        read("mt_bench", *answers, scheme=PAIR)


def test_the_preview_follows_the_scheme_that_is_chosen_later() -> None:
    chosen = FORMATS["mt_bench"]
    noted = chosen.note(open_files(chosen, BENCH), Options())
    of_pairs = chosen.preview_noted(noted, Options(definition=read_scheme(PAIR)))
    alone = chosen.preview_noted(noted, Options(definition=read_scheme(RATED)))
    assert (of_pairs.mapping["winner"], of_pairs.wrong) == ("winner", [])
    assert (alone.mapping["score"], alone.wrong) == ("quality", [])


# --- Arenas -----------------------------------------------------------------------------------------------


def vote(number: str, first: str, second: str, winner: str, *, turn: int | None = None, judge: str = "Wren") -> Any:
    def talk(model: str) -> list[dict[str, str]]:
        said = ("Why does ice float?", f"So says {model}.", "And?", f"That is all, says {model}.")
        return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]

    row = {"question_id": number, "model_a": first, "model_b": second, "winner": winner, "judge": judge}
    row |= {"conversation_a": talk(first), "conversation_b": talk(second), "tstamp": 1682351591.13}  # type: ignore[dict-item]
    return row if turn is None else {**row, "turn": turn}


def test_votes_on_the_same_two_answers_are_judgments_of_one_item_whoever_stood_first(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    write(
        path, vote("81", "birch", "alder", "model_a", turn=1), vote("81", "alder", "birch", "tie", turn=1, judge="Owl")
    )
    assert guess_format(path, path.name).key == "arena"
    study = read("arena", path, scheme=PAIR)
    (question,) = study.questions
    assert (question.external_id, [*question.answers]) == ("81/1/alder birch", ["alder", "birch"])
    assert question.answers["alder"].text == "So says alder."
    assert {each.annotator: each.values["winner"] for each in study.judgments} == {"Wren": "2", "Owl": "tie"}


def test_a_vote_on_neither_is_a_tie_and_an_unknown_one_is_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "votes.jsonl",
        vote("a", "alder", "birch", "tie (bothbad)"),
        vote("b", "alder", "birch", "who knows"),
    )
    study = read("arena", path, scheme=PAIR)
    assert [each.values for each in study.judgments] == [{"winner": "tie"}]
    assert left_out(study) == {"votes and scores that say neither: who knows": 1}


def test_without_candidates_votes_are_counted_and_answers_come_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "votes.jsonl", vote("a", "alder", "birch", "model_a"))
    study = read("arena", path, scheme=RATED)
    assert [each.external_id for each in study.questions] == ["a/alder", "a/birch"]
    assert study.judgments == []


# --- Calls of tools ---------------------------------------------------------------------------------------

CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"q": "ice"}'}}
CHAT = [
    {"role": "user", "content": "Why does ice float?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Ice: 0.917"},
    {"role": "assistant", "content": "It is lighter."},
]
ANTHROPIC = [
    CHAT[0],
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look_up", "input": {"q": "ice"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Ice: 0.917"}]},
    CHAT[3],
]


@pytest.mark.parametrize("messages", [CHAT, ANTHROPIC])
def test_calls_of_tools_come_with_what_they_gave_back(tmp_path: Path, messages: Any) -> None:
    path = write(tmp_path / "chat.jsonl", {"messages": messages, "model": "alder"})
    ((before, replies),) = turns_of("table", path).values()
    assert before == []
    assert (
        '"calls": [{"name": "look_up", "arguments": "{\\"q\\": \\"ice\\"}", "result": "Ice: 0.917"}]'
        in replies["alder"]
    )
    (question,) = read("table", path, scheme=PAIR).questions
    assert (question.text, question.answers["alder"].text) == ("Why does ice float?", "It is lighter.")


def test_a_mark_says_which_turn_is_judged(tmp_path: Path) -> None:
    turns: list[dict[str, Any]] = [
        {"role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(("a?", "b.", "c?", "d."))
    ]
    turns[1]["judge"] = True
    study = read("table", write(tmp_path / "chat.jsonl", {"turns": turns, "model": "alder"}), scheme=PAIR)
    assert (study.questions[0].text, study.questions[0].answers["alder"].text) == ("a?", "b.")
    assert left_out(study) == {"turns after those to judge": 2}


def test_the_name_of_an_assistant_does_not_come(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "name": "Ann", "content": "a?"},
        {"role": "assistant", "name": "gpt-9", "content": "b."},
    ]
    path = write(tmp_path / "chat.jsonl", {"messages": messages, "model": "alder"})
    ((before, replies),) = turns_of("table", path).values()
    assert (before[0]["name"], replies["alder"]) == ("Ann", "[]")
