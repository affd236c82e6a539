"""A study that an importer has read, as plain lists; tests are about small ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, ImportedStudy, Options, open_files, read_study
from annotation_platform.corpus.importers.staging import origin_of
from annotation_platform.corpus.importers.study import Counts, Header


class AnswerKey(NamedTuple):
    """Names an answer; without a system, a question's whole group."""

    article: str
    question: str
    system: str


class ReadAnswer(NamedTuple):
    text: str
    rationale: str


class ReadQuestion(NamedTuple):
    external_id: str
    text: str
    anchor: int | None
    choices: Sequence[str]
    reference_answers: Sequence[str]
    documents: Sequence[str]
    turns: Sequence[Mapping[str, Any]]
    answers: Mapping[str, ReadAnswer]


class ReadArticle(NamedTuple):
    external_id: str
    title: str
    url: str
    sentences: Sequence[str]
    questions: Sequence[ReadQuestion]


class ReadJudgment(NamedTuple):
    answer: AnswerKey
    annotator: str
    replicate: int
    values: Mapping[str, Any]
    seconds: float | None
    where: str


@dataclass(frozen=True)
class ReadStudy:
    header: Header
    counts: Counts
    articles: Sequence[ReadArticle]
    judgments: Sequence[ReadJudgment]

    @property
    def definition(self) -> Mapping[str, Any]:
        return self.header.definition

    @property
    def questions(self) -> list[ReadQuestion]:
        return [question for article in self.articles for question in article.questions]


def read_files(format: str, *paths: Path, **options: Any) -> ReadStudy:
    """Read files as the command and the page do, up to the point where they would be stored."""
    chosen = FORMATS[format]
    with read_study(chosen, open_files(chosen, paths), Options(**options)) as study:
        return listed(study)


def listed(study: ImportedStudy) -> ReadStudy:
    answers: dict[int, dict[str, ReadAnswer]] = {}
    for question, system, text, rationale in study.rows.execute(
        "SELECT question, system, text, rationale FROM answer ORDER BY id"
    ):
        answers.setdefault(question, {})[system] = ReadAnswer(text, rationale)
    documents = dict(study.rows.execute("SELECT id, documents FROM question"))
    article_of = dict(study.rows.execute("SELECT id, article FROM question"))
    questions: dict[int, list[ReadQuestion]] = {}
    for each in study.questions():
        read = ReadQuestion(
            *(each.name, each.text, each.anchor, json.loads(each.choices), json.loads(each.reference_answers)),
            *(json.loads(documents[each.id]), json.loads(each.turns or "[]"), answers.get(each.id, {})),
        )
        questions.setdefault(article_of[each.id], []).append(read)
    group = study.scheme.judges_candidates
    judgments = [
        ReadJudgment(
            AnswerKey(article, question, "" if group else system),
            *(annotator, replicate, json.loads(said), seconds, study.where(origin_of(file, location))),
        )
        for article, question, system, annotator, replicate, said, seconds, file, location in study.rows.execute(
            "SELECT x.name, q.name, a.system, j.annotator, j.replicate, j.said, j.seconds, j.file, j.location"
            " FROM judgment j JOIN answer a ON a.id = j.answer JOIN question q ON q.id = j.question"
            " JOIN article x ON x.id = q.article ORDER BY j.id"
        )
    ]
    articles = [
        ReadArticle(each.name, each.title, each.url, each.sentences, questions.get(each.id, []))
        for each in study.articles()
    ]
    return ReadStudy(study.header, study.counts, articles, judgments)


def metrics_of(format: str, *paths: Path) -> list[dict[str, dict[str, Any]]]:
    """What was kept of each answer, in their order."""
    chosen = FORMATS[format]
    with read_study(chosen, open_files(chosen, paths), Options(definition=preset("equivalence"))) as study:
        rows = study.rows.execute("SELECT metrics FROM answer ORDER BY id").fetchall()
    return [json.loads(metrics or "{}") for (metrics,) in rows]
