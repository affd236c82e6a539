"""Importing on the page: upload, map, check, import; what went wrong is told, and nothing chosen is lost."""

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from openpyxl import Workbook

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.importers.document import Document
from annotation_platform.corpus.importers.mistakes import ImportFileError, place, told_by, wrong_at
from annotation_platform.corpus.models import Answer, Corpus, Question
from annotation_platform.imports import drafts, job_files, jobs, previews
from annotation_platform.imports.models import ImportJob
from annotation_platform.jobs.contract import waiting
from annotation_platform.studies.models import BatchState, Role, Study
from annotation_platform.studies.selectors import corpora_of
from tests.api.clients import program
from tests.core.whole_schemes import GROUP
from tests.corpus.test_import_study import study as native_study
from tests.corpus.test_model_output import WRITTEN
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study
from tests.journeys.round_trip import judged_study, records
from tests.markup import markup
from tests.releases.rows import export
from workers import tasks
from workers.publisher import publisher

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
TABLE = """\
question,reference,response,model,who,equivalent
Who painted it?,Ada Moor,A. Moor,alder,Wren,yes
Who painted it?,Ada Moor,Bo Ek,birch,Wren,no
Who sold it?,Cy Day,Cy Day,alder,,
"""
CHOSEN = {"name": "Quiz", "format": "table", "scheme": "equivalence", "language": "en", "target": "study"}
COLUMNS = {
    "column:question": "question",
    "column:reference": "reference_answers",
    "column:response": "answer",
    "column:model": "system",
    "column:who": "annotator",
    "column:equivalent": "equivalent",
}


@pytest.fixture(autouse=True)
def imports_dir(settings: Any, tmp_path: Path) -> Path:
    settings.IMPORTS_DIR = tmp_path / "imports"
    return tmp_path / "imports"


@pytest.fixture
def user() -> User:
    member = MemberFactory(study=make_study(), role=Role.RESEARCHER)
    assert member.user is not None
    return member.user


@pytest.fixture
def client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def upload(client: Client, text: str = TABLE, name: str = "quiz.csv", **more: Any) -> ImportJob:
    file = BytesIO(text.encode())
    file.name = name
    answer = client.post(reverse("import_study"), {"files": file, "target": "study", **more})
    assert answer.status_code == 302, markup(answer)
    return ImportJob.objects.latest("pk")


def send(client: Client, job: ImportJob, do: str, **changes: Any) -> str:
    """Send the form as it is filled in by default, with changes; return the page that follows."""
    answer = client.post(address(job), CHOSEN | COLUMNS | changes | {"do": do}, follow=True)
    job.refresh_from_db()
    return markup(answer)


def address(job: ImportJob) -> str:
    return reverse("import_job", kwargs={"pk": job.pk})


def test_an_upload_is_guessed_previewed_and_mapped(client: Client) -> None:
    job = upload(client)
    assert job.format == "table"
    client.post(address(job), {"scheme": "equivalence", "do": "look"})
    page = markup(client.get(address(job)))
    assert "Who painted it?" in page
    assert 'name="column:response"' in page
    assert '<option value="answer" selected>' in page
    assert '<option value="reference_answers" selected>' in page


def test_a_table_is_checked_and_then_becomes_a_study_with_drafts_for_the_rest(client: Client, user: User) -> None:
    job = upload(client)
    page = send(client, job, "check")
    assert "Nothing is wrong" in page
    assert "2 questions with 3 answers; 2 judgments by 1 annotator" in " ".join(page.split())
    assert Study.objects.filter(name="Quiz").count() == 0
    page = send(client, job, "import")
    assert job.status == ImportJob.Status.DONE
    assert reverse("study", kwargs={"slug": "quiz"}) in page
    study = Study.objects.get(name="Quiz")
    assert study.members.get(user=user).role == Role.ADMIN
    assert sorted(study.batches.values_list("state", flat=True)) == [BatchState.CLOSED, BatchState.DRAFT]
    assert Annotation.objects.filter(item__study=study).count() == 2
    assert not job.folder.exists()


