"""Which label a few words give: "4/5", "**Yes**, no errors", "(b)", "星4つ", and when they give none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from annotation_platform.core.methods.extraction.words import (
    alternatives,
    any_of,
    number_words,
    ordinals,
    pattern,
    words_for,
    words_left_open,
)
from annotation_platform.core.methods.judging import Option, Question
from annotation_platform.core.methods.judging.labels import plain, tidy
from annotation_platform.core.methods.replies import Shortfall
from annotation_platform.core.schemes import BestOfAspect


class Unread(StrEnum):
    """Why no label was read."""

    MISSING = "missing"
    """Nothing is said, or nothing that is surely a label."""
    AMBIGUOUS = "ambiguous"
    """Several labels, a range, or a label that is taken back."""
    REFUSED = "refused"
    """The model says that it cannot or will not judge."""
    OUT_OF_SCALE = "out_of_scale"
    """A label that this aspect does not have."""
    UNDECIDED = "undecided"
    """Whether it was to be answered depends on an aspect that could not be read."""


@dataclass(frozen=True)
class LabelReading:
    """What a reply says to one question.

    Exactly one of three: ``value`` is the label's choice (or the text); ``failure`` says why there is none; both are
    None where nothing was to be answered, because a condition does not hold or the aspect was left open.

    Attributes
    ----------
    value : str, optional
        A choice's key, a candidate's number, yes or no for a mark, or a text.
    failure : Unread or Shortfall, optional
    said : str
        The words that it was read from, for a person who decides.
    """

    value: str | None = None
    failure: Unread | Shortfall | None = None
    said: str = ""

    @property
    def is_not_applicable(self) -> bool:
        return self.value is None and self.failure is None


_OPENING = "\"'“‘«「『([{<>=:~ "
_CLOSING = "\"'”’»」』)]}>~"
_LEFT_OPEN, _OUT = "\0left open", "\0out of scale"
_SEVERAL = frozenset({_LEFT_OPEN, _OUT})  # more than one meaning, whichever they are
_SIGN = r"(?:[-+−–—]|(?:minus|negative|plus|マイナス|プラス))"
_WORD = rf"(?:(?:{any_of(number_words())})(?![a-z]))"
_WHOLE = rf"\s*[(\[]?\s*(?:/|out\s+of|of)\s*(?:an?\s+(?:possible|maximum|total)\s+(?:of\s+)?)?(?P<{{}}>\d+|{_WORD})"
_NUMBER = re.compile(
    rf"(?:(?P<full>\d+)点満点(?:中|で)\s*)?(?:(?:星|★|⭐)\s*)?(?P<sign>{_SIGN})?(?P<gap>\s*)"
    rf"(?P<number>\d+(?:[.,]\d+)?|{_WORD})"
    rf"(?:{_WHOLE.format('of')})?(?:\s*(?P<unit>stars?\b|points?\b|点|つ星|つ|★|⭐|%|percent\b))?"
    rf"(?:{_WHOLE.format('of_units')})?"
)
_STARS = re.compile(r"(?P<full>[★⭐]+)(?P<empty>☆*)")
_RANGE = re.compile(r"\s*(?:-|–|—|~|〜|から|\.\.+)\s*[-+]?\d|\+")
_BREAK = re.compile(
    rf"\s*(?:[.,;:!…|、。()\[\]/=〜]|->|=>|→)|\s+[-–—]|[–—]|-\s|\s*{alternatives('copula')}"
    rf"|\s+{alternatives('goes_on')}\b|\s*\Z"
)
_BETWEEN = re.compile(
    rf"[\s.,;:!…|、。()\[\]/=→>~〜–—-]*(?:(?P<joint>{alternatives('and_or')})(?:(?<=[a-z])\b|(?<![a-z]))[\s,、…]*)*"
)
_ORDINAL = re.compile(r"(\d{1,2})[.):]\s*(?=\D)")
_MOST_LEADS = 4
_LONGEST = 2_000  # characters of a label and its reason


def value_reader(question: Question) -> "ValueReader":
    """The reader of a question's labels."""
    counts = isinstance(question.slot.aspect, BestOfAspect) and not question.is_mark
    return _value_reader(question.options, question.not_applicable, counts)


@lru_cache(maxsize=1000)
def _value_reader(options: tuple[Option, ...], not_applicable: str, counts: bool) -> "ValueReader":
    """One for all questions that offer the same."""
    return ValueReader(options, not_applicable, counts)


