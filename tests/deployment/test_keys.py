"""Primary keys do not depend on which tests came before."""

import pytest

from annotation_platform.corpus.models import Corpus
from tests.factories import ArticleFactory, CorpusFactory

pytestmark = pytest.mark.storage


@pytest.fixture(scope="module")
def stored(module_db: None) -> Corpus:
    """The third of three, so that the sequence has moved."""
    return [CorpusFactory() for _ in range(3)][-1]


@pytest.mark.parametrize("time", ["first", "second", "third"])
def test_they_go_on_after_the_rows_of_the_module(db: None, stored: Corpus, time: str) -> None:
    assert CorpusFactory().pk == CorpusFactory().pk - 1 == stored.pk + 1 == 4


@pytest.mark.parametrize("time", ["first", "second"])
def test_they_begin_with_one_where_the_module_has_no_rows(db: None, stored: Corpus, time: str) -> None:
    assert ArticleFactory(corpus=stored).pk == 1
