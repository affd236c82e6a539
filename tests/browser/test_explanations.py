"""What the explanations say in a real browser: readable in both schemes and on a phone, words lead to items."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Role
from tests.analysis.sections.explanations.test_explanations import explained_study
from tests.browser.test_research import PHONE, draw_all
from tests.factories import MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module", autouse=True)
def drawing_library() -> None:
    call_command("build_assets")


def test_words_lead_to_their_items(open_page: Callable[..., Page], assert_accessible: Any) -> None:
    study = explained_study()
    researcher = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Riverside")
    assert add_late_sections(take_snapshot(study=study, resamples=20))
    for scheme, viewport in product(("light", "dark"), ({"width": 1280, "height": 860}, PHONE)):
        page = open_page(researcher.user, color_scheme=scheme, viewport=viewport)
        page.goto(f"/studies/{study.slug}/agreement/explanations/?aspect=completeness")
        draw_all(page)
        expect(page.locator(".chart svg")).to_have_count(5)  # of four labels and of the themes
        for summary in page.locator("summary").all():
            summary.click()
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        page.locator("a.badge").first.click()
        expect(page.locator("#said")).not_to_have_value("")
        expect(page.locator(".items li").first).to_be_visible()
        assert_accessible(page)
