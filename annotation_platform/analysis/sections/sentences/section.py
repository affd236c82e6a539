"""The sentences that the closed judgments of a study cite, as arrays, for its snapshot."""

from typing import Any

import numpy as np
from django.db.models import Count, Max

from annotation_platform.analysis.explorer.reading import documents_of, item_blocks, read_citations
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.sections.sentences.figures import CitedSentences
from annotation_platform.analysis.sections.sentences.measure import CitedSets, sentences_figures
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import SentencesAspect
from annotation_platform.core.statistics import Bootstrap

ITEMS_AT_ONCE = 2_000


def read(given: SnapshotInput) -> tuple[SnapshotInput, Any]:
    """The study itself, and how many judgments there are up to which: these are never changed."""
    study = given.study
    asks = bool(study.scheme().sentences_aspects)
    closed = Annotation.objects.closed().filter(item__study=study)
    return given, closed.aggregate(n=Count("pk"), last=Max("pk")) if asks else None


def measure(given: SnapshotInput, bootstrap: Bootstrap) -> tuple[CitedSentences, ...]:
    aspects = given.study.scheme().sentences_aspects
    return tuple(sentences_figures(_read_aspect(given, aspect), bootstrap) for aspect in aspects)


def _read_aspect(given: SnapshotInput, aspect: SentencesAspect) -> CitedSets:
    units: dict[tuple[int, int], int] = {}
    raters: dict[int, int] = {}
    codes: list[tuple[int, int]] = []
    sets: list[frozenset[tuple[int, int]]] = []
    lengths: dict[int, int] = {}
    # The same sentences and sets come again and again: each is kept once.
    known_sentences: dict[tuple[int, int], tuple[int, int]] = {}
    known_sets: dict[frozenset[tuple[int, int]], frozenset[tuple[int, int]]] = {}
    for block in item_blocks(given.study, ITEMS_AT_ONCE):
        documents = documents_of(block)
        for each in read_citations(block, aspect):
            codes.append(
                (
                    units.setdefault((each.item, each.candidate), len(units)),
                    raters.setdefault(each.annotator, len(raters)),
                )
            )
            shown = documents[each.item]
            lengths.update(shown.values())
            # By the key of the document, so that the third sentence of one is not the third of another.
            named = ((shown[document][0], number) for document, number in each.sentences)
            cited = frozenset(known_sentences.setdefault(sentence, sentence) for sentence in named)
            sets.append(known_sets.setdefault(cited, cited))
    table = np.array(codes, dtype=np.int64).reshape(-1, 2)
    known = given.units(aspect.per)
    keys = np.array(list(units), dtype=np.int64).reshape(-1, 2)
    drawn_with = known.unit_of(known.codes(keys[:, 0], keys[:, 1])).of_item
    return CitedSets(aspect.key, aspect.title, table[:, 0], table[:, 1], sets, drawn_with, lengths)


STUDY_SECTIONS = {"sentences": StudySection(read, measure)}
