"""What tests of the question page do with it."""

import time
from typing import Any

from playwright.sync_api import Page, expect

from annotation_platform.studies.models import Assignment

SAVED = "Saved"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def question(place: Assignment, position: int = 1) -> str:
    return f"/work/assignments/{place.pk}/{position}/"


def wait_until(page: Page, condition: str) -> None:
    """Ask the page until ``condition`` holds there. Playwright's ``wait_for_function`` evaluates text inside the page
    from the second look on, which the pages' policy forbids."""
    until = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < until, condition
        page.wait_for_timeout(50)


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
