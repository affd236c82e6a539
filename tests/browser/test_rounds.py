"""A round of qualification in a browser: an annotator on a phone goes through, a researcher reviews."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.studies.models import Member, Role, Study
from tests.browser.conftest import OpenPage
from tests.crowd.rounds.pieces import go_through, new_round
from tests.factories import MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_worker_begins_a_round_is_reviewed_and_reads_why(
    study: Study, annotator: Member, open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    new = new_round(study, questions=1, is_reviewed=True)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    page = open_page(annotator.user, viewport={"width": 360, "height": 740}, color_scheme="dark")
    page.goto(reverse("work"))
    page.get_by_role("link", name="My qualifications").click()
    assert_accessible(page)
    page.get_by_role("button", name="Round 1: Begin").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    go_through(new, annotator)
    page.goto(reverse("my_rounds"))
    expect(page.get_by_text("being looked at").first).to_be_visible()

    desk = open_page(researcher.user)
    for url in ("rounds", "new_round"):
        desk.goto(reverse(url, args=[study.slug]))
        assert_accessible(desk)
    for url in ("round", "round_key"):
        desk.goto(reverse(url, args=[study.slug, new.pk]))
        assert_accessible(desk)
    desk.goto(reverse("round_item_key", args=[study.slug, new.pk, 1]))
    assert_accessible(desk)
    desk.goto(reverse("round", args=[study.slug, new.pk]))
    desk.get_by_role("link", name="Review A-").click()
    assert_accessible(desk)
    desk.get_by_label("Note on item 1").fill("Sentence 2 says so.")
    desk.get_by_role("button", name="Pass", exact=True).click()
    expect(desk.get_by_text("Decided for")).to_be_visible()
    assert Attempt.objects.get().verdict == Verdict.PASSED

    page.reload()
    page.get_by_role("link", name="Round 1: What came of it").click()
    expect(page.get_by_text("Sentence 2 says so.")).to_be_visible()
    assert_accessible(page)


def test_the_page_of_a_round_is_no_wider_than_a_phone(study: Study, annotator: Member, open_page: OpenPage) -> None:
    new = new_round(study, questions=1)
    go_through(new, annotator)
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    page = open_page(researcher.user, viewport={"width": 360, "height": 740})
    for name in ("round", "round_key"):
        page.goto(reverse(name, args=[study.slug, new.pk]))
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
