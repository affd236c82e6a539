"""The pages of an import in Japanese: no English but names, keys and the own words of the file."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.corpus.importers import FORMATS
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory, make_study
from tests.imports.test_import_page import CHOSEN, COLUMNS, TABLE, upload
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
OWN_WORDS = {
    *("quiz", "csv", "who", "painted", "sold", "ada", "moor", "bo", "ek", "cy", "day", "alder", "birch", "wren"),
    *("question", "reference", "response", "model", "equivalent", "perhaps", "yes", "no", "towns", "nowhere", "note"),
    *("answer", "rationale", "system", "annotator", "replicate", "seconds", "judged", "at", "id", "answers", "cannot"),
    *("judge", "reason", "a", "b", "it", "rule", "why", "conversation"),
}
NAMES = {
    *("acorn", "ebr", "ecqa", "cos", "e", "evouna", "label", "studio", "json", "lines", "yaml", "tsv", "xlsx", "utf"),
    *("excel", "utc", "mb", "kb", "rev", "lfqa", "llm", "mate", "hit", "true"),
    *("arena", "mt", "bench", "esnli", "nli", "strategyqa", "strategy", "qa", "bytes", "likert", "celery", "workers"),
    *("worker", "beat", "equivalence", "pairwise", "anchored", "parquet", "arrow", "datasets", "zip"),
    *("inspect", "ai", "eval", "lm", "evaluation", "harness", "openai", "evals", "helm", "fastchat"),
    *("arize", "phoenix", "langfuse", "langsmith", "opentelemetry", "otlp"),
    *("settings", "records", "user", "state", "jsonl", "min", "uima", "cas", "error", "spans"),
}


@pytest.fixture(autouse=True)
def imports_dir(settings: Any, tmp_path: Path) -> None:
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def client() -> Client:
    user = MemberFactory(study=make_study(), role=Role.RESEARCHER, user__language="ja").user
    client = Client()
    client.force_login(user)
    return client


def english_on(page: str) -> set[str]:
    """The Latin words of a page that are neither names nor the words of the file."""
    main = page[page.index("<main") : page.index("</main>")]
    main = re.sub(r"<(script|style|code|textarea)\b.*?</\1>", " ", main, flags=re.DOTALL)
    said = [*re.findall(r'(?:placeholder|aria-label|title)="([^"]*)"', main), re.sub(r"<[^>]*>", " ", main)]
    words = re.findall(r"[A-Za-z]+", " ".join(said).replace("&#x27;", "'").replace("&quot;", '"'))
    return {word.casefold() for word in words} - OWN_WORDS - NAMES - set(FORMATS)


def sent(client: Client, job: ImportJob, do: str, **changes: Any) -> str:
    answer = client.post(
        reverse("import_job", kwargs={"pk": job.pk}), CHOSEN | COLUMNS | changes | {"do": do}, follow=True
    )
    job.refresh_from_db()
    return markup(answer)


def test_the_page_of_uploads(client: Client) -> None:
    upload(client, TABLE)
    page = markup(client.get(reverse("import_study")))
    assert "ファイルからの取り込み" in page
    assert english_on(page) == set()
    assert english_on(markup(client.post(reverse("import_study")))) == set()


def test_from_the_first_rows_to_the_study(client: Client) -> None:
    job = upload(client, TABLE)
    assert english_on(sent(client, job, "look", scheme="")) == set()
    page = sent(client, job, "look")
    assert "回答に付いていた説明" in page
    assert english_on(page) == set()
    page = sent(client, job, "check")
    assert "誤りはありません" in page
    assert "質問2件、回答3件、アノテーター1人の判定2件。" in page
    assert english_on(page) == set()
    assert english_on(sent(client, job, "import")) == set()
    assert Study.objects.filter(name="Quiz").exists()


def test_what_is_wrong_is_told_in_japanese(client: Client) -> None:
    job = upload(
        client, TABLE.replace("birch,Wren,no", "birch,Wren,perhaps").replace("Cy Day,alder,,", "Cy Day,alder,,yes")
    )
    page = sent(client, job, "check")
    assert "quiz.csv の3行目：equivalent：「perhaps」は選択肢（yes, no）にありません。" in page
    assert "何も保存していません：誤り2件" in page
    assert english_on(page) == set()
    assert english_on(sent(client, job, "check", scheme_text="key: Towns")) <= {"key", "title", "shown", "aspects", "z"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("quiz.jsonl", '{"question": "a", "answer": \n'),
        ("quiz.jsonl", '{"question": NaN}\n'),
        ("quiz.json", '[{"question": "a"} {"question": "b"}]'),
        ("quiz.csv", 'question,answer\n"a,b\n'),
        ("quiz.csv", "question,answer\n" + "a," * 9 + "\n"),
        ("quiz.csv", "question,question\na,b\n"),
        ("quiz.csv", "question\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_japanese(client: Client, name: str, text: str) -> None:
    job = upload(client, text, name=name)
    assert english_on(sent(client, job, "check", format="table")) <= {"jsonl", "nan"}


def test_a_waiting_import_is_told_in_japanese(client: Client) -> None:
    job = upload(client, TABLE)
    for status in (ImportJob.Status.PENDING, ImportJob.Status.RUNNING):
        for wanted in ImportJob.Wanted:
            ImportJob.objects.filter(pk=job.pk).update(status=status, wanted=wanted)
            page = markup(client.get(reverse("import_job", kwargs={"pk": job.pk})))
            assert "ワーカー" in page
            assert english_on(page) == set()


def test_others_read_english(client: Client) -> None:
    User.objects.update(language="en")
    assert "Import from files" in markup(client.get(reverse("import_study")))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("format: annotation-platform/1\nstudy: a: b\n", "quiz.yaml の2行目"),
        ("format: annotation-platform/1\nstudy: [1, 2\n", "括弧が閉じていないか"),
        ("format: annotation-platform/1\nstudy: 'x\n", "引用符が閉じていません"),
        ("format: annotation-platform/1\nstudy: @x\n", "引用符で囲んでください"),
        ("format: annotation-platform/1\nstudy: *other\n", "アンカーがありません"),
        ("format: annotation-platform/1\nstudy:\n  - x\n name: y\n", "字下げ"),
    ],
)
def test_what_is_wrong_with_yaml_is_told_in_japanese(client: Client, text: str, words: str) -> None:
    job = upload(client, text, name="quiz.yaml")
    page = sent(client, job, "check", format="native")
    assert words in page
    assert english_on(page) <= {"annotation", "platform"}


def test_why_an_upload_cannot_be_kept_is_told_in_japanese(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.IMPORTS_DIR = tmp_path / "file" / "imports"
    (tmp_path / "file").write_text("")
    file = SimpleUploadedFile("quiz.csv", TABLE.encode())
    page = markup(client.post(reverse("import_study"), {"files": file, "target": "study"}))
    assert "パスの途中がフォルダーではありません" in page
    assert english_on(page) == set()
    assert not ImportJob.objects.exists()
