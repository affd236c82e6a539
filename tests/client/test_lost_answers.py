"""Changes whose answer is lost on the way, against the real platform: what the client does, and what it tells."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from annotation_client import ConflictError, LostAnswerError, NotThereError, Platform, Study
from annotation_client._sync import transport as blocking

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS, opinion
from tests.servers.losing import Losing

pytestmark = pytest.mark.xdist_group("client")


@pytest.fixture(scope="module")
def near(served: Served) -> Iterator[Study]:
    """By a way on which nothing is lost."""
    rows = [{**row, "question": f"Lost: {row['question']}"} for row in ROWS]
    with Platform(served.url, token=served.token) as platform:
        study = platform.studies.create("Cranes", scheme="ebr", items=rows, overlap=1, questions_per_hit=8)
        study.release()
        yield study


@pytest.fixture
def way(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Losing]:
    monkeypatch.setattr(blocking, "PAUSES", (0.01, 0.02))
    with Losing(served.url) as way:
        yield way


@pytest.fixture
def study(way: Losing, served: Served, near: Study) -> Iterator[Study]:
    with Platform(way.url, token=served.token) as platform:
        yield platform.studies.get(near.slug)


def test_what_was_saved_is_told_as_saved(study: Study, near: Study, way: Losing) -> None:
    hook = near.webhooks.add("https://example.org/hook", note="Ours")
    question = near.talk.add_question(question_en="Why?", answer_en="So.")
    changes: list[Callable[[], Any]] = [
        lambda: study.change(pay="1 EUR", task_minutes=20),
        lambda: study.scoring.change(budget=12.5),
        lambda: study.webhooks.change(hook.id, note="Theirs", kinds=["run.done", "batch.closed"]),
        lambda: study.talk.change_question(question.id, answer_en="Thus. "),
        lambda: study.pay.agree(currency="USD", reward="2.5"),
        lambda: study.crowd.require_languages("ja", "en"),
        lambda: study.score_destinations.save("phoenix", "https://example.org", aspects=["completeness"]),
    ]
    for change in changes:
        way.loses, way.sent = ["PATCH", "PUT"], []
        change()
        assert (len(way.loses), way.sent[0], way.sent[-1], len(way.sent)) == (1, "GET", "GET", 4), "sent twice"
    assert near._transport.get(near._path)["pay"] == "1 EUR"
    assert near.crowd.languages() == ["en", "ja"]
    assert [each.note for each in near.webhooks.all()] == ["Theirs"]
    assert near.pay.read()["terms"]["reward"] == "2.50"


def test_what_somebody_else_changed_meanwhile_is_told(study: Study, near: Study, way: Losing) -> None:
    way.loses, way.then = ["PATCH"], lambda: near.change(pay="2 EUR")
    with pytest.raises(LostAnswerError, match="answer to this change was lost") as told:
        study.change(pay="3 EUR")
    assert (told.value.status, told.value.found["pay"]) == (412, "2 EUR")


def test_what_cannot_be_read_again_is_told(study: Study, way: Losing) -> None:
    row: dict[str, Any] = {"article": "A0", "question": "Q1", "group": "g"}
    names = [(each["article_id"], each["question_id"]) for each in study.items()]
    row["article"], row["question"] = names[0]
    way.loses = ["PUT"]
    with pytest.raises(LostAnswerError) as told:
        study.declare_mirrors([row])
    assert told.value.found["groups"] == 1
    assert study.declare_mirrors([row]) == 1


def test_that_somebody_was_faster_is_no_lost_answer(study: Study, near: Study, way: Losing) -> None:
    tag = study._transport.ask("GET", study._path).headers["ETag"]
    near.change(pay="4 EUR")
    with pytest.raises(ConflictError) as told:
        study._transport.ask("PATCH", study._path, json={"pay": "5 EUR"}, headers={"If-Match": tag})
    assert not isinstance(told.value, LostAnswerError)
    assert not told.value.answer_was_lost


def test_what_was_deleted_is_told_as_deleted(study: Study, near: Study, way: Losing) -> None:
    hook = near.webhooks.add("https://example.org/gone")
    way.loses = ["DELETE"]
    study.webhooks.delete(hook.id)
    assert hook.id not in [each.id for each in near.webhooks.all()]
    with pytest.raises(NotThereError):
        study.webhooks.delete(hook.id)


def test_a_draft_is_kept_once(served: Served, near: Study, way: Losing) -> None:
    near.crowd.require_languages()
    link = near.invite(max_uses=1).link
    assert link is not None
    token = ScriptedAnnotator(link, "Oda", opinion(0)).token("annotate")
    with Platform(way.url, token=token) as platform:
        task = platform.work.take(near.slug)
        way.loses = ["PUT"]
        assert platform.work.draft(task, 1, {"reasons": "It"}, version=0) == 1
        way.loses = ["PUT"]
        assert platform.work.draft(task, 1, {"reasons": "It says"}, version=1) == 2
