"""One judgment under a scheme: what was sent becomes checked values, or a reason beside each field."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON
from annotation_platform.core.schemes.definition import ItemShape, Scheme
from annotation_platform.core.schemes.slot_values import BrokenRuleError, Demand, check_value, too_long
from annotation_platform.core.schemes.typed_values import plain_text, said_in

MOST_OF_REASON = 5_000  # characters
_NOT_MARKED = ("", "0", "no", "false")  # in a table that says it of every row


class InvalidJudgmentError(ValueError):
    """A judgment that the scheme does not accept. ``errors`` maps slot keys to what to do about them."""

    def __init__(self, errors: Mapping[str, Reason]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{key}: {reason}" for key, reason in self.errors.items()))


@dataclass(frozen=True)
class EarlierJudgment:
    """What a scheme makes of a judgment that was given under an earlier version of it.

    ``values`` can be understood under the scheme, ``broken`` says which of them it would not accept today and why,
    and ``errors`` why others cannot be understood.
    """

    values: dict[str, Any]
    broken: dict[str, Reason]
    errors: dict[str, Reason]


def check_judgment(
    scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape, *, not_asked: Collection[str] = ()
) -> dict[str, Any]:
    """Check what was sent for one item and return its values in their one canonical form.

    Parameters
    ----------
    scheme : Scheme
    raw : mapping of slot key to what was sent
        A choice's key; the number of the best candidate; a text; sentences as a list or as typed (``3, 5-7``,
        ``none``); several choices as a list or as typed (``a, c``, ``none``); marked spans as a list of mappings
        (spans.py), as the same in JSON, or ``none``. A slot's key is its aspect's, with
        ``.2`` for the second candidate; ``.forced`` beside the best candidate is the mark that none is acceptable.
        Where the scheme lets people say so, the mark ``cannot_judge`` with ``cannot_judge.reason`` takes the place of
        everything else.
    shape : ItemShape
        What the item has.
    not_asked : collection of aspect key
        Aspects that whoever collected the judgment never asked for (imported data): they may be absent even
        where the scheme requires them. When one is there all the same, it is checked.

    Returns
    -------
    dict
        Slot key → choice key or candidate number (str), text (str, line ends unified, outer space gone), sorted
        sentence references or marked spans, or chosen keys in the scheme's order (list; empty = the explicit
        "none"), or True for the mark. Hidden slots and optional ones left open are absent.

    Raises
    ------
    InvalidJudgmentError
        With a reason for every slot that is missing or wrong, and for keys that the scheme does not have.
    """
    read = _read(scheme, raw, shape, not_asked)
    if errors := read.errors | read.broken:
        raise InvalidJudgmentError(errors)
    return read.values


def check_earlier_judgment(scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape) -> EarlierJudgment:
    """Check a judgment that was given under an earlier version of a scheme.

    Nobody was asked for what it lacks. What breaks only a rule of how much must be said (lengths of texts, at least
    one of a list) is kept as it was said; parameters as in :func:`check_judgment`.
    """
    return _read(scheme, raw, shape, {aspect.key for aspect in scheme.aspects})


def cannot_judge(values: Mapping[str, Any]) -> bool:
    """Whether somebody said that they cannot judge the item: in a form, a file, or in checked values."""
    mark = values.get(CANNOT_JUDGE)
    return mark is not None and str(mark).strip().lower() not in _NOT_MARKED


def _read(scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape, not_asked: Collection[str]) -> EarlierJudgment:
    if scheme.cannot_judge:
        if cannot_judge(raw):
            return _without_judgment(raw)
        raw = {key: value for key, value in raw.items() if key not in (CANNOT_JUDGE, CANNOT_JUDGE_REASON)}
    slots = scheme.slots(shape)
    known = {slot.key for slot in slots} | {slot.forced_key for slot in slots if slot.forced_key}
    errors = {key: Reason("judgment.no_aspect") for key in raw if key not in known}
    broken: dict[str, Reason] = {}
    values: dict[str, Any] = {}
    for slot in scheme.shown_slots(shape, said_in(slots, raw)):
        if slot.aspect.key in not_asked and slot.key not in raw:
            continue
        demand = Demand(
            slot,
            shape,
            is_required=scheme.is_required(slot, values),
            needs_sentence=scheme.holds(slot, "at_least_one_when", values),
            has_article="article" in scheme.parts,
        )
        try:
            value = check_value(demand, raw.get(slot.key))
        except BrokenRuleError as error:
            broken[slot.key], value = error.reason, error.said
        except CodedError as error:
            errors[slot.key] = error.reason
            continue
        if value is not None:
            values[slot.key] = value
            if slot.forced_key and raw.get(slot.forced_key) not in (None, "", False):
                values[slot.forced_key] = True
    return EarlierJudgment(values, broken, errors)


def _without_judgment(raw: Mapping[str, Any]) -> EarlierJudgment:
    """The answer "I cannot judge this" with its reason; what else was said with it is no part of it."""
    values: dict[str, Any] = {CANNOT_JUDGE: True}
    given = raw.get(CANNOT_JUDGE_REASON)
    reason = plain_text(given) if isinstance(given, str) else ""
    if not reason:
        return EarlierJudgment(values, {}, {CANNOT_JUDGE: Reason("judgment.why_not_missing")})
    values[CANNOT_JUDGE_REASON] = reason
    broken = {CANNOT_JUDGE: too_long(reason, MOST_OF_REASON)} if len(reason) > MOST_OF_REASON else {}
    return EarlierJudgment(values, broken, {})
