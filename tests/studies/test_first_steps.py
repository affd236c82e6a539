"""What somebody meets who begins: an empty database, a page for others, and how a study introduces itself."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Role
from tests.commands import carry_out
from tests.factories import MemberFactory, make_study
from tests.markup import markup

pytestmark = pytest.mark.pages


def test_a_database_without_tables_is_told_with_what_to_do(tmp_path: Path) -> None:
    commands = [
        ["report_study", "Mine"],
        ["import_study", "native", "study.yaml", "--name", "Mine"],
        ["delete_account", "a@example.org"],
    ]
    environment = {"DATA_DIR": str(tmp_path), "PLATFORM_MODE": "embedded", "DATABASE_URL": ""}
    for command, said in zip(commands, carry_out(commands, environment), strict=True):
        assert said.status == 1, command
        told = "CommandError: The database has no tables yet. Make them first: manage.py migrate."
        assert said.errors.strip() == told, command


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
