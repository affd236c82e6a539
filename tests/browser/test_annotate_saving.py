"""Nothing typed is lost: drafts, lost connections, other tabs, sending twice, lost places."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from django.utils.crypto import get_random_string
from playwright.sync_api import Page, Route, expect

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Assignment, Member, Study
from annotation_platform.studies.services import close_batch, lease_assignment, remove_member
from tests.browser.question_page import PHONE, SAVED, fill_in, question, reasons, save_state, sentences
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_draft_saves_itself_and_goes_on_in_another_browser(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.locator('input[name="aspect-correct"][value="no"]').check()
    page.locator("[data-sentence='4']").click()
    reasons(page).fill("Half a thought")
    save_state(page).to_have_text(SAVED)
    elsewhere = open_page(annotator.user)
    elsewhere.goto(question(place))
    expect(reasons(elsewhere)).to_have_value("Half a thought")
    expect(sentences(elsewhere)).to_have_value("4")
    expect(elsewhere.locator("[data-sentence='4']")).to_have_attribute("aria-pressed", "true")
    reasons(elsewhere).fill("Half a thought, and the other half")
    save_state(elsewhere).to_have_text(SAVED)
    assert Draft.objects.get().values["reasons"] == "Half a thought, and the other half"


def test_what_was_typed_just_before_leaving_is_saved(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).fill("Typed in haste")
    page.goto("/work/")
    deadline = time.monotonic() + 60
    while not Draft.objects.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert Draft.objects.get().values["reasons"] == "Typed in haste"
    page.goto(question(place))
    expect(reasons(page)).to_have_value("Typed in haste")


def test_signing_in_again_in_another_tab_is_enough(
    open_page: Any, annotator: Member, place: Assignment, live_server: Any
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    # What a sign-in changes for the whole browser, so that the forms of pages loaded before are refused.
    page.context.add_cookies([{"name": "csrftoken", "value": get_random_string(32), "url": live_server.url}])
    fill_in(page, "Typed across two sign-ins")
    save_state(page).to_have_text(SAVED)
    page.context.add_cookies([{"name": "csrftoken", "value": get_random_string(32), "url": live_server.url}])
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(f"{live_server.url}{question(place, 2)}")
    assert Annotation.objects.get().values["reasons"] == "Typed across two sign-ins"


def test_without_a_connection_everything_is_kept_and_sent_later(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.context.set_offline(True)
    fill_in(page, "Written in a tunnel")
    save_state(page).to_contain_text("no connection. It is kept in this browser")
    page.locator("#submit").click()
    expect(page.locator("#not-sent")).to_contain_text("Not submitted: no connection")
    assert not Draft.objects.exists()
    page.context.set_offline(False)
    save_state(page).to_have_text(SAVED)
    assert Draft.objects.get().values["reasons"] == "Written in a tunnel"
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    assert Annotation.objects.get().values["reasons"] == "Written in a tunnel"


def test_what_a_dead_connection_left_in_the_browser_comes_back(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    # Not by a route: what a page sends while it goes away passes those by.
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no connection')); }")
    reasons(page).fill("Never reached the server")
    save_state(page).to_contain_text("kept in this browser")
    page.goto("about:blank")
    assert not Draft.objects.exists()
    page.goto(question(place))
    expect(reasons(page)).to_have_value("Never reached the server")
    save_state(page).to_have_text(SAVED)
    assert Draft.objects.get().values["reasons"] == "Never reached the server"


def test_a_server_error_on_submitting_leaves_the_form_as_it_was(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    fill_in(page)
    answers = iter((502, 403))
    page.route(
        "**/1/",
        lambda route: (
            route.fulfill(status=next(answers), body="<h1>No</h1>")
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    for _ in range(2):
        page.locator("#submit").click()
        expect(page.locator("#not-sent")).to_contain_text("Not submitted")
        expect(reasons(page)).to_have_value("It leaves out sentence 3.")
        expect(page.locator("#submit")).to_be_enabled()


def test_a_place_lost_while_typing_is_told_and_the_text_stays(
    open_page: Any, study: Study, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    fill_in(page, "Written too late")
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=MemberFactory(study=study))
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    expect(page.locator("#notice")).to_contain_text("somebody else has it now")
    expect(page.get_by_text("a researcher decides about it")).to_be_visible()
    expect(page.locator("#time-left")).to_be_hidden()
    page.goto(question(place))
    expect(reasons(page)).to_have_value("Written too late")
    page.get_by_role("button", name="Take another task").click()
    expect(page.get_by_role("heading", name="Worked examples")).to_be_visible()
    assert Assignment.objects.get(annotator=annotator).pk != place.pk


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
def test_who_goes_on_writing_hears_in_half_a_minute_that_the_place_is_lost(
    open_page: Any, study: Study, annotator: Member, place: Assignment, options: Any, assert_accessible: Any
) -> None:
    page = open_page(annotator.user, **options)
    page.clock.install()
    page.goto(question(place))
    fill_in(page, "Written for nobody")
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=MemberFactory(study=study))
    page.clock.fast_forward(31_000)
    expect(page.locator("#notice")).to_contain_text("somebody else has it now")
    expect(page.locator("#notice")).to_be_in_viewport()
    expect(reasons(page)).to_be_focused()
    expect(reasons(page)).to_have_value("Written for nobody")
    expect(page.locator("#time-left")).to_be_hidden()
    expect(page.locator("#submit")).to_be_visible()  # what is sent now is kept for a researcher to decide
    assert_accessible(page)


def test_when_little_time_is_left_it_is_said_and_more_can_be_had(
    open_page: Any, annotator: Member, place: Assignment, assert_accessible: Any
) -> None:
    page = open_page(annotator.user)
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() + timedelta(minutes=7))
    page.clock.install()
    page.goto(question(place))
    notice = page.locator("#time-notice")
    expect(notice).to_be_hidden()
    page.clock.fast_forward(3 * 60_000)
    expect(notice).to_contain_text("Less than 5 min left")
    assert_accessible(page)
    page.clock.fast_forward(3 * 60_000 + 10_000)
    expect(notice).to_contain_text("Less than 1 min left")
    fill_in(page, "Typed before there was more time")
    page.locator("#lease button").click()
    expect(page.locator("#time-left")).to_contain_text("30 min left")
    expect(notice).to_be_hidden()
    expect(reasons(page)).to_have_value("Typed before there was more time")


def test_that_the_batch_has_closed_is_said_once(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.clock.install()
    page.goto(question(place))
    fill_in(page)
    close_batch(batch=place.hit.batch, because="enough judgments", actor=OPERATOR)
    page.locator("#submit").click()
    for _ in range(2):
        expect(page.get_by_text("This batch has closed and takes no more judgments")).to_have_count(1)
        expect(page.locator("#submit")).to_be_hidden()
        page.clock.fast_forward(31_000)
    assert not Annotation.objects.exists()


def test_a_double_click_stores_once(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    fill_in(page)
    page.locator("#submit").dblclick()
    page.wait_for_url("**/2/")
    assert Annotation.objects.count() == 1


def test_it_works_without_javascript(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, java_script_enabled=False, **PHONE)
    page.goto(question(place))
    expect(page.locator("[data-sentence='12']")).to_be_visible()
    fill_in(page, "")
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_contain_text("Please write something here")
    expect(page.locator("#errors")).to_be_focused()
    expect(sentences(page)).to_have_value("3")
    reasons(page).fill("It leaves out sentence 3.")
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize("choice", ["theirs", "mine"])
def test_two_tabs_do_not_overwrite_each_other(
    open_page: Any, annotator: Member, place: Assignment, choice: str
) -> None:
    one = open_page(annotator.user)
    one.goto(question(place))
    two = one.context.new_page()
    two.goto(question(place))
    reasons(one).fill("From the first tab")
    save_state(one).to_have_text(SAVED)
    reasons(two).fill("From the second tab")
    expect(two.locator("#conflict")).to_be_visible()
    assert Draft.objects.get().values["reasons"] == "From the first tab"
    two.get_by_role("button", name="Load that version" if choice == "theirs" else "Keep mine").click()
    save_state(two).to_have_text(SAVED)
    expected = "From the first tab" if choice == "theirs" else "From the second tab"
    expect(reasons(two)).to_have_value(expected)
    assert Draft.objects.get().values["reasons"] == expected
    expect(two.locator("#conflict")).to_be_hidden()


def test_who_is_let_out_of_the_study_while_typing_is_not_told_of_a_lost_connection(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    remove_member(member=annotator, actor=OPERATOR)
    reasons(page).fill("Written in vain")
    save_state(page).to_have_text("Not saved: the server did not take it. It is kept in this browser.")
    assert not Draft.objects.exists()


@pytest.mark.parametrize("choice", ["theirs", "mine"])
def test_a_form_that_was_open_when_the_study_migrated_loses_nothing_that_was_typed(
    open_page: Any, study: Study, annotator: Member, place: Assignment, choice: str
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).fill("Before")
    save_state(page).to_have_text(SAVED)
    data = preset("ebr") | {"examples": []}
    data["aspects"][3]["key"] = data["rescale"][0]["explained_by"] = "why"
    migrate_scheme(study=study, definition=data, renamings=["reasons = why"], actor=OPERATOR)
    reasons(page).fill("Before and after")
    page.get_by_role("button", name="Load that version" if choice == "theirs" else "Keep mine").click()
    expected = "Before" if choice == "theirs" else "Before and after"
    if choice == "mine":
        save_state(page).to_have_text(
            "Saved. But the questions have changed since this page was loaded: load it again."
        )
        page.reload()
    expect(page.locator('[name="aspect-why"]')).to_have_value(expected)
    assert Draft.objects.get().values["why"] == expected


def edited() -> dict[str, Any]:
    """The scheme ``ebr`` with other names for its reasons and for the best choice of its completeness."""
    data = preset("ebr") | {"examples": []}
    data["aspects"][3]["key"] = data["rescale"][0]["explained_by"] = "why"
    data["aspects"][1]["scale"]["choices"][0]["key"] = "full"
    return data


RENAMINGS = ["reasons = why", "completeness.complete = full"]


def wait_until(page: Page, is_there: Callable[[], bool], meanwhile: Callable[[], None] = lambda: None) -> None:
    for _ in range(600):
        if is_there():
            return
        meanwhile()
        page.wait_for_timeout(50)
    raise AssertionError("it did not come within half a minute")


def leave_behind(page: Page, words: str) -> None:
    """Leave the question with something typed that stays in the browser alone."""
    # Not by a route: what a page sends while it goes away passes those by.
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no connection')); }")
    page.locator('input[name="aspect-completeness"][value="complete"]').check()
    reasons(page).fill(words)
    save_state(page).to_contain_text("kept in this browser")
    page.goto("about:blank")


def test_what_a_dead_connection_left_comes_back_under_the_keys_that_the_study_has_by_then(
    open_page: Any, study: Study, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    leave_behind(page, "Never reached the server")
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    held: list[Route] = []
    page.route("**/draft/", lambda route: held.append(route), times=1)
    page.goto(question(place))
    wait_until(page, lambda: bool(held))
    page.keyboard.press("y")  # nothing takes the place of what waits
    page.keyboard.press("Control+Enter")
    held[0].abort()
    expect(page.locator('[name="aspect-why"]')).to_have_value("Never reached the server")
    expect(page.locator('[name="aspect-completeness"][value="full"]')).to_be_checked()
    expect(page.locator("#conflict")).to_be_hidden()
    assert Draft.objects.get().values == {"completeness": "full", "why": "Never reached the server"}
    page.locator('[name="aspect-why"]').fill("Goes on")
    save_state(page).to_have_text(SAVED)
    assert Draft.objects.get().values["why"] == "Goes on"


def test_what_has_no_field_any_more_stays_whatever_is_typed_or_comes_back(
    open_page: Any, study: Study, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).fill("Half a thou")
    save_state(page).to_have_text(SAVED)
    data = preset("ebr") | {"examples": [], "rescale": []}
    del data["aspects"][3]
    migrate_scheme(study=study, definition=data, actor=OPERATOR)
    page.goto(question(place))
    kept, cited = page.locator("dd.kept"), page.locator('[name="aspect-sentences"]')
    cited.fill("2")
    save_state(page).to_have_text(SAVED)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#errors")).to_be_visible()
    expect(kept).to_have_text("Half a thou")
    expect(page.locator('[name="version"]')).to_have_value("3")  # saved once more
    page.goto(question(place))
    expect(kept).to_have_text("Half a thou")
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no connection')); }")
    cited.fill("3")
    save_state(page).to_contain_text("kept in this browser")
    page.goto("about:blank")
    data["aspects"][2]["title"] = "Which sentences?"
    migrate_scheme(study=study, definition=data, actor=OPERATOR)
    page.goto(question(place))
    expect(page.locator("#form[inert]")).to_have_count(0)
    expect(cited).to_have_value("3")
    expect(kept).to_have_text("Half a thou")
    assert Draft.objects.get().values == {"sentences": "3", "reasons": "Half a thou"}


@pytest.mark.parametrize("since", ["", "Typed since"])
def test_what_the_server_does_not_take_at_first_leaves_the_form_free_and_comes_back_later(
    open_page: Any, study: Study, annotator: Member, place: Assignment, since: str
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    leave_behind(page, "Never reached the server")
    data = edited()
    data["aspects"][1]["scale"]["choices"][0]["key"] = "complete"
    migrate_scheme(study=study, definition=data, renamings=RENAMINGS[:1], actor=OPERATOR)
    page.route("**/draft/", lambda route: route.fulfill(status=502, body="<h1>No</h1>"), times=1)
    page.goto(question(place))
    save_state(page).to_contain_text("the server did not take it")
    expect(page.locator("#form[inert]")).to_have_count(0)
    expect(page.locator('[name="aspect-completeness"][value="complete"]')).to_be_checked()
    why = page.locator('[name="aspect-why"]')
    if since:
        why.fill(since)
        save_state(page).to_have_text(SAVED)
    page.goto(question(place))
    expect(why).to_have_value("Never reached the server")
    if since:
        page.get_by_role("button", name="Keep mine").click()
        save_state(page).to_have_text(SAVED)
    expect(page.locator("#conflict")).to_be_hidden()
    expect(page.locator("#form[inert]")).to_have_count(0)
    page.goto(question(place))
    expect(why).to_have_value("Never reached the server")
    assert Draft.objects.get().values == {"completeness": "complete", "why": "Never reached the server"}


def test_a_connection_that_stays_dead_does_not_hold_the_form_for_good(
    open_page: Any, study: Study, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    leave_behind(page, "Never reached the server")
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    tries: list[str] = []
    page.route("**/draft/", lambda route: (tries.append(route.request.url), route.abort()))
    page.clock.install()
    page.goto(question(place))
    for count in range(1, 7):
        wait_until(page, lambda count=count: len(tries) >= count, meanwhile=lambda: page.clock.fast_forward(5_000))
    expect(page.locator("#form[inert]")).to_have_count(0)
    page.unroute("**/draft/")
    page.goto(question(place))
    expect(page.locator('[name="aspect-why"]')).to_have_value("Never reached the server")


@pytest.mark.parametrize("choice", ["theirs", "mine"])
def test_what_was_left_so_is_asked_about_where_the_server_has_something_else(
    open_page: Any, study: Study, annotator: Member, place: Assignment, choice: str
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).fill("Before")
    save_state(page).to_have_text(SAVED)
    leave_behind(page, "Before and after")
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    page.goto(question(place))
    expect(page.locator("#conflict")).to_be_visible()
    why = page.locator('[name="aspect-why"]')
    expect(why).to_have_value("Before and after")
    page.get_by_role("button", name="Load that version" if choice == "theirs" else "Keep mine").click()
    expect(page.locator("#conflict")).to_be_hidden()
    expected = "Before" if choice == "theirs" else "Before and after"
    expect(why).to_have_value(expected)
    if choice == "mine":
        save_state(page).to_have_text(SAVED)
    page.reload()
    expect(why).to_have_value(expected)
    assert Draft.objects.get().values["why"] == expected


def test_what_was_saved_on_leaving_is_no_conflict_after_the_study_has_migrated(
    open_page: Any, study: Study, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.locator('input[name="aspect-completeness"][value="complete"]').check()
    reasons(page).fill("Typed in haste")
    page.goto("/work/")
    deadline = time.monotonic() + 60
    while not Draft.objects.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    page.goto(question(place))
    expect(page.locator("#form[inert]")).to_have_count(0)
    why = page.locator('[name="aspect-why"]')
    expect(why).to_have_value("Typed in haste")
    why.fill("Typed at leisure")
    save_state(page).to_have_text(SAVED)
    expect(page.locator("#conflict")).to_be_hidden()
    assert Draft.objects.get().values == {"completeness": "full", "why": "Typed at leisure"}


def test_a_draft_whose_answer_was_lost_is_no_conflict(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    # The server stores the draft, but its answer gets lost on the way back.
    page.route("**/draft/", lambda route: (route.fetch(), route.abort()), times=1)
    reasons(page).fill("First")
    save_state(page).to_contain_text("no connection")
    reasons(page).fill("First and second")
    save_state(page).to_have_text(SAVED)
    assert Draft.objects.get().values["reasons"] == "First and second"
    expect(page.locator("#conflict")).to_be_hidden()


def test_reset_asks_first_and_then_empties_the_question(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    fill_in(page)
    page.get_by_role("button", name="Reset this question").click()
    page.get_by_role("button", name="Keep it").click()
    expect(reasons(page)).to_have_value("It leaves out sentence 3.")
    page.get_by_role("button", name="Reset this question").click()
    page.get_by_role("button", name="Empty it").click()
    expect(reasons(page)).to_have_value("")
    expect(page.locator("input:checked")).to_have_count(0 + 1)  # the switch for single keys
    expect(page.locator("[aria-pressed='true']")).to_have_count(0)
    save_state(page).to_have_text(SAVED)
    page.reload()
    expect(reasons(page)).to_have_value("")


def test_errors_come_back_with_the_focus_on_their_summary(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    fill_in(page)
    sentences(page).fill("3, 99")
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_focused()
    page.locator("#errors a").click()
    expect(sentences(page)).to_be_focused()
    expect(sentences(page)).to_have_value("3, 99")
    expect(page.locator("#aspect-sentences-error")).to_contain_text("There is no sentence 99")
    sentences(page).fill("3")
    page.locator("#submit").click()
    page.wait_for_url("**/2/")


def test_time_on_task_counts_only_while_the_page_is_in_view(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.clock.install()
    page.goto(question(place))
    page.clock.run_for(20_000)
    set_visibility(page, "hidden")
    page.clock.run_for(600_000)
    set_visibility(page, "visible")
    page.clock.run_for(10_000)
    fill_in(page)
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    seconds = Annotation.objects.get().seconds
    assert seconds is not None
    assert 29 <= seconds <= 45


def test_the_time_of_a_look_in_which_nothing_was_typed_counts_too(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.clock.install()
    page.goto(question(place))
    page.clock.run_for(20_000)
    page.goto(question(place, 2))
    page.clock.run_for(600_000)
    page.goto(question(place))
    fill_in(page)
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    seconds = Annotation.objects.get().seconds
    assert seconds is not None
    assert 19 <= seconds <= 35


def set_visibility(page: Page, state: str) -> None:
    page.evaluate(
        """(state) => {
            Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_a_form_sent_twice_by_two_tabs_is_one_judgment(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    mark = str(uuid4())
    fill_in(page)
    page.evaluate("(mark) => { document.querySelector('[name=submission]').value = mark; }", mark)
    statuses = page.evaluate(
        """async () => {
            const body = new URLSearchParams(new FormData(document.getElementById("form")));
            const send = () => fetch(location.href, {method: "POST", body, redirect: "manual"});
            return (await Promise.all([1, 2, 3, 4].map(send))).map((answer) => answer.type);
        }"""
    )
    assert statuses == ["opaqueredirect"] * 4
    assert Annotation.objects.count() == 1
