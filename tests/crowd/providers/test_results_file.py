"""A marketplace's file of results: read whole or not at all, under pseudonyms, into a study by the imports."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.providers.registry import providers_of
from annotation_platform.crowd.providers.results_file.models import ImportedWork, ResultsFile
from annotation_platform.crowd.providers.results_file.reading import numbers_of, read_results, unfolded
from annotation_platform.crowd.providers.results_file.services import let_files_arrive, take_over
from annotation_platform.crowd.providers.vault.identities import payee_id
from annotation_platform.crowd.providers.vault.models import ProviderIdentity
from annotation_platform.imports.drafts import choose, discard_job
from annotation_platform.imports.jobs import execute_job, request_job
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Role
from tests.crowd.providers.results import TEXT, as_csv, row
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(autouse=True)
def uploads_of_this_test_alone(settings: Any, tmp_path: Any) -> None:
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def owner() -> User:
    return MemberFactory(study=make_study(name="Before"), role=Role.ADMIN).user


def refused(content: bytes) -> list[str]:
    with pytest.raises(InvalidInputError) as error:
        read_results(content)
    return [str(error.value), *map(str, error.value.reasons)]


def taken(owner: User, *rows: dict[str, str], with_rejected: bool = False) -> ResultsFile:
    return take_over(name="batch.csv", content=as_csv(*rows), with_rejected=with_rejected, owner=owner, actor=OPERATOR)


def imported(file: ResultsFile) -> Any:
    job = file.job
    assert job is not None
    choose(job=job, name="Of long ago", scheme="ebr")
    request_job(job=job, wanted=ImportJob.Wanted.IMPORT, actor=OPERATOR)
    execute_job(job_id=job.pk)
    job.refresh_from_db()
    assert job.study is not None, job.mistakes
    let_files_arrive()
    file.refresh_from_db()
    return file.study


def test_a_file_becomes_a_study_with_workers_times_answers_and_approvals(owner: User) -> None:
    file = taken(
        owner,
        row(1),
        row(2, "AWORKER2", WorkTimeInSeconds="300"),
        row(
            3,
            "AWORKER3",
            AssignmentStatus="Rejected",
            RequesterFeedback="All the same.",
            ApprovalTime="",
            RejectionTime="Thu Oct 06 09:30:00 PDT 2022",
        ),
    )
    study = imported(file)
    annotators = study.members.filter(role=Role.ANNOTATOR)
    assert {payee_id(member) for member in annotators} == {"AWORKER1", "AWORKER2"}
    assert not {member.pseudonym for member in annotators} & {"AWORKER1", "AWORKER2"}
    second = next(member for member in annotators if payee_id(member) == "AWORKER2")
    judged = {each.values["completeness"]: each for each in second.annotations.all()}
    assert judged.keys() == {"complete", "missing_all"}
    assert judged["complete"].seconds == 150
    assert judged["complete"].created_at.isoformat() == "2022-10-05T19:10:00+00:00"
    work = ImportedWork.objects.get(member=second)
    assert (work.status, work.seconds, work.decided_at.isoformat()) == ("Approved", 300, "2022-10-06T16:00:00+00:00")
    rejected = ImportedWork.objects.get(status="Rejected")
    assert (rejected.member, rejected.feedback) == (None, "All the same.")
    found = providers_of([second])[0]
    assert found is not None
    assert found.key == "results_file"


def test_judgments_of_rejected_work_come_where_they_are_wanted(owner: User) -> None:
    study = imported(taken(owner, row(1), row(2, "AWORKER2", AssignmentStatus="Rejected"), with_rejected=True))
    assert study.members.filter(role=Role.ANNOTATOR).count() == 2


def test_no_worker_is_named_in_the_import_or_beside_it(owner: User) -> None:
    file = taken(owner, row(1))
    assert file.job is not None
    content = file.job.paths[0].read_text()
    assert "AWORKER1" not in content
    assert "3ASSIGN1" not in content
    assert "AWORKER1" not in str(list(ImportedWork.objects.values()))
    assert "AWORKER1" not in str(list(ProviderIdentity.objects.values()))


def test_who_discards_the_upload_forgets_the_workers_too(owner: User) -> None:
    file = taken(owner, row(1))
    assert file.job is not None
    discard_job(job=file.job, actor=OPERATOR)
    let_files_arrive()
    assert not ResultsFile.objects.exists()
    assert not ProviderIdentity.objects.exists()


def test_what_cannot_come_is_said_before_anything_is_in_a_study(owner: User, client: Client) -> None:
    client.force_login(owner)
    content = as_csv(row(1), row(2, "AWORKER2", AssignmentStatus="Rejected", SubmitTime=""))
    page = client.post(reverse("read_results_file"), {"file": SimpleUploadedFile("batch.csv", content)}, follow=True)
    said = markup(page)
    assert "2 assignments of 1 task by 2 workers" in said
    assert "Columns that nothing is done with: Title, Reward." in said
    assert "The judgments of 1 rejected assignment" in said
    assert "When 1 assignment was submitted" in said
    assert "Nothing is in a study yet" in said
    job = ImportJob.objects.get()
    assert reverse("import_job", args=[job.pk]) in said
    assert "annotator" in markup(client.get(reverse("import_job", args=[job.pk])))


def test_every_wrong_row_is_named_by_its_line_and_nothing_is_stored(owner: User, client: Client) -> None:
    rows = [
        row(1),
        row(2, AssignmentStatus="Dancing"),
        row(1),
        row(4, WorkerId=""),
        row(5, SubmitTime="yesterday"),
        row(6, WorkTimeInSeconds="long"),
    ]
    said = refused(as_csv(*rows) + b"too,few\r\n")
    assert said == [
        "6 rows cannot be read, so nothing was stored.",
        "Line 3: “Dancing” is no state of an assignment.",
        "Line 4: assignment 3ASSIGN1 stands in line 2 already.",
        "Line 5: WorkerId is empty.",
        "Line 6: SubmitTime “yesterday” is no time.",
        "Line 7: WorkTimeInSeconds “long” is no number of seconds.",
        "Line 8: it has 2 cells, and the header has 25.",
    ]
    client.force_login(owner)
    page = client.post(reverse("read_results_file"), {"file": SimpleUploadedFile("b.csv", as_csv(*rows))})
    assert page.status_code == 422
    assert "Line 3:" in markup(page)
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\r\n1,2\r\n", "lacks HITId, AssignmentId, WorkerId, AssignmentStatus"),
        (b"\xff\xfe\x00", "cannot be read as CSV in UTF-8"),
        (b"", "lacks HITId"),
        (b'HITId,AssignmentId,WorkerId,AssignmentStatus\r\n"unclosed', "cannot be read as CSV"),
        (b"HITId,AssignmentId,WorkerId,AssignmentStatus\r\n", "No row can be taken over"),
    ],
)
def test_what_is_no_such_file_is_refused_in_a_sentence(content: bytes, said: str) -> None:
    assert said in refused(content)[0]


def test_radio_buttons_and_answers_in_json_are_read_as_what_was_chosen() -> None:
    base = {name: value for name, value in row(1).items() if not name.startswith(("Answer.", "Input."))}
    radio = base | {"Input.question": "Q?", "Answer.correct.yes": "true", "Answer.correct.no": "false"}
    assert read_results(as_csv(radio)).assignments[0].answers == {"correct": "yes"}
    said = json.dumps([{"correct": {"yes": False, "no": True}, "why": "Because."}])
    found = read_results(as_csv(base | {"Input.question": "Q?", "Answer.taskAnswers": said})).assignments[0]
    assert found.answers == {"correct": "no", "why": "Because."}
    assert "no JSON" in refused(as_csv(base | {"Answer.taskAnswers": "{"}))[1]


def test_a_question_of_a_row_has_what_is_numbered_so_and_what_all_share() -> None:
    results = read_results(as_csv(row(1)))
    assert numbers_of(results) == ["1", "2"]
    (_, first), (inputs, _) = unfolded(results.assignments[0], ["1", "2"])
    assert inputs == {"article": TEXT, "question": "Who was hurt?", "answer": "The mayor."}
    assert first["completeness"] == "complete"


def test_the_command_reads_checks_and_refuses(owner: User, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "batch.csv"
    path.write_bytes(as_csv(row(1)))
    call_command("read_results_file", path, "--owner", owner.email, "--check")
    assert "nothing was stored" in capsys.readouterr().out
    assert not ResultsFile.objects.exists()
    call_command("read_results_file", path, "--owner", owner.email)
    assert ResultsFile.objects.get().owner == owner
    path.write_bytes(as_csv(row(1, WorkerId="")))
    with pytest.raises(CommandError, match="Line 2: WorkerId is empty"):
        call_command("read_results_file", path, "--owner", owner.email)


def test_nobody_reads_files_who_may_not_import_or_sees_another_ones(owner: User, client: Client) -> None:
    file = taken(owner, row(1))
    assert Client().get(reverse("read_results_file")).status_code == 302
    client.force_login(UserFactory())
    assert client.get(reverse("read_results_file")).status_code == 404
    client.force_login(MemberFactory(study=make_study(name="Jays"), role=Role.ADMIN).user)
    assert client.get(reverse("results_file_read", args=[file.pk])).status_code == 404
