"""What tests of the question page do with it."""

from typing import Any

from playwright.sync_api import Page, expect

from annotation_platform.studies.models import Assignment

SAVED = "Saved"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def question(place: Assignment, position: int = 1) -> str:
    return f"/work/assignments/{place.pk}/{position}/"


def save_state(page: Page) -> Any:
    return expect(page.locator("#save-state"))


def reasons(page: Page) -> Any:
    return page.locator('textarea[name="aspect-reasons"]')


def sentences(page: Page) -> Any:
    return page.locator('input[name="aspect-sentences"]')


def fill_in(page: Page, text: str = "It leaves out sentence 3.") -> None:
    page.locator('input[name="aspect-correct"][value="yes"]').check()
    page.locator('input[name="aspect-completeness"][value="missing_minor"]').check()
    sentences(page).fill("3")
    reasons(page).fill(text)
