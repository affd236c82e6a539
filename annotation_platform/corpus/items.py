"""The texts of items, read in bulk: a handful of queries, however many items there are.

What an item is, a question with one answer or with a group of them, is said by rows of an app above this one: they
come as querysets.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation_platform.core.items import Answer, Document, ItemTexts
from annotation_platform.core.turns import turns_of
from annotation_platform.corpus.models import ReferenceDocument, Sentence


class _Row(NamedTuple):
    """An item, its question and what stands above that."""

    id: int
    question_id: int
    question: str
    turns: list[dict[str, Any]] | None
    anchor: int | None
    choices: list[str]
    reference_answers: list[str]
    article_id: int
    title: str
    source: str
    url: str
    language: str


_COLUMNS = (
    "pk",
    "question_id",
    "question__text",
    "question__turns",
    "question__anchor",
    "question__choices",
    "question__reference_answers",
    "question__article_id",
    "question__article__title",
    "question__article__source",
    "question__article__url",
    "question__article__corpus__language",
)
_WITH_ANSWERS = frozenset(("answer", "candidates", "rationale"))
_OF_ANSWERS = ("item_id", "number", "answer__text", "answer__rationale", "answer__turns")


class _Reference(NamedTuple):
    question_id: int
    number: int
    article_id: int
    title: str
    source: str
    url: str


def read_texts(items: QuerySet[Any], candidates: QuerySet[Any], parts: Collection[str]) -> list[ItemTexts]:
    """The texts of some items, in the order of the rows.

    Parameters
    ----------
    items : queryset
        The items that are wanted; each has a ``question``.
    candidates : queryset
        Where their answers stand: an ``item``, its ``answer``, and the answer's ``number`` in it.
    parts : collection of str
        The parts of a scheme that are wanted; the others stay empty, and the texts behind them are not read. Choices
        always come. With ``candidates`` among them items are groups; otherwise each is its one answer.
    """
    rows = [_Row._make(row) for row in items.values_list(*_COLUMNS)]
    given: Iterable[tuple[Any, ...]] = ()
    if not _WITH_ANSWERS.isdisjoint(parts):
        of_rows = candidates.filter(item__in=[row.id for row in rows]).order_by("item_id", "number")
        given = of_rows.values_list(*_OF_ANSWERS)
    return _texts(rows, given, parts)


def texts_of(item: Any, candidates: Iterable[Any], parts: Collection[str]) -> ItemTexts:
    """The texts of an item that is there already with its question, article and corpus, and its answers with theirs.

    As :func:`read_texts` has them, by fewer queries.
    """
    row = _Row._make(_attributes(_COLUMNS)(item))
    in_order = sorted(candidates, key=attrgetter("number"))
    return _texts([row], map(_attributes(_OF_ANSWERS), in_order), parts)[0]


def _attributes(columns: Iterable[str]) -> Callable[[Any], Any]:
    return attrgetter(*(column.replace("__", ".") for column in columns))


def _texts(rows: Sequence[_Row], given: Iterable[tuple[Any, ...]], parts: Collection[str]) -> list[ItemTexts]:
    """``given``: the answers of the items by number, by ``_OF_ANSWERS``."""
    answers = _answers(given, parts)
    references = _references(rows) if "documents" in parts else {}
    wanted = {reference.article_id for of_question in references.values() for reference in of_question}
    if "article" in parts:
        wanted |= {row.article_id for row in rows}
    sentences = _sentences(wanted) if wanted else {}
    documents = {
        question: tuple(
            Document(each.number, sentences.get(each.article_id, ()), each.title, each.source, each.url)
            for each in of_question
        )
        for question, of_question in references.items()
    }
    return [
        ItemTexts(
            id=row.id,
            question_id=row.question_id,
            language=row.language,
            question=row.question if "question" in parts else "",
            turns=turns_of(row.turns) if "question" in parts else (),
            choices=tuple(row.choices),
            reference_answers=tuple(row.reference_answers) if "reference_answers" in parts else (),
            answers=tuple(answers.get(row.id, ())),
            article=(
                Document(0, sentences.get(row.article_id, ()), row.title, row.source, row.url, row.anchor)
                if "article" in parts
                else None
            ),
            documents=documents.get(row.question_id, ()),
        )
        for row in rows
    ]


def _answers(given: Iterable[tuple[Any, ...]], parts: Collection[str]) -> dict[int, list[Answer]]:
    """The candidates of each item by number, or its one answer."""
    is_group = "candidates" in parts
    has_text, has_rationale = is_group or "answer" in parts, "rationale" in parts
    found: dict[int, list[Answer]] = {}
    if not (has_text or has_rationale):
        return found
    for item, number, text, rationale, turns in given:
        answers = found.setdefault(item, [])
        if is_group or not answers:
            answers.append(
                Answer(
                    number if is_group else 0,
                    text if has_text else "",
                    rationale if has_rationale else "",
                    turns_of(turns) if has_text else (),
                )
            )
    return found


def _references(rows: Sequence[_Row]) -> Mapping[int, list[_Reference]]:
    """The reference documents of each question, by number."""
    found: dict[int, list[_Reference]] = {}
    references = ReferenceDocument.objects.filter(question__in={row.question_id for row in rows}).order_by("number")
    columns = ("question_id", "number", "article_id", "article__title", "article__source", "article__url")
    for row in references.values_list(*columns):
        found.setdefault(row[0], []).append(_Reference._make(row))
    return found


def _sentences(articles: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
    """The sentences of each document in their order."""
    found: dict[int, list[str]] = {}
    rows = Sentence.objects.filter(article__in=articles).order_by("article_id", "number")
    for article, text in rows.values_list("article_id", "text"):
        found.setdefault(article, []).append(text)
    return {article: tuple(texts) for article, texts in found.items()}
