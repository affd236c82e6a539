"""Languages that a study asks for, and that annotators state."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.languages.services import require_languages, state_languages
from annotation_platform.studies.eligibility import Moment, NotEligibleError, refusal
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(corpus=make_corpus(questions=1))


@pytest.fixture
def annotator(study: Study) -> Member:
    member: Member = MemberFactory(study=study)
    return member


def client_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_who_does_not_say_that_they_read_it_takes_nothing(study: Study, annotator: Member) -> None:
    assert refusal(annotator, Moment.TAKING) is None
    require_languages(study=study, codes=["ja", "en"], actor=OPERATOR)
    with pytest.raises(NotEligibleError, match="Say which languages you read"):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    state_languages(member=annotator, codes=["en"], actor=OPERATOR)
    with pytest.raises(NotEligibleError, match="you do not say that you read that"):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    state_languages(member=annotator, codes=["en", "ja", "de"], actor=OPERATOR)
    assert claim_assignment(annotator=annotator, actor=OPERATOR)


def test_who_has_a_task_finishes_it(study: Study, annotator: Member) -> None:
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    require_languages(study=study, codes=["ja"], actor=OPERATOR)
    assert refusal(annotator, Moment.SUBMITTING) is None
    assert claim_assignment(annotator=annotator, actor=OPERATOR) == place


def test_a_language_that_is_not_listed_is_refused(study: Study, annotator: Member) -> None:
    with pytest.raises(InvalidInputError):
        require_languages(study=study, codes=["xx"], actor=OPERATOR)
    with pytest.raises(InvalidInputError):
        state_languages(member=annotator, codes=["xx"], actor=OPERATOR)


def test_the_page_of_tasks_leads_to_where_it_is_said(study: Study, annotator: Member) -> None:
    require_languages(study=study, codes=["ja"], actor=OPERATOR)
    client = client_of(annotator)
    where = reverse("stated_languages", args=[study.slug])
    assert where in markup(client.get(reverse("work")))
    assert client.get(where).status_code == 200
    assert client.post(where, {"language": ["ja"]}).status_code == 302
    assert where not in markup(client.get(reverse("work")))


def test_a_researcher_says_what_is_asked(study: Study) -> None:
    client = client_of(MemberFactory(study=study, role=Role.RESEARCHER))
    where = reverse("crowd_languages", args=[study.slug])
    assert client.post(where, {"language": ["ja"]}).status_code == 302
    assert study.required_languages.codes == ["ja"]
    assert client.post(where, {"language": ["xx"]}).status_code == 422


def test_nobody_else_enters(study: Study, annotator: Member) -> None:
    stranger = client_of(MemberFactory(study=make_study(), role=Role.ADMIN))
    for client in (stranger, client_of(annotator)):
        assert client.post(reverse("crowd_languages", args=[study.slug]), {"language": ["ja"]}).status_code == 404
    assert stranger.get(reverse("stated_languages", args=[study.slug])).status_code == 404
    for name in ("crowd_languages", "stated_languages"):
        assert Client().get(reverse(name, args=[study.slug])).status_code == 302
