"""A form is sent once, however often its button is clicked, and again when there is reason to."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.signals import request_started
from playwright.sync_api import Page, Route, expect

from annotation_platform.studies.models import Member, Role
from tests.factories import MemberFactory, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ADDRESS = "/new-study/"


@pytest.fixture
def researcher() -> Member:
    member: Member = MemberFactory(study=make_study(name="Harbour"), role=Role.RESEARCHER)
    return member


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """The forms that the server got, without those that a script sent; its answers come after a second click."""
    found: list[str] = []

    def note(environ: dict[str, Any], **_: Any) -> None:
        if environ["REQUEST_METHOD"] == "POST" and "HTTP_HX_REQUEST" not in environ:
            found.append(environ["PATH_INFO"])
            time.sleep(0.5)

    request_started.connect(note)
    yield found
    request_started.disconnect(note)


@pytest.fixture
def builder(open_page: Callable[..., Page], researcher: Member) -> Page:
    page = open_page(researcher.user)
    page.clock.install()
    page.goto(ADDRESS)
    page.get_by_label("Corpus").select_option(index=1)
    expect(page.get_by_text("12 items to judge.")).to_be_visible()
    page.get_by_label("Name").fill("Harbour again")
    return page


def test_a_double_click_makes_one_study(builder: Page, sent: list[str]) -> None:
    builder.get_by_role("button", name="Create the study").dblclick(delay=50)  # ms: by hand
    expect(builder.get_by_role("heading", name="Harbour again")).to_be_visible()
    assert sent == [ADDRESS]


@pytest.mark.parametrize(
    "go_on",
    [
        pytest.param(lambda page: page.clock.fast_forward(6000), id="after a moment"),
        pytest.param(
            lambda page: page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"),
            id="when the page is shown again",
        ),
    ],
)
def test_a_form_that_left_its_page_in_place_can_be_sent_again(
    builder: Page, sent: list[str], go_on: Callable[[Page], None]
) -> None:
    create = builder.get_by_role("button", name="Create the study")
    first: list[Route] = []

    def answer_nothing_first(route: Route) -> None:
        if first or not route.request.is_navigation_request():
            route.continue_()
        else:
            first.append(route)
            route.fulfill(status=204)

    builder.route(f"**{ADDRESS}", answer_nothing_first)
    create.click()
    create.click()
    assert (len(first), sent) == (1, [])
    go_on(builder)
    create.click()
    expect(builder.get_by_role("heading", name="Harbour again")).to_be_visible()
    assert sent == [ADDRESS]
