"""Payments by the API: collected, approved by two people, paid by a file or by Prolific, settled by a person."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, PaymentRun
from annotation_platform.crowd.pay.services import correct
from annotation_platform.crowd.providers.prolific import calls
from annotation_platform.crowd.providers.prolific.models import ProviderCall
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.service_accounts import create_service_token
from annotation_platform.studies.services import remove_member
from tests.api.clients import ROOT, program, send, with_token
from tests.crowd.pay.paying import agree, paying_study
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import OPERATOR, MemberFactory
from tests.servers.prolific import ProlificServer

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = paying_study(second_above=1_000)
    for name, amount in (("A", 250), ("B", 300)):
        owe(MemberFactory(study=study, pseudonym=name), amount)
    return study


@pytest.fixture
def admin(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss").user)


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


def owe(member: Member, amount: int) -> None:
    correct(member=member, amount=amount, reason="For the test.", actor=OPERATOR)


def collected(client: Client, study: Study) -> str:
    reply = send(client, "POST", f"/studies/{study.slug}/payments")
    assert reply.status_code == 201, reply.content
    return f"/studies/{study.slug}/payments/{reply.json()['number']}"


def approved(client: Client, study: Study) -> str:
    payment = collected(client, study)
    assert send(client, "POST", f"{payment}/approve").json()["state"] == "approved"
    return payment


def states(client: Client, payment: str) -> dict[str, str]:
    return {each["pseudonym"]: each["state"] for each in send(client, "GET", payment).json()["lines"]}


def send_file(client: Client, payment: str, text: str) -> Any:
    return client.post(f"{ROOT}{payment}/paid", text, content_type="text/csv")


def test_what_is_owed_is_collected_once_approved_and_paid_by_its_file(admin: Client, study: Study) -> None:
    payment = collected(admin, study)
    assert send(admin, "POST", f"/studies/{study.slug}/payments").json()["code"] == "crowd.pay_nothing_owed"
    read = send(admin, "GET", payment).json()
    assert (read["state"], read["total"], read["people"], read["made_by"]) == ("proposed", "5.50", 2, "Boss")
    assert send(admin, "GET", f"{payment}/file").json()["code"] == "crowd.pay_not_approved"
    assert send(admin, "POST", f"{payment}/approve").json()["approved_by"] == "Boss"
    assert send(admin, "POST", f"{payment}/approve").json()["code"] == "crowd.pay_payment_decided"
    file = send(admin, "GET", f"{payment}/file")
    assert file["Content-Type"].startswith("text/csv")
    text = file.content.decode("utf-8-sig")
    assert text.splitlines()[0] == "line,payee,amount,currency"
    paid = send_file(admin, payment, text.replace("3.00", "2.00"))
    assert paid.json() == {"paid": 1, "differs": 1, "known": 0}
    assert send_file(admin, payment, text.replace("3.00", "2.00")).json() == {"paid": 0, "differs": 0, "known": 2}
    assert states(admin, payment) == {"A": "paid", "B": "differs"}
    line = next(each for each in send(admin, "GET", payment).json()["lines"] if each["pseudonym"] == "B")
    assert (line["amount"], line["told_amount"]) == ("3.00", "2.00")
    send(admin, "POST", f"{payment}/lines/{line['line']}/settle", {"amount": "2"})
    again = send(admin, "POST", f"{payment}/lines/{line['line']}/settle", {"amount": "2"})
    assert (again.status_code, again.json()["code"]) == (409, "crowd.pay_line_settled")
    back = send(admin, "POST", f"{payment}/lines/{line['line']}/reverse", {"reason": "The account is closed."})
    assert back.json()["settled"] == 2
    assert states(admin, payment)["B"] == "reversed"
    kinds = LedgerEntry.objects.exclude(kind=EntryKind.CORRECTION).order_by("pk").values_list("kind", "amount")
    assert list(kinds) == [("payment", -250), ("payment", -200), ("payment_reversed", 200)]
    (listed,) = send(admin, "GET", f"/studies/{study.slug}/payments").json()["results"]
    assert (listed["number"], listed["settled"]) == (1, 2)


def test_rows_are_taken_as_the_file_is_and_each_wrong_one_is_named(admin: Client, study: Study) -> None:
    payment = approved(admin, study)
    lines = send(admin, "GET", payment).json()["lines"]
    rows = [
        {"line": each["line"], "payee": each["pseudonym"], "amount": each["amount"], "currency": "USD"}
        for each in lines
    ]
    wrong = send(admin, "POST", f"{payment}/paid", {"rows": [rows[0], rows[1] | {"payee": "C"}, rows[0]]})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "crowd.pay_file_wrong")
    assert [each["parameters"]["number"] for each in wrong.json()["errors"]] == [2, 3]
    assert set(states(admin, payment).values()) == {"open"}, "nothing of it was taken"
    assert send(admin, "POST", f"{payment}/paid", {"rows": rows}).json() == {"paid": 2, "differs": 0, "known": 0}
    unread = send_file(admin, payment, "a,b\n1,2\n")
    assert unread.json()["code"] == "crowd.pay_file_columns"
    assert send_file(admin, payment, "\x00").status_code == 422


def test_above_the_limit_two_people_stand_behind_it_and_no_program(study: Study, admin: Client) -> None:
    owe(study.members.get(pseudonym="A"), 1_000)
    other = program(MemberFactory(study=study, role=Role.ADMIN, pseudonym="Other").user)
    researcher = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    _, secret = create_service_token(study=study, name="A script", role=Role.ADMIN, scopes=["admin"], actor=OPERATOR)
    machine = with_token(secret)
    payment = collected(admin, study)
    assert send(admin, "GET", payment).json()["needs_second"] is True
    assert send(researcher, "POST", f"{payment}/approve").status_code == 404
    assert send(admin, "POST", f"{payment}/approve").json()["code"] == "crowd.pay_second_approves"
    assert send(machine, "POST", f"{payment}/approve").json()["code"] == "crowd.pay_people_approve"
    assert send(other, "POST", f"{payment}/approve").json()["approved_by"] == "Other"
    agree(study, second_above=0)
    owe(study.members.get(pseudonym="A"), 1)
    PaymentRun.objects.get().lines.update(state="not_paid")
    by_machine = collected(machine, study)
    assert send(admin, "POST", f"{by_machine}/approve").json()["code"] == "crowd.pay_people_approve"
    assert send(admin, "POST", f"{by_machine}/cancel").json()["state"] == "cancelled"


@pytest.mark.parametrize("account_is_deleted", [False, True])
def test_a_program_that_was_removed_since_is_no_second_person(
    study: Study, admin: Client, account_is_deleted: bool
) -> None:
    agree(study, second_above=100)
    token, secret = create_service_token(
        study=study, name="A script", role=Role.ADMIN, scopes=["admin"], actor=OPERATOR
    )
    by_machine = collected(with_token(secret), study)
    remove_member(member=study.members.get(user=token.user), actor=OPERATOR)
    if account_is_deleted:
        token.user.delete()
    assert send(admin, "POST", f"{by_machine}/approve").json()["code"] == "crowd.pay_people_approve"


def test_who_made_a_payment_and_was_removed_since_is_a_person_still(study: Study, admin: Client) -> None:
    agree(study, second_above=100)
    other = MemberFactory(study=study, role=Role.ADMIN, pseudonym="Other")
    payment = collected(program(other.user), study)
    remove_member(member=other, actor=OPERATOR)
    assert send(admin, "POST", f"{payment}/approve").json()["approved_by"] == "Boss"


def test_whoever_asks_for_the_head_of_a_file_has_no_file(study: Study, admin: Client) -> None:
    payment = approved(admin, study)
    head = send(admin, "HEAD", f"{payment}/file")
    assert (head.status_code, head.content) == (200, b"")
    assert not PaymentRun.objects.get().lines.exclude(in_file_at=None).exists()


def test_one_key_makes_one_payment(admin: Client, study: Study) -> None:
    where = f"/studies/{study.slug}/payments"
    replies = [send(admin, "POST", where, **{"idempotency-key": "p1"}) for _ in range(2)]
    assert replies[0].content == replies[1].content
    assert PaymentRun.objects.count() == 1


@pytest.mark.parametrize("was_done", [True, False])
def test_prolific_pays_once_and_a_person_settles_what_is_unclear(
    admin: Client, study: Study, server: ProlificServer, was_done: bool
) -> None:
    one = submission(connected(study))
    server.add(one.external_id, EXTERNAL_STUDY, one.member.pseudonym)
    owe(one.member, 120)
    payment = approved(admin, study)
    assert send(admin, "GET", payment).json()["by_prolific"] == 1
    ordered = send(admin, "POST", f"{payment}/prolific")
    assert (ordered.status_code, ordered.json()["people"]) == (202, 1)
    assert ProviderCall.objects.count() == 1, "it is written down before anything is sent"
    assert send(admin, "POST", f"{payment}/prolific").json()["code"] == "crowd.pay_nobody_of_prolific"
    server.moods.append(("pay/", "cut"))
    calls.make_calls()
    name = one.member.pseudonym
    line = next(each for each in send(admin, "GET", payment).json()["lines"] if each["pseudonym"] == name)
    assert (line["state"], line["is_ordered"]) == ("open", True)
    assert name not in send(admin, "GET", f"{payment}/file").content.decode()
    held = send(admin, "POST", f"{payment}/lines/{line['line']}/settle", {"amount": "1.20"})
    assert held.json()["code"] == "crowd.pay_line_ordered"
    order = f"/studies/{study.slug}/prolific/orders/{ordered.json()['orders'][0]}"
    assert send(admin, "POST", f"{order}/settle", {"was_done": was_done}).json()["state"] in ("was done", "not done")
    assert send(admin, "POST", f"{order}/settle", {"was_done": was_done}).json()["code"] == "crowd.call_not_unclear"
    calls.make_calls()
    assert len(server.paid) == 1, "the order is never sent again"
    assert states(admin, payment)[name] == ("paid" if was_done else "open")


def test_a_file_that_was_downloaded_is_declared_unused_before_prolific_pays(
    study: Study, admin: Client, server: ProlificServer
) -> None:
    one = submission(connected(study), 1)
    owe(one.member, 200)
    payment = approved(admin, study)
    assert send(admin, "GET", payment).json()["in_file"] is None
    send(admin, "GET", f"{payment}/file")
    found = send(admin, "GET", payment).json()["in_file"]
    assert (found["by"], found["people"]) == ("Boss", 1)
    refused = send(admin, "POST", f"{payment}/prolific")
    assert (refused.status_code, refused.json()["code"]) == (409, "crowd.pay_file_in_hand")
    assert send(admin, "POST", f"{payment}/prolific", {"file_unused": "on"}).status_code == 422
    assert send(admin, "POST", f"{payment}/prolific", {"file_unused": found["at"]}).json()["people"] == 1
