"""Orders to Prolific over a real socket: approved, rejected, paid once and never twice, and settled where unclear."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.providers.prolific import calls, client, orders, polling
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall, Submission
from annotation_platform.crowd.providers.prolific.orders import (
    DecidedAlreadyError,
    approve,
    pay_bonuses,
    reject,
    settle,
)
from annotation_platform.jobs import heartbeat
from annotation_platform.studies.models import Role, Study
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import OPERATOR, MemberFactory, make_study
from tests.markup import markup
from tests.servers.prolific import ProlificServer

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
WHY = "Three of the four attention checks were answered wrongly, and each explanation is the same word, so that " + "…"
State = ProviderCall.State


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture
def study() -> Study:
    return make_study(name="Owls")


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    return connected(study)


@pytest.fixture
def one(prolific: ProlificStudy, server: ProlificServer) -> Submission:
    one = submission(prolific)
    server.add(one.external_id, EXTERNAL_STUDY, "5f0000000000000000000001")
    return one


def bonus(one: Submission, amount: int = 150) -> ProviderCall:
    (call,) = pay_bonuses(connection=one.connection, lines=[(one, amount)], actor=OPERATOR)
    return call


def carried_out(call: ProviderCall) -> ProviderCall:
    calls.make_calls()
    call.refresh_from_db()
    return call


def due_now(call: ProviderCall) -> None:
    ProviderCall.objects.filter(pk=call.pk).update(due_at=timezone.now())


def test_a_submission_is_approved(server: ProlificServer, one: Submission) -> None:
    assert carried_out(approve(submission=one, actor=OPERATOR)).state == State.CONFIRMED
    one.refresh_from_db()
    assert (one.state, server.submissions[one.external_id]["status"]) == ("APPROVED", "APPROVED")
    with pytest.raises(DecidedAlreadyError):
        reject(submission=one, category="OTHER", message=WHY, actor=OPERATOR)


def test_a_rejection_has_a_category_and_a_message_that_prolific_takes(server: ProlificServer, one: Submission) -> None:
    with pytest.raises(InvalidInputError, match="none of Prolific's categories"):
        reject(submission=one, category="UGLY", message=WHY, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="Prolific takes 100 to"):
        reject(submission=one, category="FAILED_CHECK", message="No.", actor=OPERATOR)
    assert (
        carried_out(reject(submission=one, category="FAILED_CHECK", message=WHY, actor=OPERATOR)).state == "confirmed"
    )
    _, _, body = server.requests[-1]
    assert body == {"action": "REJECT", "message": WHY, "rejection_category": "FAILED_CHECK"}


@pytest.mark.storage
def test_two_decisions_on_one_submission_are_kept_out_by_the_database(server: ProlificServer, one: Submission) -> None:
    approve(submission=one, actor=OPERATOR)
    with pytest.raises(DecidedAlreadyError):
        reject(submission=one, category="OTHER", message=WHY, actor=OPERATOR)
    assert ProviderCall.objects.count() == 1


def test_nothing_is_called_while_a_page_waits(server: ProlificServer, one: Submission, client: Client) -> None:
    client.force_login(MemberFactory(study=one.connection.study, role=Role.RESEARCHER).user)
    page = reverse("prolific_submission", args=[one.connection.study.slug, one.pk])
    assert "asked to approve" in markup(client.post(page, {"do": "approve"}, follow=True))
    assert server.requests == []
    calls.make_calls()
    assert "confirmed" in markup(client.get(page))


def test_what_was_typed_for_a_rejection_stays(one: Submission, client: Client) -> None:
    client.force_login(MemberFactory(study=one.connection.study, role=Role.RESEARCHER).user)
    page = reverse("prolific_submission", args=[one.connection.study.slug, one.pk])
    answer = client.post(page, {"do": "reject", "category": "LOW_EFFORT", "message": "Too short"})
    assert answer.status_code == 422
    assert "Too short" in markup(answer)
    assert "at least 100 characters" in markup(answer)


def test_a_busy_server_is_left_alone_as_long_as_it_asks(server: ProlificServer, one: Submission) -> None:
    server.moods.append(("transition", "busy"))
    call = carried_out(approve(submission=one, actor=OPERATOR))
    assert call.state == State.INTENDED
    assert timedelta(seconds=5) < call.due_at - timezone.now() <= timedelta(seconds=7)
    calls.make_calls()
    assert server.count("transition") == 1
    due_now(call)
    assert carried_out(call).state == State.CONFIRMED


@pytest.mark.parametrize("mood", ["broken", "cut"])
def test_what_may_be_repeated_is_repeated(server: ProlificServer, one: Submission, mood: str) -> None:
    server.moods.append(("transition", mood))
    call = carried_out(approve(submission=one, actor=OPERATOR))
    assert call.state == State.INTENDED
    due_now(call)
    assert carried_out(call).state == State.CONFIRMED
    assert server.count("transition") == 2


def test_a_wrong_token_is_told_and_after_a_new_one_the_order_is_made_again(
    server: ProlificServer, study: Study, one: Submission, client: Client
) -> None:
    connected(study, token="wrong")
    call = carried_out(approve(submission=one, actor=OPERATOR))
    assert (call.state, call.error.code) == (State.REFUSED, "crowd.prolific_refuses_token")
    connected(study)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    client.post(reverse("settle_call", args=[study.slug, call.pk]), {"said": "again"})
    assert carried_out(call).state == State.CONFIRMED


def test_without_a_token_nothing_is_ordered(server: ProlificServer, one: Submission) -> None:
    ProlificStudy.objects.update(encrypted_token="")
    one.connection.refresh_from_db()
    with pytest.raises(InvalidInputError, match="Enter the token"):
        approve(submission=one, actor=OPERATOR)


def test_a_bonus_is_set_up_then_paid_once(server: ProlificServer, one: Submission) -> None:
    call = carried_out(bonus(one))
    assert (call.state, call.setup_id, call.total_there) == (State.CONFIRMED, "bulk1", 210)
    assert server.paid == [(one.external_id, 150)]
    assert server.requests[0][2] == {"study_id": EXTERNAL_STUDY, "csv_bonuses": f"{one.external_id},1.50\n"}
    calls.make_calls()
    assert server.paid == [(one.external_id, 150)]
    assert orders.paid_here(one) == 150


@pytest.mark.parametrize("mood", ["cut", "broken", "silent", "drips", "drips_body"])
def test_a_payment_without_a_clear_answer_is_never_made_again(
    server: ProlificServer, one: Submission, mood: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(client.ProlificClient.__init__.__kwdefaults__, "whole_seconds", 0.5)
    server.moods.append(("pay/$", mood))
    call = carried_out(bonus(one))
    assert call.state == State.UNCLEAR
    for _ in range(3):
        due_now(call)
        ProviderCall.objects.update(sent_at=timezone.now() - timedelta(days=1))
        calls.make_calls()
    assert server.count("pay/$") == 1
    with pytest.raises(ConflictError):
        orders.try_again(call=call, actor=OPERATOR)
    with pytest.raises(IntegrityError), transaction.atomic():
        ProviderCall.objects.filter(pk=call.pk).update(state=State.INTENDED)


@pytest.mark.storage
def test_a_worker_that_dies_between_question_and_answer_leaves_an_unclear_payment(
    server: ProlificServer, one: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = bonus(one)
    tell = client.ProlificClient.tell

    def killed(self: Any, method: str, path: str, body: Any = None) -> None:
        tell(self, method, path, body)
        raise SystemExit  # as if the process ended here

    monkeypatch.setattr(client.ProlificClient, "tell", killed)
    with pytest.raises(SystemExit):
        calls.make_calls()
    monkeypatch.undo()
    call.refresh_from_db()
    assert call.state == State.SENT
    ProviderCall.objects.update(sent_at=timezone.now() - timedelta(minutes=6))
    assert calls.is_due()
    assert carried_out(call).state == State.UNCLEAR
    assert call.error.code == "crowd.call_worker_died"
    assert server.count("pay/$") == 1


def test_a_second_click_on_a_bonus_orders_nothing_and_one_more_is_ordered_by_a_look_at_the_first(
    server: ProlificServer, one: Submission, client: Client
) -> None:
    study = one.connection.study
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = reverse("prolific_submission", args=[study.slug, one.pk])
    sent = {"do": "bonus", "amount": "1.50", "seen": "0"}
    assert 'name="seen" value="0"' in markup(client.get(page))
    assert client.post(page, sent).status_code == 302
    again = client.post(page, sent)
    assert again.status_code == 422
    assert "Another bonus for this submission was ordered" in markup(again)
    assert 'name="seen" value="1"' in markup(again)
    assert client.post(page, sent | {"seen": "1"}).status_code == 302
    calls.make_calls()
    calls.make_calls()
    assert server.paid == [(one.external_id, 150)] * 2


def test_a_broken_set_up_moves_no_money_and_is_made_again(server: ProlificServer, one: Submission) -> None:
    server.moods.append(("bonus-payments/$", "cut"))
    call = carried_out(bonus(one))
    assert (call.state, server.paid) == (State.INTENDED, [])
    due_now(call)
    assert carried_out(call).state == State.CONFIRMED
    assert server.paid == [(one.external_id, 150)]


@pytest.fixture
def stopping() -> Iterator[threading.Event]:
    """Set when a test has this process asked to end."""
    yield heartbeat.stopping
    heartbeat.stopping.clear()


def end_during(request: str, server: ProlificServer) -> None:
    """Ask this process to end while that request is under way, which is answered then."""
    server.moods.append((request, "held"))
    server.on_held = heartbeat.stopping.set
    server.released.set()


def test_a_process_that_is_to_end_begins_no_order_any_more(
    server: ProlificServer, one: Submission, stopping: threading.Event
) -> None:
    first, second = bonus(one), bonus(one, 50)
    end_during("/pay/$", server)
    assert carried_out(first).state == State.CONFIRMED
    second.refresh_from_db()
    assert (second.state, server.paid) == (State.INTENDED, [(one.external_id, 150)])


def test_a_process_that_is_to_end_leaves_the_paying_of_what_was_set_up_to_the_next(
    server: ProlificServer, one: Submission, stopping: threading.Event
) -> None:
    call = bonus(one)
    end_during("bonus-payments/$", server)
    assert (carried_out(call).state, server.paid) == (State.INTENDED, [])
    stopping.clear()
    assert (carried_out(call).state, server.paid) == (State.CONFIRMED, [(one.external_id, 150)])


def test_a_process_that_is_to_end_asks_for_no_further_page_and_the_next_asks_again(
    server: ProlificServer, one: Submission, stopping: threading.Event
) -> None:
    server.page_size = 1
    server.add("session99", EXTERNAL_STUDY, "5f0000000000000000000099")
    end_during("GET /submissions/", server)
    polling.ask_all()
    assert server.count("GET /submissions/") == 1
    stopping.clear()
    polling.ask_all()
    assert server.count("GET /submissions/") == 3


def test_a_round_of_calls_ends_where_prolific_is_slow_and_the_next_goes_on(
    server: ProlificServer, one: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = connected(make_study(name="Bats"))
    server.add(submission(other, 2).external_id, EXTERNAL_STUDY, "5f0000000000000000000002")
    for each in (calls, polling):
        monkeypatch.setattr(each, "ROUND_SECONDS", 0.2)
    server.released.set()
    server.on_held = lambda: time.sleep(0.3)
    server.moods.append(("GET /submissions/", "held"))
    polling.ask_all()
    assert len(polling.due_to_ask()) == 1
    polling.ask_all()
    assert polling.due_to_ask() == []
    orders_of_both = [bonus(one), bonus(one, 50)]
    server.moods.append(("/pay/$", "held"))
    assert (calls.make_calls(), calls.make_calls()) == (1, 1)
    assert {ProviderCall.objects.get(pk=each.pk).state for each in orders_of_both} == {State.CONFIRMED}


def test_who_waits_longest_is_asked_about_first_and_who_is_asked_for_before_all(one: Submission) -> None:
    connections = [one.connection, *(connected(make_study(name=name)) for name in ("Bats", "Voles"))]
    for number, each in enumerate(connections[1:], start=2):
        submission(each, number)
    for each, minutes in zip(connections, (10, 60, 20), strict=True):
        ProlificStudy.objects.filter(pk=each.pk).update(asked_at=timezone.now() - timedelta(minutes=minutes))
    assert polling.due_to_ask() == [connections[1], connections[2], connections[0]]
    polling.ask_soon(connection=connections[2])
    assert polling.due_to_ask() == [connections[2], connections[1], connections[0]]


def test_bonuses_that_prolific_reads_in_another_unit_are_not_paid(server: ProlificServer, one: Submission) -> None:
    server.misreads = True
    call = carried_out(bonus(one))
    assert (call.state, call.error.code, server.paid) == (State.REFUSED, "crowd.bonus_misunderstood", [])


def test_a_payment_that_was_refused_is_no_payment(server: ProlificServer, one: Submission) -> None:
    server.moods.append(("pay/$", "refuses"))
    assert carried_out(bonus(one)).state == State.REFUSED
    assert orders.paid_here(one) == 0


def test_a_server_that_is_away_delays_and_pays_once(settings: Any, one: Submission, server: ProlificServer) -> None:
    url, settings.PROLIFIC_API_URL = settings.PROLIFIC_API_URL, "http://127.0.0.1:9/api/v1"
    call = carried_out(bonus(one))
    assert (call.state, call.error.code) == (State.INTENDED, "crowd.prolific_unreachable")
    settings.PROLIFIC_API_URL = url
    due_now(call)
    assert carried_out(call).state == State.CONFIRMED


def test_a_person_settles_with_both_ledgers_in_view(
    server: ProlificServer, study: Study, one: Submission, client: Client
) -> None:
    server.moods.append(("pay/$", "cut"))
    call = carried_out(bonus(one))
    polling.ask(one.connection)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER, user__email="ines@example.org").user)
    page = markup(client.get(reverse("prolific", args=[study.slug])))
    assert "To settle" in page
    assert '<td class="num">1.50</td><td class="num">0.00</td><td class="num">1.50' in page.replace("> <", "><")
    settled = client.post(reverse("settle_call", args=[study.slug, call.pk]), {"said": "done"}, follow=True)
    assert "never sent again" in markup(settled)
    call.refresh_from_db()
    assert (call.state, call.settled_by.email, orders.paid_here(one)) == ("was done", "ines@example.org", 150)
    with pytest.raises(ConflictError):
        settle(call=call, was_done=False, actor=OPERATOR)
    assert server.count("pay/$") == 1


@pytest.mark.storage
def test_orders_of_one_study_go_one_after_the_other(server: ProlificServer, one: Submission) -> None:
    first, second = bonus(one), bonus(one, 50)
    ProviderCall.objects.filter(pk=first.pk).update(state=State.SENT, sent_at=timezone.now())
    assert carried_out(second).state == State.INTENDED
    with pytest.raises(IntegrityError), transaction.atomic():
        ProviderCall.objects.filter(pk=second.pk).update(state=State.SENT)


@pytest.mark.storage
@pytest.mark.django_db(transaction=True)
def test_workers_side_by_side_pay_each_order_once(server: ProlificServer, one: Submission) -> None:
    for amount in range(1, 7):
        bonus(one, amount)

    def work() -> None:
        try:
            calls.make_calls()
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    calls.make_calls()
    assert sorted(server.paid) == [(one.external_id, amount) for amount in range(1, 7)]
    assert set(ProviderCall.objects.values_list("state", flat=True)) == {State.CONFIRMED}


@pytest.mark.parametrize("amount", [0, -5, 10_000_000])
def test_amounts_that_are_none_are_refused(server: ProlificServer, one: Submission, amount: int) -> None:
    with pytest.raises(InvalidInputError, match="cannot be"):
        bonus(one, amount)
    with pytest.raises(InvalidInputError, match="named twice"):
        pay_bonuses(connection=one.connection, lines=[(one, 5), (one, 5)], actor=OPERATOR)


def asked_long_ago() -> None:
    ProlificStudy.objects.update(asked_at=timezone.now() - timedelta(days=1))


def test_states_are_asked_for_now_and_then(server: ProlificServer, prolific: ProlificStudy, one: Submission) -> None:
    server.submissions[one.external_id]["status"] = "RETURNED"
    polling.ask_all()
    one.refresh_from_db()
    assert (one.state, polling.due_to_ask()) == ("RETURNED", [])
    server.moods.append(("GET /submissions/", "broken"))
    asked_long_ago()
    prolific.refresh_from_db()
    polling.ask(prolific)
    assert prolific.ask_error.code == "crowd.prolific_broke"


def test_prolifics_ledger_is_asked_for_while_a_bonus_is_unclear_and_after_one_is_paid_though_all_is_approved(
    server: ProlificServer, prolific: ProlificStudy, one: Submission
) -> None:
    def ledger() -> int:
        asked_long_ago()
        polling.ask_all()
        one.refresh_from_db()
        return one.bonus_there

    server.submissions[one.external_id]["status"] = "APPROVED"
    polling.ask_all()
    asked_long_ago()
    assert polling.due_to_ask() == []
    server.moods.append(("pay/$", "cut"))
    call = carried_out(bonus(one))
    assert (call.state, ledger()) == (State.UNCLEAR, 150)
    settle(call=call, was_done=True, actor=OPERATOR)
    carried_out(bonus(one, 50))
    assert ledger() == 200
    ProviderCall.objects.update(ended_at=timezone.now() - timedelta(hours=2))
    asked_long_ago()
    assert polling.due_to_ask() == []


def test_what_is_to_be_asked_at_once_is_asked_though_nothing_is_open(
    server: ProlificServer, prolific: ProlificStudy, one: Submission
) -> None:
    server.submissions[one.external_id]["status"] = "APPROVED"
    polling.ask_all()
    server.submissions[one.external_id]["bonus_payments"] = [70]
    asked_long_ago()
    assert polling.due_to_ask() == []
    polling.ask_soon(connection=prolific)
    polling.ask_all()
    prolific.refresh_from_db()
    one.refresh_from_db()
    assert (prolific.asked_at is not None, one.bonus_there) == (True, 70)
    assert polling.due_to_ask() == []


def test_orders_of_another_study_are_nobodys_business(server: ProlificServer, one: Submission, client: Client) -> None:
    call = bonus(one)
    other = make_study(name="Jays")
    client.force_login(MemberFactory(study=other, role=Role.ADMIN).user)
    for slug in (other.slug, one.connection.study.slug):
        assert client.get(reverse("prolific_submission", args=[slug, one.pk])).status_code == 404
        assert client.post(reverse("settle_call", args=[slug, call.pk]), {"said": "done"}).status_code == 404
