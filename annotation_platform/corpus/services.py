"""Everything that writes corpora."""

from collections.abc import Sequence

from django.db import transaction

from annotation_platform.corpus.importers import ImportedArticle
from annotation_platform.corpus.models import Answer, Article, Corpus, Question, Sentence, System

BATCH_SIZE = 1000


@transaction.atomic
def store_corpus(*, name: str, language: str, articles: Sequence[ImportedArticle]) -> Corpus:
    """Store a corpus as it was read from a file, in the order of the file."""
    corpus = Corpus.objects.create(name=name, language=language)
    names = dict.fromkeys(system for a in articles for q in a.questions for system in q.answers)
    stored_systems = System.objects.bulk_create(System(corpus=corpus, name=name) for name in names)
    systems = {system.name: system for system in stored_systems}
    stored_articles = Article.objects.bulk_create(
        (
            Article(
                corpus=corpus,
                external_id=article.external_id,
                title=article.title,
                source=article.source,
                position=position,
                sentence_count=len(article.sentences),
            )
            for position, article in enumerate(articles, start=1)
        ),
        batch_size=BATCH_SIZE,
    )
    Sentence.objects.bulk_create(
        (
            Sentence(article=stored, number=number, text=text)
            for stored, article in zip(stored_articles, articles, strict=True)
            for number, text in enumerate(article.sentences, start=1)
        ),
        batch_size=BATCH_SIZE,
    )
    questions = [
        (stored, position, question)
        for stored, article in zip(stored_articles, articles, strict=True)
        for position, question in enumerate(article.questions, start=1)
    ]
    stored_questions = Question.objects.bulk_create(
        (
            Question(article=stored, external_id=q.external_id, position=position, text=q.text, anchor=q.anchor)
            for stored, position, q in questions
        ),
        batch_size=BATCH_SIZE,
    )
    Answer.objects.bulk_create(
        (
            Answer(question=stored, system=systems[system], text=text)
            for stored, (_, _, question) in zip(stored_questions, questions, strict=True)
            for system, text in question.answers.items()
        ),
        batch_size=BATCH_SIZE,
    )
    return corpus
