"""A study whose scheme uses every kind of aspect, and what an annotator sends under it."""

from pathlib import Path
from typing import Any

from annotation_platform.core.schemes import read_scheme
from annotation_platform.corpus.models import Answer, Corpus, Question, ReferenceDocument
from annotation_platform.studies.models import Study
from tests.factories import SYSTEMS, ArticleFactory, CorpusFactory, QuestionFactory, SystemFactory, open_study

SCHEMES = Path(__file__).parent / "schemes"
CHOICES = ["The engine broke", "A storm", "Nobody came"]
LONG_ANSWER = "It stopped in May because the engine broke, and boats run again since July. " * 4


def definition(name: str) -> dict[str, Any]:
    return read_scheme((SCHEMES / f"{name}.yaml").read_text(encoding="utf-8"), source=name)


def rich_corpus(*, questions: int = 2, sentences: int = 8, documents: int = 2, language: str = "en") -> Corpus:
    """Questions with everything that a scheme can show, each answered by every system and one more."""
    corpus = CorpusFactory(language=language)
    article = ArticleFactory(corpus=corpus, sentences=sentences)
    references = [
        ArticleFactory(corpus=corpus, sentences=4, title=f"Reference {n}", url=f"https://example.org/{n}")
        for n in range(1, documents + 1)
    ]
    systems = [SystemFactory(corpus=corpus, name=name) for name in (*SYSTEMS, "dogwood")]
    for number in range(1, questions + 1):
        question = QuestionFactory(
            article=article,
            external_id=f"q{number}",
            position=number,
            anchor=min(number, sentences) or None,
            choices=CHOICES,
            reference_answers=["The engine broke.", "Because of its engine."],
        )
        add_references(question, references)
        Answer.objects.bulk_create(
            Answer(
                question=question,
                system=system,
                text=f"Reply {place}. {LONG_ANSWER * place}"[: 120 * place],
                rationale=f"Sentence {place} says so.",
            )
            for place, system in enumerate(systems, start=1)
        )
    return corpus


def add_references(question: Question, articles: list[Any]) -> None:
    ReferenceDocument.objects.bulk_create(
        ReferenceDocument(question=question, article=article, number=number)
        for number, article in enumerate(articles, start=1)
    )


def study_of(name: str, **settings: Any) -> Study:
    """An open study under one of the schemes beside this file."""
    corpus = settings.pop("corpus", None) or rich_corpus()
    return open_study(corpus=corpus, definition=definition(name), **settings)


def candidate_fields(number: int, **fields: str) -> dict[str, str]:
    return {f"aspect-{key}.{number}": value for key, value in ({"factual": "2", "amount": "0"} | fields).items()}


FORM: dict[str, Any] = {
    **candidate_fields(1, factual="3", amount="0.50"),
    **candidate_fields(2, factual="0", wrong="2, R1:3-4"),
    **candidate_fields(3, factual="1", wrong=""),
    "aspect-wrong.3-none": "1",
    **candidate_fields(4),
    "aspect-best": "2",
    "aspect-best.forced": "1",
    "aspect-agree": "4",
    "aspect-overall": "2",
    "aspect-answerable": "no",
    "aspect-confidence": "85",
    "aspect-right_choice": "b",
    "aspect-faults": ["facts", "style"],
    "aspect-evidence": "R2:1, 5",
    "aspect-why": "It names the engine.",
    "aspect-remark": "Sentence 4 is cut off.",
}
VALUES = {
    "factual.1": "3",
    "amount.1": "0.5",
    "factual.2": "0",
    "amount.2": "0",
    "wrong.2": [2, "R1:3", "R1:4"],
    "factual.3": "1",
    "amount.3": "0",
    "wrong.3": [],
    "factual.4": "2",
    "amount.4": "0",
    "best": "2",
    "best.forced": True,
    "agree": "4",
    "overall": "2",
    "answerable": "no",
    "confidence": "85",
    "right_choice": "b",
    "faults": ["style", "facts"],
    "evidence": [5, "R2:1"],
    "why": "It names the engine.",
    "remark": "Sentence 4 is cut off.",
}
