"""What is wrong with files is kept as codes with parameters, and told in the language of whoever looks."""

import json
from typing import Any

import pytest
from django.db import connection
from django.utils import translation

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import ConflictError
from annotation_platform.core.reasons import Reason, as_data, from_data
from annotation_platform.corpus.importers.mistakes import place, wrong_at
from annotation_platform.corpus.importers.warnings import lone_questions
from annotation_platform.imports.models import ImportJob
from annotation_platform.jobs.contract import in_words
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
WRONG = wrong_at(place("a.csv", "note", line=1234), "corpus.no_article", name="it's")


def kept(mistakes: list[Any]) -> ImportJob:
    job = ImportJob.objects.create(owner=UserFactory(), format="table", mistakes=[])
    ImportJob.objects.filter(pk=job.pk).update(mistakes=mistakes)
    job.refresh_from_db()
    return job


def test_a_mistake_is_kept_as_its_code_with_the_place_in_the_file() -> None:
    job = kept([WRONG])
    with connection.cursor() as cursor:
        cursor.execute("SELECT mistakes FROM imports_importjob WHERE id = %s", [job.pk])
        (text,) = cursor.fetchone()
    assert "has no article" not in text
    assert as_data(job.mistakes) == [
        {
            "code": "corpus.wrong_at",
            "parameters": {
                "where": {
                    "code": "corpus.at_part",
                    "parameters": {
                        "at": {"code": "corpus.at_line", "parameters": {"file": "a.csv", "line": 1234}},
                        "part": "note",
                    },
                },
                "why": {"code": "corpus.no_article", "parameters": {"name": "it's"}},
            },
        }
    ]


def test_what_was_kept_is_told_in_the_readers_language() -> None:
    (mistake,) = kept([WRONG]).mistakes
    assert mistake == 'a.csv, line 1,234: note: the corpus has no article "it\'s"'
    with translation.override("ja"):
        assert in_language(mistake) == 'a.csv の1,234行目：note：コーパスに文書 "it\'s" はありません'


def test_words_without_a_code_and_codes_of_another_version_do_not_break_a_page() -> None:
    old = [{"code": "corpus.long_gone", "parameters": {"n": 3}}, {"code": "corpus.no_article", "parameters": {}}]
    assert kept(["In words.", *old]).mistakes == ["In words.", "corpus.long_gone {'n': 3}", "corpus.no_article"]


def test_a_reason_comes_back_from_its_data_as_it_was() -> None:
    reason = Reason("judgment.unread_sentence", why=Reason("sentences.no_name", name="R0"))
    again = from_data(as_data({"told": [reason], "count": 2}))
    assert again == {"told": [reason], "count": 2}
    assert again["told"][0].parameters["why"].code == "sentences.no_name"


def test_warnings_and_what_was_left_out_are_kept_as_codes() -> None:
    found = {"warnings": [lone_questions("id")], "left_out": [(Reason("corpus.relations"), 3)]}
    job = kept([])
    ImportJob.objects.filter(pk=job.pk).update(found=found)
    job.refresh_from_db()
    assert job.found == {"warnings": [lone_questions("id")], "left_out": [[Reason("corpus.relations"), 3]]}
    with translation.override("ja"):
        assert in_language(job.found["left_out"][0][0]) == "領域の間の関係"
        assert in_language(job.found["warnings"][0]).startswith("同じ質問がいくつもの名前で入っていて、")


def test_why_a_job_failed_is_kept_as_a_code() -> None:
    job = kept([])
    failed = in_words(ConflictError("jobs.not_writable", path="/x", why=Reason("sentences.no_name", name="R0")))
    ImportJob.objects.filter(pk=job.pk).update(error=failed)
    with connection.cursor() as cursor:
        cursor.execute("SELECT error FROM imports_importjob WHERE id = %s", [job.pk])
        assert json.loads(cursor.fetchone()[0]) == as_data(failed)
    job.refresh_from_db()
    assert job.error == "/x cannot be written: “R0” names no sentence.."
    with translation.override("ja"):
        assert in_language(job.error) == "/x に書き込めません：「R0」は文の番号ではありません。。"


def test_why_a_job_failed_may_be_words_of_somebodys_own() -> None:
    job = kept([])
    for words in ("", "Stopped.", "{not a code}"):
        job.error = words
        job.save()
        job.refresh_from_db()
        assert job.error == words
