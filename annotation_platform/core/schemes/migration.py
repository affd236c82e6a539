"""From one version of a scheme to the next: what of the judgments migrates, what is lost, what is new.

Aspects and choices migrate by their keys, or by an explicit renaming. Nothing is guessed: a choice that is gone
and was not renamed loses its labels, and the report says so before anything is done.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import (
    CANNOT_JUDGE,
    FORCED,
    Aspect,
    RatedAspect,
    SeveralAspect,
    SpansAspect,
)
from annotation_platform.core.schemes.definition import ItemShape, Scheme
from annotation_platform.core.schemes.judgment import check_earlier_judgment
from annotation_platform.core.schemes.mistakes import did_you_mean
from annotation_platform.core.schemes.spans import labels_of

EARLIER = "earlier: "  # no aspect can be called so
_RENAMING = re.compile(r"\s*([a-z0-9_]+)(?:\.([-a-z0-9_.]+))?\s*(?:=|->|→)\s*([-a-z0-9_.]+)\s*")


class RenamingsError(ValueError):
    """Renamings that make no sense. ``reasons`` has one for each line that is wrong."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        self.reasons = list(reasons)
        super().__init__("\n".join(reasons))


@dataclass(frozen=True)
class Renamings:
    """What has another key in the new version: aspects (old → new), and choices ((old aspect, old choice) → new)."""

    aspects: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def aspect(self, key: str) -> str:
        return self.aspects.get(key, key)

    def choice(self, aspect: str, key: str) -> str:
        return self.choices.get((aspect, key), key)


@dataclass(frozen=True)
class AspectChange:
    """What becomes of one aspect of the old version.

    ``new`` is its key in the new version, None when it is dropped (``reason`` says why). ``choices`` are those with
    another key now, ``lost_choices`` those whose labels cannot migrate, ``numbers`` those that count differently.
    """

    old: str
    new: str | None
    reason: Reason | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    lost_choices: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)

    @property
    def lines(self) -> list[Reason]:
        """The change in words."""
        old = self.old
        if self.new is None:
            return [Reason("migration.dropped", key=old, why=self.reason)]
        is_kept = self.new == old
        lines = [Reason("migration.kept", key=old) if is_kept else Reason("migration.renamed", key=old, new=self.new)]
        lines += [Reason("migration.becomes", key=f"{old}.{was}", new=new) for was, new in self.choices.items()]
        lines += [Reason("migration.labels_lost", key=f"{old}.{key}") for key in self.lost_choices]
        lines += [
            Reason("migration.counts", key=f"{old}.{key}", now=_number(after), before=_number(before))
            for key, (before, after) in self.numbers.items()
        ]
        return lines


@dataclass(frozen=True)
class SchemeChanges:
    """What becomes of every aspect of the old version, and which are new; of these also, whose key stood for another
    kind of question when it was last there."""

    aspects: tuple[AspectChange, ...]
    new: tuple[str, ...]
    renamings: Renamings
    of_another_kind: frozenset[str] = frozenset()

    @property
    def lines(self) -> list[Reason]:
        """The whole report in words."""
        new = [Reason("migration.new", key=key) for key in self.new]
        return [line for change in self.aspects for line in change.lines] + new

    @property
    def loses_something(self) -> bool:
        return any(change.new is None or change.lost_choices for change in self.aspects)

    def slot(self, key: str) -> str | None:
        """The new key of a slot of the old version; None where its aspect does not migrate."""
        name, dot, suffix = key.partition(".")
        new = next((change.new for change in self.aspects if change.old == name), None)
        return new and f"{new}{dot}{suffix}"


@dataclass(frozen=True)
class MigratedValues:
    """A judgment under the new version: the values that were migrated, and why others did not, by their old keys.

    ``broken`` are those that were migrated although the new version would not accept them today, and why not.
    """

    values: dict[str, Any]
    lost: dict[str, Reason]
    broken: dict[str, Reason] = field(default_factory=dict)


