"""Judgments beside accepted answers: what a round of qualification, or a check among other tasks, measures.

A *key* says of one item which answers are accepted: slot key → accepted answers. What is not in it is not compared.

- One choice (choice, stars, yes_no, range, item_choice, best_of): a set of accepted choices; whoever chose one of them
  matches. ``"-"`` accepts that nothing was said, such as where another answer hides the question.
- Several choices, cited sentences, marked spans (each marked character with its label): the set C that was said
  matches the accepted set A when they overlap enough, 100 · |C ∩ A| ≥ p · |C ∪ A| (Jaccard's coefficient in whole
  percent), and two empty sets ("none") match. Whoever says nothing at all says no set, which matches nothing.

Texts are not compared. Who cannot judge the item matches nothing. An aspect that accepted answers hide is not compared
for whoever gave them, unless its own accepted answers say what to make of that: a later version of a scheme can have a
condition that its key knows nothing of.

The *match percentage* of an attempt is 100 · matched / compared over all slots of all items (Acorn, appendix B of its
paper: “acceptable” answers, the top workers by match percentage, a dummy question with strict instructions). Without
anything compared it is undefined (None). Comparisons with a least percentage are made in whole numbers, so that 59 %
of 100 answers is 59 answers, exactly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.core.schemes.aspects import (
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
)
from annotation_platform.core.schemes.conditions import NONE, can_hold
from annotation_platform.core.schemes.definition import Slot, seen_from
from annotation_platform.core.schemes.judgment import cannot_judge
from annotation_platform.core.schemes.migration import SchemeChanges, mapped, said_in
from annotation_platform.core.schemes.spans import read_spans
from annotation_platform.core.schemes.typed_values import read_sentences

LEFT_OPEN = "-"
LEAST_OVERLAP = 50
"""Percent of overlap that sets need when nobody says otherwise."""

Accepted = Mapping[str, Sequence[Any]]
"""Slot key → accepted choices (one of them is enough), or the accepted set of sentences, choices or spans."""


class AcceptedAnswersError(ValueError):
    """A key that the scheme cannot have. ``errors`` maps slot keys to what is wrong with them."""

    def __init__(self, errors: Mapping[str, Reason]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{key}: {reason}" for key, reason in self.errors.items()))


@dataclass(frozen=True)
class Match:
    """What of one item's key a judgment matches, and what it does not: keys of slots, in the key's order."""

    matched: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def compared(self) -> int:
        return len(self.matched) + len(self.missed)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was missed."""
        return not self.missed


@dataclass(frozen=True)
class Tally:
    """What an attempt came to over all items; ``failed`` counts items that must be matched whole, and were not."""

    matched: int
    compared: int
    failed: int = 0

    @property
    def percent(self) -> float | None:
        """The match percentage; None when nothing was compared."""
        return 100 * self.matched / self.compared if self.compared else None

    def reaches(self, least_percent: int) -> bool:
        """Whether the match percentage is at least this, and no item failed that must be matched whole."""
        return not self.failed and self.compared > 0 and 100 * self.matched >= least_percent * self.compared


