"""Corrections: what was credited wrongly is not changed, but made good by an entry with its reason."""

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.makers import made_by
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry
from annotation_platform.crowd.pay.money import MOST
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Member
from annotation_platform.studies.services import reason_for_people


def corrections_of(member: Member) -> int:
    """How many corrections a member has."""
    return LedgerEntry.objects.filter(member=member, kind=EntryKind.CORRECTION).count()


@transaction.atomic
def correct(*, member: Member, amount: int, reason: str, seen: int | None = None, actor: Actor) -> LedgerEntry:
    """Credit an amount, or take it back (below zero), for a reason that the member reads.

    ``seen``: how many corrections whoever writes it saw on the page, so that a second click writes none.

    Raises
    ------
    InvalidInputError
        Without a reason, with an amount of zero or beyond reason, or where no pay was agreed.
    ConflictError
        When another one was written since.
    """
    reason = reason_for_people(reason)
    terms = terms_of(member.study)
    if terms is None:
        raise InvalidInputError("crowd.pay_no_terms")
    if amount == 0 or abs(amount) > MOST:
        raise InvalidInputError("crowd.pay_correction_of_nothing")
    Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    if seen is not None and corrections_of(member) != seen:
        raise ConflictError("crowd.pay_corrected_since", member=member.pseudonym)
    entry = LedgerEntry.objects.create(
        study=member.study,
        member=member,
        kind=EntryKind.CORRECTION,
        amount=amount,
        currency=terms.currency,
        reason=reason,
        **made_by(actor, member.study_id),
    )
    record(
        actor, Verb.PAY_CORRECTED, member, study=member.study, change={"amount": (0, amount), "because": ("", reason)}
    )
    return entry