def read_renamings(lines: Iterable[str], old: Scheme, new: Scheme) -> Renamings:
    """Read renamings such as ``completeness = fullness`` and ``completeness.missing_all = nothing``.

    Raises
    ------
    RenamingsError
        When a line is none, or names what is not there.
    """
    aspects: dict[str, str] = {}
    choices: dict[tuple[str, str], str] = {}
    reasons = []
    read = [(line.strip(), _RENAMING.fullmatch(line)) for line in lines if line.strip()]
    for line, match in sorted(read, key=lambda pair: bool(pair[1] and pair[1][2])):  # aspects first
        if match is None:
            reasons.append(Reason("renamings.unread", line=line))
            continue
        aspect, choice, target = match.groups()
        if aspect not in (known := [each.key for each in old.aspects]):
            reasons.append(_no_aspect("renamings.no_old_aspect", line, aspect, known))
        elif choice is None:
            if target not in (known := [each.key for each in new.aspects]):
                reasons.append(_no_aspect("renamings.no_new_aspect", line, target, known))
            elif target in aspects.values():
                reasons.append(Reason("renamings.same_target", line=line, target=target))
            aspects[aspect] = target
        else:
            known = list(_choices(_aspect(new, aspects.get(aspect, aspect))))
            if choice not in (known_before := list(_choices(_aspect(old, aspect)))):
                hint = did_you_mean(choice, known_before)
                reasons.append(Reason("renamings.no_old_choice", line=line, aspect=aspect, choice=choice, hint=hint))
            elif target not in known:
                hint = did_you_mean(target, known)
                reasons.append(Reason("renamings.no_new_choice", line=line, choice=target, hint=hint))
            choices[aspect, choice] = target
    if reasons:
        raise RenamingsError(reasons)
    return Renamings(aspects, choices)


def _no_aspect(code: str, line: str, aspect: str, known: Sequence[str]) -> Reason:
    return Reason(code, line=line, aspect=aspect, hint=did_you_mean(aspect, known))


def compare_schemes(
    old: Scheme, new: Scheme, renamings: Renamings | None = None, *, earlier: Sequence[Scheme] = ()
) -> SchemeChanges:
    """What becomes of the aspects of one version in the next.

    Parameters
    ----------
    renamings : Renamings, optional
        From :func:`read_renamings`; without, keys migrate as they are.
    earlier : sequence of Scheme
        The versions before the old one, the oldest first.
    """
    renamings = renamings or Renamings()
    taken = set(renamings.aspects.values())
    changes = tuple(_change(aspect, new, renamings, taken) for aspect in old.aspects)
    kept = {change.new for change in changes}
    added = [each for each in new.aspects if each.key not in kept]
    last = {aspect.key: aspect for scheme in (*earlier, old) for aspect in scheme.aspects}
    others = {each.key for each in added if each.key in last and _why_another(last[each.key], each)}
    return SchemeChanges(changes, tuple(each.key for each in added), renamings, frozenset(others))


def migrate_values(
    values: Mapping[str, Any], *, new: Scheme, changes: SchemeChanges, shape: ItemShape
) -> MigratedValues:
    """A checked judgment of the old version as one of the new.

    What migrates is a judgment that the new version accepts, except that it may leave open what it lacks (nobody
    was asked for it), and that its answers may be shorter, longer or fewer than the new version wants: they were
    given under the rule of an earlier one.

    Parameters
    ----------
    values : mapping
        Checked values under the old version.
    new : Scheme
    changes : SchemeChanges
        From :func:`compare_schemes` of the old version with ``new``.
    shape : ItemShape
        The item's.

    Returns
    -------
    MigratedValues
        ``lost`` has the old slot keys of what was not migrated, each with the reason.
    """
    if CANNOT_JUDGE in values:
        if new.cannot_judge:
            return MigratedValues(dict(values), {})
        return MigratedValues({}, {CANNOT_JUDGE: Reason("migration.no_cannot_judge")})
    by_old = {change.old: change for change in changes.aspects}
    origin: dict[str, str] = {}
    raw: dict[str, Any] = {}
    lost: dict[str, Reason] = {}
    for key, value in values.items():
        name, _, suffix = key.partition(".")
        change = by_old[name]
        if change.reason is not None:
            lost[key] = change.reason
        elif suffix != FORCED and (gone := [each for each in said_in(value) if each in change.lost_choices]):
            lost[key] = Reason("migration.choice_gone", choice=gone[0])
        else:
            slot = ".".join(part for part in (change.new, suffix) if part)
            raw[slot], origin[slot] = mapped(value, change), key
    for _ in range(len(raw) + 1):
        read = check_earlier_judgment(new, raw, shape)
        if not read.errors:
            hidden = {origin[slot]: Reason("migration.not_asked_now") for slot in raw if slot not in read.values}
            return MigratedValues(read.values, lost | hidden, read.broken)
        lost |= {origin[slot]: reason for slot, reason in read.errors.items()}
        raw = {slot: value for slot, value in raw.items() if slot not in read.errors}
    raise AssertionError("every refusal takes a value out")


