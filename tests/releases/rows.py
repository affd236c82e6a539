"""A small study whose texts are hard to carry, its scores, and what an export of it must say."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Article
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.services import write_export
from annotation_platform.scoring.models import Method, Score, Scorer, ScoringRun
from annotation_platform.studies.models import Item, Member, Study
from tests.factories import make_corpus, study_with_judgments

HARD_TEXTS = (
    "two\nlines, with a comma",
    'she said "no", then: ""yes""',
    '=HYPERLINK("http://example.org","click")',
    "＝全角の式",
    "回答は正しいが、橋の閉鎖に触れていない。🙂",
    "a tab\there, a backslash \\n and \\. and a control \x02 sign",
    'ends with a quote"',
    "-1",
    "an old\rline end",
    "a line\r\nof Windows, a separator \u2028 and a letter é of two parts e\u0301",
)


def hard_study(**settings: Any) -> Study:
    """Two annotators, one article with hard texts everywhere; closed, with two runs of one scorer, one of another."""
    corpus = make_corpus(articles=1, questions=3)
    for number, answer in enumerate(Answer.objects.filter(question__article__corpus=corpus).order_by("pk")):
        answer.text = "" if number == 4 else HARD_TEXTS[number % len(HARD_TEXTS)]
        answer.save()
    Article.objects.filter(corpus=corpus).update(title="")
    study = study_with_judgments(corpus=corpus, annotators=2, values=_values, **settings)
    for number, pk in enumerate(
        Annotation.objects.filter(item__study=study).order_by("pk").values_list("pk", flat=True)
    ):
        Annotation.objects.filter(pk=pk).update(seconds=(None, 95.0, 12.345678901234567, 1e-05)[number % 4])
    return study


def _values(member: Member, item: Item) -> dict[str, Any]:
    number = item.answer.pk
    return {
        "completeness": ("complete", "missing_minor", "missing_major", "missing_all")[number % 4],
        "sentences": ([], [3], [3, 5, 6, 7])[number % 3],
        "reasons": f"{HARD_TEXTS[number % len(HARD_TEXTS)]} says {member.pseudonym}.",
    }


def score(
    study: Study, scorer: str = Scorer.DISTILLED, *, status: str = JobStatus.DONE, first: float = 10
) -> ScoringRun:
    """A run that scored every judgment but the last: ``first``, ``first`` + 0.1, …"""
    run = ScoringRun.objects.create(study=study, method=Method.EBR, scorer=scorer, status=status)
    judgments = list(Annotation.objects.filter(item__study=study, is_current=True).order_by("pk"))
    Score.objects.bulk_create(
        Score(
            run=run,
            annotation=annotation,
            aspect="completeness",
            value=first + number / 10,
            explanation_score=None if number % 2 else first + number,
            source=Score.Source.ANNOTATOR_MEAN if number % 2 else Score.Source.MODEL,
        )
        for number, annotation in enumerate(judgments[:-1])
    )
    return run


def export(study: Study, folder: Path, format: str = "jsonl", **options: Any) -> Path:
    path = folder / f"export.{format}"
    write_export(study=study, format=format, path=path, **options)
    return path


def exported(study: Study, folder: Path, **options: Any) -> list[dict[str, Any]]:
    """The rows of an export, with their types."""
    return read_jsonl(export(study, folder, **options))


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def read_csv(path: Path, encoding: str = "utf-8") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(encoding), newline="")))


def read_parquet(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def expected_rows(study: Study, runs: dict[str, ScoringRun]) -> list[dict[str, Any]]:
    """What the rows must be, by plain objects, in the order of the export."""
    numbers = {
        aspect["key"]: {choice["key"]: choice["number"] for choice in aspect["scale"]["choices"]}
        for aspect in preset("ebr")["aspects"]
        if aspect["kind"] == "choice"
    }
    judgments = Annotation.objects.filter(item__study=study, is_current=True).order_by(
        "item__hit__batch__number", "item__hit__position", "item__position", "assignment__place"
    )
    return [_expected(annotation, numbers, runs) for annotation in judgments]


def _expected(annotation: Annotation, numbers: dict[str, Any], runs: dict[str, ScoringRun]) -> dict[str, Any]:
    item, values = annotation.item, annotation.values
    question = item.question
    row: dict[str, Any] = {
        "study": item.study.name,
        "scheme": "ebr",
        "batch": item.hit.batch.number,
        "article_id": question.article.external_id,
        "article_title": question.article.title or None,
        "question_id": question.external_id,
        "question": question.text,
        "anchor": question.anchor,
        "system": item.answer.system.name,
        "item_id": item.pk,
        "answer": item.answer.text,
        "annotator": annotation.annotator.pseudonym,
        "replicate": annotation.assignment.replicate,
        "correct": values["correct"],
        "correct_number": numbers["correct"][values["correct"]],
        "completeness": values["completeness"],
        "completeness_number": numbers["completeness"][values["completeness"]],
        "sentences": values["sentences"],
        "sentences_count": len(values["sentences"]),
        "reasons": values["reasons"],
    }
    for scorer, run in sorted(runs.items()):
        found = run.scores.filter(annotation=annotation).first()
        row |= {
            f"completeness_{scorer}_score": found and found.value,
            f"completeness_{scorer}_source": found and found.source,
            f"completeness_{scorer}_explanation_score": found and found.explanation_score,
            f"completeness_{scorer}_run": found and found.run_id,
        }
    return row | {
        "seconds": annotation.seconds,
        "revision": annotation.revision,
        "created_at": annotation.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "scheme_version": item.study.scheme_version.number,
        "annotation_id": annotation.pk,
        "under_earlier_rule": annotation.under_earlier_rule,
    }