def test_a_corpus_alone_can_be_imported_for_the_study_builder(client: Client, user: User) -> None:
    job = upload(client, target="corpus")
    page = send(client, job, "import", target="corpus")
    corpus = Corpus.objects.get(name="Quiz")
    assert corpus.owner == user
    assert Question.objects.filter(article__corpus=corpus).count() == 2
    assert not Study.objects.filter(corpus=corpus).exists()
    assert f"{reverse('build_study')}?corpus={corpus.pk}&amp;preset=equivalence" in page
    assert corpus in corpora_of(user)
    assert corpus not in corpora_of(UserFactory())
    assert "do not belong to a corpus" in page


def test_a_corpus_needs_no_word_of_who_judged(client: Client, user: User) -> None:
    job = upload(client, target="corpus")
    send(client, job, "look")  # under another scheme, columns are taken for its fields anew
    page = send(client, job, "import", target="corpus", **{"column:equivalent": ""})
    assert Corpus.objects.filter(name="Quiz").exists(), page
    assert "Left out: 2 values of “who”" in page


def test_annotators_without_a_column_of_judgments_are_one_mistake_and_not_one_a_row(client: Client) -> None:
    job = upload(client)
    send(client, job, "look")
    page = send(client, job, "check", **{"column:equivalent": ""})
    assert "1 mistake" in page
    assert "&#x27;who&#x27; is taken for &#x27;annotator&#x27;, but no column for a judgment" in page


def test_what_is_wrong_is_said_once(client: Client) -> None:
    job = upload(client)
    send(client, job, "look")
    assert send(client, job, "check", **{"column:reference": ""}).count("no column is taken for") == 1
    assert send(client, upload(client, "question,answer\n"), "check").count("has no rows") == 1


def test_what_a_column_can_be_taken_for_is_told_in_words(client: Client) -> None:
    job = upload(client)
    page = send(client, job, "look")
    assert "question (needed): Question</option>" in page
    assert "annotator: Annotator&#x27;s pseudonym</option>" in page


def test_broken_yaml_is_told_as_yaml(client: Client) -> None:
    job = upload(client, "not: [yaml", name="study.yaml")
    assert job.format == "native"
    assert "study.yaml, line" in markup(client.get(address(job)))
    assert "has no rows" not in markup(client.get(address(job)))


def test_mistakes_are_told_row_by_row_and_nothing_chosen_is_lost(client: Client) -> None:
    job = upload(client, TABLE.replace("birch,Wren,no", "birch,Wren,perhaps"))
    page = send(client, job, "import")
    assert "quiz.csv, line 3: equivalent: “perhaps” is not one of the choices (yes, no)." in page
    assert not Study.objects.filter(name="Quiz").exists()
    assert job.status == ImportJob.Status.DRAFT
    assert job.columns["response"] == "answer"
    assert job.folder.exists()
    page = markup(client.get(address(job)))
    assert 'value="Quiz"' in page
    assert '<option value="answer" selected>' in page


def test_of_many_mistakes_twenty_are_shown_and_the_rest_is_counted(client: Client) -> None:
    rows = "".join(f"Q{n}?,a,b,alder,Wren,maybe{n}\n" for n in range(31))
    page = send(client, upload(client, TABLE.splitlines()[0] + "\n" + rows), "check")
    assert "31 mistakes" in page
    assert "… and 11 more." in page
    assert page.count(" is not one of the choices") == 20


def test_the_same_mistake_in_many_lines_is_told_once_with_the_lines(client: Client) -> None:
    rows = "".join(f"Q{n}?,a,b,alder,Wren,{'maybe' if n % 9 else 'perhaps'}\n" for n in range(27))
    job = upload(client, TABLE.splitlines()[0] + "\n" + rows)
    page = send(client, job, "check")
    assert "27 mistakes" in page
    assert "more." not in page
    assert [str(each) for each in job.mistakes] == [
        "quiz.csv: equivalent: “perhaps” is not one of the choices (yes, no). (3 lines: 2, 11, 20)",
        "quiz.csv: equivalent: “maybe” is not one of the choices (yes, no). (24 lines: "
        "3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28)",
    ]
    many = [wrong_at(place("quiz.csv", line=line), "corpus.part_empty") for line in range(2, 1_500)]
    (told,) = ImportFileError(many).reasons
    assert (told_by([told]), "quiz.csv: must not be empty (1,498 lines: 2, 3, " in told, "31, …)" in told) == (
        1_498,
        True,
        True,
    )


