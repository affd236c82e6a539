"""Payments: collecting, approving by the right people, the file there and back, what a person settles."""

from collections.abc import Callable

import pytest

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay import paid_file
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, LineState, PaymentRun, PaymentState
from annotation_platform.crowd.pay.services import (
    approve_payment,
    cancel_payment,
    collect_payment,
    correct,
    hand_out_file,
    record_paid,
    reverse_payment,
    settle_line,
)
from annotation_platform.crowd.pay.services.recording import Recorded
from annotation_platform.crowd.providers.vault.identities import erase_person
from annotation_platform.studies.models import Member, Role, Study
from tests.crowd.pay.paying import agree, by
from tests.crowd.providers.pieces import connected, submission
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture
def others(study: Study) -> list[Member]:
    return [MemberFactory(study=study, pseudonym=name) for name in ("B", "C")]


def owe(*amounts: tuple[Member, int]) -> None:
    for member, amount in amounts:
        correct(member=member, amount=amount, reason="For the test.", actor=OPERATOR)


def approved(study: Study, admin: Member) -> PaymentRun:
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    return run


def sent_back(run: PaymentRun, admin: Member, file: str | None = None, **changed: str) -> Recorded:
    """A file as it was written, now or before, with other amounts for some payees."""
    rows = [line.split(",") for line in (file or paid_file.written(run)).splitlines()]
    text = "\n".join(",".join([pk, payee, changed.get(payee, amount), cur]) for pk, payee, amount, cur in rows)
    return record_paid(run=run, rows=paid_file.read(run, text.encode()), actor=by(admin))


def balance(member: Member) -> int:
    return LedgerEntry.objects.filter(member=member).balance()


@pytest.mark.storage
def test_what_is_owed_is_collected_once(study: Study, annotator: Member, others: list[Member], admin: Member) -> None:
    owe((annotator, 250), (others[0], -5))
    run = collect_payment(study=study, actor=by(admin))
    assert list(run.lines.values_list("member__pseudonym", "amount")) == [("A", 250)]
    with pytest.raises(InvalidInputError):
        collect_payment(study=study, actor=by(admin))
    cancel_payment(run=run, actor=by(admin))
    again = collect_payment(study=study, actor=by(admin))
    assert (again.number, again.lines.get().amount) == (2, 250)


def test_a_payment_is_approved_by_an_admin_and_above_the_limit_by_a_second_one(
    study: Study, annotator: Member, admin: Member
) -> None:
    agree(study, second_above=250)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    owe((annotator, 251))
    run = collect_payment(study=study, actor=by(admin))
    for refused in (by(researcher), by(annotator), by(admin), OPERATOR):
        with pytest.raises(InvalidInputError):
            approve_payment(run=run, actor=refused)
    second = MemberFactory(study=study, role=Role.ADMIN)
    approve_payment(run=run, actor=by(second))
    assert (run.state, run.approved_by) == (PaymentState.APPROVED, second)
    with pytest.raises(ConflictError):
        cancel_payment(run=run, actor=by(second))


def test_at_the_limit_whoever_made_it_may_approve_it(study: Study, annotator: Member, admin: Member) -> None:
    agree(study, second_above=250)
    owe((annotator, 250))
    assert approved(study, admin).state == PaymentState.APPROVED


@pytest.mark.storage
def test_what_was_paid_is_recorded_once(study: Study, annotator: Member, others: list[Member], admin: Member) -> None:
    owe((annotator, 250), (others[0], 125))
    run = approved(study, admin)
    file = paid_file.written(run)
    assert sent_back(run, admin, file) == Recorded(paid=2)
    assert sent_back(run, admin, file) == Recorded(known=2)
    assert (balance(annotator), balance(others[0])) == (0, 0)
    assert LedgerEntry.objects.filter(kind=EntryKind.PAYMENT).count() == 2


def test_another_amount_waits_for_a_person(
    study: Study, annotator: Member, others: list[Member], admin: Member
) -> None:
    owe((annotator, 250), (others[0], 125), (others[1], 10))
    run = approved(study, admin)
    file = paid_file.written(run)
    assert sent_back(run, admin, file, A="2.00", C="") == Recorded(paid=1, differs=1)
    assert balance(annotator) == 250
    assert sent_back(run, admin, file, A="2.00", C="") == Recorded(known=2)
    line = run.lines.get(member=annotator)
    settle_line(line=line, amount=200, actor=by(admin))
    assert (line.state, balance(annotator)) == (LineState.PAID, 50)
    with pytest.raises(ConflictError):
        settle_line(line=line, amount=200, actor=by(admin))
    with pytest.raises(InvalidInputError) as refused:
        sent_back(run, admin, file, A="1.00")
    assert "is settled with 2.00; the file says 1.00" in refused.value.reasons[0]


def test_what_was_not_paid_or_came_back_is_owed_again(study: Study, annotator: Member, admin: Member) -> None:
    owe((annotator, 250))
    run = approved(study, admin)
    settle_line(line=run.lines.get(), amount=0, actor=by(admin))
    assert (run.lines.get().state, balance(annotator)) == (LineState.NOT_PAID, 250)
    line = (second := approved(study, admin)).lines.get()
    file = paid_file.written(second)
    sent_back(second, admin, file)
    line.refresh_from_db()
    reverse_payment(line=line, reason="The account is closed.", actor=by(admin))
    assert (line.state, balance(annotator)) == (LineState.REVERSED, 250)
    with pytest.raises(ConflictError):
        reverse_payment(line=line, reason="Again.", actor=by(admin))
    assert sent_back(second, admin, file) == Recorded(known=1)
    assert approved(study, admin).lines.get().amount == 250


