"""Reads for the explorer's rows: a block of a study's items at a time, so that memory does not grow with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, QuerySet

from annotation_platform.analysis.explorer.measure import ItemRatings
from annotation_platform.analysis.measuring.columns import ROWS_AT_ONCE, read_whole_numbers
from annotation_platform.analysis.measuring.judgment_table import AspectSpec
from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.core.arrays import Codes, Flags
from annotation_platform.core.schemes import LabelledAspect, SentencesAspect
from annotation_platform.corpus.models import ReferenceDocument
from annotation_platform.scoring.models import ItemLabel, ItemScore, Score, ScoringRun
from annotation_platform.scoring.reply_review import asked_by
from annotation_platform.studies.models import FINISHED_STATES, Candidate, Item, Study


@dataclass(frozen=True, eq=False)
class Citations:
    """What judgments cite under one aspect, an entry a judgment; of an aspect asked per candidate, one a candidate.

    ``owners`` says of each sentence cited by which of them, ``documents`` (0: the article; beyond
    ``core.citations.TURNS`` a turn) and ``sentences`` which it is.
    """

    items: Codes
    candidates: Codes
    annotators: Codes
    owners: Codes
    documents: Codes
    sentences: Codes


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents that items show, an entry each: its number there (0: the article), its key, and its length."""

    items: Codes
    numbers: Codes
    articles: Codes
    lengths: Codes

    def places(self, items: Codes, numbers: Codes) -> Codes:
        """Where the documents of these numbers of these items stand."""
        width = int(self.numbers.max(initial=0)) + 1
        keys = self.items * width + self.numbers
        order = np.argsort(keys)
        found: Codes = order[np.searchsorted(keys, items * width + numbers, sorter=order)]
        return found


@dataclass(frozen=True)
class ItemBlock:
    """Items of closed batches (or of these batches), by their keys, ascending: all that there were between the first
    and the last.

    The querysets ask for what lies between, which is one comparison instead of a thousand keys. A batch that was closed
    only now adds items which are not in the block: whoever reads leaves them out.
    """

    study: Study
    items: tuple[int, ...]
    batches: tuple[int, ...] | None = None

    @property
    def annotations(self) -> QuerySet[Annotation]:
        between = Annotation.objects.closed().filter(
            item__study=self.study, item_id__gte=self.items[0], item_id__lte=self.items[-1]
        )
        return between if self.batches is None else between.filter(item__hit__batch__number__in=self.batches)

    @property
    def rows(self) -> QuerySet[Item]:
        return _closed_items(self.study, self.batches).filter(pk__range=(self.items[0], self.items[-1]))

    def has(self, items: Codes) -> Flags:
        return np.isin(items, self.items)


def _closed_items(study: Study, batches: tuple[int, ...] | None) -> QuerySet[Item]:
    items = Item.objects.filter(study=study, hit__batch__state__in=FINISHED_STATES)
    return items if batches is None else items.filter(hit__batch__number__in=batches)


def item_blocks(study: Study, size: int, *, batches: Iterable[int] | None = None) -> Iterator[ItemBlock]:
    """The items of the study's closed batches (or of these batches), so many at a time."""
    among = None if batches is None else tuple(batches)
    keys = tuple(_closed_items(study, among).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), size):
        yield ItemBlock(study, keys[start : start + size], among)


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
    known = set(block.items)
    for aspect, item, candidate, annotation, choice, number in ratings.order_by("pk").iterator(ROWS_AT_ONCE):
        if item in known:
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


def read_citations(block: ItemBlock, aspect: SentencesAspect) -> Citations:
    """What each judgment cites.

    Judgments that leave the aspect open, or were not asked, are not there; the explicit answer "none" has no sentences.
    """
    answered = [np.empty((0, 4), dtype=np.int64)]
    for candidate in _candidates(block, aspect):
        key = f"{aspect.key}.{candidate}" if candidate else aspect.key
        rows = _table(block.annotations.filter(values__has_key=key), "pk", "item_id", "annotator_id")
        rows = rows[np.argsort(rows[:, 0])]
        answered.append(np.column_stack([rows, np.full(len(rows), candidate)]))
    judged = np.concatenate(answered)
    judged = judged[block.has(judged[:, 1])]
    cited = SentenceReference.objects.filter(annotation__in=block.annotations, aspect=aspect.key)
    rows = _table(cited, "annotation_id", "candidate", "document", "number")
    width = int(max(rows[:, 1].max(initial=0), judged[:, 3].max(initial=0))) + 1
    keys, wanted = judged[:, 0] * width + judged[:, 3], rows[:, 0] * width + rows[:, 1]
    order = np.argsort(keys)
    place = np.searchsorted(keys, wanted, sorter=order)
    known = np.append(keys[order], -1)[place] == wanted
    owners = order[place[known]]
    return Citations(judged[:, 1], judged[:, 3], judged[:, 2], owners, rows[known, 2], rows[known, 3])


def _table(rows: QuerySet[Any], *columns: str) -> Codes:
    """Whole numbers out of the database, shape (rows, columns)."""
    return np.column_stack(read_whole_numbers(rows, *columns))


def _candidates(block: ItemBlock, aspect: SentencesAspect) -> Iterable[int]:
    if aspect.per == "item":
        return (0,)
    most = Candidate.objects.filter(item__in=block.items).order_by("-number").values_list("number", flat=True)[:1]
    return range(1, max(most, default=0) + 1)


def documents_of(block: ItemBlock) -> Documents:
    """The documents that each item shows."""
    parts, found = block.study.scheme().parts, [np.empty((0, 4), dtype=np.int64)]
    if "article" in parts:
        rows = _table(block.rows, "pk", "question__article_id", "question__article__sentence_count")
        found.append(np.column_stack([rows[:, 0], np.zeros(len(rows), dtype=np.int64), rows[:, 1:]]))
    if "documents" in parts:
        references = ReferenceDocument.objects.filter(question__items__in=block.items)
        rows = _table(references, "question__items", "number", "article_id", "article__sentence_count")
        found.append(rows[block.has(rows[:, 0])])
    return Documents(*np.concatenate(found).T)


def read_values(block: ItemBlock) -> Iterator[tuple[int, dict[str, Any]]]:
    """Item and values of each judgment."""
    return block.annotations.order_by("pk").values_list("item_id", "values").iterator(chunk_size=1_000)


def unread_replies(study: Study, run: ScoringRun | None, judge: ScoringRun | None) -> dict[int, int]:
    """How many requests about each item gave no label or no score that is asked for, in the runs that count."""
    counts: dict[int, int] = {}

    def add(rows: QuerySet[Any], item: str) -> None:
        for pk, n in rows.order_by().values_list(item).annotate(n=Count("pk")):
            counts[pk] = counts.get(pk, 0) + n

    if run is not None:
        replied = Score.objects.filter(run=run).exclude(failure="")
        add(replied.filter(annotation__is_current=True), "annotation__item_id")
    if judge is not None:
        unread = ItemLabel.objects.filter(run=judge, source__in=[ItemLabel.Source.UNREAD, ItemLabel.Source.NO_REPLY])
        add(unread.filter(asked_by(study.scheme())), "item_id")
    return counts