def test_of_the_first_values_each_is_shown_once(client: Client) -> None:
    page = markup(client.get(address(upload(client))))
    assert page.count("<li>Who painted it?</li>") == 1


def test_two_columns_for_one_field_are_told_and_stay_chosen(client: Client) -> None:
    job = upload(client)
    page = send(client, job, "check", **{"column:reference": "answer"})
    assert "&#x27;answer&#x27; is taken from several columns" in page
    assert page.count('<option value="answer" selected>') == 2
    assert "no column is taken for &#x27;reference_answers&#x27;" in page


def test_a_name_is_needed_and_what_was_chosen_stays(client: Client) -> None:
    job = upload(client)
    page = send(client, job, "check", name=" ")
    assert "Give it a name first." in page
    assert job.scheme == "equivalence"


def test_a_taken_name_is_told(client: Client) -> None:
    make_study(name="Quiz")
    assert "There is a study named “Quiz” already" in send(client, upload(client), "import")


def test_a_broken_scheme_of_ones_own_is_kept_and_told_with_its_line(client: Client) -> None:
    job = upload(client)
    page = send(client, job, "check", scheme="", scheme_text="key: [\nshown: 3")
    assert "your scheme, line" in page
    assert "shown: 3" in page
    assert job.columns["response"] == "answer"
    page = send(client, job, "check", scheme_text="")
    assert "Nothing is wrong" in page


def test_under_another_scheme_the_columns_that_fit_stay_chosen(client: Client) -> None:
    job = upload(client)
    send(client, job, "look")
    send(client, job, "look", scheme="ebr")
    assert job.columns["response"] == "answer"
    assert "equivalent" not in job.columns  # the other scheme has no such aspect


@pytest.mark.parametrize(("text", "reason"), [("", "is empty"), (None, "Choose a file first")])
def test_an_upload_without_content_is_refused(client: Client, text: str | None, reason: str) -> None:
    file = BytesIO((text or "").encode())
    file.name = "quiz.csv"
    answer = client.post(reverse("import_study"), {} if text is None else {"files": file})
    assert answer.status_code == 422
    assert reason in markup(answer)
    assert not ImportJob.objects.exists()


def test_too_large_an_upload_is_refused_with_the_limit(client: Client, settings: Any, imports_dir: Path) -> None:
    settings.IMPORT_MAX_MEGABYTES = 1
    file = BytesIO(b"x" * 1_000_001)
    file.name = "large.csv"
    answer = client.post(reverse("import_study"), {"files": file})
    assert answer.status_code == 422
    assert "at most 1 MB can be uploaded" in markup(answer)
    assert not imports_dir.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (TABLE.encode("utf-16"), "is UTF-16 text"),
        ("question\nCaf\u00e9?".encode("latin-1"), "line 2): perhaps Latin-1"),
        (b"\x89PNG\r\n\x1a\n\x00" + b"\xff" * 500, "or no text at all"),
        (b"\x89PNG\r\n\x1a\n0000", "or no text at all"),
        (b"", "is empty"),
    ],
)
def test_files_that_are_no_utf_8_text_are_told(client: Client, content: bytes, reason: str) -> None:
    file = BytesIO(content)
    file.name = "quiz.csv"
    page = markup(client.post(reverse("import_study"), {"files": file}, follow=True))
    if content:
        client.post(address(ImportJob.objects.get()), {"scheme": "equivalence", "do": "look"})
        page = markup(client.get(address(ImportJob.objects.get())))
    assert reason in page


def test_a_parquet_file_that_cannot_be_read_is_told_and_nothing_is_stored(client: Client) -> None:
    before = Question.objects.count()
    file = BytesIO(b"PAR1, and then nothing that such a file has")
    file.name = "quiz.parquet"
    client.post(reverse("import_study"), {"files": file, "target": "study"})
    job = ImportJob.objects.get()
    assert job.format == "table"
    for do in ("look", "check", "import"):
        page = send(client, job, do)
        assert "quiz.parquet: cannot be read as Parquet (its end is missing; copy it again)" in page, do
    assert (job.status, job.study) == (ImportJob.Status.DRAFT, None)
    assert Question.objects.count() == before
    assert not Study.objects.filter(name="Quiz").exists()
    form = markup(client.get(reverse("import_study")))
    assert "an Excel workbook (.xlsx), Parquet, Arrow, a ZIP" in form


