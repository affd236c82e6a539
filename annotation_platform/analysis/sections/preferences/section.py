"""The judgments that say which of several answers is best, as comparisons of two systems at a time."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from math import log
from typing import Any, NamedTuple

import numpy as np

from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.sections.preferences.duels import Duels
from annotation_platform.analysis.sections.preferences.figures import Preferences
from annotation_platform.analysis.sections.preferences.measure import preferences
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Codes
from annotation_platform.core.schemes import BestOfAspect
from annotation_platform.core.schemes.aspects import FORCED, TIE
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.studies.models import Candidate, Study

_FORMATTING = re.compile(r"^\s{0,3}#{1,6}\s|^\s*(?:[-*+•]|\d{1,3}[.)])\s|\*\*(?=\S)[^*\n]+\*\*", re.MULTILINE)


class _Text(NamedTuple):
    """How long an answer is, in characters, and how many headings, list items and words in bold it has."""

    characters: int
    formatting: int

    @classmethod
    def of(cls, text: str) -> "_Text":
        return cls(len(text.strip()), sum(1 for _ in _FORMATTING.finditer(text)))


class _Shown(NamedTuple):
    """A group of candidates, by number: whose answers they are and how they look; and what they answer."""

    question: int
    article: int
    systems: dict[int, str]
    texts: dict[int, _Text]


class _Compared(NamedTuple):
    """Two systems of a group of candidates, and what somebody's choice among them says; logarithms of lengths."""

    first: int
    second: int
    outcome: float
    shown_first: float
    longer: float
    more_formatted: float
    question: int
    article: int
    annotator: int


def read(given: SnapshotInput) -> tuple[Study, Any]:
    """Nothing beyond what the aspects have read: their digests know every choice."""
    asked = [each.key for each in given.study.scheme().aspects if isinstance(each, BestOfAspect)]
    return given.study, asked


def measure(study: Study, bootstrap: Bootstrap) -> dict[str, Preferences]:
    """By the key of each aspect that asks for the best candidate; intervals are computed and not resampled."""
    asked = [each.key for each in study.scheme().aspects if isinstance(each, BestOfAspect)]
    shown = _shown(study) if asked else {}
    found = {key: _duels(study, key, shown) for key in asked}
    return {key: preferences(duels) for key, duels in found.items() if len(duels)}


def _shown(study: Study) -> dict[int, _Shown]:
    found: dict[int, _Shown] = {}
    rows = Candidate.objects.filter(study=study).order_by("item_id", "number")
    for item, number, system, text, question, article in rows.values_list(
        "item_id", "number", "answer__system__name", "answer__text", "item__question_id", "item__question__article_id"
    ).iterator(1_000):
        shown = found.setdefault(item, _Shown(question, article, {}, {}))
        shown.systems[number], shown.texts[number] = system, _Text.of(text)
    return found


def _duels(study: Study, aspect: str, shown: dict[int, _Shown]) -> Duels:
    """The chosen candidate against each other one of its group; between these nothing was said. A tie is one of all.

    Candidates of one and the same system are not compared.
    """
    closed = Annotation.objects.closed().filter(item__study=study)
    chosen = Rating.objects.filter(aspect=aspect, annotation__in=closed)
    names = sorted({name for group in shown.values() for name in group.systems.values()})
    code = {name: place for place, name in enumerate(names)}
    found: list[_Compared] = []
    for item, annotator, choice, order in chosen.order_by("annotation_id").values_list(
        "annotation__item_id", "annotation__annotator_id", "choice", "annotation__presented"
    ):
        found += _compared_in(shown[item], choice, order, annotator, code)
    questions, articles = _codes(each.question for each in found), _codes(each.article for each in found)
    by_article = len(np.unique(articles)) > 1
    return Duels(
        first=_codes(each.first for each in found),
        second=_codes(each.second for each in found),
        questions=questions,
        annotators=_codes(each.annotator for each in found),
        outcomes=np.array([each.outcome for each in found]),
        shown_first=np.array([each.shown_first for each in found]),
        longer=np.array([each.longer for each in found]),
        more_formatted=np.array([each.more_formatted for each in found]),
        groups=articles if by_article else questions,
        systems=tuple(names),
        group_is="article" if by_article else "question",
        forced=closed.filter(values__has_key=f"{aspect}.{FORCED}").count(),
    )


def _compared_in(
    group: _Shown, choice: str, order: list[int] | None, annotator: int, code: Mapping[str, int]
) -> Iterator[_Compared]:
    """What one annotator's choice says of each two candidates of a group."""
    for one, other in combinations(sorted(group.systems, key=lambda number: code[group.systems[number]]), 2):
        if group.systems[one] == group.systems[other] or choice not in (TIE, str(one), str(other)):
            continue
        one_text, other_text = group.texts[one], group.texts[other]
        yield _Compared(
            first=code[group.systems[one]],
            second=code[group.systems[other]],
            outcome=0.5 if choice == TIE else float(choice == str(one)),
            shown_first=float(order.index(one) < order.index(other)) if order else np.nan,
            longer=log(max(one_text.characters, 1) / max(other_text.characters, 1)),
            more_formatted=log((1 + one_text.formatting) / (1 + other_text.formatting)),
            question=group.question,
            article=group.article,
            annotator=annotator,
        )


def _codes(values: Iterable[int]) -> Codes:
    return np.fromiter(values, dtype=np.int64)


STUDY_SECTIONS = {"preferences": StudySection(read, measure)}
