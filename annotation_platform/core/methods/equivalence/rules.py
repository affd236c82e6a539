"""Which of the seven rules for judging an answer most likely decided, read off what was compared.

The rules and what they say are in the scheme `equivalence`; here is how they are told from a comparison.

Source of the rules: Li, Mondal, Liang, Nghiem and Boyd-Graber, CFMatch: Aligning Automated Answer Equivalence
Evaluation with Expert Judgments for Open-Domain Question Answering (2024), Table 1.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotation_platform.core.methods.equivalence.features import FEATURES
from annotation_platform.core.methods.equivalence.reading import AGREES, Candidate, Reference
from annotation_platform.core.text import percent

WHOLE = 0.95
"""From this share of its weighted words a reference counts as covered whole."""
HARDLY = 0.2
"""Below this share it counts as hardly covered."""
ALIKE = 0.75
"""From this share on words that are spelled otherwise count as the same name's."""
BEGINNING = 3
"""So many letters at the beginning of two names make one a form of the other."""
SURE = 0.9
"""From this probability on a verdict counts as sure."""

_COVERED, _CONTAINED, _NUMBERS, _YEAR = map(FEATURES.index, ("covered", "contained", "numbers", "year"))
_ACRONYM, _SQUEEZED, _WORDS_MISSING = map(FEATURES.index, ("acronym", "squeezed", "words_missing"))

Why = Callable[[Reference, Candidate, Sequence[float]], str]


class Rule(StrEnum):
    """The seven rules, by their keys in the scheme `equivalence`."""

    ALIASES = "aliases"
    NUMBERS = "numbers"
    FEWER = "fewer_details"
    MORE = "more_details"
    MEANING = "meaning"
    IRRELEVANT = "irrelevant"
    OTHER = "other_possible"


class Certainty(StrEnum):
    """How sure it is that this rule, and no other, decided."""

    CLEAR = "clear"
    LIKELY = "likely"
    OPEN = "open"


class Deciding(NamedTuple):
    """The rule that most likely decided, how sure that is, and what it was read off."""

    rule: Rule
    certainty: Certainty
    why: str


EXACT_MATCH = Deciding(Rule.MEANING, Certainty.CLEAR, "The words are the reference's.")
SAME_LETTERS = Deciding(Rule.ALIASES, Certainty.CLEAR, "Has the reference's very letters, parted otherwise.")
BLANK = Deciding(Rule.IRRELEVANT, Certainty.CLEAR, "The answer is blank.")


def deciding_rule(
    reference: Reference, candidate: Candidate, values: list[float], probability: float, equivalent: bool
) -> Deciding:
    """The first rule whose condition holds, in the order written here; not for exact matches and blank answers.

    With *covered* the share of the reference's words in the candidate, rare words counting more:

    - numbers: at least half of the reference's words are numbers or months, and they agree (equivalent) or do
      not (not equivalent);
    - more: covered ≥ 0.95, and the candidate has more words than the reference;
    - fewer: whatever the candidate says beyond the question is in the reference, which is not covered whole;
    - aliases (only equivalent, and not with *more*): the reference's initials, which the question does not have, or
      words of which it is the initials, or the same letters parted otherwise, are there; or it has a capital letter,
      and all its words are there, some spelled nearly so, or its last word and, in the two words before that, one
      that begins as another of its words does;
    - other (equivalent) or irrelevant (not equivalent): covered < 0.2;
    - meaning: none of these.

    It is *clear* when no other condition holds and the verdict's probability is at least 0.9, *likely* when one
    of the two is so, *open* otherwise. This reads the comparison, not the classifier's mind: the classifier weighs
    everything at once and knows no rules.

    Parameters
    ----------
    reference : Reference
        The closest one.
    values : list of float
        Its `FEATURES`.
    probability : float
        That the answers are equivalent, 0..1.
    """
    holding = _holding(reference, candidate, values, equivalent)
    rule, why = holding[0]
    agreed = (len(holding) == 1) + ((probability if equivalent else 1 - probability) >= SURE)
    return Deciding(rule, _CERTAINTIES[agreed], why(reference, candidate, values))