def test_a_large_upload_goes_to_the_worker_and_the_page_waits(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: sent.append(pk))
    monkeypatch.setattr(previews, "AT_ONCE", 10)
    job = upload(client)
    jobs.execute_job(job_id=job.pk)  # looks at the first rows
    with django_capture_on_commit_callbacks(execute=True):
        page = send(client, job, "import")
    publisher.flush()
    assert sent == [job.pk]
    assert "waits for its turn" in page
    assert "every 1s" in page
    assert "background worker is not running" in page
    tasks.work("import", job.pk)
    job.refresh_from_db()
    assert job.status == ImportJob.Status.DONE
    part = markup(client.get(address(job), headers={"HX-Request": "true"}))
    assert "Finished" in part
    assert "every 1s" not in part


def test_a_job_under_way_cannot_be_changed_or_discarded(client: Client) -> None:
    job = upload(client)
    ImportJob.objects.filter(pk=job.pk).update(status=ImportJob.Status.RUNNING, heartbeat_at=timezone.now())
    assert "being worked on" in send(client, job, "check", name="Other")
    assert client.post(address(job), {"do": "discard"}).status_code == 409
    assert ImportJob.objects.get().name == "quiz"


def test_what_was_chosen_too_late_changes_nothing_of_what_was_imported_meanwhile(client: Client) -> None:
    job = upload(client)
    read_before = ImportJob.objects.get(pk=job.pk)
    send(client, job, "import", name="Quiz")
    with pytest.raises(drafts.ImportedAlreadyError):
        drafts.choose(job=read_before, name="Later")
    done = ImportJob.objects.get(pk=job.pk)
    assert (done.status, done.name, done.study) == ("done", "Quiz", Study.objects.get(name="Quiz"))


def test_first_rows_are_kept_as_long_as_they_are_needed_and_not_read_for_lists(
    client: Client, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "AT_ONCE", 0)
    job = upload(client)
    jobs.execute_job(job_id=job.pk)
    assert ImportJob.objects.get(pk=job.pk).first_rows
    script = program(user, "read")
    for reader, path in (
        (client, reverse("import_study")),
        (script, "/api/v1/imports"),
        (script, f"/api/v1/jobs/import-{job.pk}"),
    ):
        with CaptureQueriesContext(connection) as asked:
            assert reader.get(path).status_code == 200, path
        read = [each["sql"] for each in asked if 'FROM "imports_importjob"' in each["sql"]]
        assert read, path
        assert not any("first_rows" in sql for sql in read), path
    send(client, job, "import", name="Quiz")
    jobs.execute_job(job_id=job.pk)
    done = ImportJob.objects.get(pk=job.pk)
    assert (done.status, done.first_rows) == ("done", None)


def test_what_is_imported_cannot_be_imported_again_from_the_same_upload(client: Client) -> None:
    job = upload(client)
    send(client, job, "import")
    assert "were imported already" in send(client, job, "import", name="Quiz again")
    assert not Study.objects.filter(name="Quiz again").exists()


def test_a_job_that_runs_twice_is_stored_once(client: Client) -> None:
    job = upload(client)
    send(client, job, "look")
    jobs.request_job(job=job, wanted="import", actor=OPERATOR)
    assert jobs.execute_job(job_id=job.pk) is not None
    assert jobs.execute_job(job_id=job.pk) is None
    assert Study.objects.filter(name="Quiz").count() == 1


def test_a_job_that_another_worker_took_over_leaves_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    job = upload(client)
    send(client, job, "look")
    jobs.request_job(job=job, wanted="import", actor=OPERATOR)
    store = jobs.import_study

    def slow(**options: Any) -> Any:
        ImportJob.objects.filter(pk=job.pk).update(worker="another")
        return store(**options)

    monkeypatch.setattr(jobs, "import_study", slow)
    jobs.execute_job(job_id=job.pk)
    assert not Study.objects.filter(name="Quiz").exists()


