"""The texts of a study's items as prompts and measures take them: read in blocks, a few queries for each block.

A judge is shown what people are shown, and nothing that tells whose answer it is: candidates stand in the order of
their numbers, which were drawn at random for each item.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from hashlib import sha256

from annotation_platform.core.methods.judging import Document, ItemTexts
from annotation_platform.core.signature import canonical_json
from annotation_platform.corpus.models import ReferenceDocument, Sentence
from annotation_platform.studies.models import Candidate, Item, Study

BLOCK = 200


def item_texts(study: Study, items: Iterable[int] | None = None) -> Iterator[tuple[int, ItemTexts]]:
    """(key, texts) of a study's items, or of some of them, in the order of their keys.

    Only the parts that the study's scheme shows are read; the others stay empty.
    """
    wanted = None if items is None else sorted(set(items))
    for block in _blocks(study, wanted):
        yield from _Block(study, block).texts()


def texts_signature(study: Study) -> str:
    """SHA-256 over the texts of all items."""
    digest = sha256()
    for pk, texts in item_texts(study):
        digest.update(canonical_json([pk, asdict(texts)]).encode())
    return digest.hexdigest()


def _blocks(study: Study, wanted: list[int] | None) -> Iterator[list[Item]]:
    items = study.items.select_related("question__article").order_by("pk")
    if wanted is not None:
        for start in range(0, len(wanted), BLOCK):
            yield list(items.filter(pk__in=wanted[start : start + BLOCK]))
        return
    last = 0
    while block := list(items.filter(pk__gt=last)[:BLOCK]):
        yield block
        last = block[-1].pk


class _Block:
    """Some items, with what they need of other tables."""

    def __init__(self, study: Study, items: list[Item]) -> None:
        self._items, self._parts = items, study.scheme().parts
        self._judges_candidates = study.scheme().judges_candidates
        self._answers: dict[int, list[tuple[str, str]]] = {}
        answers = Candidate.objects.filter(item__in=items).order_by("item_id", "number")
        for item_id, text, rationale in answers.values_list("item_id", "answer__text", "answer__rationale"):
            self._answers.setdefault(item_id, []).append((text, rationale))
        self._references: dict[int, dict[int, tuple[int, str, str]]] = {}
        if "documents" in self._parts:
            rows = ReferenceDocument.objects.filter(question__in=[item.question_id for item in items])
            for question_id, number, article_id, title, url in rows.values_list(
                "question_id", "number", "article_id", "article__title", "article__url"
            ):
                self._references.setdefault(question_id, {})[number] = (article_id, title, url)
        self._sentences = self._read_sentences()

    def _read_sentences(self) -> dict[int, list[str]]:
        articles = {article_id for each in self._references.values() for article_id, _, _ in each.values()}
        if "article" in self._parts:
            articles |= {item.question.article_id for item in self._items}
        found: dict[int, list[str]] = {}
        rows = Sentence.objects.filter(article__in=articles).order_by("article_id", "number")
        for article_id, text in rows.values_list("article_id", "text"):
            found.setdefault(article_id, []).append(text)
        return found

    def texts(self) -> Iterator[tuple[int, ItemTexts]]:
        parts = self._parts
        for item in self._items:
            question, answers = item.question, self._answers.get(item.pk, [])
            text, rationale = answers[0] if answers and not self._judges_candidates else ("", "")
            yield (
                item.pk,
                ItemTexts(
                    sentences=tuple(self._sentences.get(question.article_id, ())) if "article" in parts else (),
                    documents=self._documents(question.pk),
                    anchor=question.anchor if "article" in parts else None,
                    question=question.text if "question" in parts else "",
                    choices=tuple(question.choices),
                    answer=text if "answer" in parts else "",
                    rationale=rationale if "rationale" in parts else "",
                    reference_answers=tuple(question.reference_answers) if "reference_answers" in parts else (),
                    candidates=tuple(text for text, _ in answers) if self._judges_candidates else (),
                ),
            )

    def _documents(self, question_id: int) -> tuple[Document, ...]:
        """R1, R2, …; a number that is missing is a document without sentences."""
        references = self._references.get(question_id, {})
        numbers = range(1, max(references, default=0) + 1)
        return tuple(
            self._document(*references[number]) if number in references else Document(()) for number in numbers
        )

    def _document(self, article_id: int, title: str, url: str) -> Document:
        return Document(tuple(self._sentences.get(article_id, ())), title, url)
