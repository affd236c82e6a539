"""A payment file is recorded at the moment in which somebody settles one of its lines by hand."""

from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from annotation_platform.core.errors import ConflictError
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, LineState, PaymentRun
from annotation_platform.crowd.pay.paid_file import PaidRow
from annotation_platform.crowd.pay.services import (
    approve_payment,
    collect_payment,
    correct,
    record_paid,
    recording,
    settle_line,
)
from annotation_platform.crowd.pay.services.recording import Recorded
from annotation_platform.studies.models import Member, Role
from tests.crowd.pay.paying import by, paying_study
from tests.factories import OPERATOR, MemberFactory
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def approved_payment() -> tuple[PaymentRun, Member]:
    """One of a single line, with the admin who approved it."""
    study = paying_study()
    annotator, admin = MemberFactory(study=study), MemberFactory(study=study, role=Role.ADMIN)
    correct(member=annotator, amount=250, reason="For the test.", actor=OPERATOR)
    run = collect_payment(study=study, actor=by(admin))
    approve_payment(run=run, actor=by(admin))
    return run, admin


@pytest.mark.parametrize("settled_with", [250, 0])
def test_a_line_that_is_settled_meanwhile_is_not_settled_again(
    monkeypatch: pytest.MonkeyPatch, settled_with: int
) -> None:
    run, admin = approved_payment()
    line, has_read, has_settled = run.lines.get(), Event(), Event()
    check = recording._check_ordered

    def slowly(*what: Any) -> None:
        check(*what)
        has_read.set()
        has_settled.wait(timeout=2)

    monkeypatch.setattr(recording, "_check_ordered", slowly)

    def one(index: int) -> Any:
        if index == 0:
            return record_paid(run=run, rows=[PaidRow(line, 200)], actor=by(admin))
        assert has_read.wait(60)
        try:
            return settle_line(line=line, amount=settled_with, actor=by(admin))
        finally:
            has_settled.set()

    recorded, settled = at_once(2, one)
    assert (recorded, settled) == (Recorded(differs=1), None), "the one that waited has the last word"
    line.refresh_from_db()
    assert (line.state, line.told_amount) == (LineState.PAID if settled_with else LineState.NOT_PAID, settled_with)
    with pytest.raises(ConflictError):
        settle_line(line=line, amount=200, actor=by(admin))
    assert LedgerEntry.objects.filter(kind=EntryKind.PAYMENT).count() == bool(settled_with)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_a_line_is_settled_while_somebody_holds_its_payment_to_record_a_file() -> None:
    run, admin = approved_payment()
    line, has_payment, has_settled = run.lines.get(), Event(), Event()

    def one(index: int) -> Any:
        if index == 0:
            with transaction.atomic():
                PaymentRun.objects.select_for_update(no_key=True).get(pk=run.pk)
                has_payment.set()
                has_settled.wait(timeout=2)
                return record_paid(run=run, rows=[PaidRow(line, 250)], actor=by(admin))
        assert has_payment.wait(60)
        settled = settle_line(line=line, amount=250, actor=by(admin))
        has_settled.set()
        return settled

    assert at_once(2, one) == [Recorded(known=1), None]
