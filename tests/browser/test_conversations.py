"""Conversations on the question page and for researchers: turns with roles, earlier ones and calls of tools folded."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation_platform.studies.models import Item, Member
from annotation_platform.studies.services import claim_assignment
from tests.browser.question_page import PHONE, question
from tests.factories import OPERATOR, MemberFactory
from tests.talks import ALONE, PAIR, study_of_talks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def seen(page: Any, name: str) -> None:
    """A picture for whoever wants to look: in the folder that SEEN names."""
    if folder := os.environ.get("SEEN"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def place_in(study: Any) -> tuple[Member, Any]:
    annotator = MemberFactory(study=study)
    return annotator, claim_assignment(annotator=annotator, actor=OPERATOR)


def test_a_long_conversation_shows_its_last_turns_and_marks_those_to_judge(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    annotator, place = place_in(study_of_talks(tmp_path, ALONE))
    page = open_page(annotator.user, color_scheme="dark", **PHONE)
    page.goto(question(place))
    expect(page.get_by_text("Why does it float?")).to_be_visible()
    expect(page.get_by_text("Answer briefly.")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert_accessible(page)
    page.get_by_text("Show 4 earlier turns").press("Enter")
    expect(page.get_by_text("Answer briefly.")).to_be_visible()
    judged = page.locator(".part.answer")
    expect(judged.get_by_role("heading", name="Turns to judge")).to_be_visible()
    expect(judged.get_by_text("It is lighter than water.")).to_be_visible()
    expect(judged.get_by_text("Ice: 0.917")).to_be_hidden()
    judged.get_by_text("look_up").click()
    expect(judged.get_by_text("Ice: 0.917")).to_be_visible()
    assert_accessible(page)
    seen(page, "phone")


def test_candidates_are_shown_turn_by_turn_below_one_conversation(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    study = study_of_talks(tmp_path, PAIR)
    annotator, place = place_in(study)
    page = open_page(annotator.user)
    page.goto(question(place))
    expect(page.locator(".judgment > .turns .turn")).to_have_count(8)
    seen(page, "candidates")
    page.goto(question(place, 2))
    card = page.locator(".candidate", has_text="Really?")
    expect(card.locator(".turn-role")).to_have_text(["Assistant", "User", "Assistant"])
    assert_accessible(page)
    seen(page, "parted")
    page = open_page(MemberFactory(study=study, role="admin").user)
    page.goto(f"/studies/{study.slug}/items/{Item.objects.filter(study=study).earliest('pk').pk}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Why does it float?")
    expect(page.get_by_text("It is lighter than water.")).to_be_visible()
    seen(page, "item")
