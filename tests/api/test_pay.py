"""Pay by the API: terms, corrections, approval, bonuses, what an hour pays."""

from typing import Any

import pytest
from django.test import Client

from annotation_platform.accounts.models import Event
from annotation_platform.crowd.pay.models import LedgerEntry, PayTerms
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.service_accounts import create_service_token
from annotation_platform.studies.services import close_batch
from tests.api.clients import program, send, with_token
from tests.crowd.pay.paying import paying_study
from tests.crowd.pay.work import do
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = pytest.mark.django_db
ANY = {"if-match": "*"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return paying_study(bonus_percent=10)


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study, pseudonym="A")


@pytest.fixture
def admin(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss").user)


@pytest.fixture
def researcher(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R").user)


def told(client: Client, study: Study, part: str = "") -> dict[str, Any]:
    reply = send(client, "GET", f"/studies/{study.slug}/pay{part}")
    assert reply.status_code == 200, reply.content
    found: dict[str, Any] = reply.json()
    return found


def test_terms_are_agreed_and_changed_by_their_etag() -> None:
    study = open_study(name="Owls")
    admin = program(MemberFactory(study=study, role=Role.ADMIN).user)
    where = f"/studies/{study.slug}/pay"
    read = send(admin, "GET", where)
    assert send(admin, "PATCH", where, {"reward": "2.50"}).status_code == 428
    missing = send(admin, "PATCH", where, {"reward": "2.50"}, **{"if-match": read["ETag"]})
    assert [each["field"] for each in missing.json()["errors"]] == ["currency"]
    first = {"currency": "USD", "reward": "2.5", "second_above": "1,000", "budget": "5000"}
    made = send(admin, "PATCH", where, first, **{"if-match": read["ETag"]})
    terms = made.json()["terms"]
    assert (terms["reward"], terms["second_above"], terms["approval"], terms["number"]) == (
        "2.50",
        "1000.00",
        "by_hand",
        1,
    )
    assert PayTerms.objects.get().budget == 500_000
    change = {"approval": "after_hours", "approval_hours": 48, "hourly_floor": "12", "budget": None}
    changed = send(admin, "PATCH", where, change, **{"if-match": made["ETag"]}).json()["terms"]
    assert (changed["approval_hours"], changed["hourly_floor"], changed["budget"]) == (48, "12.00", None)
    assert (changed["reward"], changed["number"]) == ("2.50", 2), "what is left out stays"
    stale = send(admin, "PATCH", where, {"reward": "9"}, **{"if-match": made["ETag"]})
    assert (stale.status_code, PayTerms.objects.count()) == (412, 2)
    assert send(admin, "PATCH", where, {}, **ANY).json()["terms"]["number"] == 2, "the same terms are no new version"


def test_each_amount_that_cannot_be_is_named_and_another_currency_reads_them_anew(admin: Client, study: Study) -> None:
    where = f"/studies/{study.slug}/pay"
    wrong = send(admin, "PATCH", where, {"reward": "much", "budget": "1.234"}, **ANY).json()
    assert {each["field"] for each in wrong["errors"]} == {"reward", "budget"}
    assert send(admin, "PATCH", where, {"currency": "XXX"}, **ANY).json()["code"] == "crowd.pay_no_currency"
    assert send(admin, "PATCH", where, {"currency": "JPY"}, **ANY).json()["terms"]["reward"] == "2", "not 200 yen"


def test_only_an_admin_agrees_on_terms(researcher: Client, study: Study) -> None:
    assert send(researcher, "PATCH", f"/studies/{study.slug}/pay", {"reward": "9"}, **ANY).status_code == 404
    assert told(researcher, study)["terms"]["reward"] == "2.00"


def test_a_program_lowers_the_limit_that_it_may_not_approve_above_and_lifts_it_in_no_way(
    admin: Client, study: Study
) -> None:
    _, secret = create_service_token(study=study, name="A script", role=Role.ADMIN, scopes=["admin"], actor=OPERATOR)
    machine, where = with_token(secret), f"/studies/{study.slug}/pay"
    assert send(machine, "PATCH", where, {"second_above": "10"}, **ANY).json()["terms"]["second_above"] == "10.00"
    for lifted in ({"second_above": "10.01"}, {"second_above": None}, {"currency": "JPY"}):
        refused = send(machine, "PATCH", where, lifted, **ANY)
        assert (refused.status_code, refused.json()["code"]) == (422, "crowd.pay_limit_of_people"), lifted
    assert told(admin, study)["terms"]["second_above"] == "10.00"
    assert send(machine, "PATCH", where, {"reward": "3", "second_above": "9"}, **ANY).json()["terms"]["number"] == 3
    assert send(admin, "PATCH", where, {"second_above": None}, **ANY).json()["terms"]["second_above"] is None


def test_a_correction_is_entered_once_for_one_key(researcher: Client, study: Study, annotator: Member) -> None:
    where = f"/studies/{study.slug}/pay/entries"
    body = {"annotator": annotator.pk, "amount": "-0.50", "reason": "Counted twice."}
    replies = [send(researcher, "POST", where, body, **{"idempotency-key": "c1"}) for _ in range(3)]
    assert [each.status_code for each in replies] == [201] * 3
    assert replies[2]["Idempotent-Replay"] == "true"
    made = replies[0].json()
    assert (made["kind"], made["amount"], made["reason"]) == ("correction", "-0.50", "Counted twice.")
    assert LedgerEntry.objects.count() == 1
    assert send(researcher, "POST", where, body | {"amount": "0"}).json()["code"] == "crowd.pay_correction_of_nothing"
    assert send(researcher, "POST", where, body | {"amount": "a lot"}).json()["code"] == "crowd.pay_no_amount"
    other = MemberFactory(study=open_study(name="Finches"))
    assert send(researcher, "POST", where, body | {"annotator": other.pk}).json()["code"] == "studies.no_member"
    assert Event.objects.get(verb="pay.corrected").via.startswith("token "), "the history names the token"


def test_work_is_approved_and_its_bonus_credited_once(researcher: Client, study: Study, annotator: Member) -> None:
    do(annotator)
    do(annotator)
    assert told(researcher, study)["to_approve"] == 2
    where = f"/studies/{study.slug}/pay"
    assert send(researcher, "POST", f"{where}/approve").json() == {"approved": 2, "left": 0}
    assert send(researcher, "POST", f"{where}/approve").json() == {"approved": 0, "left": 0}
    early = send(researcher, "POST", f"{where}/bonuses", {"batch": 1})
    assert early.json()["code"] == "crowd.pay_batch_not_closed"
    close_batch(batch=study.batches.get(), because="For the test.", actor=OPERATOR)
    assert told(researcher, study)["batches_for_bonus"] == [1]
    assert send(researcher, "POST", f"{where}/bonuses", {"batch": 1}).json() == {"people": 1}
    assert send(researcher, "POST", f"{where}/bonuses", {"batch": 1}).json() == {"people": 0}
    (account,) = told(researcher, study)["accounts"]
    assert (account["tasks"], account["owed"]) == (2, "4.40")
    assert send(researcher, "POST", f"{where}/bonuses", {"batch": 9}).json()["code"] == "crowd.pay_no_batch"


def test_what_an_hour_pays_is_told_with_n(admin: Client, study: Study, annotator: Member) -> None:
    assert told(admin, study, "/rates")["n"] == 0
    do(annotator)
    send(admin, "PATCH", f"/studies/{study.slug}/pay", {"hourly_floor": "1000000"}, **ANY)
    rates = told(admin, study, "/rates")
    (rate,) = rates["rates"]
    assert (rates["n"], rates["median"], rates["quartiles"]) == (1, rate["hourly"], None)
    assert (rate["pseudonym"], rate["tasks"], rate["rewards"], rate["is_under_floor"]) == ("A", 1, "2.00", True)
    assert float(rate["hourly"]) == pytest.approx(2 * 3600 / rate["seconds"], abs=0.01)
    assert float(rates["reward_for_floor"]) > 2
    unpaid = open_study(name="Unpaid")
    reader = program(MemberFactory(study=unpaid, role=Role.RESEARCHER).user)
    assert send(reader, "GET", f"/studies/{unpaid.slug}/pay/rates").json()["code"] == "crowd.pay_no_terms"
    assert send(reader, "POST", f"/studies/{unpaid.slug}/pay/approve").json()["code"] == "crowd.pay_no_terms"
