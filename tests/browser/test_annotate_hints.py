"""The hint beside an explanation, and the next question loaded ahead, in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation_platform.annotations.models import Annotation, Draft, Hint
from annotation_platform.studies.models import Assignment, Member
from tests.browser.question_page import fill_in, question, reasons, save_state

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_hint_comes_as_the_annotator_pauses_and_goes_with_a_better_text(
    open_page: Any, assert_accessible: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    hint = page.locator(".hint")
    fill_in(page, "It misses some.")
    expect(hint).to_contain_text("little more than your choice")
    expect(reasons(page)).to_have_value("It misses some.")
    assert_accessible(page)
    reasons(page).fill("It leaves out when the bridge closed (sentence 7).")
    expect(hint).to_be_empty()
    assert Hint.objects.count() == 1


def test_a_dismissed_hint_does_not_come_back(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    hint = page.locator(".hint")
    fill_in(page, "It misses some.")
    hint.get_by_role("button", name="It is fine").click()
    expect(hint).to_be_empty()
    with page.expect_response("**/hint/"):
        reasons(page).fill("It misses a lot.")
    expect(hint).to_be_empty()
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    assert Annotation.objects.get().values["reasons"] == "It misses a lot."
    assert Hint.objects.get().dismissed_at is not None


def test_a_hint_never_blocks(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.route("**/hint/", lambda route: None)  # never answered
    fill_in(page, "It misses some.")
    with page.expect_request("**/hint/"):
        page.wait_for_timeout(10)
    expect(page.locator("#submit")).to_be_enabled()
    expect(reasons(page)).to_be_editable()
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    assert Annotation.objects.get().values["reasons"] == "It misses some."


@pytest.mark.parametrize("status", [302, 403, 404, 500])
def test_a_failed_hint_changes_nothing(open_page: Any, annotator: Member, place: Assignment, status: int) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    headers = {"HX-Refresh": "true"} if status == 302 else {}
    page.route(
        "**/hint/",
        lambda route: route.fulfill(status=200 if status == 302 else status, body="<h1>No</h1>", headers=headers),
    )
    with page.expect_response("**/hint/"):
        fill_in(page, "It misses some.")
        page.wait_for_timeout(1300)
    page.wait_for_timeout(200)
    expect(page.locator(".hint")).to_be_empty()
    expect(reasons(page)).to_have_value("It misses some.")


def test_the_next_question_is_loaded_ahead_and_shown_without_asking_again(
    open_page: Any, annotator: Member, place: Assignment, live_server: Any
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    with page.expect_response("**/2/?after=1"):
        fill_in(page)
    save_state(page).to_have_text("Saved")
    assert not Draft.objects.exclude(item__position=1).exists()
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    cached: list[str] = []
    client.on(
        "Network.responseReceived",
        lambda event: cached.append(event["response"]["url"]) if event["response"].get("fromDiskCache") else None,
    )
    page.locator("#submit").click()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    expect(page).to_have_url(f"{live_server.url}{question(place, 2)}")
    assert f"{live_server.url}{question(place, 2)}?after=1" in cached, "it came from the browser's cache"
    expect(page.locator(".task-progress .is-judged")).to_have_count(1)
    fill_in(page, "It leaves out sentence 5.")
    page.locator("#submit").click()
    page.wait_for_url("**/done/")
    page.go_back()
    expect(reasons(page)).to_have_value("It leaves out sentence 5.")
    assert Annotation.objects.count() == 2
