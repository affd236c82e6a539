"""The words that the closed judgments of a study mark, as tokens of its texts, for its snapshot."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.db.models import Count, Max

from annotation_platform.analysis.explorer.reading import ItemBlock, item_blocks
from annotation_platform.analysis.measuring.columns import ROWS_AT_ONCE
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.sections.spans.figures import MarkedSpans
from annotation_platform.analysis.sections.spans.measure import Marks, spans_figures
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes
from annotation_platform.core.items import ItemTexts
from annotation_platform.core.schemes import SpansAspect
from annotation_platform.core.schemes.spans import Span, name_in_shape, part_of
from annotation_platform.core.statistics import Bootstrap, MarkedTexts
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.tokens import tokens, tokens_within
from annotation_platform.studies.items import item_texts

ITEMS_AT_ONCE = 500


def read(given: SnapshotInput) -> tuple[SnapshotInput, Any]:
    """The study itself, and how many judgments there are up to which: these are never changed."""
    study = given.study
    asks = bool(study.scheme().spans_aspects)
    closed = Annotation.objects.closed().filter(item__study=study)
    return given, closed.aggregate(n=Count("pk"), last=Max("pk")) if asks else None


def measure(given: SnapshotInput, bootstrap: Bootstrap) -> tuple[MarkedSpans, ...]:
    aspects = given.study.scheme().spans_aspects
    return tuple(spans_figures(_read_aspect(given, aspect), bootstrap) for aspect in aspects)


class _Read:
    """The rows of texts, readings and spans, as they come up."""

    def __init__(self, aspect: SpansAspect) -> None:
        self.aspect = aspect
        self.codes = {label.key: code for code, label in enumerate(aspect.labels)}
        self.texts: list[tuple[int, int, int]] = []  # item, candidate, tokens
        self.readings: list[tuple[int, int]] = []  # text, annotator
        self.spans: list[tuple[int, int, int, int]] = []  # reading, first token, one behind the last, label

    def add(self, item: ItemTexts, candidate: int, judged: list[tuple[int, list[Span]]]) -> None:
        """The texts of an item, or of one candidate, with what each annotator marked in them."""
        for name, text in _marked(self.aspect, item, candidate):
            places = tokens(text)
            self.texts.append((item.id, candidate, len(places)))
            for annotator, spans in judged:
                self.readings.append((len(self.texts) - 1, annotator))
                mine = ((span, tokens_within(places, span.start, span.end)) for span in spans)
                self.spans += [
                    (len(self.readings) - 1, first, last, self.codes[span.label])
                    for span, (first, last) in mine
                    if span.text == name and first < last
                ]


def _marked(aspect: SpansAspect, item: ItemTexts, candidate: int) -> Iterator[tuple[str, str]]:
    """The texts that are marked, by the names that stored spans have for them."""
    if candidate:
        yield "answer", item.named.get(name_in_shape("answer", candidate), "")
        return
    yield from ((name, text) for name, text in item.named.items() if part_of(name) in aspect.marks)


def _read_aspect(given: SnapshotInput, aspect: SpansAspect) -> Marks:
    found = _Read(aspect)
    for block in item_blocks(given.study, ITEMS_AT_ONCE):
        _read_block(given, block, found)
    texts = _table(found.texts, 3)
    readings, spans = _table(found.readings, 2), _table(found.spans, 4)
    known = given.units(aspect.per)
    drawn_with = known.unit_of(known.codes(texts[:, 0], texts[:, 1]))
    marked = MarkedTexts(
        texts=readings[:, 0],
        raters=compact(readings[:, 1]),
        lengths=texts[:, 2],
        readings=spans[:, 0],
        starts=spans[:, 1],
        ends=spans[:, 2],
        labels=spans[:, 3],
        n_labels=len(aspect.labels),
        units=compact(drawn_with.of_item),
    )
    labels = {label.key: label.label for label in aspect.labels}
    return Marks(aspect.key, aspect.title, labels, marked, drawn_with.name)


def _read_block(given: SnapshotInput, block: ItemBlock, found: _Read) -> None:
    rows = block.annotations.order_by("pk").values_list("item_id", "annotator_id", "values")
    judged: dict[tuple[int, int], list[tuple[int, list[Span]]]] = {}
    known = set(block.items)
    for item, annotator, values in rows.iterator(ROWS_AT_ONCE):
        for key, said in values.items() if item in known else ():
            name, _, number = key.partition(".")
            if name == found.aspect.key:
                candidate = int(number or 0)
                spans = [Span(name, candidate, **span) for span in said]
                judged.setdefault((item, candidate), []).append((annotator, spans))
    for texts in item_texts(block.rows.order_by("pk"), given.study.scheme().marked_parts):
        numbers = [each.number for each in texts.candidates] if found.aspect.per == "candidate" else [0]
        for candidate in numbers:
            if (texts.id, candidate) in judged:
                found.add(texts, candidate, judged[texts.id, candidate])


def _table(rows: list[Any], width: int) -> Codes:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


STUDY_SECTIONS = {"spans": StudySection(read, measure)}
