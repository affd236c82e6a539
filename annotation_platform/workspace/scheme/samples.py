"""Questions of a corpus as worked examples, to try a scheme on before there is a study."""

from collections.abc import Collection
from dataclasses import replace

from django.db.models import QuerySet

from annotation_platform.core.items import ItemTexts, texts_of_example
from annotation_platform.core.schemes.definition import ExampleDocument, WorkedExample
from annotation_platform.corpus.models import Article, Corpus, Question

SAMPLES = 5


def questions_of(corpus: Corpus) -> QuerySet[Question]:
    """The questions of a corpus that have answers, in its order."""
    return (
        Question.objects.filter(article__corpus=corpus, answers__isnull=False)
        .distinct()
        .order_by("article__position", "position", "pk")
    )


def example_of(question: Question) -> WorkedExample:
    """A question with all that a scheme may show of it: its first answer alone, and all of them as candidates."""
    answers = list(question.answers.all())
    documents = [each.article for each in question.reference_documents.select_related("article")]
    return WorkedExample(
        title=question.external_id,
        sentences=_sentences(question.article),
        documents=tuple(
            ExampleDocument(title=article.title, sentences=sentences)
            for article in documents
            if (sentences := _sentences(article))
        ),
        anchor=question.anchor if question.article.sentence_count else None,
        question=question.text,
        choices=tuple(question.choices),
        answer=answers[0].text,
        rationale=answers[0].rationale,
        reference_answers=tuple(question.reference_answers),
        candidates=tuple(answer.text for answer in answers),
        values={},
    )


def texts_of_sample(question: Question, parts: Collection[str]) -> ItemTexts:
    """A question as a page under a scheme with these parts shows it, conversations turn by turn."""
    texts = texts_of_example(example_of(question), parts)
    talks = [answer.talk for answer in question.answers.all()]
    return replace(
        texts,
        turns=question.talk if texts.question else (),
        answers=tuple(replace(each, turns=talks[max(each.number - 1, 0)]) for each in texts.answers),
    )


def _sentences(article: Article) -> tuple[str, ...]:
    return tuple(article.sentences.values_list("text", flat=True))