@dataclass(frozen=True)
class ValueReader:
    """Reads labels of one question.

    Attributes
    ----------
    options : tuple of Option
    not_applicable : str
        What is to be written where nothing is to be answered; empty: it must always be answered.
    counts : bool
        Whether labels can be counted out ("the second").
    """

    options: tuple[Option, ...]
    not_applicable: str = ""
    counts: bool = False

    def read(self, text: str) -> LabelReading:
        """The label that a short text gives: all of it, or what stands before a reason."""
        said = " ".join(text.split())[:300]
        value = " ".join(tidy(text[:_LONGEST]).replace("−", "-").split())
        meant = self._exactly(value)
        if meant is None:
            meant = self._before_a_reason(value)
        return self._reading(meant, value, said)

    def read_whole(self, text: str) -> LabelReading:
        """The label that a text is, with no reason after it."""
        value = " ".join(tidy(text[:_LONGEST]).replace("−", "-").split())
        number = self._number_at(value.lstrip(_OPENING))
        meant = self._exactly(value)
        if meant is None and number is not None and not plain(number[1]):
            meant = number[0]
        return self._reading(meant, "", text.strip()[:300])

    def _reading(self, meant: frozenset[str] | None, value: str, said: str) -> LabelReading:
        if not meant:
            is_refused = bool(pattern("refusal").search(value))
            return LabelReading(failure=Unread.REFUSED if is_refused else Unread.MISSING, said=said)
        if len(meant) > 1:
            return LabelReading(failure=Unread.AMBIGUOUS, said=said)
        (choice,) = meant
        if choice == _OUT:
            return LabelReading(failure=Unread.OUT_OF_SCALE, said=said)
        return LabelReading(said=said) if choice == _LEFT_OPEN else LabelReading(value=choice, said=said)

    @cached_property
    def _names(self) -> dict[str, frozenset[str]]:
        """Plain name → choices. What the prompt shows comes first, then other names, then words for the key."""
        ranks: list[list[tuple[str, str]]] = [[], [], []]
        for option in self.options:
            if option.number is None:
                ranks[0].append((plain(option.shown), option.choice))
                ranks[1].append((plain(option.choice), option.choice))
                ranks[1].append((plain(option.choice.replace("_", " ")), option.choice))
            ranks[1].extend((plain(name), option.choice) for name in option.names)
            ranks[2].extend((word, option.choice) for word in words_for(option.choice))
        left_open = _LEFT_OPEN if self.not_applicable else _OUT
        if self.not_applicable:
            ranks[0].append((plain(self.not_applicable), _LEFT_OPEN))
        ranks.append([(word, left_open) for word in words_left_open()])
        names: dict[str, frozenset[str]] = {}
        for rank in ranks:
            found: dict[str, set[str]] = {}
            for name, choice in rank:
                if name and name not in names:
                    found.setdefault(name, set()).add(choice)
            names |= {name: frozenset(choices) for name, choices in found.items()}
        return names

    @cached_property
    def _ask(self) -> bool:
        """Whether a label itself ends with a question mark."""
        return any(tidy(name).endswith("?") for option in self.options for name in (option.shown, *option.names))

    @cached_property
    def _by_length(self) -> list[str]:
        return sorted(self._names, key=len, reverse=True)

    @cached_property
    def _numbers(self) -> dict[float, str]:
        return {option.number: option.choice for option in self.options if option.number is not None}

    def _exactly(self, value: str) -> frozenset[str] | None:
        """What the whole text means, when it is a label and nothing else."""
        is_asked = value.rstrip(_CLOSING).endswith("?") and not self._ask
        for text in (value, "" if is_asked else plain(value)):
            if text in self._names:
                return self._names[text]
        if self.counts and (place := ordinals().get(plain(value).removeprefix("the ").removesuffix(" one"))):
            return frozenset({self._numbers.get(place, _OUT)})
        return None

    def _before_a_reason(self, value: str) -> frozenset[str] | None:
        for start in self._starts(value):
            rest = value[start:].lstrip(_OPENING)
            if (meant := self._exactly(rest)) is not None:
                return meant
            if (found := self._label_at(rest)) is not None:
                meant, after = found
                return meant | self._contradicting(after)
        return self._with_its_place(value)

    def _starts(self, value: str) -> Iterator[int]:
        """Where the label may begin: at the start, or after words that lead to it."""
        start = 0
        for _ in range(_MOST_LEADS):
            yield start
            start += len(value[start:]) - len(value[start:].lstrip(_OPENING))
            lead = pattern("lead").match(value, start)
            if lead is None or lead.end() == start:
                return
            start = lead.end()
        yield start

    def _label_at(self, text: str) -> tuple[frozenset[str], str] | None:
        """The label at the start of a text, and what follows it; None when what follows makes it something else."""
        if (number := self._number_at(text)) is not None:
            meant, rest = number
            if _RANGE.match(rest):
                return _SEVERAL, rest
            return (meant, rest) if self._ends(rest) else None
        for name in self._by_length:
            if text.startswith(name) and self._ends(rest := text[len(name) :].lstrip(_CLOSING)):
                return self._names[name], rest
        return None

    def _number_at(self, text: str) -> tuple[frozenset[str], str] | None:
        """The choice that a number at the start of a text means, with what follows the number."""
        if not self._numbers:
            return None
        if stars := _STARS.match(text):
            count = len(stars["full"])
            fits = not stars["empty"] or len(stars[0]) == max(self._numbers)
            return frozenset({self._numbers.get(count, _OUT) if fits else _OUT}), text[stars.end() :]
        match = _NUMBER.match(text)
        if match is None:
            return None
        rest = text[match.end() :].lstrip(_CLOSING)
        number = _number(match["number"])
        is_minus = bool(match["sign"]) and match["sign"] not in ("+", "plus", "プラス")
        wholes = [_number(whole) for whole in (match["full"], match["of"], match["of_units"]) if whole]
        if match["unit"] in ("%", "percent") or any(whole != max(self._numbers) for whole in wholes):
            return frozenset({_OUT}), rest
        meant = {self._numbers.get(-number if is_minus else number, _OUT)}
        if is_minus and match["gap"] and match["sign"] in "-–—":  # a minus, or a dash before the number?
            meant = {self._numbers[each] for each in (number, -number) if each in self._numbers} or {_OUT}
        return frozenset(meant), rest

    def _ends(self, rest: str) -> bool:
        return bool(_BREAK.match(rest)) or self._another(rest) is not None

    def _another(self, rest: str) -> frozenset[str] | None:
        """The label that follows a label, after a comma, an "or", an arrow …; None when none does."""
        between = _BETWEEN.match(rest)
        if between is None or not between.end():
            return None
        after = rest[between.end() :].lstrip(_OPENING)
        if (meant := self._exactly(after)) is not None:
            return meant
        for name in self._by_length:
            if after.startswith(name) and _BREAK.match(after[len(name) :].lstrip(_CLOSING)):
                return self._names[name]
        number = self._number_at(after)
        return number[0] if number is not None and _BREAK.match(number[1]) else None

    def _contradicting(self, rest: str) -> frozenset[str]:
        """What the words after a label say against it."""
        if pattern("retraction").search(rest):
            return _SEVERAL
        if pattern("talk").match(rest):
            return _SEVERAL
        return self._another(rest) or self._at_the_end_of(rest)

    def _at_the_end_of(self, rest: str) -> frozenset[str]:
        """The label, in words that the prompt shows, with which a reason ends: "Right: it tells too much"."""
        end = plain(rest)
        names = ((name, option.choice) for option in self.options for name in map(plain, (option.shown, *option.names)))
        return frozenset(
            choice
            for name, choice in names
            if len(name) > 1 and not name[-1].isdigit() and re.search(rf"(?<![a-z]){re.escape(name)}\Z", end)
        )

    def _with_its_place(self, value: str) -> frozenset[str] | None:
        """A label behind its place in the list ("1. Aliases"), and numbers and letters that are no labels."""
        place = _ORDINAL.match(value)
        if place and not self._numbers:
            meant = self._exactly(value[place.end() :])
            if meant and meant <= {option.choice for option in self.options[int(place[1]) - 1 : int(place[1])]}:
                return meant
        bare = plain(value)
        has_letters = bool(self.options) and self.options[0].choice == "a" and len(self.options[0].shown) == 1
        is_letter = has_letters and len(bare) == 1 and bare.isalpha()
        return frozenset({_OUT}) if is_letter or re.fullmatch(r"\d+(?:\.\d+)?", bare) else None


def _number(written: str) -> float:
    return float(written.replace(",", ".")) if written[0].isdigit() else float(number_words()[written])
