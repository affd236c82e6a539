"""The export page in a browser: request, wait without reloading, download."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.releases.models import Export
from annotation_platform.releases.services import EXPORTS
from annotation_platform.studies.models import Member, Role
from tests import rests_on
from tests.factories import MemberFactory, study_with_judgments
from tests.releases import rows
from workers import tasks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def admin(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Member:
    settings.EXPORTS_DIR = tmp_path / "exports"
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: None)
    record_pulse(name="worker")
    study = study_with_judgments(annotators=2, name="Town news")
    rows.score(study)
    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="the-admin")


def test_an_export_is_requested_and_its_link_appears_by_itself(
    open_page: Callable[..., Page], admin: Member, tmp_path: Path
) -> None:
    page = open_page(admin.user)
    page.goto(f"/studies/{admin.study.slug}/exports/")
    page.get_by_role("button", name="JSON Lines").click()
    expect(page.get_by_text("Waits for its turn")).to_be_visible()
    made = run_job(EXPORTS, Export.objects.get().pk)
    assert made is not None
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == made.filename
    download.value.save_as(tmp_path / "downloaded")
    assert (tmp_path / "downloaded").read_bytes() == made.path.read_bytes()


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_is_accessible_and_fits(
    open_page: Callable[..., Page], admin: Member, assert_accessible_in_both: Callable[[Page], None], width: int
) -> None:
    for number, (format, status) in enumerate(
        [("csv", "done"), ("parquet", "failed"), ("jsonl", "running"), ("spreadsheet", "pending")]
    ):
        Export.objects.create(
            study=admin.study,
            requested_by=admin,
            format=format,
            status=status,
            total=1_000_000,
            done=1_000_000 if status == "done" else 421_000,
            size=799_204_800,
            sha256=f"{number}7bd0444ffbca81e" * 4,
            filename="town-news-2026-03-02.csv",
            error="The disk is full." if status == "failed" else "",
        )
    page = open_page(admin.user, viewport={"width": width, "height": 860})
    page.goto(f"/studies/{admin.study.slug}/exports/")
    page.get_by_text("columns").last.click()
    assert_accessible_in_both(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
