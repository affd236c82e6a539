"""The payment file: written for whoever pays, and read again with what was paid."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.pay.models import LineState, PaymentLine, PaymentRun, PaymentState
from annotation_platform.crowd.pay.money import amount_of, plain
from annotation_platform.crowd.pay.ordered import without_order
from annotation_platform.crowd.pay.payee import payee_id
from annotation_platform.studies.models import Member

COLUMNS = ("line", "payee", "amount", "currency")
MOST_BYTES = 5_000_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class PaidRow:
    """A line of a payment and what the file says was paid for it."""

    line: PaymentLine
    amount: int


def written(run: PaymentRun) -> str:
    """A payment as CSV, one line for each payee who is still to be paid and whom no order to a provider pays.

    Raises
    ------
    InvalidInputError
        When it is not approved.
    """
    if run.state != PaymentState.APPROVED:
        raise InvalidInputError("crowd.pay_not_approved")
    lines = lines_in_file(run).select_related("member__study").order_by("pk")
    rows = ((line.pk, for_spreadsheets(payee_id(line.member)), plain(line.amount, run.currency)) for line in lines)
    return csv_of(COLUMNS, ([*row, run.currency] for row in rows))


def lines_in_file(run: PaymentRun) -> QuerySet[PaymentLine]:
    return without_order(run.lines.filter(state=LineState.OPEN))


def csv_of(columns: tuple[str, ...], rows: Iterator[list[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def for_spreadsheets(text: str) -> str:
    """Somebody's words so that no spreadsheet program runs them as a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def read(run: PaymentRun, content: bytes) -> list[PaidRow]:
    """The rows of a file that names what was paid; one that is left empty says nothing about its line.

    Raises
    ------
    InvalidInputError
        With one reason for each row that cannot be; nothing of such a file is taken.
    """
    if len(content) > MOST_BYTES:
        raise InvalidInputError("crowd.pay_file_too_large")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError("crowd.pay_file_unreadable") from None
    first = text.partition("\n")[0]
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    if missing := [name for name in COLUMNS if name not in (table.fieldnames or [])]:
        raise InvalidInputError("crowd.pay_file_columns", missing=missing)
    try:
        return rows_of(run, ((table.line_num, row) for row in table))
    except csv.Error:
        raise InvalidInputError("crowd.pay_file_unreadable") from None


def rows_of(run: PaymentRun, numbered: Iterable[tuple[int, Mapping[str, str | None]]]) -> list[PaidRow]:
    """What rows say was paid, each with its number; refused as by :func:`read`."""
    lines = {str(line.pk): line for line in run.lines.select_related("member__study")}
    names = {key: _names(line) for key, line in lines.items()}
    found: dict[str, PaidRow] = {}
    reasons: list[str] = []
    for number, row in numbered:
        try:
            if (paid := _read_row(run, lines, names, row)) is None:
                continue
            if str(paid.line.pk) in found:
                raise InvalidInputError("crowd.pay_row_twice", line=paid.line.pk)
            found[str(paid.line.pk)] = paid
        except InvalidInputError as error:
            reasons.append(Reason("crowd.pay_row", number=number, what=error.reason))
    if reasons:
        raise InvalidInputError("crowd.pay_file_wrong", reasons=reasons, count=len(reasons))
    return list(found.values())


def _names(line: PaymentLine) -> set[str]:
    """How a file may name who a line is for."""
    known_as = payee_id(line.member)
    return {known_as, for_spreadsheets(known_as)}


def _may_be_erased(line: PaymentLine, given: str, names: Mapping[str, set[str]]) -> bool:
    """Whether an earlier file may have named somebody so whose identifier was erased since, by an admin or with their
    account; nobody else is named so."""
    if line.in_file_at is None or any(given in each for each in names.values()):
        return False
    member = line.member
    as_in_main_study = Q(study=member.study.qualifies_for_id, pseudonym=member.pseudonym)  # also without an account
    people = Member.objects.filter(Q(pk=member.pk) | as_in_main_study).values("pk")
    forgets = (Verb.PROVIDER_PERSON_ERASED, Verb.MEMBER_ACCOUNT_DELETED)
    erased = Event.objects.filter(verb__in=forgets, at__gte=line.in_file_at)
    return erased.filter(subject_type=member._meta.label_lower, subject_id__in=people).exists()


def _read_row(
    run: PaymentRun, lines: Mapping[str, PaymentLine], names: Mapping[str, set[str]], row: Mapping[str, str | None]
) -> PaidRow | None:
    """``names``: how a file may name who each line is for."""
    values = {name: (row.get(name) or "").strip() for name in COLUMNS}
    if not any(values.values()) or not values["amount"]:
        return None
    line = lines.get(values["line"])
    if line is None:
        raise InvalidInputError("crowd.pay_row_no_line", line=values["line"][:40])
    if values["payee"] not in names[values["line"]] and not _may_be_erased(line, values["payee"], names):
        raise InvalidInputError(
            "crowd.pay_row_payee", line=line.pk, payee=line.member.pseudonym, given=values["payee"][:60]
        )
    if values["currency"] != run.currency:
        raise InvalidInputError("crowd.pay_row_currency", currency=run.currency, given=values["currency"][:10])
    amount = amount_of(values["amount"], run.currency)
    if amount < 0:
        raise InvalidInputError("crowd.pay_amount_out_of_range")
    return PaidRow(line, amount)
