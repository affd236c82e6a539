"""Webhooks in a real browser: from the form to the log, on a phone, and what axe thinks of both pages."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.studies.models import Role
from annotation_platform.webhooks import sending
from tests.factories import MemberFactory, open_study
from tests.servers.receiver import Receiver

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}


def test_from_the_form_to_the_log(
    open_page: Callable[..., Page],
    assert_accessible_in_both: Callable[[Page], None],
    settings: Any,
) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    researcher = MemberFactory(study=open_study(name="Owls"), role=Role.RESEARCHER)
    page = open_page(researcher.user, viewport=PHONE)
    page.goto(f"/studies/{researcher.study.slug}/settings/")
    page.get_by_role("link", name="webhooks").click()
    with Receiver() as receiver:
        receiver.moods.append(500)
        page.get_by_label("Address").fill(receiver.url)
        page.get_by_role("button", name="Add the webhook").click()
        assert page.get_by_label("Secret").input_value().startswith("whsec_")
        assert_accessible_in_both(page)
        page.get_by_role("link", name="127.0.0.1").click()
        page.get_by_role("button", name="Send a test message").click()
        sending.deliver()
    page.reload()
    expect(page.get_by_text("does not answer")).to_be_visible()
    expect(page.get_by_role("button", name="Send message")).to_have_text("Send again")
    assert_accessible_in_both(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
