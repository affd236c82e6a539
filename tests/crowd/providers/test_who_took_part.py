"""The summary of what annotators say of themselves: of those who judged and agree, and nothing that few of them say."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.participants.groups import ColumnGroups, who_took_part
from annotation_platform.crowd.providers.prolific.visits import KEY
from annotation_platform.crowd.providers.vault.identities import keep_identity
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory
from tests.markup import markup
from tests.releases.freeze.test_participants import about, annotators, keep, stored

__all__ = ["stored"]
pytestmark = [pytest.mark.django_db, pytest.mark.pages]
AGE, SEX = ColumnGroups("Age", [("20–29", 12)], 0, 0), ColumnGroups("Sex", [("Female", 12)], 0, 0)


@pytest.fixture
def prolific(study: Study) -> ProlificStudy:
    return ProlificStudy.objects.get(study=study)


def test_what_fewer_than_five_say_is_counted_together(prolific: ProlificStudy) -> None:
    country = ColumnGroups("Country of residence", [("Chile", 6), ("Japan", 6)], 0, 0)
    assert who_took_part(prolific.study) == (12, [AGE, SEX, country])
    keep(prolific, [about(1, country="Atlantis"), about(2, country="Mu")])
    country = ColumnGroups("Country of residence", [("Japan", 6)], 6, 0)
    assert who_took_part(prolific.study) == (12, [AGE, SEX, country])
    keep(prolific, [about(12, country="DATA_EXPIRED")])
    country = ColumnGroups("Country of residence", [("Japan", 5)], 6, 1)
    assert who_took_part(prolific.study) == (12, [AGE, SEX, country])


def test_who_has_not_agreed_or_judged_nothing_is_not_counted(prolific: ProlificStudy) -> None:
    study = prolific.study
    idle = MemberFactory(study=study)
    keep_identity(member=idle, provider=KEY, external_id="5f0000000000000000000099")
    keep(prolific, [about(99)])
    Consent.objects.filter(member__in=annotators(study)[:2]).delete()
    people, (age, _, country) = who_took_part(study)
    assert (people, age.groups, country.groups, country.few) == (10, [("20–29", 10)], [("Japan", 6)], 4)


def test_the_page_shows_it_to_researchers(prolific: ProlificStudy, client: Client) -> None:
    study = prolific.study
    keep(prolific, [about(1, country="Atlantis"), about(2, country="DATA_EXPIRED")])
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    where = reverse("prolific_participants", args=[study.slug])
    page = client.get(where)
    said = markup(page)
    assert "12 annotators of whom something is kept have judged something and agree" in said
    assert "what fewer than 5 say each: 5" in said
    assert "not said: 1" in said
    assert "Atlantis" not in page.content.decode()
    client.post(where, {"do": "forget"})
    assert "Who took part" not in markup(client.get(where))
