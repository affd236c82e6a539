"""Storing what an adjudicator decided: beside the judgments, which stay as they are."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.qualification import comparable_slots
from annotation_platform.core.schemes import check_judgment
from annotation_platform.crowd.adjudication.models import LONGEST_NOTE, Adjudication
from annotation_platform.crowd.checks.models import Check
from annotation_platform.crowd.checks.services import NewCheck, add_checks
from annotation_platform.crowd.held_scheme import hold_scheme
from annotation_platform.studies.models import Item, Member, Role
from annotation_platform.studies.selectors import item_shape


@transaction.atomic
def make_gold(*, adjudication: Adjudication, actor: Actor) -> Check:
    """Make a check of an item, whose accepted answers are what an adjudicator decided.

    Raises
    ------
    AcceptedAnswersError
        When the scheme cannot have what was decided, such as after it changed.
    InvalidInputError
        When the study has a check with these answers, or nothing that was decided can be compared.
    ConflictError
        When it was decided under another version of the scheme.
    """
    item, values = adjudication.item, adjudication.values
    slots = comparable_slots(item.study.scheme(), item_shape(item))
    accepted = {slot.key: _as_accepted(values[slot.key]) for slot in slots if slot.key in values}
    answers = [each.answer for each in item.candidates.select_related("answer").order_by("number")]
    new = NewCheck(item.question, answers, accepted)
    (check,) = add_checks(study=item.study, new=[new], actor=actor, made_under=adjudication.scheme_version.signature)
    return check


def _as_accepted(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


@transaction.atomic
def adjudicate(
    *,
    item: Item,
    adjudicator: Member,
    raw: Mapping[str, Any],
    scheme_signature: str,
    note: str = "",
    language: str = "en",
    actor: Actor,
) -> Adjudication:
    """Store an adjudicator's decision on an item; it takes the place of their own earlier one alone.

    ``language``: in which the scheme's words stand where they are part of what is refused.

    Raises
    ------
    InvalidJudgmentError
        When the scheme does not accept it.
    InvalidInputError
        When they are no researcher or admin of the study, or the note is too long.
    ConflictError
        When the form was made from another version of the scheme.
    """
    study = item.study
    if adjudicator.study_id != study.pk or adjudicator.role not in (Role.RESEARCHER, Role.ADMIN):
        raise InvalidInputError("crowd.only_readers_adjudicate")
    note = note.replace("\r\n", "\n").strip()
    if len(note) > LONGEST_NOTE:
        raise InvalidInputError("crowd.adjudication_note_too_long", length=len(note), most=LONGEST_NOTE)
    if not scheme_signature:
        raise ConflictError("crowd.scheme_changed_meanwhile")
    hold_scheme(study, made_under=scheme_signature)
    scheme = study.scheme(language)
    values = check_judgment(scheme, raw, item_shape(item, scheme))
    decided = {
        "values": values,
        "note": note,
        "scheme_version": study.scheme_version,
        "decided_at": timezone.now(),
    }
    found, _ = Adjudication.objects.update_or_create(item=item, adjudicator=adjudicator, defaults=decided)
    record(actor, Verb.ADJUDICATION_DECIDED, item, study=study)
    return found
