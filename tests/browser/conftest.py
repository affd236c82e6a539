"""A real Chromium on the live server: Playwright drives the browser that the system has, axe looks at its pages."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, Page

if TYPE_CHECKING:
    from annotation_platform.studies.models import Assignment, Member, Study

OpenPage = Callable[..., Page]


@pytest.fixture
def quiet_in_the_end(live_server: Any) -> Iterator[None]:
    """Wait until the live server has answered what pages sent while they closed; then its tables can be emptied."""
    under_way: set[int] = set()

    def begin(**_: Any) -> None:
        under_way.add(threading.get_ident())

    def finish(**_: Any) -> None:
        under_way.discard(threading.get_ident())

    def is_waited_for() -> bool:
        """Whether a connection is there that the server, on a busy machine, has not come to yet."""
        return bool(select.select([live_server.thread.httpd.socket], [], [], 0)[0])

    request_started.connect(begin)
    request_finished.connect(finish)
    yield
    quiet_since = began = time.monotonic()
    while (now := time.monotonic()) < min(quiet_since + 0.1, began + 10):
        if under_way or is_waited_for():
            quiet_since = now
        time.sleep(0.01)
    request_started.disconnect(begin)
    request_finished.disconnect(finish)


@pytest.fixture
def open_page(live_server: Any, browser: Browser, quiet_in_the_end: None) -> Iterator[OpenPage]:
    """Make a page in a fresh browser context: ``open_page(user, color_scheme="dark", viewport={…})``.

    Relative addresses lead to the live server. An error in the page's own JavaScript, or anything that the
    content security policy stops, fails the test.
    """
    contexts, mistakes = [], []

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.on(
            "console",
            lambda message: mistakes.append(message.text) if "Content Security Policy" in message.text else None,
        )

    def make(user: Any = None, **options: Any) -> Page:
        options = {"viewport": {"width": 1280, "height": 860}, "locale": "en-GB"} | options
        context = browser.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        context.on("page", listen)
        if user is not None:
            sign_in(context, live_server.url, user)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()
    assert not mistakes, f"the page's JavaScript failed: {mistakes}"


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page of a visitor who has not signed in."""
    return open_page()


def sign_in(context: Any, url: str, user: Any) -> None:
    """Give a browser context the session of a user."""
    client = Client()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Fail with axe's own words when a page breaks WCAG 2.2 AA or axe's best practices."""

    def check(page: Page) -> None:
        is_there = page.evaluate("'axe' in window")
        found = Axe("" if is_there else AXE_SCRIPT).run(page)
        assert found.violations_count == 0, found.generate_report()

    return check


@pytest.fixture
def assert_accessible_in_both(assert_accessible: Callable[[Page], None]) -> Callable[[Page], None]:
    """The same in light and in dark colours; not for pages whose charts are drawn again for them."""

    def check(page: Page) -> None:
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            assert_accessible(page)

    return check


@pytest.fixture
def study(transactional_db: None) -> Study:
    """A study of one document with twelve sentences and two questions, open to annotators."""
    from tests.factories import make_corpus, open_study  # models can be imported once Django is set up

    return open_study(corpus=make_corpus(questions=2, sentences=12), overlap=2)


@pytest.fixture
def annotator(study: Study) -> Member:
    from tests.factories import MemberFactory

    return MemberFactory(study=study)


@pytest.fixture
def place(annotator: Member) -> Assignment:
    """A place that the annotator holds."""
    from annotation_platform.studies.services import claim_assignment
    from tests.factories import OPERATOR

    return claim_assignment(annotator=annotator, actor=OPERATOR)
