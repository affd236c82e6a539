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
from annotation_platform.core.statistics.codes import compact, first_of_each

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
    nothing = np.empty(0, dtype=np.int64)
    judged, cited = [(nothing, nothing, nothing)], [(nothing.astype(np.int32), nothing, nothing.astype(np.int32))]
    lengths: dict[int, int] = {}
    n = 0
    for block in item_blocks(given.study, ITEMS_AT_ONCE):
        documents, found = documents_of(block), read_citations(block, aspect)
        judged.append((found.items, found.candidates, found.annotators))
        owners, numbers = (column.astype(np.int32) for column in (found.owners + n, found.sentences))
        cited.append((owners, _keys_of_documents(documents, found), numbers))  # there are millions of them
        shown = np.isin(documents.items, found.items)
        lengths.update(zip(documents.articles[shown].tolist(), documents.lengths[shown].tolist(), strict=True))
        n += len(found.items)
    items, candidates, annotators = (np.concatenate(of_blocks) for of_blocks in zip(*judged, strict=True))
    owners, keys, numbers = (np.concatenate(of_blocks) for of_blocks in zip(*cited, strict=True))
    del judged, cited
    known = given.units(aspect.per)
    of_study = known.codes(items, candidates)
    units, first = _in_order_of_appearance(of_study)
    drawn_with = known.unit_of(of_study[first])
    return CitedSets(
        key=aspect.key,
        title=aspect.title,
        units=units,
        raters=_in_order_of_appearance(annotators)[0],
        owners=owners,
        documents=keys,
        sentences=numbers,
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
    inverse = compact(keys)
    first = first_of_each(inverse)
    order = np.argsort(first)
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    return code[inverse], first[order]


STUDY_SECTIONS = {"sentences": StudySection(read, measure)}
