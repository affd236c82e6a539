"""What people are paid, checked by, and recruited by, from Python, against the platform behind its own server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from annotation_client import ConflictError, NotAcceptedError, NotThereError, Platform, Study

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS
from tests.crowd.providers.participants import as_export, there
from tests.factories import judgment

pytestmark = pytest.mark.xdist_group("client")
CHECK = {"article": "A0", "system": "model-0", "accepted": {"correct": ["yes"]}}


@pytest.fixture(scope="module")
def study(served: Served) -> Iterator[Study]:
    rows = [{**row, "question": f"For pay: {row['question']}", "question_id": f"q{n}"} for n, row in enumerate(ROWS)]
    with Platform(served.url, token=served.token) as platform:
        yield platform.studies.create("Paid owls", scheme="ebr", items=rows, questions_per_hit=4, hits_per_batch=2)


def test_checks_are_added_and_mixed_in_before_work_begins(study: Study, tmp_path: Path) -> None:
    (made,) = study.checks.add([CHECK | {"question": "q0"}])
    file = tmp_path / "checks.csv"
    file.write_text("article,question,system,aspect,accepted\nA0,q2,model-0,correct,yes\n")
    assert study.checks.add(file, corpus=study.record.corpus)[0]["question"] == "q2"
    with pytest.raises(NotAcceptedError, match="Entry 1"):
        study.checks.add([CHECK | {"question": "nothing"}])
    assert study.checks.correct(made["id"], {"correct": ["no"]})["accepted"] == {"correct": ["no"]}
    assert study.checks.retire(made["id"])["retired_at"]
    assert study.checks.use(made["id"])["retired_at"] is None
    assert study.checks.change_rule(every=1, action="warn", most_failed=1, words="Read it all.")["every"] == 1
    assert study.checks.rule()["action"] == "warn"
    assert study.checks.mix()["tasks"] == 2
    assert [each["id"] for each in study.checks.all()] == [made["id"], made["id"] + 1]
    assert study.checks.read(made["id"])["share"]["n"] == 0
    assert (study.checks.annotators(), study.checks.results().to_list(), study.checks.actions().to_list()) == ([],) * 3
    with pytest.raises(NotThereError):
        study.checks.undo(1)


def test_from_terms_to_what_was_paid(study: Study, tmp_path: Path) -> None:
    with pytest.raises(NotAcceptedError) as refused:
        study.pay.agree(reward="2.50")
    assert [each.field for each in refused.value.mistakes] == ["currency"]
    study.pay.agree(currency="EUR", reward="2.50", bonus_percent=10)
    assert study.pay.agree(hourly_floor="12")["terms"]["reward"] == "2.50"
    study.release()
    link = study.invite().link
    assert link is not None
    ScriptedAnnotator(link, "Annotator of owls", lambda item: judgment()).work(study.slug)
    assert study.pay.read()["to_approve"] == 2
    assert study.pay.approve_waiting() == 2
    assert study.pay.rates()["n"] == 1
    study.close()
    assert (study.pay.credit_bonus(1), study.pay.credit_bonus(1)) == (1, 0)
    (account,) = study.pay.read()["accounts"]
    study.pay.correct(account["annotator"], "-0.50", reason="As we said.")
    assert [each["amount"] for each in study.pay.ledger(annotator=account["annotator"])] == [
        *("2.50", "2.50", "0.50", "-0.50")
    ]
    number = study.pay.collect()["number"]
    study.pay.cancel(number)
    number = study.pay.collect()["number"]
    assert study.pay.approve(number)["state"] == "approved"
    with pytest.raises(ConflictError):
        study.pay.approve(number)
    file = study.pay.download(number, tmp_path / "payment.csv")
    assert study.pay.record(number, file) == {"paid": 1, "differs": 0, "known": 0}
    (line,) = study.pay.payment(number)["lines"]
    row = {"line": line["line"], "payee": line["pseudonym"], "amount": "5.00", "currency": "EUR"}
    assert study.pay.record(number, [row])["known"] == 1
    with pytest.raises(ConflictError):
        study.pay.settle(number, line["line"], "5.00")
    assert study.pay.reverse(number, line["line"], reason="The account is closed.")["lines"][0]["state"] == "reversed"
    assert study.pay.read()["accounts"][0]["owed"] == "5.00"
    assert [each["state"] for each in study.pay.payments()] == ["approved", "cancelled"]
    with pytest.raises(NotAcceptedError, match="EUR"):
        study.pay.pay_by_prolific(number)


def test_prolific_is_connected_and_ordered(study: Study) -> None:
    assert study.prolific.read()["is_connected"] is False
    assert study.prolific.connect(code_done="DONE1")["has_token"] is False
    with pytest.raises(NotAcceptedError) as refused:
        study.prolific.poll()
    assert refused.value.code == "crowd.prolific_no_token"
    told = study.prolific.connect(token="a-token", tasks_wanted=2)
    assert (told["has_token"], told["code_done"], "a-token" in str(told)) == (True, "DONE1", False)
    assert study.prolific.submissions(state="ACTIVE").to_list() == []
    order = study.prolific.make_study("Owls", description="About owls.", places=3, reward="4.50", minutes=20)
    assert study.prolific.order(order["id"])["offer"]["reward"] == "4.50"
    assert [each["id"] for each in study.prolific.orders()] == [order["id"]]
    with pytest.raises(ConflictError):
        study.prolific.publish(order["id"])
    for refuses in (study.prolific.approve, study.prolific.submission):
        with pytest.raises(NotThereError):
            refuses(1)


def test_a_file_of_participants_is_sent_compared_and_given_up(study: Study, tmp_path: Path) -> None:
    study.prolific.connect(code_done="DONE1")
    file = tmp_path / "prolific_export_x.csv"
    file.write_bytes(as_export(there(1), there(2)))
    sent = study.prolific.send_participants(file)
    assert (sent["name"], sent["rows"], sent["is_stored"]) == (file.name, 2, False)
    told = study.prolific.compare_participants(sent["id"])
    assert (len(told["rows"]), told["found"], "Age" in told["columns"]) == (2, 0, True)
    with pytest.raises(NotAcceptedError) as refused:
        study.prolific.keep_participants(sent["id"], ["Age"], agreed=True)
    assert refused.value.code == "crowd.participants_nobody"
    assert [each["id"] for each in study.prolific.participants_files()] == [sent["id"]]
    study.prolific.give_up_participants(sent["id"])
    study.prolific.forget_participants()
    assert study.prolific.participants_files().to_list() == study.prolific.participants().to_list() == []
