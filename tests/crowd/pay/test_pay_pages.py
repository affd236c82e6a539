"""The pages about pay: what they say and do, and who must not see them."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.crowd.pay import approving
from annotation_platform.crowd.pay.models import LedgerEntry, PaymentRun, PaymentState, PayTerms
from annotation_platform.crowd.pay.services import collect_payment, correct, credit_assignment, credit_returned
from annotation_platform.crowd.review.services import reject
from annotation_platform.studies.models import Assignment, BatchState, Member, Role, Study
from annotation_platform.studies.service_accounts import create_service_token
from annotation_platform.studies.services import plan_batches, remove_member
from annotation_platform.studies.services.claiming import lease_assignment, return_assignment
from tests.crowd.pay.paying import agree, by, paying_study
from tests.crowd.pay.work import do, take
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_corpus, make_study, open_study, submit
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

TERMS = {
    "step": "terms",
    "currency": "USD",
    "reward": "2.50",
    "bonus_percent": "20",
    "returned_percent": "50",
    "approval": "by_hand",
    "approval_hours": "",
    "hourly_floor": "15",
    "budget": "1,000",
    "second_above": "",
}


@pytest.fixture
def client(client: Client, admin: Member) -> Client:
    return signed_in(admin, client)


def signed_in(who: Member | User, client: Client | None = None) -> Client:
    client = client or Client()
    user = who if isinstance(who, User) else who.user
    assert user is not None
    client.force_login(user)
    return client


def pay(study: Study) -> str:
    return reverse("crowd_pay", args=[study.slug])


def credited(annotator: Member) -> LedgerEntry:
    entry = credit_assignment(assignment=do(annotator), annotator=annotator, actor=OPERATOR)
    assert entry is not None
    return entry


def test_an_admin_sets_what_is_paid_and_what_was_typed_is_kept_when_it_cannot_be(client: Client) -> None:
    study = open_study(name="Unpaid")
    signed_in(MemberFactory(study=study, role=Role.ADMIN), client)
    assert "Nothing was agreed yet" in markup(client.get(pay(study)))
    wrong = client.post(pay(study), TERMS | {"reward": "2.505", "currency": "USD"})
    assert wrong.status_code == 422
    assert 'value="2.505"' in markup(wrong)
    assert "“2.505” has more digits after the point than USD has: 2." in markup(wrong)
    page = markup(client.post(pay(study), TERMS, follow=True))
    assert "$2.50" in page
    assert "What a provider takes for itself comes on top" in page
    terms = PayTerms.objects.get(study=study)
    assert (terms.reward, terms.budget, terms.second_above, terms.bonus_percent) == (250, 100_000, None, 20)


def test_a_currency_without_minor_units_takes_whole_amounts(client: Client, study: Study) -> None:
    agree(study, currency="JPY", reward=300)
    assert "¥300" in markup(client.get(pay(study)))
    refused = client.post(pay(study), TERMS | {"currency": "JPY"})
    assert "“2.50” has more digits after the point than JPY has: 0." in markup(refused)


def test_submitted_work_is_approved_and_a_bonus_credited_by_hand(client: Client) -> None:
    study = paying_study(bonus_percent=20)
    signed_in(MemberFactory(study=study, role=Role.RESEARCHER), client)
    annotator = MemberFactory(study=study, pseudonym="A")
    batch = do(annotator).hit.batch
    assert "1 submitted task is not credited yet" in markup(client.get(pay(study)))
    assert "1 task approved and credited." in markup(client.post(pay(study), {"step": "approve"}, follow=True))
    assert "is not closed yet" in markup(client.post(pay(study), {"step": "bonus", "batch": "1"}, follow=True))
    batch.state = BatchState.CLOSED
    batch.save()
    assert "Credit its bonus" in markup(client.get(pay(study)))
    assert "1 person credited" in markup(client.post(pay(study), {"step": "bonus", "batch": "1"}, follow=True))
    assert LedgerEntry.objects.filter(member=annotator).balance() == 240
    assert client.post(pay(study), {"step": "bonus", "batch": "9"}).status_code == 404


def test_a_payment_goes_from_collecting_to_the_last_line(client: Client, study: Study, annotator: Member) -> None:
    credited(annotator)
    client.post(pay(study), {"step": "collect"})
    run = study.payment_runs.get()
    page, file = reverse("payment", args=[study.slug, 1]), reverse("payment_file", args=[study.slug, 1])
    assert client.get(file).status_code == 422
    assert "is approved" in markup(client.post(page, {"step": "approve"}, follow=True))
    text = client.get(file).content.decode("utf-8-sig")
    line = run.lines.get()
    assert text.split() == ["line,payee,amount,currency", f"{line.pk},A,2.00,USD"]

    def send(content: str) -> Any:
        upload = SimpleUploadedFile("paid.csv", content.encode())
        return client.post(page, {"step": "record", "file": upload}, follow=True)

    wrong = send(text.replace("USD", "EUR"))
    assert wrong.status_code == 422
    assert "Row 2: The payment is in USD, not in “EUR”." in markup(wrong)
    assert "1 with another amount" in markup(send(text.replace("2.00", "1.50")))
    unread = client.post(page, {"step": "settle", "line": line.pk, "amount": "one"})
    assert 'value="one"' in markup(unread)
    assert "Settled for A." in markup(
        client.post(page, {"step": "settle", "line": line.pk, "amount": "1.50"}, follow=True)
    )
    assert LedgerEntry.objects.filter(member=annotator).balance() == 50
    came_back = client.post(page, {"step": "reverse", "line": line.pk, "reason": "Wrong number."}, follow=True)
    assert "is owed to A again" in markup(came_back)
    assert "Wrong number." in markup(signed_in(annotator).get(reverse("earnings")))


def test_a_correction_needs_its_reason(client: Client, study: Study, annotator: Member) -> None:
    address = reverse("pay_member", args=[study.slug, annotator.pk])
    refused = client.post(address, {"amount": "-0.5", "reason": ""})
    assert refused.status_code == 422
    assert 'value="-0.5"' in markup(refused)
    assert "Counted twice." in markup(client.post(address, {"amount": "-0.5", "reason": "Counted twice."}, follow=True))
    assert LedgerEntry.objects.get().amount == -50


def test_a_correction_that_is_sent_twice_is_written_once(client: Client, study: Study, annotator: Member) -> None:
    address = reverse("pay_member", args=[study.slug, annotator.pk])
    assert 'name="seen" value="0"' in markup(client.get(address))
    form = {"amount": "1.50", "reason": "Thank you.", "seen": "0"}
    client.post(address, form)
    again = client.post(address, form)
    assert again.status_code == 422
    assert "Another correction" in markup(again)
    assert LedgerEntry.objects.balance() == 150
    client.post(address, form | {"seen": "1"})
    assert LedgerEntry.objects.balance() == 300


def test_approving_the_oldest_twice_on_one_page_approves_no_others(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approving, "APPROVED_AT_ONCE", 1)
    first, second = do(MemberFactory(study=study)), do(MemberFactory(study=study))
    assert f'name="oldest" value="{first.pk}"' in markup(client.get(pay(study)))
    for _ in range(2):
        page = client.post(pay(study), {"step": "approve", "oldest": first.pk}, follow=True)
    assert "decided meanwhile" in markup(page)
    assert not second.reviews.exists()


def test_a_batch_beyond_the_budget_is_refused_on_its_page_with_the_sum() -> None:
    study = make_study(corpus=make_corpus(articles=1, questions=1, systems=["alder"]), overlap=2)
    plan_batches(study=study)
    agree(study, budget=399)
    client = signed_in(MemberFactory(study=study, role=Role.RESEARCHER))
    page = client.post(reverse("open_batch", args=[study.slug, 1]))
    assert page.status_code == 422
    assert "Opening batch 1 costs up to 4.00 USD." in markup(page)
    assert "0.01 USD are missing" in markup(page)


def test_annotators_see_what_a_task_pays_before_and_while_they_work(study: Study, annotator: Member) -> None:
    client = signed_in(annotator)
    assert "$2.00" in markup(client.get(reverse("work")))
    place = take(annotator)
    agree(study, reward=150, bonus_percent=20)
    judge = markup(client.get(reverse("judge", args=[place.pk, 1])))
    assert "$2.00" in judge
    assert "bonus" not in judge
    client.cookies.load({"django_language": "ja"})
    assert "報酬" in markup(client.get(reverse("judge", args=[place.pk, 1])))


def test_an_annotator_reads_own_entries_with_their_reasons(study: Study, annotator: Member) -> None:
    client = signed_in(annotator)
    assert "You have not earned anything here yet" in markup(client.get(reverse("earnings")))
    entry = credited(annotator)
    correct(member=annotator, amount=-50, reason="=Counted twice.", actor=OPERATOR)
    page = markup(client.get(reverse("earnings")))
    assert entry.hit is not None
    for words in (entry.hit.article.title, "=Counted twice.", "−$0.50", "$1.50", study.name):
        assert words in page
    file = client.get(reverse("earnings_file")).content.decode("utf-8-sig")
    assert "'=Counted twice.,-0.50,USD" in file


def test_an_annotator_reads_what_waits_for_review_and_what_it_brings(study: Study, annotator: Member) -> None:
    client = signed_in(annotator)
    assert "Waits for review" not in markup(client.get(reverse("earnings")))
    first = do(annotator)
    page = markup(client.get(reverse("earnings")))
    assert "Waits for review" in page
    assert "1 task, $2.00 if it is approved" in page
    agree(study, reward=150)
    do(annotator)
    assert "2 tasks, $3.50 if they are approved" in markup(client.get(reverse("earnings")))
    credit_assignment(assignment=first, annotator=annotator, actor=OPERATOR)
    assert "1 task, $1.50 if it is approved" in markup(client.get(reverse("earnings")))


def test_what_waits_brings_no_more_than_was_not_credited_before_or_was_taken_back() -> None:
    study = paying_study(articles=1, returned_percent=50)
    annotator = MemberFactory(study=study)
    client = signed_in(annotator)

    def redo(place: Assignment) -> None:
        place.refresh_from_db()
        assert lease_assignment(place=place, annotator=annotator)
        for item in place.hit.items.all():
            submit(place, item)
        place.refresh_from_db()

    place = do(annotator, items=1)
    return_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    credit_returned(assignment=place, annotator=annotator, actor=OPERATOR)
    redo(place)
    assert "1 task, $1.50 if it is approved" in markup(client.get(reverse("earnings")))
    credit_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    reject(assignment=place, because="Copied.", by=None, actor=OPERATOR)
    assert "Waits for review" not in markup(client.get(reverse("earnings")))
    redo(place)
    assert "1 task, $2.00 if it is approved" in markup(client.get(reverse("earnings")))
    remove_member(member=annotator, actor=OPERATOR)
    assert "1 task, $2.00 if it is approved" in markup(client.get(reverse("earnings")))


def test_earnings_stay_readable_to_somebody_who_was_removed(study: Study, annotator: Member) -> None:
    user = annotator.user
    credited(annotator)
    remove_member(member=annotator, actor=OPERATOR)
    assert user is not None
    assert "$2.00" in markup(signed_in(user).get(reverse("earnings")))


def test_nobody_reads_anothers_earnings(study: Study, annotator: Member) -> None:
    correct(member=annotator, amount=123, reason="Only for A.", actor=OPERATOR)
    for other in (MemberFactory(study=study), MemberFactory(study=study, role=Role.ADMIN), UserFactory()):
        for address in (reverse("earnings"), reverse("earnings_file")):
            assert b"Only for A" not in signed_in(other).get(address).content
    assert Client().get(reverse("earnings")).status_code == 302


def test_only_the_studys_own_researchers_come_to_its_pay_and_only_admins_pay(
    study: Study, annotator: Member, admin: Member
) -> None:
    correct(member=annotator, amount=123, reason="A present.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    pages = [
        pay(study),
        reverse("pay_member", args=[study.slug, annotator.pk]),
        reverse("payment", args=[study.slug, 1]),
    ]
    file = reverse("payment_file", args=[study.slug, 1])
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    stranger = MemberFactory(study=open_study(name="Of others"), role=Role.ADMIN)
    for page in [*pages, file]:
        assert Client().get(page).status_code == 302
        for outsider in (annotator, stranger):
            assert signed_in(outsider).get(page).status_code == 404
            assert signed_in(outsider).post(page, {"step": "approve"}).status_code in (404, 405)
    client = signed_in(researcher)
    assert {client.get(page).status_code for page in pages} == {200}
    assert client.get(file).status_code == 404
    assert client.post(pay(study), TERMS).status_code == 404
    for step in ("approve", "cancel", "record", "settle", "reverse"):
        assert client.post(pages[2], {"step": step}).status_code == 404
    run.refresh_from_db()
    assert (run.state, PayTerms.objects.filter(study=study).count()) == (PaymentState.PROPOSED, 1)


def test_a_member_or_payment_of_another_study_is_not_there(client: Client, study: Study) -> None:
    other = paying_study()
    stranger = MemberFactory(study=other)
    correct(member=stranger, amount=5, reason="Theirs.", actor=OPERATOR)
    collect_payment(study=other, actor=OPERATOR)
    assert client.get(reverse("pay_member", args=[study.slug, stranger.pk])).status_code == 404
    assert client.get(reverse("payment", args=[study.slug, 1])).status_code == 404


def test_a_programs_payment_above_the_limit_says_why_nobody_can_approve_it(client: Client, study: Study) -> None:
    agree(study, second_above=0)
    token, _ = create_service_token(study=study, name="A script", role=Role.ADMIN, scopes=["admin"], actor=OPERATOR)
    correct(member=MemberFactory(study=study), amount=100, reason="Thanks.", actor=OPERATOR)
    machine = study.members.get(user=token.user)
    run = collect_payment(study=study, actor=by(machine))
    address = reverse("payment", args=[study.slug, run.number])
    page = markup(client.get(address))
    assert "A program of the study counts as neither." in page
    assert "Approve it" not in page
    assert "Cancel it" in " ".join(page.split())
    refused = client.post(address, {"step": "approve"})
    assert (refused.status_code, PaymentRun.objects.get().state) == (422, PaymentState.PROPOSED)


def test_whoever_made_a_payment_above_the_limit_reads_that_another_admin_approves_it(
    client: Client, admin: Member, study: Study
) -> None:
    agree(study, second_above=0)
    correct(member=MemberFactory(study=study), amount=100, reason="Thanks.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    address = reverse("payment", args=[study.slug, run.number])
    sentence = "an admin who did not make it must approve it"
    page = markup(client.get(address))
    assert (page.count(sentence), "Approve it" in page) == (1, False)
    other = markup(signed_in(MemberFactory(study=study, role=Role.ADMIN)).get(address))
    assert (other.count(sentence), "Approve it" in other) == (1, True)
