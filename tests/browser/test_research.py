"""The researcher's pages in a real browser: charts under the strict policy, live parts, dialogs, both schemes."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.services import send_message
from annotation_platform.jobs.models import WorkerPulse
from annotation_platform.studies.models import Assignment, BatchState, Item, Member, Role, Study
from annotation_platform.studies.services import lease_assignment, open_batch, plan_batches
from tests import rests_on
from tests.analysis.study_rows import score
from tests.factories import OPERATOR, MemberFactory, as_sent, close_all, judge_everything, make_corpus, make_study
from tests.judged_in_bulk import judge_in_bulk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module", autouse=True)
def drawing_library() -> None:
    call_command("build_assets")


@pytest.fixture
def study() -> Study:
    """A scored first batch with figures, an open second one with a message, and a draft."""
    study = make_study(corpus=make_corpus(articles=5), name="Harbour", overlap=3, hits_per_batch=4)
    first, second, *_ = plan_batches(study=study)
    members = [MemberFactory(study=study, pseudonym=name) for name in ("Alder", "Birch", "Cedar")]
    open_batch(batch=first, actor=OPERATOR)
    judge_in_bulk(study, members, lambda member, item: as_sent(study, opinion(item, members.index(member))))
    close_all(study)
    score(study)
    take_snapshot(study=study, resamples=20)
    open_batch(batch=second, actor=OPERATOR)
    judge_everything(members[0], lambda item: opinion(item, 0))
    place = Assignment.objects.filter(annotator=members[0], hit__batch=second).first()
    assert place is not None
    send_message(assignment=place, author=members[0], text="Sentence 4 is cut off.", actor=OPERATOR)
    return study


def opinion(item: Item, shift: int) -> dict[str, Any]:
    labels = ("complete", "missing_minor", "missing_major", "missing_all")
    place = (item.pk + (item.pk % 3 == shift)) % 4
    return {"completeness": labels[place], "sentences": [1 + place, 2 + shift], "reasons": f"It leaves out {place}."}


@pytest.fixture
def researcher(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Riverside")
    return member


def draw_all(page: Page) -> None:
    """Bring every chart into view, and wait until it is drawn."""
    for chart in page.locator(".chart").all():
        chart.evaluate("(chart) => chart.scrollIntoView()")  # a card that was swapped in may still be settling
        expect(chart.locator("svg")).to_be_visible()
    expect(page.locator(".chart.failed")).to_have_count(0)


def pages_of(study: Study) -> dict[str, str]:
    base = f"/studies/{study.slug}/"
    item = Item.objects.filter(study=study, annotations__isnull=False).first()
    assert item is not None
    return {
        "study": base,
        "batch": f"{base}batches/2/",
        "agreement": f"{base}agreement/",
        "items": f"{base}items/",
        "item": f"{base}items/{item.pk}/",
    }


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_fits_a_phone(
    study: Study, researcher: Member, open_page: Callable[..., Page], assert_accessible: Any, scheme: str
) -> None:
    for viewport in ({"width": 1280, "height": 860}, PHONE):
        page = open_page(researcher.user, color_scheme=scheme, viewport=viewport)
        for name, path in pages_of(study).items():
            page.goto(path)
            if name == "agreement":
                draw_all(page)
                for summary in page.locator("summary").all():
                    summary.click()
            assert_accessible(page)
            wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wider == 0, f"{name} is {wider} px wider than a screen of {viewport['width']} px"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_consensus_labels_lead_to_the_uncertain_items(
    study: Study, researcher: Member, open_page: Callable[..., Page], assert_accessible: Any, scheme: str
) -> None:
    for viewport in ({"width": 1280, "height": 860}, PHONE):
        page = open_page(researcher.user, color_scheme=scheme, viewport=viewport)
        page.goto(f"/studies/{study.slug}/agreement/consensus/?aspect=completeness")
        draw_all(page)
        expect(page.locator(".chart svg")).to_have_count(2)
        for chart in page.locator(".chart").all():
            for name in ("Alder", "Birch", "Cedar"):
                expect(chart.get_by_text(name, exact=True)).to_be_visible()
        for summary in page.locator("summary").all():
            summary.click()
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        page.locator("td a").first.click()
        expect(page.get_by_role("heading", name="Answer by")).to_be_visible()


def test_charts_are_drawn_in_the_readers_colour_scheme_and_follow_it(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user, color_scheme="light")
    page.goto(f"/studies/{study.slug}/agreement/")
    draw_all(page)
    label = page.get_by_label("Agreement, raw and rescaled.").get_by_text("Krippendorff α")
    expect(label).to_have_attribute("fill", "#1d1f23")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_attribute("fill", "#e8e9eb")


def test_hovering_a_chart_tells_value_interval_and_n(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/agreement/")
    draw_all(page)
    page.locator(".chart").first.scroll_into_view_if_needed()
    page.locator(".chart").first.locator("g.mark-symbol path").first.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip).to_be_visible()
    for part in ("Value", "95\u00a0% from", "Items", "Judgments"):
        expect(tooltip).to_contain_text(part)


def test_another_setting_and_another_pair_are_swapped_in_and_drawn(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/agreement/pairs/")
    page.get_by_label("Over").select_option("no_ties")
    expect(page.get_by_role("heading", name="Pairs of annotators, without ties")).to_be_visible()
    page.get_by_label("Annotator", exact=True).select_option("Birch")
    expect(page.get_by_label("with", exact=True).get_by_role("option", name="Alder")).to_have_count(1)
    page.get_by_label("with", exact=True).select_option("Birch~Cedar")
    expect(page.get_by_role("heading", name="Annotators Birch and Cedar")).to_be_visible()
    draw_all(page)


def test_charts_download_as_svg_and_png_and_tables_as_csv(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/agreement/")
    card = page.locator(".card", has=page.get_by_role("heading", name="Agreement, raw and rescaled", exact=True))
    card.get_by_text("Table: Agreement, raw and rescaled").click()
    for name, ending in (("SVG", ".svg"), ("PNG", ".png"), ("Agreement, raw and rescaled as CSV", ".csv")):
        with page.expect_download() as download:
            card.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"harbour-agreement{ending}"


def test_closing_a_batch_asks_first_and_the_page_follows_by_itself(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/")
    page.get_by_role("button", name="Close it").click()
    dialog = page.get_by_role("dialog", name="Close Batch 2?")
    expect(dialog).to_contain_text("What is being typed is kept")
    dialog.get_by_role("button", name="Keep it open").click()
    expect(dialog).to_be_hidden()
    assert study.batches.get(number=2).state == BatchState.OPEN
    page.get_by_role("button", name="Close it").click()
    dialog.get_by_role("button", name="Close Batch 2 now").click()
    expect(page.get_by_text("Batch 2 is closed.")).to_be_visible()
    expect(page.get_by_text("The background worker is not running; scoring waits.")).to_be_visible()
    score(study)
    expect(page.get_by_text("scored", exact=True)).to_be_visible()
    expect(page.get_by_text("The background worker is not running")).to_have_count(0)
    assert not WorkerPulse.objects.exists()


def test_a_draft_batch_is_opened_from_the_keyboard(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/")
    page.get_by_role("button", name="Open it …", exact=True).first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Open Batch 3?").get_by_role("button", name="Open Batch 3").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Batch 3 is open")).to_be_visible()


def test_a_batch_that_opened_meanwhile_can_be_closed_and_its_dialog_counts_who_is_at_work_now(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/")
    batch = study.batches.get(number=3)
    assert batch.state == BatchState.DRAFT
    open_batch(batch=batch, actor=OPERATOR)
    closing = page.locator(f"#closes-{batch.number}")
    closing.click()  # the page has looked again; the dialog comes with a new page
    dialog = page.get_by_role("dialog", name="Close Batch 3?")
    page.wait_for_load_state()
    closing.click()
    expect(dialog).to_contain_text("Nobody is at work in it.")
    place = Assignment.objects.filter(hit__batch=batch).first()
    assert place is not None
    assert lease_assignment(place=place, annotator=MemberFactory(study=study))
    expect(dialog).to_contain_text("1 person is at work in it.")
    expect(dialog).to_be_visible()


def test_a_message_is_answered_on_the_batch_page(
    study: Study, researcher: Member, open_page: Callable[..., Page]
) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/batches/2/")
    expect(page.get_by_text("to answer", exact=True)).to_be_visible()
    page.get_by_label("Answer the annotator").fill("Judge it as it stands.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".thread .mine")).to_contain_text("Judge it as it stands.")


def test_items_are_found_while_typing(study: Study, researcher: Member, open_page: Callable[..., Page]) -> None:
    page = open_page(researcher.user)
    page.goto(f"/studies/{study.slug}/items/")
    expect(page.get_by_text("60 items")).to_be_visible()
    page.get_by_label("Words of article, question or system").press_sequentially("q1 birch")
    expect(page.get_by_text("5 items")).to_be_visible()
    page.get_by_role("link", name="What about q1?").first.click()
    expect(page.get_by_role("heading", name="Answer by birch")).to_be_visible()


@pytest.mark.parametrize("name", ["agreement/paper/", "agreement/human-llm/", "settings/", "crowd/pay/"])
def test_on_a_phone_the_open_tabs_are_in_two_rows_and_in_sight(
    open_page: Callable[..., Page], study: Study, name: str
) -> None:
    page = open_page(MemberFactory(study=study, role=Role.RESEARCHER).user, viewport=PHONE)
    page.goto(f"/studies/{study.slug}/{name}")
    open_tabs = page.locator(".tabs [aria-current]").all()
    assert 1 <= len(open_tabs) == page.locator(".tabs").count() <= 2
    for tab in open_tabs:
        box = tab.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
