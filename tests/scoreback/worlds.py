"""Studies of traces that the tools themselves recorded, judged whole."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import AnswerTrace, Corpus
from annotation_platform.corpus.services import begin_corpus, fill_corpus
from annotation_platform.jobs.contract import run_job
from annotation_platform.scoreback import services
from annotation_platform.scoreback.models import ScoreDestination, ScoreSending
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.studies.models import Item, Member, Study
from tests.factories import OPERATOR, study_with_judgments
from tests.servers.score_takers import PUBLIC, SECRET

WRITTEN = Path(__file__).parents[1] / "corpus" / "written" / "traces"
FILES = {
    "langfuse": "langfuse_observations.json",
    "phoenix": "phoenix_spans.jsonl",
    "langsmith": "langsmith_runs.jsonl",
    "otel": "otel_newer.jsonl",
}
DEFINITION: dict[str, Any] = {
    "key": "faith",
    "title": "Faithful?",
    "shown": ["question", "answer"],
    "aspects": [
        {"key": "quality", "kind": "stars", "title": "How good is it?"},
        {
            "key": "tone",
            "kind": "choice",
            "title": "Which tone?",
            "scale": {
                "level": "nominal",
                "choices": [{"key": "dry", "label": "Dry"}, {"key": "warm", "label": "Warm"}],
            },
        },
        {"key": "why", "kind": "text", "title": "Why?", "explains": ["quality"], "required": False},
    ],
}
STARS = {"A": "5", "B": "4", "C": "2"}
TONES = {"A": "dry", "B": "dry", "C": "warm"}
_numbers = count(1)


def corpus_of(tool: str) -> Corpus:
    format, paths = FORMATS[tool], [WRITTEN / FILES[tool]]
    with read_study(format, open_files(format, paths), Options(DEFINITION)) as read:
        corpus = begin_corpus(name=f"Traces of {tool} {next(_numbers)}", language="en")
        fill_corpus(corpus=corpus, imported=read)
    Corpus.every.filter(pk=corpus.pk).update(arriving_at=None)
    return Corpus.objects.get(pk=corpus.pk)


def opinion(member: Member, item: Item) -> dict[str, Any]:
    who = member.pseudonym
    return {"quality": STARS[who], "tone": TONES[who], "why": f"{who} says so."}


def judged_study(tool: str, **settings: Any) -> Study:
    """Two traces, each judged by A, B and C: 5, 4 and 2 stars, dry, dry and warm."""
    return study_with_judgments(corpus=corpus_of(tool), definition=DEFINITION, values=opinion, **settings)


def destination_for(
    study: Study, program: str, address: str, *, aspects: Sequence[str] = ("quality", "tone"), **chosen: Any
) -> ScoreDestination:
    keys = {"secret": SECRET, "public_key": PUBLIC if program == "langfuse" else ""}
    return services.save_destination(
        study=study, program=program, address=address, aspects=aspects, actor=OPERATOR, **(keys | chosen)
    )


def send(destination: ScoreDestination) -> ScoreSending:
    """Have the scores sent, as the worker does."""
    sending = services.request_sending(destination=destination, actor=OPERATOR)
    run_job(SENDINGS, sending.pk)
    sending.refresh_from_db()
    return sending


def traces_of(study: Study) -> list[AnswerTrace]:
    return list(AnswerTrace.objects.filter(answer__candidacies__study=study).order_by("answer"))