def unanswered(values: Mapping[str, Any], new: Scheme, shape: ItemShape) -> list[str]:
    """The slots that the new version requires and a migrated judgment leaves open."""
    if CANNOT_JUDGE in values:
        return []
    shown = list(new.shown_slots(shape, values))
    visible = {slot.key: values.get(slot.key) for slot in shown}
    return [slot.key for slot in shown if slot.key not in values and new.is_required(slot, visible)]


def migrate_draft(typed: Mapping[str, Any], changes: SchemeChanges) -> dict[str, Any]:
    """What somebody has typed so far, under its new keys; what has no place any more stays as it was typed.

    Where another aspect has the key of such a one now, or the same is of another kind, that stands before it as
    ``EARLIER`` says.
    """
    by_old = {change.old: change for change in changes.aspects}
    migrated: dict[str, Any] = {}
    homeless: dict[str, Any] = {}
    for key, value in typed.items():
        name, dot, suffix = key.partition(".")
        change = by_old.get(name)
        if change is None or change.new is None:
            homeless[key] = value
        else:
            migrated[f"{change.new}{dot}{suffix}"] = _typed_mapped(value, change) if isinstance(value, str) else value
    others = {change.new for change in changes.aspects if change.new is not None} | changes.of_another_kind
    for key, value in homeless.items():
        while key in migrated or key.partition(".")[0] in others:
            key = f"{EARLIER}{key}"
        migrated[key] = value
    return migrated


def _change(aspect: Aspect, scheme: Scheme, renamings: Renamings, taken: set[str]) -> AspectChange:
    key = renamings.aspect(aspect.key)
    new = _aspect(scheme, key)
    if new is None:
        return AspectChange(aspect.key, None, Reason("migration.not_asked"))
    if key in taken and aspect.key not in renamings.aspects:
        return AspectChange(aspect.key, None, Reason("migration.key_taken", key=key))
    if why := _why_another(aspect, new):
        return AspectChange(aspect.key, None, why)
    before, after = _choices(aspect), _choices(new)
    renamed = {choice: renamings.choice(aspect.key, choice) for choice in before}
    return AspectChange(
        aspect.key,
        key,
        choices={choice: target for choice, target in renamed.items() if target != choice and target in after},
        lost_choices=tuple(choice for choice, target in renamed.items() if target not in after),
        numbers={
            choice: (before[choice], after[target])
            for choice, target in renamed.items()
            if target in after and before[choice] != after[target]
        },
    )


def _why_another(old: Aspect, new: Aspect) -> Reason | None:
    """Why no value of one aspect can be one of the other; those of two scales can, each being one choice."""
    if old.kind != new.kind and not (isinstance(old, RatedAspect) and isinstance(new, RatedAspect)):
        return Reason("migration.kind_changed", old=old.kind, new=new.kind)
    return None if old.per == new.per else Reason("migration.per_changed", old=old.per, new=new.per)


def _aspect(scheme: Scheme, key: str) -> Aspect | None:
    return next((aspect for aspect in scheme.aspects if aspect.key == key), None)


def _choices(aspect: Aspect | None) -> dict[str, float | None]:
    """Choice key → number of an aspect whose choices the scheme lists."""
    if isinstance(aspect, RatedAspect):
        return {choice.key: choice.number for choice in aspect.scale.choices}
    if isinstance(aspect, SeveralAspect):
        return {choice.key: choice.number for choice in aspect.choices}
    if isinstance(aspect, SpansAspect):
        return {label.key: None for label in aspect.labels}
    return {}


def said_in(value: Any) -> list[Any]:
    """The choices, sentences or labels that a value, or several, consist of."""
    return labels_of(value) or value if isinstance(value, list) else [value]


def mapped(value: Any, change: AspectChange) -> Any:
    """A value, or several, with the new keys of their choices or labels; the others stay as they are."""
    if labels_of(value):
        return [each | {"label": change.choices.get(each["label"], each["label"])} for each in value]
    if isinstance(value, list):
        return list(dict.fromkeys(change.choices.get(each, each) if isinstance(each, str) else each for each in value))
    return change.choices.get(value, value) if isinstance(value, str) else value


def _typed_mapped(typed: str, change: AspectChange) -> str:
    """A choice as it was typed, or several with commas between them; marked spans are JSON there."""
    if not change.choices:
        return typed
    if typed.startswith("["):
        try:
            spans = json.loads(typed)
        except ValueError:
            return typed
        if labels_of(spans):
            return json.dumps(mapped(spans, change), ensure_ascii=False)
    keys = (key.strip() for key in typed.split(","))
    return ", ".join(dict.fromkeys(change.choices.get(key, key) for key in keys))


def _number(number: float | None) -> str:
    return Reason("migration.no_number") if number is None else f"{number:g}"
