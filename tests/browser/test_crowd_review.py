"""The monitor, reviews and adjudication in a browser: what renews itself, what is pasted, and how it looks to axe."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.monitor.measuring import measure
from annotation_platform.crowd.monitor.models import Paste
from annotation_platform.crowd.review.services import reject
from annotation_platform.studies.models import Assignment, Item, Member, Role, Study
from tests.browser.conftest import OpenPage
from tests.crowd.pieces import submitted_places
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from workers.tasks import take_snapshot

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
PHONE = {"width": 360, "height": 740}
COPIED = "The answer leaves out that the library closes for two weeks in June, and why."


def said(member: Member, item: Item) -> dict[str, str]:
    if member.pseudonym == "A":
        return {"correct": "yes", "completeness": "complete", "reasons": f"{COPIED} {item.pk}"}
    level = ("missing_minor", "missing_major")[item.pk % 2]
    reasons = f"{COPIED} {item.pk}" if member.pseudonym == "B" else f"Number {item.pk} is right about it, I think."
    return {"correct": "no", "completeness": level, "reasons": reasons}


@pytest.fixture
def judged(transactional_db: None) -> Study:
    found = study_with_judgments(corpus=make_corpus(articles=2, questions=4), values=said)
    take_snapshot(found, actor=OPERATOR)
    index_items(study=found)
    measure(found)
    return found


def is_no_wider(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_researchers_watch_review_and_decide(
    judged: Study, open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    researcher = MemberFactory(study=judged, role=Role.RESEARCHER)
    place = submitted_places(judged, "A")[0]
    a = judged.members.get(pseudonym="A")
    item = judged.items.order_by("pk").first()
    assert item is not None
    slug = judged.slug
    pages = [
        reverse("monitor", args=[slug]),
        reverse("watched_annotator", args=[slug, a.pk]),
        reverse("reviews", args=[slug]),
        reverse("review", args=[slug, place.pk, a.pk]),
        reverse("adjudication", args=[slug]),
        reverse("adjudicate", args=[slug, item.pk]),
    ]
    desk = open_page(researcher.user)
    phone = open_page(researcher.user, viewport=PHONE, color_scheme="dark")
    for url in pages:
        desk.goto(url)
        assert_accessible(desk)
        phone.goto(url)
        assert is_no_wider(phone), url
    desk.locator("#form label", has_text="Yes").first.click()
    desk.locator("#form label", has_text="Complete").first.click()
    desk.get_by_label("No sentence answers it").check()
    desk.locator("#form .step textarea").first.fill("Nothing in it says so.")
    desk.get_by_role("button", name="Store and stay").click()
    expect(desk.get_by_text("stored beside the judgments")).to_be_visible()
    assert Adjudication.objects.get().values["correct"] == "yes"


def test_the_table_renews_itself_unless_it_is_to_hold_still(judged: Study, open_page: OpenPage) -> None:
    researcher = MemberFactory(study=judged, role=Role.RESEARCHER)
    page = open_page(researcher.user)
    page.clock.install()
    page.goto(reverse("monitor", args=[judged.slug]))
    with page.expect_response(lambda answer: "/monitor/" in answer.url):
        page.clock.fast_forward(16_000)
    expect(page.locator("#monitor")).to_have_count(1)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("Hold still").check()
    page.clock.fast_forward(40_000)
    page.wait_for_timeout(200)
    assert asked == []


def test_a_worker_reads_why_and_appeals_on_a_phone(
    judged: Study, open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    place = submitted_places(judged, "A")[0]
    reject(assignment=place, because="It copies the answer.", by=None, actor=OPERATOR)
    page = open_page(judged.members.get(pseudonym="A").user, viewport=PHONE, color_scheme="dark")
    page.goto(reverse("work"))
    assert_accessible(page)
    page.goto(reverse("my_submissions"))
    assert_accessible(page)
    page.goto(reverse("my_submission", args=[place.pk]))
    assert_accessible(page)
    assert is_no_wider(page)
    page.get_by_label("What should be looked at again?").fill("Sentence 2 says so.")
    page.get_by_role("button", name="Appeal").click()
    expect(page.get_by_text("has not decided on it yet")).to_be_visible()


def test_of_a_paste_the_length_alone_is_sent(place: Assignment, annotator: Member, open_page: OpenPage) -> None:
    page = open_page(annotator.user)
    page.goto(reverse("judge", args=[place.pk, 1]))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if "pasted" in request.url else None)
    with page.expect_response(lambda answer: "pasted" in answer.url):
        page.evaluate(
            """() => {
              const data = new DataTransfer();
              data.setData("text/plain", "Words from elsewhere, forty of them or so.");
              const field = document.querySelector("#form textarea");
              field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
            }"""
        )
    assert "elsewhere" not in sent[0]
    assert f"scheme={place.hit.batch.study.scheme_version.signature}&" in sent[0]
    assert Paste.objects.get().characters == 42