def _holding(
    reference: Reference, candidate: Candidate, values: Sequence[float], equivalent: bool
) -> list[tuple[Rule, Why]]:
    """Each rule whose condition holds, with what puts the evidence into words; *meaning* where none does."""
    covered = values[_COVERED]
    whole = covered >= WHOLE or values[_CONTAINED] > 0
    is_longer = len(candidate.normal.words) > len(reference.normal.words)
    holding: list[tuple[Rule, Why]] = []
    if reference.is_number and (values[_NUMBERS] == 1 or values[_YEAR] == AGREES) == equivalent:
        holding.append(_BY_NUMBERS)
    if whole and is_longer:
        holding.append(_BY_MORE)
    if not whole and candidate.news_rank and not _further(reference, candidate):
        holding.append(_BY_FEWER)
    if equivalent and not (whole and is_longer) and _same_name(reference, candidate, values):
        holding.append(_BY_ALIASES)
    if covered < HARDLY:
        holding.append(_BY_OTHER if equivalent else _BY_NOTHING)
    return holding or [_BY_MEANING]


def _further(reference: Reference, candidate: Candidate) -> int:
    """How many words the candidate has beyond question and reference."""
    return len(candidate.news_rank) - len(candidate.ranks(reference.keys))


def _same_name(reference: Reference, candidate: Candidate, values: Sequence[float]) -> bool:
    if values[_SQUEEZED] or (
        values[_ACRONYM] and (len(reference.words) == 1 or reference.initials in candidate.news_rank)
    ):
        return True
    spelled_otherwise = not values[_WORDS_MISSING] and values[_COVERED] >= ALIKE
    return reference.capital and (spelled_otherwise or _short_or_long_name(reference, candidate))


def _short_or_long_name(reference: Reference, candidate: Candidate) -> bool:
    """Whether its last word is there, and one of the two words before that begins as another of its words does."""
    *others, last = reference.words
    return any(
        _begin_alike(before.form, other.form)
        for place in candidate.places(last.key)
        for before in candidate.words[max(place - 2, 0) : place]
        for other in others
    )


def _begin_alike(one: str, other: str) -> bool:
    """Whether they share three letters at the beginning, or all of the shorter: Kate, Kathleen, K."""
    letters = min(BEGINNING, len(one), len(other))
    return one[:letters] == other[:letters]


def _numbers(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    there = [number for number in candidate.place if number[0].isdigit()]
    wanted = ", ".join(reference.numbers)
    return f"The reference has {wanted}; the answer has {', '.join(there) or 'no number'}."


def _more(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    further = _further(reference, candidate)
    beside = f"{further} further word{'s' if further > 1 else ''}" if further else "little else"
    return f"Has the whole of “{reference.text}” and {beside}."


def _fewer(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    missing = [word.form for word in reference.words if word.key not in candidate.place]
    return f"Has part of “{reference.text}” and nothing else; it lacks {', '.join(missing)}."


def _aliases(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    return f"Has what looks like another form of “{reference.text}”."


def _other(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    return f"Has hardly a word of “{reference.text}”, and is taken as right all the same."


def _irrelevant(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    return f"Has hardly a word of “{reference.text}”."


def _meaning(reference: Reference, candidate: Candidate, values: Sequence[float]) -> str:
    return f"Has {percent(values[_COVERED])} of “{reference.text}” by weight, which alone settles nothing."


# Looking members of an enumeration up takes longer than all else.
_CERTAINTIES = (Certainty.OPEN, Certainty.LIKELY, Certainty.CLEAR)
_BY_NUMBERS, _BY_MORE, _BY_FEWER = (Rule.NUMBERS, _numbers), (Rule.MORE, _more), (Rule.FEWER, _fewer)
_BY_ALIASES, _BY_OTHER = (Rule.ALIASES, _aliases), (Rule.OTHER, _other)
_BY_NOTHING, _BY_MEANING = (Rule.IRRELEVANT, _irrelevant), (Rule.MEANING, _meaning)
