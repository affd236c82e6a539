"""A file that is larger than its page takes is refused before it is sent, with the limit."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.studies.models import Role
from tests.factories import MemberFactory, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_large_file_of_results_is_not_sent(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page(MemberFactory(study=make_study(name="Harbour"), role=Role.RESEARCHER).user)
    page.goto("/results-files/")
    field = page.get_by_label("File of results")
    large, small = tmp_path / "large.csv", tmp_path / "small.csv"
    large.write_bytes(b"x" * 5_000_001)
    small.write_bytes(b"HITId\n1\n")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    field.set_input_files(large)
    why = field.evaluate("field => field.validationMessage")
    assert why.startswith("This file has more than the 5 MB that are read here.")
    page.get_by_role("button", name="Read the file").click()
    assert "POST" not in sent
    field.set_input_files(small)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("The file lacks")).to_be_visible()
