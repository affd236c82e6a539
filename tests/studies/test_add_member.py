"""``manage.py add_member`` lets people into a study, and says what is wrong when it cannot."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import remove_member
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return make_study(name="Mine")


def test_somebody_with_an_account_becomes_an_annotator(study: Study) -> None:
    user = UserFactory(email="ada@example.org")
    output = StringIO()
    call_command("add_member", "Mine", "Ada@example.org", stdout=output)
    member = study.members.get(user=user)
    assert member.role == "annotator"
    assert f"ada@example.org is now annotator of “Mine”, as {member.pseudonym}." in output.getvalue()


def test_another_role_and_a_chosen_pseudonym(study: Study) -> None:
    user = UserFactory()
    call_command("add_member", "Mine", user.email, role="researcher", pseudonym="R-1", stdout=StringIO())
    member = study.members.get(user=user)
    assert (member.role, member.pseudonym) == ("researcher", "R-1")


def test_an_address_is_no_pseudonym(study: Study) -> None:
    with pytest.raises(CommandError, match="is an e-mail address"):
        call_command("add_member", "Mine", UserFactory().email, pseudonym="ada@example.org")
    assert not study.members.exists()


def test_an_unknown_study_is_named_beside_the_known_ones(study: Study) -> None:
    with pytest.raises(CommandError, match=r"no study named “Yours”\. Studies: “Mine”"):
        call_command("add_member", "Yours", UserFactory().email)


def test_an_unknown_address_is_told(study: Study) -> None:
    with pytest.raises(CommandError, match=r"Nobody has signed up as “no@example.org”"):
        call_command("add_member", "Mine", "no@example.org")


def test_nobody_is_added_twice(study: Study) -> None:
    member = MemberFactory(study=study)
    assert member.user is not None
    with pytest.raises(CommandError, match="already"):
        call_command("add_member", "Mine", member.user.email)
    assert study.members.count() == 1


@pytest.mark.parametrize("pseudonym", ["p" * 61, "   "])
def test_a_pseudonym_that_cannot_be_kept_is_refused(study: Study, pseudonym: str) -> None:
    with pytest.raises(CommandError, match="A pseudonym has 1 to 60 characters"):
        call_command("add_member", "Mine", UserFactory().email, pseudonym=pseudonym)
    assert not study.members.exists()


def test_a_member_is_told_where_roles_are_changed(study: Study) -> None:
    member = MemberFactory(study=study)
    assert member.user is not None
    with pytest.raises(CommandError, match="Roles are changed on the study's page of people"):
        call_command("add_member", "Mine", member.user.email, role="admin")


def test_who_was_removed_comes_back_as_who_they_were_and_that_is_said(study: Study) -> None:
    member = MemberFactory(study=study, role=Role.ANNOTATOR)
    assert member.user is not None
    email = member.user.email
    remove_member(member=member, actor=OPERATOR)
    output, errors = StringIO(), StringIO()
    call_command("add_member", "Mine", email, role="admin", stdout=output, stderr=errors)
    assert f"again, as {member.pseudonym}, annotator as before." in output.getvalue()
    assert "Role and pseudonym stay as they were" in errors.getvalue()
    member.refresh_from_db()
    assert member.role == Role.ANNOTATOR
