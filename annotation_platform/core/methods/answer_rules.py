"""Which of the seven rules for judging an answer most likely decided, read off what was compared.

The rules and what they say are in the scheme `equivalence`; here is how they are told from a comparison.

Source of the rules: Li, Mondal, Liang, Nghiem and Boyd-Graber, CFMatch: Aligning Automated Answer Equivalence
Evaluation with Expert Judgments for Open-Domain Question Answering (2024), Table 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation_platform.core.methods.answer_features import FEATURES
from annotation_platform.core.methods.answer_reading import AGREES, Candidate, Reference
from annotation_platform.core.methods.answer_words import MONTHS
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


@dataclass(frozen=True, slots=True)
class Deciding:
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
    value = dict(zip(FEATURES, values, strict=True))
    holding = list(_holding(reference, candidate, value, equivalent)) or [_meaning(reference, value)]
    rule, why = holding[0]
    agreed = (len(holding) == 1) + ((probability if equivalent else 1 - probability) >= SURE)
    return Deciding(rule, (Certainty.OPEN, Certainty.LIKELY, Certainty.CLEAR)[agreed], why)


def _holding(
    reference: Reference, candidate: Candidate, value: Mapping[str, float], equivalent: bool
) -> Iterator[tuple[Rule, str]]:
    """Each rule whose condition holds, with the evidence in words."""
    covered = value["covered"]
    whole = covered >= WHOLE or bool(value["contained"])
    if _is_number(reference):
        agrees = value["numbers"] == 1 or value["year"] == AGREES
        if agrees == equivalent:
            yield Rule.NUMBERS, _numbers_in_words(reference, candidate)
    further = [key for key in candidate.news if key not in reference.keys]
    if whole and len(candidate.normal.words) > len(reference.normal.words):
        beside = f"{len(further)} further word{'s' if len(further) > 1 else ''}" if further else "little else"
        yield Rule.MORE, f"Has the whole of “{reference.text}” and {beside}."
    if not whole and not further and candidate.news:
        missing = [word.form for word in reference.words if word.key not in candidate.place]
        yield Rule.FEWER, f"Has part of “{reference.text}” and nothing else; it lacks {', '.join(missing)}."
    if (
        equivalent
        and _same_name(reference, candidate, value)
        and (not whole or len(candidate.normal.words) <= len(reference.normal.words))
    ):
        yield Rule.ALIASES, f"Has what looks like another form of “{reference.text}”."
    if covered < HARDLY:
        yield (
            (Rule.OTHER if equivalent else Rule.IRRELEVANT),
            f"Has hardly a word of “{reference.text}”{', and is taken as right all the same' if equivalent else ''}.",
        )


def _meaning(reference: Reference, value: Mapping[str, float]) -> tuple[Rule, str]:
    return (
        Rule.MEANING,
        f"Has {percent(value['covered'])} of “{reference.text}” by weight, which alone settles nothing.",
    )


def _is_number(reference: Reference) -> bool:
    dates = [word for word in reference.words if word.is_number or word.key in MONTHS]
    return bool(reference.numbers) and 2 * len(dates) >= len(reference.words)


def _same_name(reference: Reference, candidate: Candidate, value: Mapping[str, float]) -> bool:
    if value["squeezed"] or (
        value["acronym"] and (len(reference.words) == 1 or reference.initials in candidate.news_rank)
    ):
        return True
    spelled_otherwise = not value["words_missing"] and value["covered"] >= ALIKE
    return reference.capital and (spelled_otherwise or _short_or_long_name(reference, candidate))


def _short_or_long_name(reference: Reference, candidate: Candidate) -> bool:
    """Whether its last word is there, and one of the two words before that begins as another of its words does."""
    *others, last = reference.words
    return any(
        _begin_alike(before.form, other.form)
        for place, word in enumerate(candidate.words)
        if word.key == last.key
        for before in candidate.words[max(place - 2, 0) : place]
        for other in others
    )


def _begin_alike(one: str, other: str) -> bool:
    """Whether they share three letters at the beginning, or all of the shorter: Kate, Kathleen, K."""
    letters = min(BEGINNING, len(one), len(other))
    return one[:letters] == other[:letters]


def _numbers_in_words(reference: Reference, candidate: Candidate) -> str:
    there = [number for number in candidate.place if number[0].isdigit()]
    wanted = ", ".join(reference.numbers)
    return f"The reference has {wanted}; the answer has {', '.join(there) or 'no number'}."
