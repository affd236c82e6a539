"""Preference data of a release: which answer counts as better, what is dropped, and that ``datasets`` loads them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.releases.models import Release
from annotation_platform.releases.training.preferences import TrainingFormat, preferences
from tests.factories import make_corpus, study_with_judgments
from tests.releases.freeze.frozen import admin_of, frozen


def folder(path: Path, *rows: dict[str, Any], scheme: str = "ebr") -> Path:
    """The two files of a release of which training data are made, with judgments of our own."""
    import yaml

    (path / "data").mkdir()
    named = [{"article_id": "a", "question_id": "q", "question": "Why?", "seconds": 1.0} | row for row in rows]
    (path / "data" / "judgments.jsonl").write_text("\n".join(map(json.dumps, named)) + "\n")
    (path / "scheme.yaml").write_text(yaml.safe_dump(preset(scheme), allow_unicode=True))
    return path


def said(system: str, number: float | None, **more: Any) -> dict[str, Any]:
    return {"system": system, "answer": f"Says {system}.", "completeness_number": number} | more


def test_the_answer_with_the_better_mean_is_chosen(tmp_path: Path) -> None:
    release = folder(tmp_path, said("x", 100), said("x", 30), said("y", 70), said("y", 70), said("z", 30))
    found = preferences(release, TrainingFormat.REWARD, "completeness")
    rows = [(row["chosen"], row["rejected"], row["margin"]) for row in found.rows]
    assert rows == [("Says y.", "Says x.", 5), ("Says x.", "Says z.", 35), ("Says y.", "Says z.", 40)]


def test_ties_equal_texts_and_silence_are_dropped_and_counted(tmp_path: Path) -> None:
    release = folder(
        tmp_path,
        said("x", 70),
        said("y", 70),
        said("z", 30, answer="Says x."),
        said("x", None),
        said("w", 0, question="?"),
    )
    found = preferences(release, TrainingFormat.DPO, "completeness")
    assert found.rows == [{"prompt": "Why?", "chosen": "Says y.", "rejected": "Says x."}]
    assert found.dropped == {
        "releases.judgments_without_value": 1,
        "releases.pairs_tied": 1,
        "releases.pairs_of_the_same_text": 1,
        "releases.answers_alone": 1,
    }


def test_an_answer_above_the_middle_of_the_scale_is_good(tmp_path: Path) -> None:
    release = folder(tmp_path, said("x", 100), said("y", 0), said("z", 50))
    found = preferences(release, TrainingFormat.KTO, "completeness")
    assert [(row["completion"], row["label"]) for row in found.rows] == [("Says x.", True), ("Says y.", False)]
    assert found.dropped == {"releases.answers_in_the_middle": 1}


def test_means_that_are_the_same_are_a_tie_however_a_computer_adds_them(tmp_path: Path) -> None:
    scores = {"x": (0.1, 0.2), "y": (0.0, 0.3), "z": (0.5, 0.6, 0.4)}
    release = folder(tmp_path, *(said(system, each) for system, given in scores.items() for each in given))
    found = preferences(release, TrainingFormat.REWARD, "completeness")
    assert [(row["chosen"], row["rejected"], row["margin"]) for row in found.rows] == [
        ("Says z.", "Says x.", 0.35),
        ("Says z.", "Says y.", 0.35),
    ]
    assert found.dropped == {"releases.pairs_tied": 1}


def test_the_best_answer_of_a_group_is_chosen_over_the_others(tmp_path: Path) -> None:
    def vote(system: str, chosen: int, tie: int = 0) -> dict[str, Any]:
        return {"system": system, "answer": system, "preferred": chosen, "preferred_tie": tie}

    votes = [vote("x", 1), vote("y", 0), vote("x", 0, tie=1), vote("y", 0, tie=1)]
    found = preferences(folder(tmp_path, *votes, scheme="lfqa"), TrainingFormat.DPO, "preferred")
    assert found.rows == [{"prompt": "Why?", "chosen": "x", "rejected": "y"}]
    assert found.dropped == {"releases.votes_for_a_tie": 2}


@pytest.mark.django_db
def test_an_aspect_that_is_called_as_a_column_of_the_item_has_its_numbers() -> None:
    stars = {"key": "answer", "title": "How good?", "kind": "stars", "points": 5}
    definition = {"key": "starred", "title": "Stars", "shown": ["question", "answer"], "aspects": [stars]}
    study = study_with_judgments(
        annotators=1,
        corpus=make_corpus(questions=1, systems=("alder", "birch"), sentences=0),
        definition=definition,
        values=lambda _, item: {"answer": "5" if item.answer.system.name == "birch" else "2"},
    )
    release = frozen(study)
    found = preferences(release.folder, TrainingFormat.REWARD, "answer")
    assert ([row["margin"] for row in found.rows], found.dropped) == ([3.0], {})


@pytest.mark.django_db
@pytest.mark.parametrize(
    "keys", [("good", "good_number"), ("good_number", "good"), ("good", "aspect_good"), ("question", "aspect_question")]
)
def test_aspects_whose_keys_are_made_of_each_other_have_their_own_numbers(keys: tuple[str, str]) -> None:
    aspects = [{"key": key, "title": key, "kind": "stars", "points": 5} for key in keys]
    definition = {"key": "starred", "title": "Stars", "shown": ["question", "answer"], "aspects": aspects}
    said = {"alder": {keys[0]: "2", keys[1]: "5"}, "birch": {keys[0]: "5", keys[1]: "4"}}
    study = study_with_judgments(
        annotators=1,
        corpus=make_corpus(questions=1, systems=("alder", "birch"), sentences=0),
        definition=definition,
        values=lambda _, item: said[item.answer.system.name],
    )
    release = frozen(study)
    margins = {key: preferences(release.folder, TrainingFormat.REWARD, key).rows for key in keys}
    assert {key: [row["margin"] for row in rows] for key, rows in margins.items()} == {keys[0]: [3.0], keys[1]: [1.0]}
    replies = [
        json.loads(chat["messages"][-1]["content"])
        for chat in preferences(release.folder, TrainingFormat.JUDGE, "").rows
    ]
    assert [[reply[key] for key in keys] for reply in replies] == [["2", "5"], ["5", "4"]]


@pytest.mark.django_db
def test_an_aspect_that_is_called_as_a_text_of_other_items_is_none_of_them() -> None:
    aspects = [{"key": key, "title": key, "kind": "text"} for key in ("question_turns", "choices")]
    good = {"key": "good", "title": "Good?", "kind": "yes_no"}
    definition = {"key": "turned", "title": "Turns", "shown": ["question", "answer"], "aspects": [good, *aspects]}
    study = study_with_judgments(
        annotators=1,
        corpus=make_corpus(questions=1, systems=("alder",), sentences=0),
        definition=definition,
        values=lambda *_: {"good": "yes", "question_turns": "Three of them.", "choices": "None."},
    )
    (chat,) = preferences(frozen(study).folder, TrainingFormat.JUDGE, "").rows
    *asked, answer = chat["messages"]
    assert "Three of them." not in str(asked)
    assert json.loads(answer["content"]) == {"good": "Yes"}


@pytest.fixture
def release(db: None) -> Release:
    return frozen(study_with_judgments(annotators=5))


@pytest.mark.pages
def test_the_page_tells_what_comes_of_it_and_the_command_writes_the_same(
    release: Release, client: Client, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets")
    client.force_login(admin_of(release.study).user)
    address = reverse("release_training", args=[release.study.slug, release.number])
    assert client.get(address).status_code == 200
    assert client.get(address, {"format": "dpo", "aspect": "reasons"}).status_code == 422
    chosen = {"format": "dpo", "aspect": "completeness"}
    assert "Show what comes of it" in client.get(address, chosen).content.decode()
    sent = b"".join(client.get(address, {**chosen, "download": 1}).streaming_content)  # type: ignore[attr-defined]
    written, out = tmp_path / "dpo.jsonl", StringIO()
    call_command("release_for_training", release.folder, "dpo", aspect="completeness", output=written, stdout=out)
    assert written.read_bytes() == sent
    assert out.getvalue().startswith(f"{sent.count(b'{')} rows.")
    loaded = datasets.load_dataset("json", data_files=str(written), cache_dir=str(tmp_path / "cache"))["train"]
    assert loaded.column_names == ["prompt", "chosen", "rejected"]
    with pytest.raises(CommandError, match="is no aspect that says which answer is better"):
        call_command("release_for_training", release.folder, "kto", aspect="why", output=written)
    assert written.read_bytes() == sent  # what was there before stays
    with pytest.raises(CommandError, match="cannot be written: there is no"):
        call_command("release_for_training", release.folder, "dpo", aspect="completeness", output=tmp_path / "no" / "x")


def test_a_judgment_is_a_chat_of_the_judge_s_prompt_and_what_was_said(tmp_path: Path) -> None:
    judged = {"correct": "yes", "completeness": "missing_minor", "reasons": "It leaves out when.", "sentences": [2]}
    release = folder(tmp_path, said("x", 70, **judged))
    found = preferences(release, TrainingFormat.JUDGE, "")
    (chat,) = found.rows
    system, user, assistant = chat["messages"]
    assert (system["role"], user["role"], assistant["role"]) == ("system", "user", "assistant")
    assert "Why?" in user["content"]
    assert "Says x." in user["content"]
    reply = json.loads(assistant["content"])
    assert reply["completeness"] == "Misses some"
    assert reply["reasons"] == "It leaves out when."


def test_chats_of_groups_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="several answers together"):
        preferences(folder(tmp_path, said("x", 1), scheme="lfqa"), TrainingFormat.JUDGE, "")


@pytest.mark.pages
def test_the_page_shows_chats_and_says_why_there_are_none(release: Release, client: Client) -> None:
    client.force_login(admin_of(release.study).user)
    address = reverse("release_training", args=[release.study.slug, release.number])
    page = client.get(address, {"format": "judge"}).content.decode()
    assert "<b>assistant</b>" in page
    assert "is no aspect that says which answer is better" in client.get(address, {"format": "dpo"}).content.decode()
