"""Reads for the explorer's rows: a block of a study's items at a time, so that memory does not grow with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, QuerySet

from annotation_platform.analysis.explorer.measure import ItemRatings
from annotation_platform.analysis.measuring.judgment_table import AspectSpec
from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.core.schemes import LabelledAspect, SentencesAspect
from annotation_platform.corpus.models import ReferenceDocument
from annotation_platform.scoring.models import ItemLabel, ItemScore, Score, ScoringRun
from annotation_platform.studies.models import BatchState, Candidate, Item, Study

Citation = tuple[int, int]  # document (0: the article), sentence


class Cited(NamedTuple):
    """The sentences that one judgment cites."""

    item: int
    candidate: int
    annotator: int
    sentences: frozenset[Citation]


@dataclass(frozen=True)
class ItemBlock:
    """Items of closed batches, by their keys, ascending."""

    study: Study
    items: tuple[int, ...]

    @property
    def annotations(self) -> QuerySet[Annotation]:
        return Annotation.objects.closed().filter(item__in=self.items)

    @property
    def rows(self) -> QuerySet[Item]:
        return Item.objects.filter(pk__in=self.items)


def item_blocks(study: Study, size: int, *, batches: Iterable[int] | None = None) -> Iterator[ItemBlock]:
    """The items of the study's closed batches (or of these batches), so many at a time."""
    items = Item.objects.filter(study=study, hit__batch__state__in=[BatchState.CLOSED, BatchState.SCORED])
    if batches is not None:
        items = items.filter(hit__batch__number__in=list(batches))
    keys = tuple(items.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), size):
        yield ItemBlock(study, keys[start : start + size])


def read_ratings(
    block: ItemBlock,
    measured: list[tuple[LabelledAspect, AspectSpec]],
    run: ScoringRun | None,
    judge: ScoringRun | None,
) -> dict[str, tuple[ItemRatings, dict[int, str]]]:
    """The judgments of a block under each aspect, with the judge's label of each item as a whole."""
    rows: dict[str, list[tuple[int, int, int, str, float | None]]] = {measure.key: [] for _, measure in measured}
    ratings = Rating.objects.filter(annotation__in=block.annotations, aspect__in=rows).values_list(
        "aspect", "annotation__item_id", "candidate", "annotation_id", "choice", "number"
    )
    for aspect, item, candidate, annotation, choice, number in ratings.order_by("pk").iterator():
        rows[aspect].append((item, candidate, annotation, choice, number))
    scores: dict[tuple[str, int], float] = {}
    if run is not None:
        found = Score.objects.filter(run=run, annotation__in=block.annotations)
        scores = {(aspect, pk): value for aspect, pk, value in found.values_list("aspect", "annotation_id", "value")}
    judged: dict[str, dict[tuple[int, int], tuple[str, float | None]]] = {}
    if judge is not None:
        items = ItemScore.objects.filter(run=judge, item__in=block.items, aspect__in=rows)
        for aspect, item, candidate, label, value in items.values_list(
            "aspect", "item_id", "candidate", "label", "value"
        ):
            judged.setdefault(aspect, {})[item, candidate] = (label, value)
    return {
        key: (
            _item_ratings(block, key, each, scores, judged.get(key, {})),
            {item: label for (item, candidate), (label, _) in judged.get(key, {}).items() if not candidate},
        )
        for key, each in rows.items()
    }


