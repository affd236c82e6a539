"""Studies on Prolific that are made and published from our page: once, and settled by a person where unclear."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.providers.prolific import calls
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.prolific.offering import Offer, make_offer, publish_study
from annotation_platform.crowd.providers.prolific.orders import settle
from annotation_platform.studies.models import Role
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import OPERATOR, MemberFactory, make_study
from tests.markup import markup
from tests.servers.prolific import ProlificServer

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
State = ProviderCall.State
OFFER = Offer(name="Owls", description="Judge answers about owls.", places=6, reward=450, minutes=20)
OTHER_STUDY = "60000000000000000000bbbb"
FORM = {"name": "Owls", "description": "About owls.", "places": "6", "reward": "4.50", "minutes": "20"}


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture
def prolific() -> ProlificStudy:
    return connected(make_study(name="Owls"), checks_signature=True)


@pytest.fixture
def researcher(prolific: ProlificStudy, client: Client) -> Client:
    client.force_login(MemberFactory(study=prolific.study, role=Role.RESEARCHER).user)
    return client


def ordered(prolific: ProlificStudy) -> ProviderCall:
    return make_offer(connection=prolific, offer=OFFER, arriving="https://us.example/join/", actor=OPERATOR)


def carried_out(call: ProviderCall) -> ProviderCall:
    calls.make_calls()
    call.refresh_from_db()
    return call


def test_a_draft_has_our_address_the_codes_places_and_reward_and_is_published_later(
    server: ProlificServer, prolific: ProlificStudy, researcher: Client
) -> None:
    slug = prolific.study.slug
    assert "Make the draft" in markup(researcher.get(reverse("new_prolific_study", args=[slug])))
    researcher.post(reverse("new_prolific_study", args=[slug]), FORM)
    assert server.requests == [], "a page waits for nobody"
    call = ProviderCall.objects.get()
    assert carried_out(call).state == State.CONFIRMED
    draft = server.studies[call.external_study]
    there = reverse("prolific_arriving", args=[prolific.address_token])
    assert draft["external_study_url"].startswith(f"http://testserver{there}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&")
    assert (draft["total_available_places"], draft["reward"], draft["status"]) == (6, 450, "UNPUBLISHED")
    assert draft["is_external_study_url_secure"] is True
    assert [each["code"] for each in draft["completion_codes"]] == ["DONE1", "SCREEN2", "TIME3", "NO4"]
    prolific.refresh_from_db()
    assert prolific.external_studies == [call.external_study]
    page = markup(researcher.get(reverse("prolific", args=[slug])))
    assert "27.00" in page, "six times 4.50"
    researcher.post(reverse("publish_prolific_study", args=[slug, call.pk]))
    calls.make_calls()
    assert draft["status"] == server.studies[call.external_study]["status"] == "ACTIVE"
    assert "publishing: confirmed" in markup(researcher.get(reverse("prolific", args=[slug])))


def test_it_is_published_once(server: ProlificServer, prolific: ProlificStudy) -> None:
    made = carried_out(ordered(prolific))
    first = publish_study(made=made, actor=OPERATOR)
    for call in (made, first):
        with pytest.raises(ConflictError):
            publish_study(made=call, actor=OPERATOR)
    carried_out(first)
    with pytest.raises(ConflictError):
        publish_study(made=made, actor=OPERATOR)
    assert server.count("POST /studies/.+/transition/") == 1


@pytest.mark.parametrize("mood", ["cut", "broken"])
def test_an_unclear_draft_is_never_made_again_and_a_person_says_what_became_of_it(
    server: ProlificServer, prolific: ProlificStudy, researcher: Client, mood: str
) -> None:
    server.moods.append(("POST /studies/", mood))
    call = carried_out(ordered(prolific))
    assert call.state == State.UNCLEAR
    ProviderCall.objects.update(due_at=timezone.now() - timedelta(days=1))
    calls.make_calls()
    assert server.count("POST /studies/$") == 1
    slug = prolific.study.slug
    assert "if it was made" in markup(researcher.get(reverse("prolific", args=[slug])))
    address = reverse("settle_call", args=[slug, call.pk])
    said = researcher.post(address, {"said": "done", "external_study": "?"}, follow=True)
    assert "is no identifier of a study on Prolific" in markup(said)
    researcher.post(address, {"said": "done", "external_study": "60000000000000000000bbbb"})
    call.refresh_from_db()
    prolific.refresh_from_db()
    assert (call.state, prolific.external_studies) == (State.WAS_DONE, ["60000000000000000000bbbb"])
    assert publish_study(made=call, actor=OPERATOR).external_study == "60000000000000000000bbbb"


def test_an_unclear_publishing_is_settled_and_may_be_ordered_anew_when_it_was_not_done(
    server: ProlificServer, prolific: ProlificStudy
) -> None:
    made = carried_out(ordered(prolific))
    server.moods.append(("transition", "broken"))
    call = carried_out(publish_study(made=made, actor=OPERATOR))
    assert call.state == State.UNCLEAR
    with pytest.raises(ConflictError):
        publish_study(made=made, actor=OPERATOR)
    settle(call=call, was_done=False, actor=OPERATOR)
    assert carried_out(publish_study(made=made, actor=OPERATOR)).state == State.CONFIRMED


def test_a_worker_that_died_over_it_leaves_it_unclear(server: ProlificServer, prolific: ProlificStudy) -> None:
    call = ordered(prolific)
    long_ago = timezone.now() - timedelta(hours=1)
    ProviderCall.objects.filter(pk=call.pk).update(state=State.SENT, sent_at=long_ago, paying_at=long_ago, claim="x")
    assert carried_out(call).state == State.UNCLEAR
    assert server.requests == []


def test_what_prolific_refuses_is_told_and_what_cannot_be_is_not_ordered(
    server: ProlificServer, prolific: ProlificStudy, researcher: Client
) -> None:
    server.moods.append(("POST /studies/", "refuses"))
    call = carried_out(ordered(prolific))
    assert (call.state, "Bad bonus" in str(call.error)) == (State.REFUSED, True)
    for wrong in ({"places": "0"}, {"reward": "0"}, {"name": ""}, {"minutes": "x"}, {"project": "?"}):
        page = researcher.post(reverse("new_prolific_study", args=[prolific.study.slug]), FORM | wrong)
        assert page.status_code == 422, wrong
        assert "About owls." in markup(page)
    with pytest.raises(InvalidInputError):
        make_offer(
            connection=prolific, offer=Offer("Owls", "x", 0, 1, 1), arriving="https://us.example/", actor=OPERATOR
        )
    assert ProviderCall.objects.count() == 1


def test_those_by_whom_people_came_before_stay_let_in(server: ProlificServer, prolific: ProlificStudy) -> None:
    submission(prolific)
    call = carried_out(ordered(prolific))
    prolific.refresh_from_db()
    assert prolific.external_studies == [EXTERNAL_STUDY, call.external_study]


def test_a_page_from_before_a_draft_was_made_keeps_its_people_let_in_and_a_later_one_can_take_it_out(
    server: ProlificServer, prolific: ProlificStudy, researcher: Client
) -> None:
    ProlificStudy.objects.update(external_studies=[EXTERNAL_STUDY, OTHER_STUDY])
    address = reverse("prolific", args=[prolific.study.slug])

    def save(page: Any, studies: str) -> list[str]:
        form = page.context["form"]
        shown = {each.name: each.value() or "" for each in form if each.name not in ("token", "hook_secret")}
        assert researcher.post(address, shown | {"external_studies": studies}).status_code == 302
        prolific.refresh_from_db()
        return prolific.external_studies

    page = researcher.get(address)
    call = carried_out(ordered(prolific))
    assert save(page, OTHER_STUDY) == [OTHER_STUDY, call.external_study]
    assert save(researcher.get(address), OTHER_STUDY) == [OTHER_STUDY]
