"""Preference data of a release in TRL's formats, made of its own files alone.

An answer's *score* under an aspect is the mean over its judgments: of the scale's numbers, so turned that more is
better, or of an aspect that asks for the best answer 1 for the one chosen and 0 for the others.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import BestOfAspect, RatedAspect, Scheme
from annotation_platform.core.schemes.aspects import TIE, Aspect
from annotation_platform.corpus.importers.exported import NUMBER
from annotation_platform.releases.freeze.rows import rows_of, scheme_of
from annotation_platform.releases.training.chats import Chats


class TrainingFormat(StrEnum):
    """Pairs (``dpo``), with their margin (``reward``), single answers (``kto``), or a judge's chats (``judge``)."""

    DPO = "dpo"
    REWARD = "reward"
    KTO = "kto"
    JUDGE = "judge"


@dataclass
class Judged:
    """An answer, and what its judgments add up to."""

    text: str
    total: Fraction = Fraction(0)
    judgments: int = 0

    @property
    def score(self) -> Fraction:
        """Exact, so that no pair comes of how a computer adds 0.1 and 0.2."""
        return self.total / self.judgments


@dataclass(frozen=True)
class Preferences:
    """The rows, and what did not become one: why → how many."""

    rows: Collection[Mapping[str, Any]]
    dropped: Mapping[str, int] = field(default_factory=dict)


def aspects_to_train_on(scheme: Scheme) -> list[Aspect]:
    """Aspects that say of each answer how good it is."""
    per = "candidate" if scheme.judges_candidates else "item"
    return [
        aspect
        for aspect in scheme.aspects
        if isinstance(aspect, BestOfAspect)
        or (isinstance(aspect, RatedAspect) and aspect.per == per and _has_order(aspect))
    ]


def preferences(folder: Path, format: TrainingFormat, key: str) -> Preferences:
    """Make rows of a release's judgments.

    Parameters
    ----------
    folder
        The release, unpacked.
    key
        Of the aspect that says which answer is better; a judge's chats are about all aspects, and need none.

    Raises
    ------
    InvalidInputError
        When the scheme has no such aspect that orders answers; or, for chats, when it judges groups.
    """
    scheme = scheme_of(folder)
    if format is TrainingFormat.JUDGE:
        chats = Chats(folder, scheme)
        return Preferences(chats, chats.dropped)
    known = {aspect.key: aspect for aspect in aspects_to_train_on(scheme)}
    if key not in known:
        raise InvalidInputError("releases.no_aspect_to_train_on", aspect=key, known=[*known])
    dropped: Counter[str] = Counter()
    questions = _judged(folder, scheme, known[key], dropped)
    make = _single(known[key], dropped) if format is TrainingFormat.KTO else _pairs(format, dropped)
    rows = [row for (_, _, prompt), answers in questions.items() for row in make(prompt, [*answers.values()])]
    return Preferences(rows, dict(dropped))


def lines(found: Preferences) -> Iterator[bytes]:
    """The rows as JSON Lines."""
    return ((json.dumps(row, ensure_ascii=False) + "\n").encode() for row in found.rows)


def _has_order(aspect: RatedAspect) -> bool:
    return aspect.scale.better is not None or aspect.scale.best is not None


def _judged(
    folder: Path, scheme: Scheme, aspect: Aspect, dropped: Counter[str]
) -> dict[tuple[str, str, str], dict[str, Judged]]:
    """Question → system → its answer with what was said of it."""
    questions: dict[tuple[str, str, str], dict[str, Judged]] = {}
    for row, said in rows_of(folder, scheme):
        value, why = _value(said, aspect)
        if value is None:
            dropped[why] += 1
            continue
        of_question = questions.setdefault((row["article_id"], row["question_id"], row["question"]), {})
        judged = of_question.setdefault(row["system"], Judged(row["answer"]))
        judged.total += value
        judged.judgments += 1
    return questions


def _value(said: Mapping[str, Any], aspect: Aspect) -> tuple[Fraction | None, str]:
    """How good a judgment says that an answer is, or None and why it does not say so."""
    if isinstance(aspect, BestOfAspect):
        if said.get(f"{aspect.key}.{TIE}") == 1:
            return None, "releases.votes_for_a_tie"
        vote = said[aspect.key]
        return None if vote is None else Fraction(vote), "releases.judgments_without_value"
    assert isinstance(aspect, RatedAspect)
    number = said[f"{aspect.key}.{NUMBER}"]
    return (None if number is None else _goodness(aspect, number)), "releases.judgments_without_value"


def _goodness(aspect: RatedAspect, number: float) -> Fraction:
    """A number of the scale, so turned that more is better."""
    exact = Fraction(str(number))
    if aspect.scale.best is not None:
        return -abs(exact - Fraction(str(aspect.scale.best)))
    return -exact if aspect.scale.better == "low" else exact


def _pairs(format: TrainingFormat, dropped: Counter[str]) -> Any:
    def make(prompt: str, answers: Sequence[Judged]) -> Iterator[dict[str, Any]]:
        if len(answers) == 1:
            dropped["releases.answers_alone"] += 1
        for one, other in combinations(answers, 2):
            better, worse = (one, other) if one.score > other.score else (other, one)
            if one.text == other.text:
                dropped["releases.pairs_of_the_same_text"] += 1
            elif better.score == worse.score:
                dropped["releases.pairs_tied"] += 1
            else:
                row = {"prompt": prompt, "chosen": better.text, "rejected": worse.text}
                margin = {"margin": float(better.score - worse.score)} if format is TrainingFormat.REWARD else {}
                yield row | margin

    return make


def _single(aspect: Aspect, dropped: Counter[str]) -> Any:
    middle = Fraction(1, 2) if isinstance(aspect, BestOfAspect) else _middle(aspect)

    def make(prompt: str, answers: Sequence[Judged]) -> Iterator[dict[str, Any]]:
        for answer in answers:
            if answer.score == middle:
                dropped["releases.answers_in_the_middle"] += 1
            else:
                yield {"prompt": prompt, "completion": answer.text, "label": answer.score > middle}

    return make


def _middle(aspect: Any) -> Fraction:
    """Half way between the worst and the best that can be said."""
    numbers = (choice.number for choice in aspect.scale.choices)
    said = [_goodness(aspect, number) for number in numbers if number is not None]
    return (min(said) + max(said)) / 2