def test_the_sweep_finds_jobs_left_behind_and_forgets_old_drafts(client: Client) -> None:
    long_ago = timezone.now() - timedelta(days=30)
    old, pending, stale = (upload(client) for _ in range(3))
    ImportJob.objects.filter(pk=old.pk).update(created_at=long_ago)
    ImportJob.objects.filter(pk=pending.pk).update(status=ImportJob.Status.PENDING, heartbeat_at=long_ago)
    ImportJob.objects.filter(pk=stale.pk).update(status=ImportJob.Status.RUNNING, heartbeat_at=long_ago)
    assert waiting(jobs.IMPORTS) == [pending.pk, stale.pk]
    assert waiting(jobs.IMPORTS) == [stale.pk]
    drafts.discard_old_jobs()
    assert not ImportJob.objects.filter(pk=old.pk).exists()
    assert not old.folder.exists()


def test_files_can_be_forgotten(client: Client) -> None:
    job = upload(client)
    assert client.post(address(job), {"do": "discard"})["Location"] == reverse("import_study")
    assert not job.folder.exists()


def test_only_researchers_import_and_only_the_uploader_sees_an_upload(client: Client) -> None:
    job = upload(client)
    other = MemberFactory(study=make_study(name="Other"), role=Role.ADMIN).user
    annotator = MemberFactory(study=make_study(name="Third")).user
    staff = UserFactory(is_staff=True)
    nothing, own_only = (404, 404), (200, 404)
    for person, pages in ((other, own_only), (annotator, nothing), (staff, own_only), (UserFactory(), nothing)):
        visitor = Client()
        visitor.force_login(person)
        seen = tuple(visitor.get(page).status_code for page in (reverse("import_study"), address(job)))
        assert seen == pages
        assert visitor.post(address(job), {"do": "discard"}).status_code == 404
    assert ImportJob.objects.filter(pk=job.pk).exists()


def test_names_and_texts_from_a_file_are_escaped(client: Client) -> None:
    job = upload(
        client, TABLE.replace("who", "<b>who</b>").replace("Who painted", "<script>x</script>"), name="<i>.csv"
    )
    client.post(address(job), {"scheme": "equivalence", "do": "look"})
    page = markup(client.get(address(job)))
    assert "<script>x" not in page
    assert "<b>who" not in page
    assert "<i>.csv" not in page


def test_the_native_format_needs_no_mapping(client: Client) -> None:
    study = {
        "format": "annotation-platform/1",
        "corpus": {"name": "C", "questions": [{"id": "q", "text": "Why?", "answers": {"a": "So."}}]},
        "study": {"scheme": "equivalence"},
    }
    job = upload(client, json.dumps(study), name="study.json")
    assert job.format == "native"
    client.post(address(job), {"name": "N", "format": "native", "scheme": "", "do": "import"})
    job.refresh_from_db()
    assert job.status == ImportJob.Status.DONE, job.mistakes


def test_the_rows_are_shown_before_a_scheme_is_chosen_and_the_files_name_is_taken(client: Client) -> None:
    job = upload(client, name="quiz 1.csv")
    page = markup(client.get(address(job)))
    assert "<li>Who painted it?</li>" in page
    told = page[page.index("No scheme is chosen") :]
    assert told.index("Show the rows again</button>") < told.index("<table"), "beside it, too"
    assert "cannot be shown" not in page
    assert '<option value="">Choose one, or write one below</option>' in page
    assert job.name == "quiz 1"
    assert "No scheme is chosen" in send(client, job, "check", scheme="")
    assert "No scheme is chosen" not in send(client, job, "look")


def test_a_large_file_that_is_read_whole_is_read_once_and_by_the_worker(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: None)
    monkeypatch.setattr(previews, "AT_ONCE", 10)
    read: list[str] = []
    parse = Document.parse
    monkeypatch.setattr(Document, "parse", lambda self, model: read.append(self.name) or parse(self, model))
    text = yaml.safe_dump(native_study())
    job = upload(client, text, "towns.yaml")
    assert "Reading the file" in markup(client.get(address(job)))
    assert not read
    jobs.execute_job(job_id=job.pk)
    for _ in range(3):
        assert "Why?" in markup(client.get(address(job)))
    assert read == ["towns.yaml"]


