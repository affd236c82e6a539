"""Whose study an address shows, whoever was there before; and that who enters is not asked about twice."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.selectors import membership, study_for_admin, study_for_reader
from tests.factories import MemberFactory, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def test_each_asks_for_themselves_whoever_asked_before() -> None:
    one, other = open_study(name="One"), open_study(name="Other")
    admin, researcher, annotator = (MemberFactory(study=one, role=role).user for role in reversed(Role))
    elsewhere = MemberFactory(study=other, role=Role.ADMIN).user
    for study, readers, admins in ((one, [researcher, admin], [admin]), (other, [elsewhere], [elsewhere])):
        for user in (admin, elsewhere, researcher, annotator, AnonymousUser(), admin):
            assert _found(study_for_reader, user, study) == (user in readers)
            assert _found(study_for_admin, user, study) == (user in admins)


def _found(find, user, study) -> bool:
    try:
        return bool(find(user, study.slug) == study)
    except NotThereError:
        return False


@pytest.mark.parametrize("taken", [{"role": Role.ANNOTATOR}, {"user": None}])
def test_whose_role_was_taken_enters_no_more_neither_the_study_nor_its_rounds(taken) -> None:
    study, tried = open_study(name="One"), open_study(name="Round")
    Study.objects.filter(pk=tried.pk).update(qualifies_for=study)
    tried.refresh_from_db()
    user = MemberFactory(study=study, role=Role.ADMIN).user

    def entered():
        found = [_found(find, user, each) for find in (study_for_reader, study_for_admin) for each in (study, tried)]
        return found + [_is_admin(user, each) for each in (study, tried)]

    assert all(entered())
    Member.objects.filter(user=user).update(**taken)
    assert not any(entered())


def _is_admin(user, study) -> bool:
    try:
        return bool(membership(user, study, Role.ADMIN))
    except NotThereError:
        return False


def test_a_member_knows_the_study_that_was_entered() -> None:
    study = open_study(name="One")
    user = MemberFactory(study=study, role=Role.ADMIN).user
    with CaptureQueriesContext(connection) as captured:
        entered = study_for_reader(user, "one")
        member = membership(user, entered, Role.ADMIN)
        assert str(member.study.scheme_version)
        assert member.study.corpus.name
    assert (member.study, len(captured)) == (study, 2)


def test_a_member_in_a_round_is_one_of_its_main_study() -> None:
    study, tried = open_study(name="One"), open_study(name="Round")
    Study.objects.filter(pk=tried.pk).update(qualifies_for=study)
    own = MemberFactory(study=study, role=Role.RESEARCHER)
    member = membership(own.user, study_for_reader(own.user, "round"))
    assert (member, member.study) == (own, study)