def test_a_file_lists_those_alone_who_are_still_to_be_paid(
    study: Study, annotator: Member, others: list[Member], admin: Member
) -> None:
    fourth = MemberFactory(study=study, pseudonym="D")
    owe((annotator, 250), (others[0], 125), (others[1], 10), (fourth, 70))
    run = approved(study, admin)
    older = paid_file.written(run)
    sent_back(run, admin, older, A="2.50", B="1.00", C="", D="")
    settle_line(line=run.lines.get(member=fourth), amount=0, actor=by(admin))
    (row,) = paid_file.written(run).splitlines()[1:]
    assert row.split(",")[1:] == ["C", "0.10", "USD"]
    reverse_payment(line=run.lines.get(member=annotator), reason="The account is closed.", actor=by(admin))
    assert "A" not in paid_file.written(run)
    assert sent_back(run, admin, older, B="1.00", D="0") == Recorded(paid=1, known=3), "an older file is recorded still"
    assert paid_file.written(run).splitlines() == ["line,payee,amount,currency"]


def test_nothing_is_recorded_before_approval(study: Study, annotator: Member, admin: Member) -> None:
    owe((annotator, 250))
    run = collect_payment(study=study, actor=by(admin))
    with pytest.raises(InvalidInputError):
        record_paid(run=run, rows=[paid_file.PaidRow(run.lines.get(), 250)], actor=by(admin))
    assert balance(annotator) == 250


def test_mistakes_of_a_file_are_told_by_row_and_nothing_of_it_is_taken(
    study: Study, annotator: Member, others: list[Member], admin: Member
) -> None:
    owe((annotator, 250), (others[0], 125))
    run = approved(study, admin)
    a, b = run.lines.order_by("pk")
    text = (
        "line,payee,amount,currency\n"
        f"{a.pk},A,2.50,USD\n{a.pk},A,2.50,USD\n0,A,1,USD\n{b.pk},A,1.25,USD\n{b.pk},B,1.255,USD\n{b.pk},B,1.25,EUR\n"
    )
    with pytest.raises(InvalidInputError) as refused:
        paid_file.read(run, text.encode())
    assert refused.value.reasons == [
        f"Row 3: Line {a.pk} stands there twice.",
        "Row 4: This payment has no line “0”.",
        f"Row 5: Line {b.pk} is for B, not for “A”.",
        "Row 6: “1.255” has more digits after the point than USD has: 2.",
        "Row 7: The payment is in USD, not in “EUR”.",
    ]
    for content in (b"\xff\xfe\x00", b"a,b\n1,2\n"):
        with pytest.raises(InvalidInputError):
            paid_file.read(run, content)


@pytest.mark.parametrize(
    "forget",
    [
        lambda gone: erase_person(member=gone, actor=OPERATOR),
        lambda gone: delete_account(user=gone.user, actor=OPERATOR),
    ],
    ids=["erased by an admin", "deleted with their account"],
)
def test_a_file_from_before_somebody_was_erased_is_taken_with_their_line(
    study: Study, annotator: Member, admin: Member, forget: Callable[[Member], object]
) -> None:
    gone = submission(connected(study)).member
    owe((annotator, 250), (gone, 100))
    run = approved(study, admin)
    file = hand_out_file(run=run, actor=by(admin))
    forget(gone)
    with pytest.raises(InvalidInputError):
        sent_back(run, admin, file.replace(payee_in(file, 1.0), "A"))
    with pytest.raises(InvalidInputError):  # nothing was erased of this one
        sent_back(run, admin, file.replace(payee_in(file, 2.5), "Somebody"))
    assert sent_back(run, admin, file).paid == 2
    assert balance(gone) == 0


def test_nobody_who_was_not_erased_goes_by_another_name_in_a_file(
    study: Study, annotator: Member, admin: Member
) -> None:
    owe((annotator, 250))
    run = approved(study, admin)
    file = hand_out_file(run=run, actor=by(admin))
    with pytest.raises(InvalidInputError):
        sent_back(run, admin, file.replace(",A,", ",Zed,"))
    assert balance(annotator) == 250


def payee_in(file: str, amount: float) -> str:
    return next(row.split(",")[1] for row in file.splitlines() if row.endswith(f"{amount:.2f},USD"))


def test_a_file_from_a_spreadsheet_with_semicolons_is_read(study: Study, annotator: Member, admin: Member) -> None:
    owe((annotator, 250))
    run = approved(study, admin)
    text = "\ufeff" + paid_file.written(run).replace(",", ";")
    (row,) = paid_file.read(run, text.encode())
    assert row.amount == 250


def test_no_name_becomes_a_formula(study: Study, admin: Member) -> None:
    owe((MemberFactory(study=study, pseudonym="=1+1"), 100))
    run = approved(study, admin)
    assert "'=1+1" in paid_file.written(run)
    assert sent_back(run, admin) == Recorded(paid=1)