def match(
    scheme: Scheme, accepted: Accepted, values: Mapping[str, Any], *, least_overlap: int = LEAST_OVERLAP
) -> Match:
    """Compare the checked values of a judgment with the key of its item.

    Parameters
    ----------
    scheme
        The one under which it was judged.
    accepted
        As :func:`check_accepted` gives it. A slot of an aspect that the scheme does not have is not
        compared: nobody was asked for it.
    values
        As :func:`annotation_platform.core.schemes.check_judgment` gives them.
    least_overlap
        In whole percent, from 1 to 100; for several choices, cited sentences and marked spans.

    Examples
    --------
    >>> from annotation_platform.core.schemes import build_scheme, preset
    >>> scheme = build_scheme(preset("ebr"))
    >>> match(scheme, {"correct": ["yes"], "sentences": [1, 2]}, {"correct": "no", "sentences": [2]})
    Match(matched=('sentences',), missed=('correct',))
    """
    kinds = {aspect.key: aspect for aspect in scheme.aspects}
    has_judged = not cannot_judge(values)
    matched: list[str] = []
    missed: list[str] = []
    right: dict[str, Any] = {}
    for key in sorted(accepted, key=partial(_place_in, list(kinds))):
        answers, said = accepted[key], values.get(key) if has_judged else None
        if (aspect := kinds.get(key.partition(".")[0])) is None:
            continue
        if has_judged and said is None and LEFT_OPEN not in answers and _is_hidden(scheme, aspect, key, right):
            right[key] = None
            continue
        if isinstance(aspect, SpansAspect):
            agrees = said is not None and _overlap_enough(_marked(said), _marked(answers), least_overlap)
        elif isinstance(aspect, SentencesAspect | SeveralAspect):
            agrees = said is not None and _overlap_enough(set(said), set(answers), least_overlap)
        else:
            agrees = has_judged and (LEFT_OPEN if said is None else said) in answers
        (matched if agrees else missed).append(key)
        if agrees:
            right[key] = said
    return Match(_in_order_of(accepted, matched), _in_order_of(accepted, missed))


def _place_in(aspects: list[str], key: str) -> int:
    """Where a slot's aspect stands: what hides it stands above it."""
    name = key.partition(".")[0]
    return aspects.index(name) if name in aspects else len(aspects)


