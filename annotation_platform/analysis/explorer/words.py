"""Searching the words of questions and articles at a cost that does not grow with the corpus.

The questions of the rarest word are looked through for the others. A word that more than `MOST` questions have is
only followed to the first of them. PostgreSQL finds words by an index of trigrams where it has the extension
``pg_trgm`` (migration 0004 of ``corpus``); otherwise all questions are read.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from annotation_platform.corpus.models import Article, Question

MOST = 1_000


@dataclass(frozen=True)
class Questions:
    """Keys of the questions that have all words; where ``too_common`` names one, of the first `MOST` that have it."""

    keys: frozenset[int]
    too_common: str = ""


def questions_with(corpus: int, words: Sequence[str]) -> Questions:
    """Questions that have each of the words in their text or their article's title, or as its identifier."""
    by_word = {word: _first_with(corpus, word) for word in words}
    rarest, first = min(by_word.items(), key=lambda each: len(each[1]))
    keys = frozenset(first[:MOST])
    common = [word for word, found in by_word.items() if word != rarest and len(found) > MOST]
    for word, found in by_word.items():
        keys = keys if word in common else keys.intersection(found[:MOST])
    if common:
        checked = Question.objects.filter(pk__in=keys).order_by()
        for word in common:
            in_article = _has("article__title__icontains", word) | _has("article__external_id__iexact", word)
            checked = checked.filter(_has("text__icontains", word) | in_article)
        keys = frozenset(checked.values_list("pk", flat=True))
    return Questions(keys, rarest if len(first) > MOST else "")


def _first_with(corpus: int, word: str) -> list[int]:
    """The first by key, and one more that tells that there are more; those with the word in a title where texts have
    not been enough. Texts and titles apart: each has its index.
    """
    questions = Question.objects.order_by("pk").values_list("pk", flat=True)
    in_text = list(questions.filter(_has("text__icontains", word), article__corpus=corpus)[: MOST + 1])
    if len(in_text) > MOST:
        return in_text
    articles = Article.objects.filter(_has("title__icontains", word) | _has("external_id__iexact", word), corpus=corpus)
    in_article = questions.filter(article__in=articles.order_by("pk").values("pk")[: MOST + 1])[: MOST + 1]
    return sorted({*in_text, *in_article})[: MOST + 1]


def _has(lookup: str, word: str) -> Q:
    """As it was typed, or in plain letters where full-width ones were typed."""
    typed, in_plain_letters = Q((lookup, word)), plain_letters(word)
    return typed if in_plain_letters == word else typed | Q((lookup, in_plain_letters))


def plain_letters(text: str) -> str:
    """With ＧＰＴ－４ as GPT-4."""
    return unicodedata.normalize("NFKC", text)
