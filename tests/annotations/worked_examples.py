"""A study of a scheme's own worked examples: whatever a scheme asks, they say how it is answered."""

from dataclasses import dataclass
from typing import Any

from annotation_platform.core.schemes import Scheme, build_scheme, check_judgment, renumber_candidates
from annotation_platform.core.schemes.definition import WorkedExample
from annotation_platform.corpus.models import Answer, Article, Question, Sentence
from annotation_platform.studies.models import Item, Study
from tests.annotations.every_kind import add_references
from tests.factories import ArticleFactory, CorpusFactory, QuestionFactory, SystemFactory, open_study


@dataclass(frozen=True)
class ExampleStudy:
    study: Study
    scheme: Scheme

    def example_of(self, item: Item) -> WorkedExample:
        return self.scheme.examples[int(item.question.external_id)]

    def values_of(self, item: Item) -> dict[str, Any]:
        """The example's judgment, candidates by the numbers that this item drew for them."""
        example = self.example_of(item)
        checked = check_judgment(self.scheme, example.values, example.shape)
        drawn = {each.answer.text: each.number for each in item.candidates.select_related("answer")}
        numbers = {place: drawn[text] for place, text in enumerate(example.candidates, start=1)}
        return renumber_candidates(self.scheme, checked, numbers) if numbers else checked


def study_of_examples(definition: dict[str, Any], **settings: Any) -> ExampleStudy:
    """An open study in which every worked example is an item, in a HIT of its own."""
    scheme = build_scheme(definition)
    assert scheme.examples, "a scheme for annotators has worked examples"
    corpus = CorpusFactory()
    systems = [SystemFactory(corpus=corpus) for _ in range(max(len(each.candidates) for each in scheme.examples) or 1)]
    for index, example in enumerate(scheme.examples):
        question = QuestionFactory(
            article=_article(corpus, example.sentences),
            external_id=str(index),
            text=example.question or "?",
            anchor=example.anchor,
            choices=list(example.choices),
            reference_answers=list(example.reference_answers),
        )
        add_references(question, [_article(corpus, each.sentences, each.title) for each in example.documents])
        _answer(question, example, systems)
    return ExampleStudy(open_study(corpus=corpus, definition=definition, **settings), scheme)


def _article(corpus: Any, sentences: tuple[str, ...], title: str = "") -> Article:
    article: Article = ArticleFactory(corpus=corpus, sentences=0, title=title)
    Sentence.objects.bulk_create(
        Sentence(article=article, number=number, text=text) for number, text in enumerate(sentences, start=1)
    )
    article.sentence_count = len(sentences)
    article.save()
    return article


def _answer(question: Question, example: WorkedExample, systems: list[Any]) -> None:
    texts = example.candidates or (example.answer or "-",)
    Answer.objects.bulk_create(
        Answer(question=question, system=system, text=text, rationale=example.rationale)
        for system, text in zip(systems, texts, strict=False)
    )
