"""Writing the accepted answers of a round; attempts that are finished are compared again at once."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import AcceptedAnswersError, check_accepted
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.held_scheme import hold_scheme
from annotation_platform.crowd.rounds.key_files import WrittenKey
from annotation_platform.crowd.rounds.measuring import measured
from annotation_platform.crowd.rounds.models import Attempt, ItemKey, Round
from annotation_platform.crowd.rounds.selectors import RoundItem, items_of
from annotation_platform.studies.selectors import item_shapes

LONGEST_EXPLANATION = 2_000


@transaction.atomic
def set_key(
    *,
    round_: Round,
    item: RoundItem,
    raw: Mapping[str, Any],
    must_pass: bool,
    explanation: str = "",
    actor: Actor,
    made_under: str = "",
) -> ItemKey:
    """Store which answers are accepted for one item.

    ``made_under``: the signature of the scheme's version that a form was made from.

    Raises
    ------
    AcceptedAnswersError
        With a reason beside each aspect that is not understood.
    InvalidInputError
        When an item must be passed and nothing of it is compared, or the explanation is too long.
    ConflictError
        See :func:`hold_scheme`.
    """
    hold_scheme(round_.study, made_under=made_under)
    scheme = round_.study.scheme()
    accepted = check_accepted(scheme, raw, item_shapes(round_.study, scheme)[item.item.pk])
    key = _store(item, accepted, must_pass, explanation)
    compare_again(round_)
    record(
        actor, Verb.ROUND_KEY_CHANGED, round_, study=round_.study.qualifies_for, change={"item": (None, item.number)}
    )
    return key


@transaction.atomic
def import_key(*, round_: Round, written: list[WrittenKey], actor: Actor) -> int:
    """Store the keys that a file gives, all or none; return of how many items. What it does not name stays.

    Raises
    ------
    InvalidInputError
        With one line for each mistake, each of which names its row.
    """
    hold_scheme(round_.study)
    scheme = round_.study.scheme()
    shapes = item_shapes(round_.study, scheme)
    items = {each.number: each for each in items_of(round_)}
    mistakes: list[str] = []
    for each in written:
        if (item := items.get(each.number)) is None:
            mistakes.append(Reason("crowd.key_no_item", where=each.where, number=each.number, most=len(items)))
            continue
        try:
            accepted = check_accepted(scheme, each.accepted, shapes[item.item.pk])
            _store(item, accepted, each.must_pass, each.explanation)
        except AcceptedAnswersError as refused:
            mistakes += [
                Reason("crowd.key_mistake", where=each.places.get(slot, each.where), aspect=slot, why=why)
                for slot, why in refused.errors.items()
            ]
        except InvalidInputError as refused:
            mistakes.append(Reason("crowd.key_item_mistake", where=each.where, why=refused.reason))
    if mistakes:
        raise InvalidInputError("crowd.file_wrong", mistakes)
    compare_again(round_)
    change = {"items": (None, len(written))}
    record(actor, Verb.ROUND_KEY_CHANGED, round_, study=round_.study.qualifies_for, change=change)
    return len(written)


def compare_again(round_: Round) -> None:
    """Compare what people judged with the accepted answers, by the least overlap, as they are now. Verdicts stay."""
    list(round_.attempts.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # one may just be finishing
    finished = list(round_.attempts.filter(finished_at__isnull=False, number__gt=0))
    found = measured(round_, finished)
    for each in finished:
        each.matched, each.compared, each.failed = (
            found[each.pk].matched,
            found[each.pk].compared,
            found[each.pk].failed,
        )
    Attempt.objects.bulk_update(finished, ["matched", "compared", "failed"], batch_size=500)


def _store(item: RoundItem, accepted: Mapping[str, Any], must_pass: bool, explanation: str) -> ItemKey:
    explanation = explanation.strip()
    if len(explanation) > LONGEST_EXPLANATION:
        raise InvalidInputError("crowd.key_explanation_too_long", length=len(explanation), most=LONGEST_EXPLANATION)
    if must_pass and not accepted:
        raise InvalidInputError("crowd.key_must_pass_what")
    values = {"accepted": dict(accepted), "must_pass": must_pass, "explanation": explanation}
    key, _ = ItemKey.objects.update_or_create(item=item.item, defaults=values)
    return key
