"""Sending scores back in a real browser: from the exports to the log, on a phone, and what axe thinks of the pages."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.jobs.contract import run_job
from annotation_platform.scoreback.models import ScoreSending
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.studies.models import Role
from tests.factories import MemberFactory
from tests.scoreback.worlds import judged_study
from tests.servers.score_takers import SECRET, ScoreTakers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_from_the_exports_to_the_log(
    open_page: Callable[..., Page],
    assert_accessible: Callable[[Page], None],
    settings: Any,
    scheme: str,
    width: int,
) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    admin = MemberFactory(study=judged_study("phoenix", name="Tides"), role=Role.ADMIN)
    page = open_page(admin.user, color_scheme=scheme, viewport={"width": width, "height": 740})
    page.goto(f"/studies/{admin.study.slug}/exports/")
    page.get_by_role("link", name="Send scores back").click()
    assert_accessible(page)
    page.get_by_role("link", name="Arize Phoenix").click()
    assert_accessible(page)
    with ScoreTakers() as takers:
        takers.moods += [None, 400]
        page.get_by_label("Address").fill(takers.url)
        page.get_by_label("API key").fill(SECRET)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("4 scores of closed batches")).to_be_visible()
        assert_accessible(page)
        page.get_by_role("button", name="Send them").click()
        run_job(SENDINGS, ScoreSending.objects.get().pk)
        page.reload()
    expect(page.get_by_text("3 sent, 1 refused")).to_be_visible()
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.get_by_text("Refused", exact=True)).to_be_visible()
    page.get_by_text("What it said").first.click()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
