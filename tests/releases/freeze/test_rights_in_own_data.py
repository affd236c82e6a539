"""A person's own data says which releases they may download, or might, and nothing of anybody else's rights."""

import io
import json
import zipfile
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.crowd.home.archive import write_archive
from annotation_platform.releases.freeze.rights import give_right, revoke_right
from annotation_platform.releases.models import Release
from annotation_platform.studies.models import Member, Role
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_corpus, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def rights_of(user: User) -> list[dict[str, Any]]:
    file = io.BytesIO()
    write_archive(user=user, file=file, on_parts=lambda count: None)
    found: list[dict[str, Any]] = json.loads(zipfile.ZipFile(file).read("download_rights.json"))
    return found


def test_rights_by_address_and_by_team_are_there_also_revoked_ones() -> None:
    study = make_study(name="Owls")
    admin = MemberFactory(study=study, role=Role.ADMIN)
    release = Release.objects.create(
        study=study, requested_by=admin, number=1, title="Owls", status="done", frozen_at=timezone.now()
    )
    user, other = UserFactory(), UserFactory()
    team = make_study(name="Finches", corpus=make_corpus(name="Of finches"))
    Member.objects.create(study=team, user=user, role=Role.RESEARCHER, pseudonym="R")

    def give(**whom: Any) -> Any:
        return give_right(release=release, created_by=admin, actor=OPERATOR, **whom)

    by_address, by_role = give(email=user.email), give(team=team, role=Role.RESEARCHER)
    give(team=team, role=Role.ANNOTATOR)
    give(email=other.email)
    revoke_right(right=by_role, actor=OPERATOR)
    EmailAddress.objects.filter(user=user).delete()
    assert [each["by_role"] for each in rights_of(user)] == ["researcher"], "the address is not confirmed"
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    found = rights_of(user)
    assert [(each["study"], each["release"], each["by_address"], each["in_study"]) for each in found] == [
        ("owls", 1, user.email, None),
        ("owls", 1, None, "finches"),
    ]
    assert [each["revoked_at"] is None for each in found] == [True, False]
    assert other.email not in json.dumps(found)
    assert by_address.pk != by_role.pk
