"""Figures of one aspect's explanations: words of labels, systems and annotators, and themes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotation_platform.analysis.sections.explanations.figures import (
    ExplanationsOfAspect,
    GroupWords,
    Quotation,
    Theme,
    WordApart,
)
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.themes import Themes, themes_apart
from annotation_platform.core.methods.words_apart import (
    CategoryWords,
    ExplanationTexts,
    TermApart,
    explanation_texts,
    words_apart,
)
from annotation_platform.core.text import quotation

WORDS_KEPT = 20  # of each group
MOST_GROUPS = 40  # of a kind: those with the most explanations
MOSTLY = 0.8  # of the explanations with a word: a phrase that has it says the same
QUOTATIONS = 3  # of a theme
ITEMS_OF_THEME = 200
OF_WORDS, OF_THEMES = 160, 320  # characters of a quotation


@dataclass(frozen=True, eq=False)
class Explained:
    """The explanations of one aspect, an entry each: the text, the item's key, and codes of all the rest.

    ``of`` is how many there are where these are a sample of them.
    """

    title: str
    texts: Sequence[str]
    items: Codes
    labels: Codes
    systems: Codes
    annotators: Codes
    units: Codes
    unit: str
    label_names: Sequence[str]
    system_names: Sequence[str]
    annotator_names: Sequence[str]
    of: int

    def quoted(self, row: int, most: int) -> Quotation:
        return Quotation(
            item=int(self.items[row]),
            annotator=self.annotator_names[self.annotators[row]],
            system=self.system_names[self.systems[row]],
            label=self.label_names[self.labels[row]],
            text=quotation(self.texts[row], most),
        )


def explanations_figures(given: Explained, seed: int) -> ExplanationsOfAspect:
    counted = explanation_texts(given.texts, given.units)
    kinds = (
        ("labels", given.labels, given.label_names, given.annotators, True),
        ("systems", given.systems, given.system_names, given.annotators, True),
        ("annotators", given.annotators, given.annotator_names, given.labels, False),
    )
    groups: dict[str, tuple[GroupWords, ...]] = {}
    left_out: dict[str, int] = {}
    for kind, codes, names, strata, of_all in kinds:
        kept, few = _most_explained(codes, len(names))
        found = words_apart(
            counted, _recoded(codes, kept, len(names)), len(kept), strata, given.annotators if of_all else None
        )
        groups[kind] = tuple(_group(given, names[code], each) for code, each in zip(kept.tolist(), found, strict=True))
        left_out[kind] = few
    terms, texts = counted.parts[0]
    about = themes_apart(texts.counts, terms, seed=seed)
    return ExplanationsOfAspect(
        text=given.title,
        explanations=len(given.texts),
        of=given.of,
        different=len(counted.texts),
        annotators=len(np.unique(given.annotators)),
        unit=given.unit,
        units=len(np.unique(given.units)),
        terms=sum(len(each) for each, _ in counted.parts),
        groups=groups,
        left_out=left_out,
        themes=tuple(_themes(given, counted, about)),
        themes_undefined_because=about.undefined_because,
        stability=_rounded(about.stability),
        of_shuffled=_rounded(about.of_shuffled),
    )


def _rounded(by_number: dict[int, float]) -> dict[int, float]:
    return {number: round(value, 4) for number, value in by_number.items()}


def _most_explained(codes: Codes, n: int) -> tuple[Codes, int]:
    """The groups with the most explanations in their own order, and how many others have any."""
    sizes = np.bincount(codes, minlength=n)
    known = np.flatnonzero(sizes)
    kept = np.sort(known[np.argsort(-sizes[known], kind="stable")[:MOST_GROUPS]])
    return kept, len(known) - len(kept)


def _recoded(codes: Codes, kept: Codes, n: int) -> Codes:
    """Codes of the groups that are kept. Others are still among those that each is compared with."""
    place = np.full(n, len(kept))
    place[kept] = np.arange(len(kept))
    return place[codes]


def _group(given: Explained, name: str, found: CategoryWords) -> GroupWords:
    kept, more = _said_once(found.terms)
    return GroupWords(
        name=name,
        documents=found.documents,
        others=len(given.texts) - found.documents,
        words=tuple(
            WordApart(
                term=term.term,
                log_odds=round(term.log_odds, 4),
                z=round(term.z, 4),
                p_holm=term.p_holm,
                documents=term.documents,
                others=term.others,
                wordings=term.wordings,
                z_without_one=None if term.z_without_one is None else round(term.z_without_one, 4),
                example=given.quoted(term.example, OF_WORDS),
            )
            for term in kept
        ),
        more=more,
        of_one_annotator=found.of_one_author,
        undefined_because=found.undefined_because,
    )


def _said_once(terms: Sequence[TermApart]) -> tuple[list[TermApart], int]:
    """The strongest, without what is a part of a stronger one, or has it as a part, in mostly the same explanations;
    and how many weaker ones there was no room for."""
    kept: list[TermApart] = []
    for place, term in enumerate(terms):
        if len(kept) == WORDS_KEPT:
            return kept, len(terms) - place
        if not any(_is_part(term, other) for other in kept):
            kept.append(term)
    return kept, 0


def _is_part(one: TermApart, other: TermApart) -> bool:
    """Whether one term is in the other, and mostly stands where it does."""
    if one.term not in other.term and other.term not in one.term:
        return False
    return min(one.documents, other.documents) >= MOSTLY * max(one.documents, other.documents)


def _themes(given: Explained, counted: ExplanationTexts, about: Themes) -> Iterator[Theme]:
    theme_of = about.theme_of[counted.wording]
    for place, words in enumerate(about.words):
        rows = np.flatnonzero(theme_of == place)
        nearness = about.similarity[counted.wording, place]
        labels = Counter(given.label_names[code] for code in given.labels[rows].tolist())
        order = rows[np.argsort(-nearness[rows], kind="stable")]
        yield Theme(
            words=words,
            documents=len(rows),
            by_label=dict(labels),
            quotations=tuple(given.quoted(row, OF_THEMES) for row in _unlike(given, counted, order, nearness)),
            items=tuple(dict.fromkeys(given.items[order].tolist()))[:ITEMS_OF_THEME],
        )


def _unlike(given: Explained, counted: ExplanationTexts, order: Codes, nearness: Floats) -> list[int]:
    """The nearest that say it in words of their own: one for each set of words, of others' first."""
    _, texts = counted.parts[0]
    seen_words: set[tuple[int, ...]] = set()
    seen_authors: set[int] = set()
    found: list[int] = []
    spare: list[int] = []
    for row in order[: 50 * QUOTATIONS].tolist():
        if not nearness[row] or len(found) == QUOTATIONS:
            break
        start, end = texts.counts.indptr[counted.wording[row]], texts.counts.indptr[counted.wording[row] + 1]
        words = tuple(sorted(texts.counts.indices[start:end].tolist()))
        if words in seen_words:
            continue
        seen_words.add(words)
        author = int(given.annotators[row])
        (spare if author in seen_authors else found).append(row)
        seen_authors.add(author)
    return (found + spare)[:QUOTATIONS]
