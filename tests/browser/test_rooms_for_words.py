"""Words have the room that there is: an e-mail address in the header, rows of a table, a list to choose from."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from annotation_platform.studies.models import Member, Role, Study
from tests.factories import MemberFactory, UserFactory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
PHONE = {"width": 360, "height": 740}
# The middles of what stands in the header, one for each row.
ROWS = """header => [...new Set([...header.querySelectorAll("a, button")].map(each => {
  const { top, bottom } = each.getBoundingClientRect();
  return Math.round((top + bottom) / 20);
}))]"""


@pytest.fixture
def admin(study: Study) -> Member:
    user = UserFactory(email="researcher@demo.example")
    return MemberFactory(study=study, role=Role.ADMIN, user=user)


@pytest.mark.parametrize("width", [1280, 360])
def test_an_e_mail_address_is_shown_whole_where_there_is_room(open_page: OpenPage, admin: Member, width: int) -> None:
    page = open_page(admin.user, viewport={"width": width, "height": 740})
    page.goto("/")
    who = page.locator(".who")
    assert who.evaluate("each => each.scrollWidth <= each.clientWidth"), "cut"
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("path", ["/", "/studies/{slug}/"], ids=["home", "study"])
def test_the_phones_header_takes_two_rows(
    open_page: OpenPage, admin: Member, study: Study, path: str, language: str
) -> None:
    page = open_page(admin.user, viewport=PHONE, locale=language, color_scheme="dark" if language == "ja" else "light")
    page.goto(path.format(slug=study.slug))
    rows = page.locator(".site-header").evaluate(ROWS)
    assert len(rows) == 2, rows
    who = page.locator(".who")
    assert who.evaluate("each => each.scrollWidth <= each.clientWidth"), "cut"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_very_long_name_does_not_widen_the_phones_page(open_page: OpenPage, study: Study) -> None:
    user = UserFactory(email=f"{'somebody' * 12}@example.org")
    page = open_page(MemberFactory(study=study, user=user).user, viewport=PHONE)
    page.goto("/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_member_takes_one_row_of_the_phones_page(open_page: OpenPage, admin: Member, study: Study) -> None:
    MemberFactory(study=study, pseudonym="Heron")
    page = open_page(admin.user, viewport=PHONE)
    page.goto(f"/studies/{study.slug}/people/")
    row = page.locator("tbody tr", has_text="Heron")
    assert row.evaluate("each => each.offsetHeight") < 70
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_the_history_shows_is_chosen_in_a_list_as_wide_as_its_words(open_page: OpenPage, admin: Member) -> None:
    page = open_page(admin.user)
    page.goto(f"/studies/{admin.study.slug}/history/")
    assert page.locator("#kind").evaluate("each => each.offsetWidth") < 400
