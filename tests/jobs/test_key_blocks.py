"""Rows in blocks by their keys."""

from operator import itemgetter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation_platform.corpus.models import Article, Sentence
from annotation_platform.jobs.key_blocks import key_blocks, keys_in_blocks
from tests.factories import make_corpus

pytestmark = pytest.mark.django_db


def articles(count: int) -> list[int]:
    make_corpus(articles=count)
    return list(Article.objects.order_by("pk").values_list("pk", flat=True))


def test_every_row_comes_once_in_the_order_of_the_key_after_the_one_that_was_named() -> None:
    keys = articles(5)
    rows = Article.objects.order_by("-title").values_list("title", "pk")
    for after, expected in ((0, [keys[:2], keys[2:4], keys[4:]]), (keys[2], [keys[3:]]), (keys[-1], [])):
        blocks = key_blocks(rows, itemgetter(1), size=2, after=after)
        assert [[key for _, key in block] for block in blocks] == expected


def test_a_block_is_one_query_and_the_last_one_finds_nothing() -> None:
    articles(4)
    with CaptureQueriesContext(connection) as queries:
        assert len(list(key_blocks(Article.objects.values_list("pk"), itemgetter(0), size=2))) == 2
    assert len(queries) == 3


def test_what_happens_between_blocks_neither_skips_nor_repeats_a_row() -> None:
    keys = articles(4)
    seen = []
    for block in key_blocks(Article.objects.values_list("pk"), itemgetter(0), size=2):
        seen += [key for (key,) in block]
        Sentence.objects.filter(article__in=seen).delete()
        Article.objects.filter(pk__in=seen[:1]).update(title="Changed")
    assert seen == keys


def test_keys_that_many_rows_have_come_once() -> None:
    keys = articles(3)
    assert Sentence.objects.count() > 3
    assert [list(block) for block in keys_in_blocks(Sentence.objects.all(), "article_id", size=2)] == [
        keys[:2],
        keys[2:],
    ]
