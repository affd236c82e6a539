"""The texts of items: what is read of them, in how many queries, and in which blocks."""

from collections.abc import Iterable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation_platform.core.items import Answer, ItemTexts
from annotation_platform.core.schemes import preset
from annotation_platform.core.schemes.parts import Part
from annotation_platform.corpus.items import texts_of
from annotation_platform.corpus.models import ReferenceDocument
from annotation_platform.studies.items import item_text_blocks, item_texts, texts_signature
from annotation_platform.studies.models import Candidate, Study
from tests.factories import ArticleFactory, make_corpus, open_study
from tests.some import some

ALL: tuple[Part, ...] = ("article", "documents", "question", "answer", "rationale", "reference_answers")

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def study_of(questions: int = 2, **settings: object) -> Study:
    study = open_study(corpus=make_corpus(articles=3, questions=questions, systems=("alder",)), **settings)
    for item in study.items.select_related("question__article"):
        item.question.answers.update(rationale=f"Because of {item.question_id}.")
        item.question.reference_answers, item.question.choices = ["Sand.", "Salt."], ["x", "y"]
        item.question.save()
        for number, sentences in ((1, 2), (3, 1)):
            document = ArticleFactory(
                corpus=study.corpus, position=number, sentences=sentences, title=f"Source {number}"
            )
            ReferenceDocument.objects.create(question=item.question, article=document, number=number)
    return study


def read(study: Study, parts: Iterable[Part] = ALL) -> list[ItemTexts]:
    return item_texts(study.items.order_by("pk"), tuple(parts))


def test_an_item_is_read_with_all_that_is_asked_for() -> None:
    study = study_of()
    item = study.items.select_related("question__article__corpus").order_by("pk")[0]
    texts = read(study)[0]
    question, article = item.question, item.question.article
    assert (texts.id, texts.question_id, texts.language) == (item.pk, question.pk, "en")
    assert (texts.question, texts.choices, texts.reference_answers) == (question.text, ("x", "y"), ("Sand.", "Salt."))
    assert texts.answers == (Answer(0, item.answer.text, f"Because of {question.pk}."),)
    assert (texts.answer, texts.rationale, texts.candidates) == (item.answer.text, f"Because of {question.pk}.", ())
    assert texts.article is not None
    assert (texts.article.title, texts.article.anchor) == (article.title, question.anchor)
    assert texts.article.sentences == tuple(article.sentences.values_list("text", flat=True))
    assert [(each.name, each.title, len(each.sentences)) for each in texts.documents] == [
        ("R1", "Source 1", 2),
        ("R3", "Source 3", 1),
    ]
    assert [each.reference for each in texts.documents[0].numbered] == ["R1:1", "R1:2"]
    assert texts.shape.documents == (2, 0, 1)  # a number that is missing is a document without sentences


@pytest.mark.parametrize("part", ALL)
def test_what_is_not_asked_for_stays_empty(part: Part) -> None:
    study = study_of()
    (whole, *_), (without, *_) = read(study), read(study, set(ALL) - {part})
    assert getattr(whole, part)
    assert not getattr(without, part)
    assert [name for name in ALL if getattr(whole, name) != getattr(without, name)] == [part]


def test_a_group_has_its_candidates_by_number() -> None:
    study = open_study(corpus=make_corpus(systems=("alder", "birch", "cedar")), definition=preset("lfqa"))
    for texts in some(read(study, study.scheme().parts)):
        rows = Candidate.objects.filter(item=texts.id).order_by("number").values_list("number", "answer__text")
        assert [(each.number, each.text) for each in texts.candidates] == list(rows)
        assert (texts.answer, texts.letters) == ("", {1: "A", 2: "B", 3: "C"})
        assert texts.shape.candidates == 3


def test_texts_are_read_in_few_queries_however_many_items_there_are() -> None:
    counts = []
    for questions in (2, 12):
        study = study_of(questions)
        with CaptureQueriesContext(connection) as queries:
            assert len(read(study)) == 3 * questions
        counts.append(len(queries))
    assert counts == [4, 4]


def test_texts_that_nobody_asked_for_are_not_loaded() -> None:
    study = study_of()
    with CaptureQueriesContext(connection) as queries:
        read(study, ["question"])
    assert len(queries) == 1
    with CaptureQueriesContext(connection) as queries:
        read(study, ["question", "answer"])
    assert not [query for query in queries if "corpus_sentence" in query["sql"]]


@pytest.mark.storage
def test_blocks_are_whole_in_order_and_go_on_after_an_item() -> None:
    study = study_of()
    keys = list(study.items.order_by("pk").values_list("pk", flat=True))
    blocks = list(item_text_blocks(study.items.all(), ALL, size=4))
    assert [[each.id for each in block] for block in blocks] == [keys[:4], keys[4:]]
    (rest,) = item_text_blocks(study.items.all(), ALL, after=keys[1], size=4)
    assert [each.id for each in rest] == keys[2:]
    assert rest == blocks[0][2:] + blocks[1]


def test_the_signature_changes_with_any_text_that_is_read() -> None:
    study = study_of()
    items, question = study.items.all(), study.items.all()[0].question
    before, of_questions = texts_signature(items, ALL), texts_signature(items, ["question"])
    assert texts_signature(items, ALL) == before
    question.answers.update(rationale="For another reason.")
    assert texts_signature(items, ALL) != before
    assert texts_signature(items, ["question"]) == of_questions


@pytest.mark.parametrize("parts", [ALL, ("question",), ("candidates", "documents"), ("rationale",)])
def test_an_item_that_is_there_already_has_the_texts_that_are_read(parts: tuple[Part, ...]) -> None:
    study = study_of()
    given = study.items.select_related("question__article__corpus").prefetch_related("candidates__answer")
    found = [texts_of(item, reversed(item.candidates.all()), parts) for item in given.order_by("pk")]
    assert found == read(study, parts)
    item = given[0]
    with CaptureQueriesContext(connection) as asked:
        texts_of(item, item.candidates.all(), ("question", "answer", "rationale"))
    assert len(asked) == 0
