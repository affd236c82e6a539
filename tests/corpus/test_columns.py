"""Rows that are inserted by columns are those that the ORM would insert, and those that are there stay."""

import json

import pytest
from django.db import IntegrityError, connection, transaction

from annotation_platform.analysis.explorer.indexing import FIGURES
from annotation_platform.analysis.models import ItemFigures
from annotation_platform.corpus.columns import copy_columns, insert_columns, insert_rows
from annotation_platform.corpus.models import Answer, Article, Question
from annotation_platform.corpus.services import QUESTION
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.studies.models import Item
from tests.factories import make_corpus, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def rows_of(study: int, items: list[int]) -> list[tuple[object, ...]]:
    """Values of every kind that the figures have, with gaps."""
    filled = []
    for number, item in enumerate(items):
        row: list[object] = []
        for name in FIGURES:
            field = ItemFigures._meta.get_field(name)
            if field.is_relation:
                row.append(item if field.related_model is Item else study)
            elif field.get_internal_type() == "CharField":
                row.append("completeness")
            elif field.get_internal_type() in ("FloatField",):
                row.append(None if number % 3 == 0 and field.null else number / 3)  # type: ignore[union-attr]
            else:
                row.append(number + 1)
        filled.append(tuple(row))
    return filled


def test_the_rows_are_those_of_the_orm_and_rows_that_are_there_stay() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=1, questions=3), annotators=2)
    ItemFigures.objects.all().delete()
    rows = rows_of(study.pk, list(Item.objects.order_by("pk").values_list("pk", flat=True)))
    names = [ItemFigures._meta.get_field(name).attname for name in FIGURES]  # type: ignore[union-attr]
    insert_columns(ItemFigures, FIGURES, rows)
    inserted = list(ItemFigures.objects.order_by("item").values_list(*names))
    ItemFigures.objects.all().delete()
    ItemFigures.objects.bulk_create(ItemFigures(**dict(zip(names, row, strict=True))) for row in rows)
    assert inserted == list(ItemFigures.objects.order_by("item").values_list(*names))
    assert len(inserted) == len(rows) > 3

    insert_columns(ItemFigures, FIGURES, rows, may_be_there=True)
    assert ItemFigures.objects.count() == len(rows)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_columns(ItemFigures, FIGURES, rows)
    columns = [list(map(list, zip(*part, strict=True))) for part in (rows[:2], rows[2:])]
    with pytest.raises(IntegrityError), transaction.atomic():
        copy_columns(ItemFigures, FIGURES, columns)
    ItemFigures.objects.all().delete()
    copy_columns(ItemFigures, FIGURES, columns)
    assert inserted == list(ItemFigures.objects.order_by("item").values_list(*names))


def test_rows_that_are_copied_are_those_of_the_orm_whatever_they_say() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=1, questions=2), annotators=1)
    first, second = study.items.order_by("pk").values_list("pk", flat=True)[:2]
    run = ScoringRun.objects.create(study=study, method=Method.EQUIVALENCE, scorer=Scorer.CLASSIFIER)
    names = ("run", "item", "candidate", "aspect", "label", "value", "reason", "details")
    said = ["", "a\tb\nc\\d", 'NULL \\N "梟"']
    values = [None, -0.1, 1e-300]
    details = [None, {"why": "“a\\b”\n"}, ["ü", 2]]
    parts = [
        (run.pk, [first, first, second], [0, 32_767, 0], "x.one", said, values, "", 3 * [None]),
        (run.pk, [second, first, first], 0, ["b", "c", "d"], "yes", 0.25, said, list(map(json.dumps, details))),
    ]
    copy_columns(ItemScore, names, parts)
    stored = list(ItemScore.objects.order_by("pk").values_list("run", "item", *names[2:]))
    assert stored == [
        *((run.pk, first, 0, "x.one", "", None, "", None), (run.pk, first, 32_767, "x.one", said[1], -0.1, "", None)),
        (run.pk, second, 0, "x.one", said[2], 1e-300, "", None),
        *((run.pk, second, 0, "b", "yes", 0.25, "", None), (run.pk, first, 0, "c", "yes", 0.25, said[1], details[1])),
        (run.pk, first, 0, "d", "yes", 0.25, said[2], details[2]),
    ]


def test_rows_with_keys_are_those_of_the_orm_and_their_keys_are_nobody_elses() -> None:
    article = make_corpus(articles=1, questions=1).articles.get()
    said = [
        (2, "q “1”", "What about 梟?", None, [], []),
        (3, "q\\2", 'A line\nand {curly, "quoted"} NULL', 4, ["a, b", "c"], ["", "ü"]),
    ]
    rows = [(article.pk, *each[:4], json.dumps(each[4]), json.dumps(each[5]), None) for each in said]
    keys = insert_rows(Question, QUESTION, rows)
    names = [Question._meta.get_field(name).attname for name in QUESTION]  # type: ignore[union-attr]
    stored = Question.objects.filter(pk__in=keys).order_by("pk")
    assert list(stored.values_list("pk", *names)) == [
        (key, article.pk, *each, None) for key, each in zip(keys, said, strict=True)
    ]
    after = Question.objects.create(article=article, external_id="after", position=9, text="?")
    assert after.pk > max(keys)
    assert insert_rows(Question, QUESTION, []) == []
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(Question, QUESTION, rows)
    with pytest.raises(IntegrityError), transaction.atomic():
        _insert_answer_of_nobody(after)
    Article.objects.filter(pk=article.pk).delete()
    (again,) = insert_rows(
        Article,
        ("corpus", "external_id", "title", "source", "url", "position", "sentence_count"),
        [(article.corpus_id, "x", "", "", "", 1, 0)],
    )
    assert again > article.pk


def _insert_answer_of_nobody(question: Question) -> None:
    insert_rows(Answer, ("question", "system", "text", "rationale"), [(question.pk, 0, "No such system", "")])
    connection.check_constraints()


@pytest.mark.parametrize("anchors", [(None, None, None), (None, 4, 5), (4, 4, None), (4, 4, 4), (0, 1, 2)])
def test_columns_that_say_the_same_in_all_rows_are_stored_as_others_are(anchors: tuple[int | None, ...]) -> None:
    article = make_corpus(articles=1, questions=1).articles.get()
    rows = [
        (article.pk, 7, f"q {number}", "What?", anchor, "[]", json.dumps(["same"]), None)
        for number, anchor in enumerate(anchors)
    ]
    keys = insert_rows(Question, QUESTION, rows)
    stored = Question.objects.filter(pk__in=keys).order_by("pk")
    names = ("article_id", "position", "external_id", "text", "anchor", "choices", "reference_answers", "turns")
    assert list(stored.values_list(*names)) == [
        (article.pk, 7, f"q {number}", "What?", anchor, [], ["same"], None) for number, anchor in enumerate(anchors)
    ]
    (alone,) = insert_rows(Question, QUESTION, [(article.pk, 8, "alone", "What?", None, "[]", "[]", None)])
    assert Question.objects.get(pk=alone).external_id == "alone"
