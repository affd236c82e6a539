"""A study in which people marked words of answers, with labels that overlap."""

from typing import Any

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.studies.models import Item, Member, Study
from tests.factories import make_corpus, study_with_judgments

ANSWER = 'Its \U0001f6a2 engine broke in June, 船長も病気。\nNobody "knows" why.'


def mark(words: str, label: str, **more: Any) -> dict[str, Any]:
    start = ANSWER.index(words)
    return {"text": "answer", "start": start, "end": start + len(words), "label": label} | more


MARKED = {
    "A": [mark("in June", "contradiction"), mark("船長も病気", "unsupported", note='says "Ann Other"')],
    "B": [mark("broke in June", "contradiction"), mark("June, 船長も", "irrelevant")],
    "C": [],
}


def opinion(member: Member, item: Item) -> dict[str, Any]:
    return {"errors": MARKED[member.pseudonym], "acceptable": "no" if MARKED[member.pseudonym] else "yes"}


def corpus_of_errors(articles: int = 2) -> Corpus:
    corpus = make_corpus(articles=articles, questions=2, systems=("alder",))
    Answer.objects.filter(question__article__corpus=corpus).update(text=ANSWER)
    return corpus


def marked_study(**settings: Any) -> Study:
    given = {"corpus": settings.pop("corpus", None) or corpus_of_errors(), "definition": preset("error_spans")}
    return study_with_judgments(**{"annotators": 3, "values": opinion, **given, **settings})
