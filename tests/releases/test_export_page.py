"""The export page: for a study's admins and nobody else."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.releases import views
from annotation_platform.releases.models import Export
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.releases.services import EXPORTS, request_export
from annotation_platform.studies.models import Member, Role, Study
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study, study_with_judgments
from tests.markup import markup
from workers import tasks

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(autouse=True)
def exports_dir(settings: Any, tmp_path: Path) -> None:
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=2)


@pytest.fixture
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="the-admin")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Keys of the exports for which a message went to the workers."""
    keys: list[int] = []
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: keys.append(pk))
    return keys


def signed_in(member: Member | None = None) -> Client:
    client = Client()
    client.force_login(member.user if member and member.user else UserFactory())
    return client


def address(name: str, study: Study, **more: int) -> str:
    return reverse(name, kwargs={"slug": study.slug, **more})


def made(admin: Member, format: str = "csv") -> Export:
    export = run_job(EXPORTS, request_export(study=admin.study, requested_by=admin, format=format, actor=OPERATOR).pk)
    assert export is not None
    return export


def test_an_admin_requests_an_export_by_one_click_and_a_message_goes_to_the_workers(
    study: Study, admin: Member, sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    client = signed_in(admin)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(address("request_export", study), {"format": "parquet"})
    export = Export.objects.get()
    assert (export.status, export.format, export.requested_by) == (Export.Status.PENDING, "parquet", admin)
    assert sent == [export.pk]
    assert answer["Location"] == address("exports", study)
    page = markup(client.get(answer["Location"]))
    assert "Waits for its turn" in page
    assert "every 1s" in page


def test_a_finished_export_is_downloaded_under_a_telling_name(study: Study, admin: Member) -> None:
    export = made(admin)
    client = signed_in(admin)
    page = markup(client.get(address("exports", study)))
    link = address("download_export", study, pk=export.pk)
    assert link in page
    assert export.sha256 in page
    assert "48 rows" in page
    assert "every 1s" not in page
    answer = client.get(link)
    assert answer.streaming
    assert answer["Content-Disposition"] == f'attachment; filename="{export.filename}"'
    assert int(answer["Content-Length"]) == export.size
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert b"".join(answer) == export.path.read_bytes()  # type: ignore[arg-type]


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ANNOTATOR, None, "admin of another study"])
def test_everybody_else_finds_nothing_there(study: Study, admin: Member, role: str | None, sent: list[int]) -> None:
    export = made(admin)
    if role is None:
        client = signed_in()
    elif role in Role.values:
        client = signed_in(MemberFactory(study=study, role=role))
    else:
        client = signed_in(MemberFactory(study=make_study(name="Another"), role=Role.ADMIN))
    assert client.get(address("exports", study)).status_code == 404
    assert client.post(address("request_export", study), {"format": "csv"}).status_code == 404
    assert client.get(address("download_export", study, pk=export.pk)).status_code == 404
    assert Export.objects.count() == 1
    assert not sent


def test_a_stranger_is_asked_to_sign_in(study: Study) -> None:
    for path in (address("exports", study), address("download_export", study, pk=1)):
        assert Client().get(path)["Location"].startswith("/accounts/login/")
    assert Client().post(address("request_export", study), {"format": "csv"})["Location"].startswith("/accounts/login/")


def test_an_admin_of_one_study_does_not_reach_the_exports_of_another_by_its_number(study: Study, admin: Member) -> None:
    export = made(admin)
    other = MemberFactory(study=make_study(name="Another"), role=Role.ADMIN)
    assert signed_in(other).get(address("download_export", other.study, pk=export.pk)).status_code == 404


def test_an_unfinished_export_has_no_file_yet(study: Study, admin: Member) -> None:
    export = request_export(study=study, requested_by=admin, format="csv", actor=OPERATOR)
    assert signed_in(admin).get(address("download_export", study, pk=export.pk)).status_code == 404


