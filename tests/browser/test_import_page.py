"""Importing in a browser: from an uploaded table to the new study, on a screen and on a phone, in both schemes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from annotation_platform.accounts.models import User
    from annotation_platform.studies.models import Study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TABLE = """\
question,reference,"reply from
the model",model,who,equivalent
Who painted the ceiling of the chapel in the old town?,Ada Moor,A. Moor,alder,Wren,yes
Who painted the ceiling of the chapel in the old town?,Ada Moor,Bo Ek,birch,Wren,perhaps
"""


@pytest.fixture
def researcher(study: Study) -> User:
    from annotation_platform.studies.models import Role
    from tests.factories import MemberFactory

    user: User = MemberFactory(study=study, role=Role.RESEARCHER).user
    return user


@pytest.fixture(autouse=True)
def imports_dir(settings: Any, tmp_path: Path) -> None:
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (360, "dark")], ids=["on a screen", "on a phone in the dark"]
)
def test_a_table_becomes_a_study(
    open_page: Callable[..., Page],
    researcher: User,
    assert_accessible: Callable[[Page], None],
    tmp_path: Path,
    width: int,
    scheme: str,
) -> None:
    from annotation_platform.studies.models import Study

    file = tmp_path / "quiz.csv"
    file.write_text(TABLE, encoding="utf-8")
    page = open_page(researcher, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto("/")
    page.get_by_role("link", name="Import").click()
    expect(page.get_by_role("heading", name="Import from files")).to_be_visible()
    assert_fits(page, assert_accessible)
    page.get_by_label("Files").set_input_files(file)
    page.get_by_role("button", name="Upload").click()

    page.get_by_label("Name of the new study or corpus").fill("Quiz")
    page.get_by_label("Judged under").select_option("equivalence")
    page.get_by_role("status").get_by_role("button", name="Show the rows again").click()
    expect(page.get_by_text("no column is taken for 'answer'")).to_be_visible()
    expect(page.get_by_label("question is taken for")).to_have_value("question")
    expect(page.get_by_label("who is taken for")).to_have_value("")
    page.get_by_label("reply from the model is taken for").select_option("answer")
    page.get_by_label("who is taken for").select_option("annotator")
    assert_fits(page, assert_accessible)

    page.get_by_role("button", name="Check everything, store nothing").click()
    expect(page.get_by_text("line 4: equivalent: “perhaps” is not one of the choices")).to_be_visible()
    expect(page.get_by_label("Name of the new study or corpus")).to_have_value("Quiz")
    expect(page.get_by_label("who is taken for")).to_have_value("annotator")
    assert_fits(page, assert_accessible)
    page.get_by_label("equivalent is taken for").select_option("")
    page.get_by_label("who is taken for").select_option("")
    page.get_by_role("button", name="Check everything, store nothing").click()
    expect(page.get_by_role("heading", name="Nothing is wrong")).to_be_visible()
    assert_fits(page, assert_accessible)
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_in_viewport()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="Open Quiz").click()
    expect(page.get_by_role("heading", name="Quiz")).to_be_visible()
    assert Study.objects.get(name="Quiz").batches.get().state == "draft"


def assert_fits(page: Page, assert_accessible: Callable[[Page], None]) -> None:
    """No wider than the screen, and without a fault that axe knows."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert_accessible(page)
