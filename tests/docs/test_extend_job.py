"""The new kind of job in docs/how-to/extend.md does what the page says of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, models
from django.test.utils import isolate_apps

from annotation_platform.core import reasons
from annotation_platform.corpus.models import Corpus, Sentence
from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.rows import JobStatus
from tests.factories import make_corpus
from workers import kinds, tasks
from workers.celery import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/extend.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A new kind of job")[2].partition("\n## ")[0]
KIND, LINE, USE = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)[:3]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The names of the example, with its table in the database and its kind in the list."""
    monkeypatch.setattr(reasons, "_sentences", dict(reasons.all_sentences()))
    names: dict[str, Any] = {"__name__": "annotation_platform.corpus.word_counts"}
    with isolate_apps("annotation_platform.corpus") as apps:
        apps.all_models["corpus"]["corpus"] = Corpus
        exec(KIND, names)
        row: type[models.Model] = names["WordCount"]
        kind: JobKind[Any] = names["WORD_COUNTS"]
        for module in (kinds, tasks):
            monkeypatch.setattr(module, "KINDS", (*kinds.KINDS, kind))
        with connection.schema_editor() as editor:
            editor.create_model(row)
        app.conf.task_always_eager = True
        yield names
        app.conf.task_always_eager = False
        with connection.schema_editor() as editor:
            editor.delete_model(row)


def words_of(corpus: Corpus) -> int:
    return sum(
        len(text.split()) for text in Sentence.objects.filter(article__corpus=corpus).values_list("text", flat=True)
    )


def test_the_list_is_where_the_page_says() -> None:
    assert f"\n{LINE.partition('...,')[0]}" in (ROOT / "workers/kinds.py").read_text(encoding="utf-8")


def test_a_row_that_is_enqueued_is_carried_out(example: dict[str, Any]) -> None:
    corpus = make_corpus()
    exec(USE, example | {"corpus": corpus})
    job = example["WordCount"].objects.get()
    assert (job.status, job.words) == (JobStatus.DONE, words_of(corpus))
    assert job.done == Sentence.objects.filter(article__corpus=corpus).count()


def test_one_whose_message_is_lost_is_found_by_the_sweep(example: dict[str, Any]) -> None:
    job = example["WordCount"].objects.create(corpus=make_corpus(), heartbeat_at=None)
    tasks.sweep()
    job.refresh_from_db()
    assert job.status == JobStatus.DONE


def test_what_is_wrong_is_the_reason_of_a_failed_job(example: dict[str, Any]) -> None:
    job = example["WordCount"].objects.create(corpus=Corpus.objects.create(name="Empty"))
    tasks.work("word count", job.pk)
    job.refresh_from_db()
    assert (job.status, job.error) == (
        JobStatus.FAILED, "This corpus has no sentences. Import its documents first.",
    )  # fmt: skip


def test_one_whose_worker_is_about_to_end_goes_back_into_the_queue(example: dict[str, Any]) -> None:
    job = example["WordCount"].objects.create(corpus=make_corpus())
    heartbeat.stopping.set()
    try:
        tasks.work("word count", job.pk)
    finally:
        heartbeat.stopping.clear()
    job.refresh_from_db()
    assert (job.status, job.worker, job.attempts) == (JobStatus.PENDING, "", 0)