def test_a_file_removed_from_the_server_is_said_to_be_gone(study: Study, admin: Member) -> None:
    export = made(admin)
    export.path.unlink()
    answer = signed_in(admin).get(address("download_export", study, pk=export.pk))
    assert answer.status_code == 404
    assert "Make a new one" in markup(answer)


def test_a_failed_export_says_why(study: Study, admin: Member) -> None:
    export = request_export(study=study, requested_by=admin, format="csv", actor=OPERATOR)
    Export.objects.filter(pk=export.pk).update(status=Export.Status.FAILED, error="No space left on device.")
    assert "No space left on device." in markup(signed_in(admin).get(address("exports", study)))


def test_the_page_says_when_exports_wait_for_a_worker_that_is_not_there(study: Study, admin: Member) -> None:
    client, notice = signed_in(admin), "The background worker is not running"
    assert notice not in markup(client.get(address("exports", study)))  # nothing waits
    export = request_export(study=study, requested_by=admin, format="csv", actor=OPERATOR)
    assert notice in markup(client.get(address("exports", study)))
    record_pulse(name="worker")
    assert notice not in markup(client.get(address("exports", study)))
    Export.objects.filter(pk=export.pk).update(created_at=timezone.now() - timedelta(days=1))


def test_a_server_is_not_told_to_start_a_second_clock(study: Study, admin: Member, settings: Any) -> None:
    request_export(study=study, requested_by=admin, format="csv", actor=OPERATOR)
    page = address("exports", study)
    assert "celery -A workers worker --clock --pool threads" in markup(signed_in(admin).get(page))
    settings.PRODUCTION = True
    told = markup(signed_in(admin).get(page))
    assert "celery -A workers worker --pool threads" in told
    assert "--beat" not in told


def test_htmx_gets_the_live_part_alone(study: Study, admin: Member) -> None:
    request_export(study=study, requested_by=admin, format="csv", actor=OPERATOR)
    part = markup(signed_in(admin).get(address("exports", study), headers={"HX-Request": "true"}))
    assert part.strip().startswith('<section id="live"')
    assert "<html" not in part


def test_a_study_without_a_closed_batch_offers_nothing_to_export(admin: Member) -> None:
    other = MemberFactory(study=make_study(name="Just begun"), role=Role.ADMIN)
    page = markup(signed_in(other).get(address("exports", other.study)))
    assert "No batch has closed yet" in page
    assert '<button type="submit" name="format"' not in page


def test_an_unknown_format_is_refused_with_the_formats_there_are(study: Study, admin: Member, sent: list[int]) -> None:
    answer = signed_in(admin).post(address("request_export", study), {"format": "xls"})
    assert answer.status_code == 422
    assert "parquet" in markup(answer)
    assert not sent


def test_many_rows_are_not_counted_to_the_end(study: Study, admin: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    address, rows = reverse("exports", args=[study.slug]), count_rows(study)
    assert f'scores, <span class="num">{rows}</span> rows: one each.' in markup(signed_in(admin).get(address))
    monkeypatch.setattr(views, "COUNTED", rows - 1)
    page = markup(signed_in(admin).get(address))
    assert f'scores, more than <span class="num">{rows - 1}</span> rows: one each.' in page


def test_requesting_needs_post(study: Study, admin: Member) -> None:
    assert signed_in(admin).get(address("request_export", study)).status_code == 405


def test_all_revisions_are_exported_when_the_box_is_ticked(study: Study, admin: Member, sent: list[int]) -> None:
    client = signed_in(admin)
    assert 'name="all_revisions"' in markup(client.get(address("exports", study)))
    client.post(address("request_export", study), {"format": "csv", "all_revisions": "1"})
    client.post(address("request_export", study), {"format": "csv"})  # another file, not the same one again
    assert [each.all_revisions for each in Export.objects.order_by("pk")] == [True, False]
    done = run_job(EXPORTS, Export.objects.order_by("pk")[0].pk)
    assert done is not None
    assert "is_current" in done.path.read_text(encoding="utf-8").splitlines()[0]
    assert "-revisions" in done.filename
    assert "CSV, all revisions" in markup(client.get(address("exports", study)))
