"""What somebody meets who begins: an empty database, a page for others, and how a study introduces itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Role
from tests.factories import MemberFactory, make_study
from tests.markup import markup

pytestmark = pytest.mark.pages

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "command",
    [
        ["report_study", "Mine"],
        ["import_study", "native", "study.yaml", "--name", "Mine"],
        ["delete_account", "a@example.org"],
    ],
)
def test_a_database_without_tables_is_told_with_what_to_do(command: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "PLATFORM_MODE": "embedded", "DATABASE_URL": ""}
    environment.pop("TEST_DB_NAME", None)
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.strip() == "CommandError: The database has no tables yet. Make them first: manage.py migrate."


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["exports", "edit_scheme"])
def test_a_researcher_is_told_that_a_page_is_for_admins_and_a_stranger_nothing(client: Client, page: str) -> None:
    study = make_study()
    address = reverse(page, args=[study.slug])
    for member, told in (
        (MemberFactory(study=study, role=Role.RESEARCHER), "This page is for the admins of the study."),
        (MemberFactory(role=Role.ADMIN), "There is no such study, or it is not open to you."),
    ):
        client.force_login(member.user)
        answer = client.get(address)
        assert answer.status_code == 404
        assert told in markup(answer)


@pytest.mark.django_db
def test_a_study_names_its_scheme_by_its_title(client: Client) -> None:
    member = MemberFactory(role=Role.RESEARCHER)
    client.force_login(member.user)
    page = markup(client.get(reverse("study", args=[member.study.slug])))
    assert f"judged under “{member.study.scheme().title}” (version 1)" in page
