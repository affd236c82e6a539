"""The study builder in a real browser: the form follows the scheme, mistakes lead to their lines, nothing is lost."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect

from annotation_platform.annotations.migrating import MIGRATIONS
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.studies.models import Member, Role, Study
from tests import rests_on
from tests.browser.conftest import OpenPage
from tests.browser.question_page import wait_until
from tests.core.whole_schemes import GROUP
from tests.factories import MemberFactory, make_corpus, make_study, study_with_judgments
from workers import tasks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}
PICTURES = os.environ.get("PICTURES")


@pytest.fixture
def researcher() -> Member:
    member: Member = MemberFactory(study=make_study(name="Harbour"), role=Role.RESEARCHER)
    return member


def open_builder(open_page: OpenPage, member: Member, **options: object) -> Page:
    page = open_page(member.user, **options)
    page.goto("/new-study/")
    expect(preview(page).locator("#form")).to_be_visible()
    return page


def preview(page: Page) -> FrameLocator:
    return page.frame_locator("#frame iframe")


def picture(page: Page, name: str) -> None:
    """A picture to look at, where PICTURES names a folder for them."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"builder-{name}.png", full_page=True, caret="initial")


def write(page: Page, text: str) -> None:
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.get_by_role("textbox", name="Scheme").fill(text)


