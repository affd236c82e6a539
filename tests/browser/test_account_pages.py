"""Start page, sign-in and invitation in a real browser: accessible, narrow enough, usable by keyboard alone."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.accounts.models import User
from annotation_platform.studies.invitations import create_invitation, token_of
from annotation_platform.studies.models import Assignment, Batch, Role
from tests import rests_on
from tests.browser.conftest import OpenPage
from tests.factories import OPERATOR, PASSWORD, MemberFactory, UserFactory, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VISITOR = ["home", "account_login", "account_signup", "account_reset_password", "account_email_verification_sent"]
SIGNED_IN = ["home", "account_logout", "account_email", "account_change_password"]


@pytest.fixture(autouse=True)
def fresh_limits(settings: Any) -> None:
    cache.clear()
    settings.DEMO = True


@pytest.mark.long(*rests_on.PAGES)
def test_the_pages_are_accessible(
    open_page: Callable[..., Page], assert_accessible_in_both: Callable[[Page], None]
) -> None:
    member = MemberFactory()
    joining = reverse(
        "join", args=[token_of(create_invitation(study=make_study(), role=Role.ANNOTATOR, actor=OPERATOR))]
    )
    for user, paths in ((None, map(reverse, VISITOR)), (member.user, [*map(reverse, SIGNED_IN), joining])):
        page = open_page(user)
        for path in paths:
            page.goto(path)
            assert_accessible_in_both(page)


def test_they_fit_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    for name in VISITOR:
        page.goto(reverse(name))
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name


@pytest.mark.parametrize("width", [180, 360])
def test_a_very_long_name_fits_on_a_phone(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(User.objects.create_guest("n" * 150), viewport={"width": width, "height": 740})
    page.goto(reverse("home"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_role("button", name="Sign out")).to_be_in_viewport()


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
@pytest.mark.parametrize("name", ["", "A", "Crab 7"])
def test_on_a_phone_the_site_is_called_by_its_whole_name(
    open_page: Callable[..., Page], name: str, locale: str
) -> None:
    guest = User.objects.create_guest(name) if name else None
    page = open_page(guest, viewport={"width": 360, "height": 740}, locale=locale)
    page.goto(reverse("home"))
    assert page.locator(".site-name span").evaluate("span => span.scrollWidth <= span.clientWidth")
    below = page.locator(".who, .site-nav form:not(.language)")  # who is signed in, in one row with the way out
    tops = below.evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert max(tops, default=0) - min(tops, default=0) < 8


def test_signing_in_by_keyboard(open_page: Callable[..., Page]) -> None:
    user = UserFactory()
    page = open_page()
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").focus()
    page.keyboard.type(user.email)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your studies")).to_be_visible()
    page.get_by_role("button", name="Sign out").press("Enter")
    expect(page.get_by_role("link", name="Create an account")).to_be_visible()


def test_a_mistake_is_told_beside_its_field_and_read_out_with_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(reverse("account_signup"))
    page.get_by_label("E-mail address").fill("new@example.org")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_label("Password (again)").fill("short")
    page.get_by_role("button", name="Create an account").click()
    password = page.get_by_label("Password", exact=True)
    expect(password).to_have_attribute("aria-invalid", "true")
    expect(password).to_have_accessible_description(re.compile("too short"))
    expect(page.get_by_label("E-mail address")).to_have_value("new@example.org")


def test_times_are_written_in_the_zone_of_the_browser(open_page: OpenPage, place: Assignment) -> None:
    page = open_page(place.annotator.user, timezone_id="Asia/Tokyo")
    Batch.objects.update(deadline_at=datetime(2099, 5, 7, 14, 5, tzinfo=UTC))
    page.goto("/")
    page.goto(reverse("judge", args=[place.pk, 1]))
    assert "7 May 2099, 23:05 UTC+9" in page.inner_text("main")


def test_a_token_is_copied_by_a_click(open_page: Callable[..., Page]) -> None:
    page = open_page(MemberFactory().user)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(reverse("my_tokens"))
    page.get_by_label("What is it for?").fill("a/b")
    page.get_by_role("button", name="Make the token").click()
    secret = page.locator("#secret").inner_text()
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