def _item_ratings(
    block: ItemBlock,
    aspect: str,
    rows: list[tuple[int, int, int, str, float | None]],
    scores: dict[tuple[str, int], float],
    judged: dict[tuple[int, int], tuple[str, float | None]],
) -> ItemRatings:
    units = {unit: code for code, unit in enumerate(sorted({row[:2] for row in rows}))}
    position = {item: code for code, item in enumerate(block.items)}
    labels: dict[str, int] = {}
    of_judge = [judged.get(unit, ("", None)) for unit in units]
    return ItemRatings(
        units=np.array([units[row[:2]] for row in rows], dtype=np.int64),
        item_of_unit=np.array([position[item] for item, _ in units], dtype=np.int64),
        annotations=np.array([row[2] for row in rows], dtype=np.int64),
        choices=np.array([labels.setdefault(row[3], len(labels)) for row in rows], dtype=np.int64),
        numbers=np.array([np.nan if row[4] is None else row[4] for row in rows], dtype=np.float64),
        scores=np.array([scores.get((aspect, row[2]), np.nan) for row in rows], dtype=np.float64),
        judge_choices=np.array(
            [labels.setdefault(label, len(labels)) if label else -1 for label, _ in of_judge], dtype=np.int64
        ),
        judge_values=np.array([np.nan if value is None else value for _, value in of_judge], dtype=np.float64),
        n_items=len(block.items),
    )


def read_citations(block: ItemBlock, aspect: SentencesAspect) -> Iterator[Cited]:
    """What each judgment cites, one entry a judgment; of an aspect asked per candidate, one for each candidate.

    Judgments that leave the aspect open, or were not asked, have none; the explicit answer "none" is the empty set.
    """
    cited: dict[tuple[int, int], set[Citation]] = {}
    found = SentenceReference.objects.filter(annotation__in=block.annotations, aspect=aspect.key)
    for annotation, candidate, document, number in found.values_list(
        "annotation_id", "candidate", "document", "number"
    ).iterator():
        cited.setdefault((annotation, candidate), set()).add((document, number))
    for candidate in _candidates(block, aspect):
        key = f"{aspect.key}.{candidate}" if candidate else aspect.key
        answered = block.annotations.filter(values__has_key=key).order_by("pk")
        for annotation, item, annotator in answered.values_list("pk", "item_id", "annotator_id"):
            yield Cited(item, candidate, annotator, frozenset(cited.get((annotation, candidate), ())))


def _candidates(block: ItemBlock, aspect: SentencesAspect) -> Iterable[int]:
    if aspect.per == "item":
        return (0,)
    most = Candidate.objects.filter(item__in=block.items).order_by("-number").values_list("number", flat=True)[:1]
    return range(1, max(most, default=0) + 1)


def documents_of(block: ItemBlock) -> dict[int, dict[int, tuple[int, int]]]:
    """Key and number of sentences of each document that an item shows, by the document's number (0: the article)."""
    questions: dict[int, dict[int, tuple[int, int]]] = {}
    shows_documents = "documents" in block.study.scheme().parts
    shown = block.items if shows_documents else ()
    references = ReferenceDocument.objects.filter(question__items__in=shown).distinct()
    for question, number, article, length in references.values_list(
        "question_id", "number", "article_id", "article__sentence_count"
    ):
        questions.setdefault(question, {})[number] = (article, length)
    shows_article = "article" in block.study.scheme().parts
    rows = block.rows.values_list("pk", "question_id", "question__article_id", "question__article__sentence_count")
    return {
        pk: questions.get(question, {}) | ({0: (article, length)} if shows_article else {})
        for pk, question, article, length in rows
    }


def read_values(block: ItemBlock) -> Iterator[tuple[int, dict[str, Any]]]:
    """Item and values of each judgment."""
    return block.annotations.order_by("pk").values_list("item_id", "values").iterator(chunk_size=1_000)


def unread_replies(study: Study, run: ScoringRun | None, judge: ScoringRun | None) -> dict[int, int]:
    """How many requests about each item gave no label or no score, in the runs that count."""
    counts: dict[int, int] = {}

    def add(rows: QuerySet[Any], item: str) -> None:
        for pk, n in rows.order_by().values_list(item).annotate(n=Count("pk")):
            counts[pk] = counts.get(pk, 0) + n

    if run is not None:
        replied = Score.objects.filter(run=run).exclude(failure="")
        add(replied.filter(annotation__is_current=True), "annotation__item_id")
    if judge is not None:
        add(
            ItemLabel.objects.filter(run=judge, source__in=[ItemLabel.Source.UNREAD, ItemLabel.Source.NO_REPLY]),
            "item_id",
        )
    return counts
