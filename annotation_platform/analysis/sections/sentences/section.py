"""The sentences that the closed judgments of a study cite, as arrays, for its snapshot."""

from typing import Any

import numpy as np
from django.db.models import Count, Max

from annotation_platform.analysis.explorer.reading import (
    Citations,
    Documents,
    documents_of,
    item_blocks,
    read_citations,
)
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.sections.sentences.figures import CitedSentences
from annotation_platform.analysis.sections.sentences.measure import CitedSets, sentences_figures
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes
from annotation_platform.core.citations import TURNS
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
    judged, cited = [np.empty((0, 3), dtype=np.int64)], [np.empty((0, 3), dtype=np.int64)]
    lengths: dict[int, int] = {}
    n = 0
    for block in item_blocks(given.study, ITEMS_AT_ONCE):
        documents, found = documents_of(block), read_citations(block, aspect)
        judged.append(np.column_stack([found.items, found.candidates, found.annotators]))
        articles = _keys_of_documents(documents, found)
        cited.append(np.column_stack([found.owners + n, articles, found.sentences]))
        shown = np.isin(documents.items, found.items)
        lengths.update(zip(documents.articles[shown].tolist(), documents.lengths[shown].tolist(), strict=True))
        n += len(found.items)
    table, sentences = np.concatenate(judged), np.concatenate(cited)
    known = given.units(aspect.per)
    of_study = known.codes(table[:, 0], table[:, 1])
    units, first = _in_order_of_appearance(of_study)
    drawn_with = known.unit_of(of_study[first])
    return CitedSets(
        key=aspect.key,
        title=aspect.title,
        units=units,
        raters=_in_order_of_appearance(table[:, 2])[0],
        owners=sentences[:, 0],
        documents=sentences[:, 1],
        sentences=sentences[:, 2],
        drawn_with=drawn_with.of_item,
        lengths=lengths,
        unit=drawn_with.name,
    )


def _keys_of_documents(documents: Documents, found: Citations) -> Codes:
    """The key of the document of each sentence cited, so that the third sentence of one is not the third of another.

    A turn of a conversation has one below 0: it is a document of its item alone.
    """
    items, keys = found.items[found.owners], np.empty(len(found.documents), dtype=np.int64)
    is_turn = found.documents > TURNS
    keys[is_turn] = -(items[is_turn] * TURNS + found.documents[is_turn] - TURNS)
    places = documents.places(items[~is_turn], found.documents[~is_turn])
    keys[~is_turn] = documents.articles[places]
    return keys


def _in_order_of_appearance(keys: Codes) -> tuple[Codes, Codes]:
    """Codes from 0 on in the order in which keys come up, and where each comes up first."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    return code[inverse], first[order]


STUDY_SECTIONS = {"sentences": StudySection(read, measure)}
