"""Who somebody is on another platform: in one table, encrypted, read by payment and messages only, and erased."""

import ast
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event, User
from annotation_platform.crowd.providers.prolific.connecting import connection_for
from annotation_platform.crowd.providers.vault.identities import erase_person, keep_identity, member_of, payee_id
from annotation_platform.crowd.providers.vault.models import ProviderIdentity
from annotation_platform.crowd.providers.vault.secrets import UnreadableSecretError, decrypt
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.crowd.providers.pieces import PERSON, connected, submission
from tests.crowd.rounds.pieces import go_through, new_round
from tests.factories import OPERATOR, MemberFactory, make_study, open_study, submit
from tests.markup import markup

pytestmark = pytest.mark.django_db
APP = Path(settings.BASE_DIR) / "annotation_platform"
MAY_READ = {"crowd/providers/vault", "crowd/pay/payee", "crowd/pay/paid_file", "crowd/messages", "crowd/threads"}
"""Payment and messages, and the vault itself."""


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Owls", overlap=2)


def in_database(text: str) -> bool:
    """Whether a text stands in any column of any table."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            if any(text in str(cell) for row in cursor.fetchall() for cell in row):
                return True
    return False


def test_the_identifier_stands_nowhere_in_the_database_and_is_found_again(study: Study) -> None:
    one = submission(connected(study))
    person = "5f0000000000000000000001"
    assert not in_database(person)
    assert in_database(one.member.pseudonym)  # so that looking works
    assert member_of(study=study, provider="prolific", external_id=person) == one.member
    assert payee_id(one.member) == person
    assert member_of(study=make_study(), provider="prolific", external_id=person) is None


def test_two_studies_cannot_find_out_that_they_know_the_same_person(study: Study) -> None:
    for each in (study, make_study(name="Jays")):
        keep_identity(member=MemberFactory(study=each), provider="prolific", external_id=PERSON)
    assert len(set(ProviderIdentity.objects.values_list("lookup", flat=True))) == 2


def test_the_database_keeps_a_person_from_being_in_a_study_twice(study: Study) -> None:
    keep_identity(member=MemberFactory(study=study), provider="prolific", external_id=PERSON)
    with pytest.raises(IntegrityError), transaction.atomic():
        keep_identity(member=MemberFactory(study=study), provider="prolific", external_id=PERSON)


def test_only_payment_messages_and_the_vault_name_the_table_or_read_identifiers() -> None:
    for path in APP.rglob("*.py"):
        place = path.relative_to(APP).as_posix()
        source = path.read_text(encoding="utf-8")
        if place.startswith(tuple(MAY_READ)) or "migrations" in path.parts:
            continue
        if "payee_id" not in source and "ProviderIdentity" not in source:
            continue
        names = {
            alias.name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert "payee_id" not in names, place
        if place not in ("crowd/models.py", "crowd/providers/models.py", "crowd/account_deletion.py"):
            assert "ProviderIdentity" not in names, place


def test_erasing_a_person_keeps_the_judgments_without_them(study: Study) -> None:
    member = submission(connected(study)).member
    place = claim_assignment(annotator=member, actor=OPERATOR)
    for item in place.hit.items.all():
        submit(place, item)
    user, count = member.user_id, member.annotations.count()
    erase_person(member=member, actor=OPERATOR)
    member.refresh_from_db()
    assert (member.annotations.count(), member.user_id, payee_id(member)) == (count, None, None)
    assert count > 0
    assert not User.objects.filter(pk=user).exists()
    assert not Event.objects.filter(user=user).exists()


def test_erasing_somebody_who_was_in_a_round_erases_their_account_too(study: Study) -> None:
    member = submission(connected(study)).member
    go_through(new_round(study), member)
    user = member.user_id
    erase_person(member=member, actor=OPERATOR)
    assert not User.objects.filter(pk=user).exists()
    assert not Event.objects.filter(user=user).exists()
    assert member.attempts.get().verdict == "passed", "what they judged stays"


def test_deleting_the_account_erases_the_identity_too(study: Study) -> None:
    member = submission(connected(study)).member
    assert member.user is not None
    delete_account(user=member.user, actor=OPERATOR)
    assert not ProviderIdentity.objects.exists()


def test_keys_are_rotated_without_losing_anybody(study: Study, settings: pytest.FixtureRequest) -> None:
    settings.IDENTITY_KEYS = ["old " * 10]  # type: ignore[attr-defined]
    one = submission(connected(study))
    settings.IDENTITY_KEYS = ["new " * 10, "old " * 10]  # type: ignore[attr-defined]
    assert member_of(study=study, provider="prolific", external_id="5f0000000000000000000001") == one.member
    call_command("rotate_identities")
    settings.IDENTITY_KEYS = ["new " * 10]  # type: ignore[attr-defined]
    assert member_of(study=study, provider="prolific", external_id="5f0000000000000000000001") == one.member
    assert payee_id(one.member) == "5f0000000000000000000001"
    found = connection_for(study)
    assert found is not None
    assert decrypt(found.encrypted_token)
    settings.IDENTITY_KEYS = ["lost " * 10]  # type: ignore[attr-defined]
    with pytest.raises(UnreadableSecretError, match="keys have changed"):
        payee_id(one.member)


def test_an_admin_erases_by_typing_the_pseudonym_and_a_researcher_cannot(study: Study, client: Client) -> None:
    member = submission(connected(study)).member
    address = reverse("erase_person", args=[study.slug, member.pk])
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert client.post(address, {"typed": member.pseudonym}).status_code == 404
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    assert "Nothing was erased" in markup(client.post(address, {"typed": "somebody"}, follow=True))
    assert "is forgotten" in markup(client.post(address, {"typed": member.pseudonym}, follow=True))
    assert payee_id(member) is None
