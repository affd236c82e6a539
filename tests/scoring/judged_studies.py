"""Studies for runs that ask a model by aspect, and servers that answer such prompts as they are told."""

import re
from collections.abc import Callable
from typing import Any

from annotation_platform.core.methods.judging import ReplyForm, render_reply
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Corpus, Question
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.scoring.methods.judge.panel import Panel
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Item, Member, Study
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.servers.model_server import Answer as Reply
from tests.servers.model_server import Behaviour, ModelRequest, says

GOOD = {
    "supports": "a",
    "overall": "4",
    "well_written": "yes",
    "related": "yes",
    "factual": "na",
    "new_information": "some",
    "unnecessary_information": "no",
    "contrastive": "no",
}
Values = Callable[[int], dict[str, Any]]


def explanations(questions: int = 3, **fields: Any) -> Corpus:
    """Questions with three choices and one explanation each."""
    corpus = make_corpus(questions=questions, systems=("alder",), sentences=0, **fields)
    Question.objects.filter(article__corpus=corpus).update(choices=["north", "south", "nowhere"])
    for answer in Answer.objects.filter(question__article__corpus=corpus):
        answer.rationale = f"Because of what number {answer.question.position} says."
        answer.save()
    return corpus


def explanation_study(
    *,
    questions: int = 3,
    annotators: int = 3,
    values: Callable[[Member, Item], dict[str, Any]] | None = None,
    **kind: Any,
) -> Study:
    """A study under the preset for explanations, judged as ``values`` says, all alike by default."""
    return study_with_judgments(
        corpus=kind.pop("corpus", None) or explanations(questions),
        definition=preset("acorn"),
        annotators=annotators,
        values=values or (lambda member, item: GOOD),
        **kind,
    )


def answer_study(
    *,
    questions: int = 4,
    systems: tuple[str, ...] = ("alder", "birch", "cedar"),
    annotators: int = 3,
    values: Callable[[Member, Item], dict[str, Any]],
    **kind: Any,
) -> Study:
    """A study of groups of long answers."""
    return study_with_judgments(
        corpus=kind.pop("corpus", None) or make_corpus(questions=questions, systems=systems, sentences=0),
        definition=preset("lfqa"),
        annotators=annotators,
        values=values,
        **kind,
    )


def rated(factuality: int, amount: int, formality: int) -> dict[str, str]:
    """An answer's ratings by a person who weighs so: acceptability = factuality − |amount|."""
    acceptability = max(factuality - abs(amount), 0)
    numbers = {"factuality": factuality, "amount": amount, "formality": formality, "acceptability": acceptability}
    return {key: str(number) for key, number in numbers.items()}


def by_candidate(ratings: list[dict[str, str]]) -> dict[str, Any]:
    values = {f"{key}.{n}": value for n, rating in enumerate(ratings, start=1) for key, value in rating.items()}
    return values | {"preferred": "1", "why": "It says more."}


def people(member: Member, item: Item) -> dict[str, Any]:
    """Ratings that differ by item, candidate and person, and never ask for less than 0."""
    person, place = ord(member.pseudonym) - ord("A"), item.question.position
    ratings = [
        rated(1 + (place + number + person) % 3, (place + 2 * number + person) % 3 - 1, (number + person) % 3 - 1)
        for number in (1, 2, 3)
    ]
    return by_candidate(ratings)


def replies(panel: Panel, values: Values, form: ReplyForm = ReplyForm.LINES) -> dict[str, str]:
    """The reply in the right form to each prompt of a panel, for the values of each item."""
    return {
        prompt.messages[-1]["content"]: render_reply(prompt.questions, values(texts.id), form)
        for texts in panel.texts()
        for prompt in panel.prompts(texts)
    }


def answering(known: dict[str, str], otherwise: Behaviour | None = None) -> Behaviour:
    """A server that gives these replies to these prompts."""

    def behaviour(asked: ModelRequest) -> Reply:
        if asked.prompt in known:
            return says(known[asked.prompt])
        return otherwise(asked) if otherwise else says("unclear")

    return behaviour


def run_now(study: Study, method: Method, **given: Any) -> ScoringRun:
    """Start a run and execute it here."""
    return resume(start_run(study=study, method=method, parameters=given, actor=OPERATOR))


def resume(run: ScoringRun) -> ScoringRun:
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


def is_second_reading(asked: ModelRequest) -> bool:
    return "when it was asked to judge something" in asked.system


def quoted(prompt: str) -> str:
    """The reply that a second reading is about."""
    found = re.search(r"\[\[text \w+\]\]\n(.*)\n\[\[end of text", prompt, re.DOTALL)
    return found[1] if found else ""
