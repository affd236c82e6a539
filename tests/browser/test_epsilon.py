"""Another ε on the page Human and LLM: typed, kept while aspects are chosen, wrong, on a phone, and without scripts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Member, Role, Study
from tests.analysis.sections.human_llm.test_human_llm import STARS, judged, opinion
from tests.factories import MemberFactory
from tests.scoring.judged_studies import explanation_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}
COLUMN, P = "ω, ε 0.05", "p, ε 0.05"


@pytest.fixture(scope="module", autouse=True)
def drawing_library() -> None:
    call_command("build_assets")


@pytest.fixture
def study(transactional_db: None) -> Study:
    study = explanation_study(questions=32, annotators=4, values=opinion, name="Harbour")
    judged(study, dict.fromkeys((1, 7, 13, 19), "1"))
    take_snapshot(study=study, resamples=20)
    return study


@pytest.fixture
def researcher(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Riverside")
    return member


def headings(page: Page, part: str) -> list[str]:
    return [text.strip() for text in page.locator(f"{part} th").all_text_contents()]


def test_it_is_typed_and_kept_while_aspects_are_chosen(
    open_page: Callable[..., Page], study: Study, researcher: Member, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(researcher.user)
    page.goto(reverse("agreement_human_llm", args=[study.slug]))
    page.get_by_label("Another ε").fill("0,05")
    page.get_by_label("Another ε").press("Enter")
    expect(page).to_have_url(re.compile(r"epsilon=0(,|%2C)05"))
    expect(page.get_by_text("At the chosen ε of 0.05")).to_be_visible()
    expect(page.get_by_label("Another ε")).to_be_focused()
    assert COLUMN in headings(page, "#instead")
    assert P in headings(page, "#confusion")

    page.get_by_label("On", exact=True).first.select_option(STARS)
    expect(page).to_have_url(re.compile(rf"aspect={STARS}&epsilon=0.05"))
    expect(page.locator("#confusion").get_by_text("0 at ε 0.05")).to_be_visible()

    page.get_by_label("Another ε").fill("0.3")
    page.get_by_role("button", name="Show").first.click()
    expect(page.get_by_text("At the chosen ε of 0.3")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"epsilon=0.3&aspect={STARS}"))
    expect(page.locator("#aspect")).to_have_value(STARS)
    assert_accessible(page)

    page.get_by_label("Another ε").fill("much")
    page.get_by_label("Another ε").press("Enter")
    expect(page.get_by_text("“much” is no ε.")).to_be_visible()
    expect(page.get_by_label("Another ε")).to_have_value("much")
    expect(page.locator("#aspect")).to_have_value(STARS)
    assert_accessible(page)

    page.get_by_label("Another ε").fill("")
    page.get_by_label("Another ε").press("Enter")
    expect(page.get_by_text("“much” is no ε.")).to_have_count(0)
    assert not any(heading.startswith("ω, ") for heading in headings(page, "#instead"))


@pytest.mark.parametrize("name", ["agreement_human_llm", "agreement_judges"])
def test_it_fits_a_phone_and_works_without_scripts(
    open_page: Callable[..., Page], study: Study, researcher: Member, name: str
) -> None:
    options: dict[str, Any] = {"viewport": PHONE, "java_script_enabled": False}
    page = open_page(researcher.user, **options)
    page.goto(reverse(name, args=[study.slug]) + f"?aspect={STARS}")
    page.get_by_label("Another ε").fill("0.05")
    page.locator("#epsilon-form button").click()
    expect(page.get_by_text("At the chosen ε of 0.05").first).to_be_visible()
    assert f"aspect={STARS}" in page.url
    assert page.locator("#instead").bounding_box()["width"] <= 360  # type: ignore[index]
    with_scripts = open_page(researcher.user, viewport=PHONE)
    with_scripts.goto(page.url)
    assert with_scripts.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("width", [1280, 360])
def test_the_table_of_people_reads_well(
    open_page: Callable[..., Page], transactional_db: None, width: int, assert_accessible: Callable[[Page], None]
) -> None:
    """On a desk it is no wider than its card; on a phone names stay in view, and no row is higher than its remark."""
    small = explanation_study(questions=5, annotators=5, values=opinion, name="Small")
    judged(small, {})
    take_snapshot(study=small, resamples=20)
    page = open_page(MemberFactory(study=small, role=Role.RESEARCHER).user, viewport={"width": width, "height": 860})
    page.goto(reverse("agreement_human_llm", args=[small.slug]))
    table = page.get_by_role("group", name="Person by person")
    table.scroll_into_view_if_needed()
    expect(table.get_by_role("columnheader", name="Person at least as close")).to_be_visible()
    assert table.locator("tbody tr").first.evaluate("row => row.offsetHeight") < 70
    if width == 1280:
        assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
    else:
        table.evaluate("box => { box.scrollLeft = 200; }")
        name = table.locator("tbody tr").first.locator("td").first
        expect(name).to_be_in_viewport(ratio=1)
        assert name.evaluate("cell => getComputedStyle(cell).boxShadow") != "none", "it ends where others pass below it"
    assert_accessible(page)