def test_of_a_large_table_the_worker_notes_the_first_rows_for_all_previews(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: None)
    monkeypatch.setattr(previews, "AT_ONCE", 10)
    job = upload(client, TABLE.replace("A. Moor", "x" * 5_000))
    assert "Reading the file" in markup(client.get(address(job)))
    jobs.execute_job(job_id=job.pk)
    monkeypatch.setattr(job_files, "open_files", None)  # no further preview opens the file
    page = send(client, job, "look")
    assert '<option value="reference_answers" selected>' in page
    assert "They agree" not in page
    assert "birch" in page
    page = send(client, job, "look", **{"column:reference": "answer"})
    assert "&#x27;answer&#x27; is taken from several columns" in page
    assert len(json.dumps(job.first_rows)) < 2_000


def test_a_workbook_that_unpacks_to_much_is_work_for_the_worker(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: None)
    book = Workbook()
    book.active.append(["question", "answer"])
    for _ in range(500):
        book.active.append(["Why?" * 20, "So."])
    book.save(tmp_path / "t.xlsx")
    file = BytesIO((tmp_path / "t.xlsx").read_bytes())
    file.name = "t.xlsx"
    client.post(reverse("import_study"), {"files": file, "target": "study"})
    job = ImportJob.objects.get()
    assert job.size < previews.AT_ONCE
    assert job.status == ImportJob.Status.PENDING


def test_a_workbook_whose_first_sheet_is_a_cover_lets_another_be_chosen(client: Client, tmp_path: Path) -> None:
    book = Workbook()
    book.active.title = "About"
    book.active.append(["Answers of June"])
    rows = book.create_sheet("Answers")
    rows.append(["question", "reference_answers", "answer"])
    rows.append(["Why?", "So.", "Because."])
    book.save(tmp_path / "t.xlsx")
    file = BytesIO((tmp_path / "t.xlsx").read_bytes())
    file.name = "t.xlsx"
    client.post(reverse("import_study"), {"files": file, "target": "study"})
    job = ImportJob.objects.get()
    page = markup(client.get(address(job)))
    assert "t.xlsx: has no rows on the sheet that is read; its sheets are: About, Answers" in page
    assert re.search(r'<option value="Answers">\s*Answers</option>', page)
    page = send(client, job, "look", scheme="equivalence", sheet="Answers")
    assert "Because." in page
    assert "has no rows" not in page


def test_a_table_of_very_many_columns_is_refused_with_the_limit(client: Client) -> None:
    names = ",".join("" for _ in range(1_200))
    page = markup(client.get(address(upload(client, f"{names}\n{names}\n"))))
    assert "names 1,200 columns; at most 1,000 can be read" in page


def test_values_and_sizes_are_chosen_and_kept(client: Client) -> None:
    job = upload(client, TABLE.replace("Wren,yes", "Wren,They agree"))
    page = send(client, job, "look")
    name = 'value:["equivalent", "They agree"]'
    assert "They agree</label>" in page
    assert "<details><summary>What the file's values stand for" in page
    page = send(client, job, "check")
    assert "<details open><summary>What the file's values stand for" in page  # where this mistake is mended
    assert "They agree" in job.mistakes[0]
    chosen = {name: "yes", "overlap": "4", "hits_per_batch": "1"}
    page = send(client, job, "check", **chosen)
    assert "Nothing is wrong" in page
    assert '<option value="yes" selected>' in page
    assert (job.values, job.overlap, job.hits_per_batch) == ({"equivalent": {"They agree": "yes"}}, 4, 1)
    send(client, job, "import", **chosen)
    assert job.study is not None
    assert (job.study.overlap, job.study.batches.count()) == (4, 3)


def test_a_column_whose_name_goes_over_lines_can_be_mapped(client: Client) -> None:
    text = TABLE.replace("response,", '"What it\nsaid ""so""",')
    job = upload(client, text)
    client.post(address(job), CHOSEN | {"do": "look"})
    names = re.findall(r'<select name="(column[^"]*)"', client.get(address(job)).content.decode())
    name = next(unescape(each) for each in names if "said" in each)
    assert "\n" not in name  # or a browser would send another line end, and no column would be called so
    columns = {each: field for each, field in COLUMNS.items() if each != "column:response"}
    sent = urlencode(CHOSEN | columns | {name: "answer", "do": "check"})  # as browsers send this form
    answer = client.post(address(job), sent, content_type="application/x-www-form-urlencoded", follow=True)
    assert "Nothing is wrong" in markup(answer)
    job.refresh_from_db()
    assert job.columns['What it\nsaid "so"'] == "answer"