def _in_order_of(accepted: Accepted, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(key for key in accepted if key in keys)


def _is_hidden(scheme: Scheme, aspect: Aspect, key: str, right: Mapping[str, Any]) -> bool:
    """Whether a slot is hidden by those answers alone that match."""
    number = key.partition(".")[2]
    slot = Slot(aspect, int(number)) if number else Slot(aspect)
    condition = scheme.condition(aspect.key, "shown_when")
    return condition is not None and not can_hold(condition, seen_from(slot, right))


def _marked(spans: Iterable[Any]) -> set[Any]:
    """Each marked character with its label; what overlaps with one label counts once."""
    return {
        (span["text"], place, span["label"])
        for span in spans
        if isinstance(span, Mapping)
        for place in range(span["start"], span["end"])
    }


def _overlap_enough(said: set[Any], accepted: set[Any], least: int) -> bool:
    return 100 * len(said & accepted) >= least * len(said | accepted)


def tally(matches: Iterable[tuple[Match, bool]]) -> Tally:
    """Sum up the items of an attempt: each one's match, and whether it must be matched whole."""
    matched = compared = failed = 0
    for one, must_match in matches:
        matched += len(one.matched)
        compared += one.compared
        failed += must_match and not one.is_whole
    return Tally(matched, compared, failed)


def best(tallies: Mapping[int, Tally], count: int, *, least_percent: int = 0) -> set[int]:
    """Who is among the ``count`` best by match percentage, of those who reach ``least_percent``.

    All who are level with the last one are among them, so it can be more: nobody goes out by the order in which
    people finished.

    Parameters
    ----------
    tallies
        Somebody → what their attempt came to.

    Examples
    --------
    >>> sorted(best({1: Tally(3, 4), 2: Tally(6, 8), 3: Tally(1, 4), 4: Tally(4, 4, failed=1)}, 1))
    [1, 2]
    """
    shares = {who: each.percent or 0.0 for who, each in tallies.items() if each.reaches(least_percent)}
    if count < 1 or not shares:
        return set()
    border = sorted(shares.values(), reverse=True)[:count][-1]
    return {who for who, share in shares.items() if share >= border}


def comparable_slots(scheme: Scheme, shape: ItemShape) -> list[Slot]:
    """The slots of an item for which answers can be accepted: all but texts."""
    return [slot for slot in scheme.slots(shape) if not isinstance(slot.aspect, TextAspect)]


def check_accepted(scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape) -> dict[str, list[Any]]:
    """Check what was written as the key of an item, and return it in its one canonical form.

    Parameters
    ----------
    raw
        Slot key → a list, or typed text: choices with commas between them, sentences as annotators type them
        (``3, 5-7``, ``none``), marked spans as JSON. A slot with nothing in it is not compared.

    Raises
    ------
    AcceptedAnswersError
        With a reason for every slot that is not understood, or that the scheme does not have.
    """
    slots = {slot.key: slot for slot in comparable_slots(scheme, shape)}
    errors = {key: Reason("judgment.no_aspect") for key in raw if key not in slots}
    accepted: dict[str, list[Any]] = {}
    for key, slot in slots.items():
        try:
            answers = _read(scheme, slot, raw.get(key), shape)
        except CodedError as error:
            errors[key] = error.reason
            continue
        if answers is not None:
            accepted[key] = answers
    if errors:
        raise AcceptedAnswersError(errors)
    return accepted


def migrate_accepted(accepted: Accepted, changes: SchemeChanges) -> dict[str, list[Any]]:
    """A key of the old version of a scheme as one of the new.

    A slot whose aspect does not migrate, or for which a choice was accepted that is gone, is in it no more: whoever
    would be right under the old version could say nothing that is accepted.

    Parameters
    ----------
    accepted
        As :func:`check_accepted` gives it.
    changes
        What becomes of the aspects, as :func:`annotation_platform.core.schemes.migration.compare_schemes` says.
    """
    by_old = {change.old: change for change in changes.aspects}
    migrated: dict[str, list[Any]] = {}
    for key, answers in accepted.items():
        name, dot, suffix = key.partition(".")
        change = by_old.get(name)
        if change is None or change.new is None:
            continue
        if not set(change.lost_choices) & {each for each in said_in(list(answers)) if isinstance(each, str)}:
            migrated[f"{change.new}{dot}{suffix}"] = mapped(list(answers), change)
    return migrated


def choices_of(slot: Slot, shape: ItemShape) -> list[str] | None:
    """What can be accepted in a slot, ``"-"`` apart; None where sentences are cited or spans marked."""
    aspect = slot.aspect
    if isinstance(aspect, ItemChoiceAspect):
        return aspect.keys(shape.choices)
    if isinstance(aspect, BestOfAspect):
        return aspect.keys(shape.candidates)
    if isinstance(aspect, SeveralAspect):
        return [choice.key for choice in aspect.choices]
    if isinstance(aspect, SentencesAspect | SpansAspect | TextAspect):
        return None
    return [each.key for each in aspect.scale.choices]


def _read(scheme: Scheme, slot: Slot, raw: Any, shape: ItemShape) -> list[Any] | None:
    if isinstance(slot.aspect, SpansAspect):
        return _read_marked(slot, raw, shape)
    if isinstance(raw, list):
        raw = ", ".join(map(str, raw)) or NONE
    if raw is None or not str(raw).strip():
        return None
    choices = choices_of(slot, shape)
    if choices is None:
        return read_sentences(str(raw), slot, shape, has_article="article" in scheme.parts)
    said = list(dict.fromkeys(each.strip() for each in str(raw).split(",") if each.strip()))
    is_set = isinstance(slot.aspect, SeveralAspect)
    if is_set and said == [NONE]:
        return []
    known = choices if is_set else [*choices, LEFT_OPEN]
    if strange := [each for each in said if each not in known]:
        raise CodedError("judgment.no_choice", value=strange[0][:40], choices=known)
    return [each for each in known if each in said] or None


def _read_marked(slot: Slot, raw: Any, shape: ItemShape) -> list[Any] | None:
    """Accepted spans, as a list or as the same in JSON; ``none`` accepts that nothing was marked."""
    if raw is None or raw == "" or (isinstance(raw, str) and not raw.strip()):
        return None
    if isinstance(raw, str) and raw.strip().lower() == NONE:
        return []
    assert isinstance(slot.aspect, SpansAspect)
    spans = read_spans(slot.aspect, raw, dict(shape.texts), candidate=slot.candidate)
    return [{name: value for name, value in span.items() if name != "note"} for span in spans]