@pytest.mark.long(*rests_on.PAGES)
def test_the_builder_can_be_used_by_everybody(
    open_page: OpenPage, researcher: Member, assert_accessible_in_both: Callable[[Page], None]
) -> None:
    for name, size in (("desktop", {"width": 1280, "height": 900}), ("phone", PHONE)):
        page = open_builder(open_page, researcher, viewport=size)
        picture(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert_accessible_in_both(page)
        write(page, preset_text("ebr").replace("kind: text", "kind: txt").replace("better: high", "beter: high"))
        expect(page.get_by_text("mistakes")).to_be_visible()
        picture(page, f"{name}-mistakes")
        assert_accessible_in_both(page)


def test_the_form_follows_the_scheme_and_keeps_what_was_filled_in(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher, color_scheme="null")  # else Playwright decides for all frames
    write(page, GROUP)
    expect(preview(page).get_by_text("Which is best?")).to_be_visible()
    preview(page).get_by_label("Why?").fill("It is short.")
    write(page, GROUP.replace("Which is best?", "Which do you prefer?"))
    expect(preview(page).get_by_text("Which do you prefer?")).to_be_visible()
    expect(preview(page).get_by_label("Why?")).to_have_value("It is short.")
    page.get_by_role("radio", name="Phone").check()
    assert preview(page).locator("html").evaluate("innerWidth") == 360
    for colours in ("Dark", "Light"):
        page.get_by_role("radio", name=colours).check()
        is_so = f"matchMedia('(prefers-color-scheme: {colours.lower()})').matches"
        assert preview(page).locator("html").evaluate(is_so)
    picture(page, "group-phone-frame")


def test_what_is_filled_in_while_the_form_is_drawn_anew_stays(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    write(page, GROUP)
    expect(preview(page).get_by_text("Which is best?")).to_be_visible()
    held: list[Route] = []
    page.route("**/new-study/", lambda route: held.append(route))
    page.get_by_role("textbox", name="Scheme").fill(GROUP.replace("Which is best?", "Which do you prefer?"))
    with page.expect_request("**/new-study/"):  # leaving the scheme asks for a look
        preview(page).get_by_label("Why?").focus()
    page.wait_for_timeout(100)
    preview(page).get_by_label("Why?").fill("It is short.")
    held[-1].continue_()
    page.unroute("**/new-study/")
    expect(preview(page).get_by_text("Which do you prefer?")).to_be_visible()
    expect(preview(page).get_by_label("Why?")).to_have_value("It is short.")


def test_conditions_live_in_the_preview(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    page.locator("button[value=rev]").click()
    expect(preview(page).locator("[data-aspect=additional_information]")).to_be_hidden()
    preview(page).locator("[data-aspect=justifies] input").first.check()
    expect(preview(page).locator("[data-aspect=additional_information]")).to_be_visible()
    page.get_by_role("radio", name="日本語").check()
    expect(preview(page).locator("html")).to_have_attribute("lang", "ja")
    picture(page, "rev-japanese")


def test_a_mistake_leads_to_its_line(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    write(page, GROUP.replace("kind: best_of", "kind: best"))
    expect(page.locator("#line-numbers .has-mistake")).to_have_text("16")
    page.get_by_role("button", name="Line 16").press("Enter")
    field = page.get_by_role("textbox", name="Scheme")
    expect(field).to_be_focused()
    chosen = field.evaluate("each => each.value.slice(each.selectionStart, each.selectionEnd)")
    assert chosen == "    kind: best"
    page.keyboard.type("    kind: best_of")
    expect(page.get_by_text("No mistakes")).to_be_visible()
    expect(page.locator("#line-numbers .has-mistake")).to_have_count(0)


def test_enter_keeps_the_indentation(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    field = page.get_by_role("textbox", name="Scheme")
    field.fill("")
    field.press_sequentially("aspects:\n- key: a\nx")
    assert field.input_value() == "aspects:\n  - key: a\n  x"
    field.press("Tab")
    expect(field).not_to_be_focused()


def test_what_was_written_is_kept_in_the_browser(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    write(page, GROUP)
    wait_until(page, f"localStorage.getItem('scheme:/new-study/') === {json.dumps(GROUP)}")
    page.reload()
    page.get_by_role("button", name="Bring it back").click()
    expect(page.get_by_role("textbox", name="Scheme")).to_have_value(GROUP)
    expect(preview(page).get_by_text("Which is best?")).to_be_visible()


def test_the_studys_fields_are_kept_while_a_corpus_is_imported(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    page.get_by_label("Name").fill("Harbour again")
    page.locator("#id_overlap").fill("4")
    wait_until(page, "(localStorage.getItem('scheme:/new-study/#fields') || '').includes('Harbour again')")
    page.get_by_role("link", name="Import a new corpus").click()
    page.goto("/new-study/")
    page.get_by_role("button", name="Bring it back").click()
    expect(page.get_by_label("Name")).to_have_value("Harbour again")
    expect(page.locator("#id_overlap")).to_have_value("4")
    page.get_by_label("Corpus").select_option(index=1)
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("heading", name="Harbour again")).to_be_visible()
    assert Study.objects.get(name="Harbour again").overlap == 4
    page.goto("/new-study/")
    expect(page.get_by_role("button", name="Create the study")).to_be_visible()
    expect(page.get_by_role("button", name="Bring it back")).to_be_hidden()  # it was saved


def test_a_judgment_is_tried_and_a_study_made_by_keyboard(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    page.get_by_role("button", name="Try to submit it").press("Enter")
    expect(page.get_by_text("This would not be accepted")).to_be_visible()
    expect(preview(page).get_by_text("Choose one.").first).to_be_visible()
    page.get_by_label("Name").fill("Harbour again")
    page.get_by_label("Corpus").select_option(index=1)
    expect(page.get_by_text("12 items to judge.")).to_be_visible()
    page.get_by_label("Show", exact=True).select_option("question 2 of the corpus")
    expect(preview(page).get_by_role("heading", name="What about q2?")).to_be_visible()
    picture(page, "corpus")
    page.get_by_role("button", name="Create the study").press("Enter")
    expect(page.get_by_role("heading", name="Harbour again")).to_be_visible()
    assert Study.objects.get(name="Harbour again").batches.count() == 1


def test_a_study_is_made_once_though_the_page_still_looks_at_it(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    looks: list[str] = []

    def saw_the_button() -> bool:
        return any('name="do"\r\n\r\ncreate' in each for each in looks)

    def look_first(route: Route) -> None:
        """Let the form itself arrive after the look that the last change began."""
        if route.request.is_navigation_request():
            deadline = time.monotonic() + 30
            while not saw_the_button() and time.monotonic() < deadline:
                page.wait_for_timeout(50)
            page.wait_for_timeout(1000)  # on its way
        else:
            looks.append(route.request.post_data or "")
        route.continue_()

    page.get_by_label("Corpus").select_option(index=1)
    expect(page.get_by_text("12 items to judge.")).to_be_visible()
    page.wait_for_timeout(600)
    page.route("**/new-study/", look_first)
    page.get_by_label("Name").fill("Harbour again")
    page.get_by_role("button", name="Create the study").press("Enter")
    expect(page.get_by_role("heading", name="Harbour again")).to_be_visible()
    assert saw_the_button(), "no look had the form's button, so that nothing was proved"


def migrate() -> None:
    """The worker does what was asked for last."""
    job = run_job(MIGRATIONS, SchemeMigration.objects.latest("pk").pk)
    assert job is not None
    assert job.status == JobStatus.DONE, job.error


def test_a_studys_scheme_is_edited_with_its_judgments_in_view(
    open_page: OpenPage,
    assert_accessible_in_both: Callable[[Page], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks.work, "delay", lambda kind, pk: None)
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=2), name="Harbour")
    admin = MemberFactory(study=study, role=Role.ADMIN)
    for name, size in (("desktop", {"width": 1280, "height": 900}), ("phone", PHONE)):
        page = open_page(admin.user, viewport=size)
        page.goto(f"/studies/{study.slug}/scheme/?as_it_is=1")
        write(page, preset_text("ebr").replace("completeness", "fullness"))
        expect(page.get_by_text("completeness: dropped")).to_be_visible()
        page.get_by_label("Renamed").fill("completeness = fullness")
        expect(page.get_by_text("completeness: renamed to fullness")).to_be_visible()
        page.get_by_role("button", name="Count what migrates").press("Enter")
        expect(page.get_by_text("It waits for its turn.")).to_be_visible()
        expect(page.get_by_text("The background worker is not running")).to_be_visible()
        assert_accessible_in_both(page)
        picture(page, f"counting-{name}")
        migrate()
        expect(page.get_by_text("12 of 12 judgments migrate with all they say.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Scheme")).to_have_value(re.compile("key: fullness"))
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert_accessible_in_both(page)
        picture(page, f"edit-{name}")
    page.get_by_label("Renamed").fill("")
    expect(page.get_by_role("button", name="Migrate to this version")).to_have_count(
        0
    )  # these counts were not shown yet
    page.get_by_role("button", name="Count what migrates").press("Enter")
    expect(page.get_by_text("It waits for its turn.")).to_be_visible()
    migrate()
    page.get_by_role("button", name="Migrate to this version").press("Enter")
    expect(page.get_by_text("The study is migrating to the new version")).to_be_visible()
    SchemeMigration.objects.filter(status=JobStatus.PENDING).update(
        status=JobStatus.RUNNING, worker="somebody", done=1_200, total=10_000
    )
    record_pulse(name="worker")
    expect(page.get_by_text("1,200 of 10,000 judgments migrated")).to_be_visible()
    expect(page.get_by_text("The background worker is not running")).to_have_count(0)
    assert_accessible_in_both(page)
    picture(page, "migrating")
    SchemeMigration.objects.filter(status=JobStatus.RUNNING).update(status=JobStatus.PENDING)
    migrate()
    expect(page.get_by_text("The study is under ebr v2 now.")).to_be_visible()
    expect(page.get_by_text("Nothing is changed so far.")).to_be_visible()
    expect(page.get_by_role("button", name="Bring it back")).to_have_count(0)  # the study has what was written
    assert_accessible_in_both(page)
    picture(page, "migrated")


def test_what_is_renamed_is_kept_in_the_browser_with_its_scheme(open_page: OpenPage, transactional_db: None) -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=2), name="Harbour")
    page = open_page(MemberFactory(study=study, role=Role.ADMIN).user)
    page.goto(f"/studies/{study.slug}/scheme/")
    write(page, preset_text("ebr").replace("completeness", "fullness"))
    page.get_by_label("Renamed").fill("completeness = fullness")
    expect(page.get_by_text("completeness: renamed to fullness")).to_be_visible()
    page.goto(f"/studies/{study.slug}/")
    page.goto(f"/studies/{study.slug}/scheme/")
    page.get_by_role("button", name="Bring it back").click()
    expect(page.get_by_label("Renamed")).to_have_value("completeness = fullness")
    expect(page.get_by_text("completeness: renamed to fullness")).to_be_visible()


def test_what_was_renamed_and_migrated_is_not_offered_again(open_page: OpenPage, transactional_db: None) -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=2), name="Harbour")
    page = open_page(MemberFactory(study=study, role=Role.ADMIN).user)
    page.goto(f"/studies/{study.slug}/scheme/")
    write(page, preset_text("ebr").replace("completeness", "fullness"))
    count, stored = page.get_by_role("button", name="Count what migrates"), page.get_by_text("Nothing is stored yet.")
    count.click()
    migrate()
    expect(stored).to_be_visible()
    page.get_by_label("Renamed").fill("completeness = fullness")
    expect(page.get_by_text("completeness: renamed to fullness")).to_be_visible()
    page.wait_for_function("Object.values(localStorage).some(each => each.includes('= fullness'))")
    count.click()
    migrate()
    expect(stored).to_be_visible()
    page.get_by_role("button", name="Migrate to this version").click()
    migrate()
    page.goto(f"/studies/{study.slug}/scheme/")
    expect(page.get_by_label("Renamed")).to_have_value("")
    expect(page.get_by_role("button", name="Bring it back")).to_be_hidden()


def test_the_first_click_on_the_dry_run_counts(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    field = page.get_by_role("textbox", name="Scheme")
    for pause in (0, 40, 300):  # ms that the button is held, while leaving the field asks for a look
        page.goto("/new-study/")
        expect(preview(page).locator("#form")).to_be_visible()
        field.press("End")
        field.press_sequentially(" ")
        page.get_by_role("button", name="Try to submit it").click(delay=pause)
        expect(page.get_by_text("This would not be accepted")).to_be_visible()
        page.wait_for_timeout(900)  # a look that was due would have come by now
        expect(page.get_by_text("This would not be accepted")).to_be_visible()
        expect(preview(page).get_by_text("Choose one.").first).to_be_visible()


def test_a_late_look_at_the_same_form_does_not_take_a_dry_run_away(open_page: OpenPage, researcher: Member) -> None:
    page = open_builder(open_page, researcher)
    page.get_by_role("button", name="Try to submit it").click()
    expect(page.get_by_text("This would not be accepted")).to_be_visible()
    looks: list[str] = []
    page.on("request", lambda request: looks.append(request.url) if request.method == "POST" else None)
    field = page.get_by_role("textbox", name="Scheme")
    field.dispatch_event("change")  # what leaving the field for the button sends, here later than the answer
    page.wait_for_timeout(900)
    assert looks == []
    expect(page.get_by_text("This would not be accepted")).to_be_visible()
    field.press("End")
    field.press_sequentially("  # more")
    expect(page.get_by_text("This would not be accepted")).to_have_count(0)


def test_on_a_phone_no_presets_key_is_broken_in_two(open_page: OpenPage, study: Study) -> None:
    page = open_page(MemberFactory(study=study, role=Role.RESEARCHER).user, viewport={"width": 360, "height": 740})
    page.goto("/new-study/")
    keys = page.locator("button[name=preset] .muted")
    assert "lfqa" in keys.all_inner_texts()
    heights = "found => found.map(each => each.offsetHeight)"
    assert len(set(keys.evaluate_all(heights))) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
