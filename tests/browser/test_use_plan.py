"""A plan with its costs is shown, and its design becomes the study's: overlap, minutes and pay."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.crowd.pay.paying import agree
from tests.factories import LABELS, MemberFactory, judgment, make_corpus, study_with_judgments

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module", autouse=True)
def drawing_library() -> None:
    call_command("build_assets")


@pytest.fixture
def study(transactional_db: None) -> Study:
    def opinion(member: Member, item: Item) -> dict[str, Any]:
        seed = [item.question.article.position, item.question.position, item.answer.pk % 7, ord(member.pseudonym)]
        return judgment(completeness=LABELS[np.random.default_rng(seed).integers(4)])

    corpus = make_corpus(articles=8, questions=3, systems=("oak", "larch"))
    study = study_with_judgments(corpus=corpus, values=opinion, name="Harbour")
    agree(study, bonus_percent=10)
    take_snapshot(study=study, resamples=20)
    return study


@pytest.mark.parametrize(("viewport", "colors"), [({"width": 1280, "height": 860}, "light"), (PHONE, "dark")])
def test_the_design_of_a_plan_becomes_the_studys(
    open_page: Callable[..., Page],
    study: Study,
    assert_accessible: Callable[[Page], None],
    viewport: dict[str, int],
    colors: str,
) -> None:
    admin = MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss")
    page = open_page(admin.user, viewport=viewport, color_scheme=colors)
    page.goto(reverse("agreement_planning", args=[study.slug]))
    expect(page.get_by_text("Pay starts with what was agreed on the study's page Pay (version 1).")).to_be_visible()
    page.get_by_label("Annotators per answer", exact=True).fill("4")
    page.get_by_label("Pay", exact=True).fill("18")
    page.get_by_label("Paid for", exact=True).select_option("hour")
    page.get_by_label("Minutes per task", exact=True).fill("10")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("which is 3.00 USD for a task of 10 minutes")).to_be_visible()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Make it the design of this study").click()
    expect(page.get_by_text("The design is the study's: 4 judgments of each answer.")).to_be_visible()
    study.refresh_from_db()
    terms = terms_of(study)
    assert terms is not None
    assert (study.overlap, study.task_minutes, terms.reward, terms.hourly_floor) == (4, 10, 300, 18_00)
