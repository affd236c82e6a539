"""What is judged in a study, items or candidates, in an order that is the same on every machine."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from sys import intern

import numpy as np

from annotation_platform.analysis.measuring.columns import ROWS_AT_ONCE
from annotation_platform.analysis.measuring.digests import digest
from annotation_platform.core.arrays import Codes
from annotation_platform.core.statistics.units import Unit, unit_of
from annotation_platform.corpus.models import ABOUT_NONE, NO_DOCUMENT
from annotation_platform.studies.models import Candidate, Study


@dataclass(frozen=True)
class Units:
    """The judged units of a study in the order of their external names, and what they have in common.

    ``keys`` has item and candidate of each unit; candidate 0 is the item as a whole. Items that are groups have no
    system: its name is empty. Where all questions are about no document (``about_none``), they are what figures speak
    for: the article that they stand under is none.
    """

    keys: Codes  # (units, 2)
    systems: tuple[str, ...]
    system_of_item: np.ndarray
    sources: tuple[str, ...]
    source_of_item: np.ndarray
    question_of_item: np.ndarray
    article_of_item: np.ndarray
    families: dict[str, tuple[int, ...]]
    about_none: bool
    digest: str

    @cached_property
    def code_of(self) -> dict[tuple[int, int], int]:
        """Each unit's code by (item, candidate)."""
        return {(item, candidate): code for code, (item, candidate) in enumerate(self.keys.tolist())}

    def codes(self, items: Codes, candidates: Codes | int = 0) -> Codes:
        """Of units that are there, by item and candidate."""
        keys = items * self._width
        keys += candidates
        places = np.searchsorted(self._ordered, keys)
        del keys  # a million judgments' take 8 MB
        found: Codes = self._order[places]
        return found

    @cached_property
    def _width(self) -> int:
        return int(self.keys[:, 1].max(initial=0)) + 1

    @cached_property
    def _order(self) -> Codes:
        return np.argsort(self.keys[:, 0] * self._width + self.keys[:, 1])

    @cached_property
    def _ordered(self) -> Codes:
        ordered: Codes = (self.keys[:, 0] * self._width + self.keys[:, 1])[self._order]
        return ordered

    def unit_of(self, among: np.ndarray) -> Unit:
        """What figures about these of them speak for."""
        found = unit_of(self.article_of_item[among], self.question_of_item[among])
        return replace(found, name="question") if self.about_none and found.name == "article" else found


def read_units(study: Study, *, per: str) -> Units:
    """The study's items, or with ``per="candidate"`` their candidates."""
    is_part = per == "candidate"
    is_whole = not is_part and study.scheme().judges_candidates
    candidates = Candidate.objects.filter(study=study).values_list(
        "item__question__article__external_id",
        "item__question__external_id",
        "answer__system__name",
        "item__question__article__source",
        "item_id",
        "number",
    )
    rows = sorted(
        {
            # A name that many have is kept once.
            (*map(intern, (article, question, "" if is_whole else system, source)), item, number if is_part else 0)
            for article, question, system, source, item, number in candidates.iterator(ROWS_AT_ONCE)
        }
    )
    systems, system_of_item = np.unique([row[2] for row in rows] or np.empty(0, "U1"), return_inverse=True)
    sources, source_of_item = np.unique([row[3] for row in rows] or np.empty(0, "U1"), return_inverse=True)
    has_placeholder = study.corpus.articles.filter(ABOUT_NONE).exists()
    questions, articles = _questions_and_articles([row[:2] for row in rows], has_placeholder=has_placeholder)
    about_none = has_placeholder and all(row[0] == NO_DOCUMENT for row in rows)
    families = _families(study, tuple(map(str, systems)))
    return Units(
        keys=np.array([row[4:] for row in rows], dtype=np.int64).reshape(-1, 2),
        systems=tuple(map(str, systems)),
        system_of_item=system_of_item,
        sources=tuple(map(str, sources)),
        source_of_item=source_of_item,
        question_of_item=questions,
        article_of_item=articles,
        families=families,
        about_none=about_none,
        digest=digest(
            *([b"about none"] if about_none else []),
            *("\x1f".join(row[:4]).encode() for row in rows),
            *(str(one).encode() for one in families.items()),
        ),
    )


def _questions_and_articles(rows: list[tuple[str, str]], *, has_placeholder: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes of question and of article, from (article, question); questions about no document share no article."""
    articles = [row if has_placeholder and row[0] == NO_DOCUMENT else row[:1] for row in rows]
    return _codes(rows), _codes(articles)


def _codes(ordered: Sequence[tuple[str, ...]]) -> np.ndarray:
    """Of each name its place among the different ones; equal ones come one after the other."""
    is_new = [name != before for before, name in pairwise(ordered)]
    return np.cumsum([False, *is_new], dtype=np.int64)[: len(ordered)]


def _families(study: Study, systems: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Where the systems of each family stand among these; one alone is no family."""
    found: dict[str, list[int]] = defaultdict(list)
    named = study.corpus.systems.exclude(family="").order_by("family", "name")
    for family, system in named.values_list("family", "name"):
        if system in systems:
            found[family].append(systems.index(system))
    return {family: tuple(codes) for family, codes in found.items() if len(codes) > 1}