def test_a_name_that_splits_shared_questions_is_told(client: Client) -> None:
    text = TABLE.replace("question,", "id,question,").replace("\nWho", "\n1,Who", 1).replace("\nWho p", "\n2,Who p")
    job = upload(client, text.replace("\nWho", "\n3,Who").replace("Bo Ek,birch,Wren", "Bo Ek,birch,Teal"))
    told = "The same question stands under several names"
    columns = {"column:id": "question_id"}
    assert told in send(client, job, "look", **columns)
    assert told in send(client, job, "check", **columns)
    assert told in str(job.found)
    assert told not in send(client, job, "check", **{"column:id": ""})


def test_an_export_is_known_by_its_columns_and_comes_back(client: Client, user: User, tmp_path: Path) -> None:
    first = judged_study(yaml.safe_load(GROUP), annotators=2)
    job = upload(client, export(first, tmp_path, "csv").read_bytes().decode(), "export.csv")
    assert job.format == "table"
    chosen = {"name": "Once more", "format": "table", "scheme": "", "scheme_text": GROUP, "do": "look"}
    client.post(address(job), chosen)
    page = markup(client.get(address(job)))
    assert "aspect.preferred.forced: Which is best? (None is good" in page
    job.refresh_from_db()
    preview = previews.preview_of(job)
    assert not preview.wrong
    columns = {f"column:{column}": field for column, field in preview.mapping.items()}  # as the form sends them
    answer = client.post(address(job), chosen | columns | {"do": "import"}, follow=True)
    assert "Imported" in markup(answer)
    assert records(Study.objects.get(name="Once more")) == records(first)


def test_an_export_under_another_scheme_comes_in_with_a_warning(client: Client, tmp_path: Path) -> None:
    first = judged_study(yaml.safe_load(GROUP), annotators=2)
    job = upload(client, export(first, tmp_path, "csv").read_bytes().decode(), "export.csv")
    other = yaml.safe_load(GROUP)
    other["key"] = "another"
    dropped = [each for each in other["aspects"] if each["kind"] == "text"]
    other["aspects"] = [each for each in other["aspects"] if each not in dropped]
    chosen = {"name": "Once more", "format": "table", "scheme": "", "scheme_text": yaml.safe_dump(other), "do": "check"}
    page = markup(client.post(address(job), chosen, follow=True))
    assert f"exported from a study under the scheme “{first.scheme().key}”, and is read here under “another”." in page
    assert dropped
    named = ", ".join(f"“{each['key']}”" for each in dropped)
    assert f"The scheme has no place for these columns of the file: {named}." in page
    assert "Nothing is wrong" in page


# --- Model output -----------------------------------------------------------------------------------------


def test_model_output_is_shown_checked_and_stored_and_what_is_left_out_is_told_before(client: Client) -> None:
    file = BytesIO((WRITTEN / "inspect.eval").read_bytes())
    file.name = "water.eval"
    client.post(reverse("import_study"), {"files": file, "target": "corpus"})
    job = ImportJob.objects.latest("pk")
    assert (job.format, job.status) == ("inspect", ImportJob.Status.PENDING)  # unpacked it is too large for the page
    jobs.execute_job(job_id=job.pk)
    chosen = {"name": "Water", "format": "inspect", "scheme": "equivalence", "target": "corpus"}
    for wanted in ("check", "import"):
        client.post(reverse("import_job", args=[job.pk]), {**chosen, "do": wanted})
        assert jobs.execute_job(job_id=job.pk) is not None
        page = markup(client.get(reverse("import_job", args=[job.pk])))
        assert "Left out: 1 parts of messages that are no text: image." in page
        assert Corpus.objects.filter(name="Water").exists() == (wanted == "import")
    answers = Answer.objects.filter(question__article__corpus__name="Water")
    assert [each.metrics["inspect"].keys() for each in answers] == [{"includes", "match"}] * 5
