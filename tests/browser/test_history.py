"""The history of a study and the page of one's account, as browsers show them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import change_overlap, close_batch, rename_study
from tests import rests_on
from tests.factories import MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PICTURES = os.environ.get("PICTURES")
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def researcher(study: Study) -> Member:
    member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Finch")
    acts = Actor.person(member.user_id, address="192.0.2.7")
    rename_study(study=study, name="W" * 100, actor=acts)
    change_overlap(study=study, overlap=5, actor=acts)
    close_batch(batch=study.batches.get(), because="by Finch", actor=acts)
    return member


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", ["history", "my_account"])
def test_it_is_accessible_and_fits_on_a_phone(
    open_page: Callable[..., Page],
    assert_accessible_in_both: Callable[[Page], None],
    researcher: Member,
    name: str,
    language: str,
) -> None:
    page = open_page(researcher.user, viewport=PHONE, locale=language)
    page.goto(reverse(name, args=[researcher.study.slug] if name == "history" else []))
    assert_accessible_in_both(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}-{language}.png", full_page=True)


def test_the_list_is_narrowed_down_without_a_script(open_page: Callable[..., Page], researcher: Member) -> None:
    page = open_page(researcher.user, java_script_enabled=False)
    page.goto(reverse("study_settings", args=[researcher.study.slug]))
    page.get_by_role("link", name="history").click()
    page.get_by_label("Show").select_option("Batches")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Finch closed batch 1.")).to_be_visible()
    expect(page.get_by_text("changed the settings")).to_have_count(0)
