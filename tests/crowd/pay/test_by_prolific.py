"""A payment's lines paid as bonuses by Prolific: one order, tied to the lines, and never paid in two ways."""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay import paid_file
from annotation_platform.crowd.pay.by_prolific import order_bonuses
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, LineState, PaymentRun
from annotation_platform.crowd.pay.services import (
    approve_payment,
    collect_payment,
    correct,
    hand_out_file,
    record_paid,
    settle_line,
)
from annotation_platform.crowd.providers.prolific import calls
from annotation_platform.crowd.providers.prolific.models import ProviderCall
from annotation_platform.crowd.providers.prolific.orders import settle, try_again
from annotation_platform.studies.models import Member, Role, Study
from tests.crowd.pay.paying import agree, by
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import OPERATOR, MemberFactory
from tests.markup import markup
from tests.servers.prolific import ProlificServer

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
State = ProviderCall.State
MIGRATION = import_module("annotation_platform.crowd.migrations.0007_files_of_payments")


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture
def run(study: Study, annotator: Member, admin: Member, server: ProlificServer) -> PaymentRun:
    """Of three people, two of whom came from Prolific."""
    prolific = connected(study)
    here = [submission(prolific, number) for number in (1, 2)]
    for one in here:
        server.add(one.external_id, EXTERNAL_STUDY, one.member.pseudonym)
    for member, amount in ((annotator, 100), (here[0].member, 250), (here[1].member, 300)):
        correct(member=member, amount=amount, reason="For the test.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    return run


def states(run: PaymentRun) -> list[str]:
    return list(run.lines.order_by("amount").values_list("state", flat=True))


def test_one_order_pays_those_of_prolific_and_is_recorded_when_it_is_done(
    run: PaymentRun, admin: Member, server: ProlificServer
) -> None:
    (call,) = order_bonuses(run=run, actor=by(admin))
    assert states(run) == [LineState.OPEN] * 3
    assert "\n" not in paid_file.written(run).strip().partition("\n")[2], "the file has the other one alone"
    calls.make_calls()
    assert sorted(server.paid) == [("session01", 250), ("session02", 300)]
    assert states(run) == [LineState.OPEN, LineState.PAID, LineState.PAID]
    paid = LedgerEntry.objects.filter(kind=EntryKind.PAYMENT).order_by("amount")
    assert list(paid.values_list("amount", "actor_kind")) == [(-300, "worker"), (-250, "worker")]
    assert sorted(line.payment_line.amount for line in call.lines.all() if line.payment_line) == [250, 300]
    assert "\n" not in paid_file.written(run).strip().partition("\n")[2]


def test_ordering_twice_orders_once(run: PaymentRun, admin: Member, server: ProlificServer) -> None:
    order_bonuses(run=run, actor=by(admin))
    for _ in range(2):
        with pytest.raises(InvalidInputError):
            order_bonuses(run=run, actor=by(admin))
        calls.make_calls()
    assert len(server.paid) == 2


@pytest.mark.parametrize("was_done", [True, False])
def test_an_unclear_order_holds_its_lines_until_a_person_settles_it(
    run: PaymentRun, admin: Member, server: ProlificServer, was_done: bool
) -> None:
    (call,) = order_bonuses(run=run, actor=by(admin))
    server.moods.append(("pay/", "cut"))
    calls.make_calls()
    call.refresh_from_db()
    assert call.state == State.UNCLEAR
    ordered = run.lines.get(amount=250)
    with pytest.raises(ConflictError):
        settle_line(line=ordered, amount=250, actor=by(admin))
    with pytest.raises(InvalidInputError):
        order_bonuses(run=run, actor=by(admin))
    settle(call=call, was_done=was_done, actor=by(admin))
    assert states(run) == [LineState.OPEN, *([LineState.PAID if was_done else LineState.OPEN] * 2)]
    assert LedgerEntry.objects.filter(kind=EntryKind.PAYMENT).count() == (2 if was_done else 0)
    if not was_done:
        assert len(order_bonuses(run=run, actor=by(admin))) == 1, "what was not paid is ordered anew"


def test_what_prolific_refuses_is_owed_as_before(run: PaymentRun, admin: Member, server: ProlificServer) -> None:
    order_bonuses(run=run, actor=by(admin))
    server.moods.append(("bonus-payments", "refuses"))
    calls.make_calls()
    assert states(run) == [LineState.OPEN] * 3
    assert len(paid_file.written(run).strip().splitlines()) == 4
    settle_line(line=run.lines.get(amount=250), amount=250, actor=by(admin))


def test_bonuses_that_were_refused_and_paid_otherwise_since_are_not_tried_again(
    run: PaymentRun, admin: Member, server: ProlificServer, client: Client
) -> None:
    (call,) = order_bonuses(run=run, actor=by(admin))
    server.moods.append(("bonus-payments", "refuses"))
    calls.make_calls()
    settle_line(line=run.lines.get(amount=250), amount=250, actor=by(admin))
    order_bonuses(run=run, actor=by(admin))
    with pytest.raises(ConflictError, match="Order them anew"):
        try_again(call=call, actor=by(admin))
    client.force_login(admin.user)
    assert "Try again" not in markup(client.get(reverse("prolific", args=[run.study.slug])))
    calls.make_calls()
    assert server.paid == [("session02", 300)]


def test_an_admin_orders_it_on_the_page_of_the_payment(run: PaymentRun, admin: Member, client: Client) -> None:
    client.force_login(admin.user)
    page = reverse("payment", args=[run.study.slug, run.number])
    assert "2 people of this payment came from Prolific" in markup(client.get(page))
    assert "asked to pay 2 people" in markup(client.post(page, {"step": "prolific"}, follow=True))
    assert "Pay by Prolific" not in markup(client.get(page))
    again = client.post(page, {"step": "prolific"})
    assert (again.status_code, ProviderCall.objects.count()) == (422, 1)


def test_prolific_does_not_pay_in_every_currency_nor_a_payment_that_waits(study: Study, admin: Member) -> None:
    agree(study, currency="JPY")
    one = submission(connected(study))
    correct(member=one.member, amount=250, reason="For the test.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    with pytest.raises(InvalidInputError, match="not approved"):
        order_bonuses(run=run, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    with pytest.raises(InvalidInputError, match="GBP, USD"):
        order_bonuses(run=run, actor=by(admin))


def test_nobody_is_paid_by_prolific_and_by_a_file_that_was_downloaded_before(
    run: PaymentRun, admin: Member, client: Client, server: ProlificServer
) -> None:
    other = MemberFactory(study=run.study, role=Role.ADMIN, pseudonym="Bo")
    client.force_login(other.user)
    text = client.get(reverse("payment_file", args=[run.study.slug, run.number])).content.decode()
    assert len(text.strip().splitlines()) == 4
    with pytest.raises(ConflictError, match="lists 2 of these people"):
        order_bonuses(run=run, actor=by(admin))
    seen = run.lines.get(amount=250).in_file_at
    hand_out_file(run=run, actor=by(other))
    with pytest.raises(ConflictError, match="pays them twice"):
        order_bonuses(run=run, file_unused=seen, actor=by(admin))
    assert not ProviderCall.objects.exists()
    order_bonuses(run=run, file_unused=run.lines.get(amount=250).in_file_at, actor=by(admin))
    assert len(hand_out_file(run=run, actor=by(other)).strip().splitlines()) == 2
    calls.make_calls()
    assert sorted(server.paid) == [("session01", 250), ("session02", 300)]
    told = Event.objects.filter(verb__startswith="pay.file").order_by("pk")
    assert [(each.verb, each.user_id, each.change["people"]) for each in told] == [
        ("pay.file_downloaded", other.user_id, [None, 3]),
        ("pay.file_downloaded", other.user_id, [None, 3]),
        ("pay.file_not_used", admin.user_id, [None, 2]),
        ("pay.file_downloaded", other.user_id, [None, 1]),
    ]


def test_the_page_says_who_has_a_file_and_orders_nothing_before_it_is_declared_unused(
    run: PaymentRun, admin: Member, client: Client
) -> None:
    client.force_login(admin.user)
    page = reverse("payment", args=[run.study.slug, run.number])
    assert "file_unused" not in markup(client.get(page))
    hand_out_file(run=run, actor=by(admin))
    shown = markup(client.get(page))
    assert f"by {admin.pseudonym}. It lists 2 of these people" in shown
    for said in ({}, {"file_unused": "on"}, {"file_unused": "2026-13-45T99:00"}, {"file_unused": "2040-01-01T00:00"}):
        refused = client.post(page, {"step": "prolific", **said}, follow=True)
        assert "pays them twice. Declare" in markup(refused)
    assert not ProviderCall.objects.exists()
    (moment,) = re.findall(r'name="file_unused" value="([^"]+)"', shown)
    assert "asked to pay 2 people" in markup(
        client.post(page, {"step": "prolific", "file_unused": moment}, follow=True)
    )


def test_a_file_without_those_of_prolific_is_in_nobodys_way(run: PaymentRun, admin: Member) -> None:
    order_bonuses(run=run, actor=by(admin))
    hand_out_file(run=run, actor=by(admin))
    ProviderCall.objects.update(state=State.REFUSED)
    assert len(order_bonuses(run=run, actor=by(admin))) == 1


def told_otherwise(run: PaymentRun, amount: int) -> list[paid_file.PaidRow]:
    """A file that says of those who are to be paid this amount that they were paid less."""
    return [paid_file.PaidRow(line, amount - 1) for line in run.lines.filter(amount=amount)]


def test_who_was_paid_another_amount_waits_for_a_person_and_is_not_paid_by_prolific(
    run: PaymentRun, admin: Member, client: Client, server: ProlificServer
) -> None:
    record_paid(run=run, rows=told_otherwise(run, 250), actor=by(admin))
    client.force_login(admin.user)
    page = markup(client.get(reverse("payment", args=[run.study.slug, run.number])))
    assert "1 person of this payment came from Prolific" in page
    order_bonuses(run=run, actor=by(admin))
    calls.make_calls()
    assert server.paid == [("session02", 300)]
    assert states(run) == [LineState.OPEN, LineState.DIFFERS, LineState.PAID]


def test_no_file_says_another_amount_of_a_line_whose_order_is_under_way(
    run: PaymentRun, admin: Member, server: ProlificServer
) -> None:
    order_bonuses(run=run, actor=by(admin))
    rows = [*told_otherwise(run, 100), *told_otherwise(run, 250)]
    with pytest.raises(ConflictError, match="is ordered from Prolific"):
        record_paid(run=run, rows=rows, actor=by(admin))
    assert states(run) == [LineState.OPEN] * 3, "nothing of it was taken"
    calls.make_calls()
    assert states(run) == [LineState.OPEN, LineState.PAID, LineState.PAID]


def test_of_a_payment_approved_before_downloads_were_kept_a_file_may_be_in_somebodys_hands(
    run: PaymentRun, admin: Member, client: Client
) -> None:
    settle_line(line=run.lines.get(amount=100), amount=100, actor=by(admin))
    waits = MemberFactory(study=run.study, pseudonym="W")
    correct(member=waits, amount=50, reason="For the test.", actor=OPERATOR)
    proposed = collect_payment(study=run.study, actor=by(admin))
    MIGRATION.files_may_be_out(apps, None)
    marked = run.lines.order_by("amount").values_list("in_file_at", flat=True)
    assert [*marked, proposed.lines.get().in_file_at] == [None, run.approved_at, run.approved_at, None]
    client.force_login(admin.user)
    page = reverse("payment", args=[run.study.slug, run.number])
    shown = markup(client.get(page))
    assert "A file of this payment may have been downloaded since" in shown
    assert "was downloaded" not in shown
    refused = markup(client.post(page, {"step": "prolific"}, follow=True))
    assert "pays them twice. Declare" in refused
    assert "was downloaded" not in refused
    (moment,) = re.findall(r'name="file_unused" value="([^"]+)"', shown)
    assert "asked to pay 2 people" in markup(
        client.post(page, {"step": "prolific", "file_unused": moment}, follow=True)
    )


def test_whoever_asks_for_the_head_of_a_file_has_no_file(run: PaymentRun, admin: Member, client: Client) -> None:
    client.force_login(admin.user)
    head = client.head(reverse("payment_file", args=[run.study.slug, run.number]))
    assert (head.status_code, head.content, head["Content-Type"]) == (200, b"", "text/csv; charset=utf-8")
    assert not run.lines.exclude(in_file_at=None).exists()
    assert not Event.objects.filter(verb="pay.file_downloaded").exists()
