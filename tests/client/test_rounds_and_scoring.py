"""Rounds of qualification, what runs rest on and leave behind, and figures for a paper, by the client."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from annotation_client import ConflictError, NotAcceptedError, NotThereError, Platform, Study

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS, opinion

pytestmark = pytest.mark.xdist_group("client")


@pytest.fixture(scope="module")
def study(served: Served) -> Iterator[Study]:
    rows = [{**row, "question": f"Here: {row['question']}"} for row in ROWS]
    with Platform(served.url, token=served.token) as platform:
        yield platform.studies.create("Swans", scheme="ebr", items=rows, overlap=2, questions_per_hit=8)


def test_a_round_is_made_given_its_answers_opened_and_ended(served: Served, study: Study) -> None:
    with Platform(served.url, token=served.token) as platform:
        corpus = platform.studies.upload("Trial", [{**ROWS[0], "question": "A trial: when?"}])
    made = study.rounds.make("Trial", corpus=corpus.id, least_percent=80)
    number = made["id"]
    assert (made["state"], made["least_percent"], study.rounds.read(number)["title"]) == ("draft", 80, "Trial")
    assert study.rounds.change(number, least_percent=50)["least_percent"] == 50
    (item,) = study.rounds.items(number)
    (accepted,) = study.rounds.accept(number, [{"number": item["number"], "accepted": {"completeness": "complete"}}])
    assert accepted["accepted"]["completeness"] == ["complete"]
    assert study.rounds.open(number)["state"] == "open"
    link = study.invite(max_uses=1).link
    assert link is not None
    ScriptedAnnotator(link, "Ueda", opinion(0)).token("read")
    (member,) = [each.id for each in study.members() if each.role == "annotator"]
    (decided,) = study.rounds.decide_by_hand(number, [member], "passed", note="Known to us.")
    assert (decided["verdict"], decided["note"]) == ("passed", "Known to us.")
    assert [each["id"] for each in study.rounds.attempts(number)] == [decided["id"]]
    assert study.rounds.attempt(decided["id"])["number"] == 0
    assert study.rounds.decide(decided["id"], "failed", note="A second look.")["verdict"] == "failed"
    assert study.rounds.confirm(number)["passed"] == 0
    assert study.rounds.end(number)["state"] == "ended"
    assert [each["id"] for each in study.rounds.all()] == [number]
    assert study.rounds.move_up(number)["id"] == number


def test_how_a_study_is_scored_and_over_which_connection(study: Study) -> None:
    scoring = study.scoring
    assert scoring.change(budget=5)["budget"] == scoring.settings()["budget"] == 5.0
    made = scoring.add_connection("Ours", "http://127.0.0.1:9/v1", "m", key="secret", price_in=0.5)
    assert (made["has_key"], made["price_in"], "secret" in repr(made)) == (True, 0.5, False)
    assert scoring.change_connection(made["id"], model="n")["model"] == "n"
    assert [each["name"] for each in scoring.connections()] == ["Ours"]
    scoring.try_connection(made["id"])
    assert scoring.connection(made["id"])["trial"]["state"] == "failed"  # nobody answers there
    with pytest.raises(NotAcceptedError):
        scoring.add_connection("Ours", "http://127.0.0.1:9/v1", "m")


@pytest.mark.parametrize(
    ("how", "body"), [({}, {}), ({"budget": 2.5}, {"budget": "2.5"}), ({"without_budget": True}, {"budget": None})]
)
def test_a_budget_is_sent_or_lifted_when_a_run_goes_on(
    study: Study, how: dict[str, Any], body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(study._transport, "post", lambda path, body: sent.append((path, body)))
    study.resume_run(31, **how)
    assert sent == [(f"{study._path}/runs/31/resume", body)]


def test_runs_beside_each_other_what_they_leave_to_read_and_a_papers_figures(study: Study, tmp_path: Path) -> None:
    study.release()
    link = study.invite(max_uses=2).link
    assert link is not None
    workers = [ScriptedAnnotator(link, f"Annotator {who}", opinion(who)) for who in range(2)]
    for row in study.rounds.all():
        members = [each.id for each in study.members() if each.role == "annotator"]
        study.rounds.decide_by_hand(row["id"], members, "passed")
    assert [each.work(study.slug) for each in workers] == [len(ROWS)] * 2
    study.wait(progress=False, timeout=60, poll=0.1)
    first = study.start_run("ebr", scorer="distilled", parameters={"lambda": 0.25})
    study.wait_for(first.job, progress=False, poll=0.1)
    second = study.start_run("ebr", scorer="distilled", parameters={"lambda": 0.5})
    study.wait_for(second.job, progress=False, poll=0.1)
    found = study.scoring.compare(first.id, second.id)
    assert [each["name"] for each in found["settings"] if each["differs"]]
    assert {each["aspect"] for each in found["aspects"]} == {"completeness"}
    scores = study.scoring.scores(first.id).to_pandas()
    assert set(scores["judgment"]) == {each["id"] for each in study.judgments()}
    short = study.scoring.scores(first.id, fields=["item", "value"]).to_list()
    assert short == scores[["item", "value"]].to_dict("records")
    item = study.item(short[0]["item"])
    assert [each["run"] for each in item["runs"]][:2] == [second.id, first.id]
    assert item["runs"][1]["scores"][0]["value"] == short[0]["value"]
    assert study.scoring.labels(first.id).to_list() == study.scoring.item_scores(first.id).to_list() == []
    assert study.scoring.unread().to_list() == study.scoring.passages(first.id).to_list() == []
    with pytest.raises(ConflictError, match="decided on this reply"):
        study.scoring.reply(1)
    with pytest.raises(ConflictError, match="decided on this reply"):
        study.scoring.read_as(1, "!none")
    with pytest.raises(NotThereError):
        study.scoring.dismiss(1)
    study.choose_run(first.id)
    assert study.run(first.id).state == "done"
    with pytest.raises(NotAcceptedError):
        study.stop_run(first.id)  # it has ended
    svg = study.chart("completeness", "aspects", tmp_path / "aspects.svg")
    assert svg.read_text().startswith("<svg")
    with pytest.raises(NotThereError):
        study.chart("completeness", "nothing", tmp_path / "nothing.svg")
    with pytest.raises(NotAcceptedError, match="No language"):
        study.prompts("ebr", scorer="openai")
    with zipfile.ZipFile(study.paper_bundle(tmp_path / "figures.zip", poll=0.1)) as bundle:
        assert any(name.endswith(".svg") for name in bundle.namelist())
